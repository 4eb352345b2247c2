//! Normal forms: sums of products of powers, collected.

use crate::graph::{FlatHead, Graph};
use crate::node::NONE;
use crate::op::Op;

/// Sums with more terms are treated as one unknown, which keeps the cost linear.
const MOST_TERMS: usize = 32;
/// Products with more factors are treated as one unknown.
const MOST_FACTORS: usize = 16;
/// Integer powers of sums up to this exponent are multiplied out on request.
const MOST_EXPANDED: i32 = 4;
/// Real powers with integer exponents up to this size become integer powers.
const MOST_INTEGER: f64 = 64.0;

/// Product of powers: atoms (nodes of the new graph) ascending, exponents not zero.
type Monomial = Vec<(u32, i32)>;

/// Sum of terms with distinct monomials, sorted; no coefficient is zero.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Form {
    terms: Vec<(Monomial, f64)>,
}

impl Form {
    fn constant(value: f64) -> Self {
        let zero = value.abs() <= 0.0;
        Self {
            terms: if zero { vec![] } else { vec![(vec![], value)] },
        }
    }

    fn atom(node: u32) -> Self {
        Self {
            terms: vec![(vec![(node, 1)], 1.0)],
        }
    }

    /// The number that the form is, if it contains no atoms.
    pub(crate) fn as_constant(&self) -> Option<f64> {
        match self.terms.as_slice() {
            [] => Some(0.0),
            [(monomial, value)] if monomial.is_empty() => Some(*value),
            _ => None,
        }
    }

    fn single(&self) -> Option<(&Monomial, f64)> {
        match self.terms.as_slice() {
            [(monomial, value)] => Some((monomial, *value)),
            _ => None,
        }
    }

    fn scaled(&self, factor: f64) -> Self {
        let terms = self
            .terms
            .iter()
            .map(|(monomial, value)| (monomial.clone(), value * factor));
        Self {
            terms: terms.filter(|(_, value)| value.abs() > 0.0).collect(),
        }
    }

    /// `self + factor * other`.
    fn plus(&self, other: &Self, factor: f64) -> Self {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (Some((a, _)), Some((b, _))) => a.cmp(b),
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (None, None) => return Self { terms },
            };
            let a = if order.is_le() { left.next() } else { None };
            let b = if order.is_ge() { right.next() } else { None };
            let value = a.map_or(0.0, |(_, a)| *a) + b.map_or(0.0, |(_, b)| factor * b);
            if let Some((monomial, _)) = a.or(b)
                && (value.abs() > 0.0 || value.is_nan())
            {
                terms.push((monomial.clone(), value));
            }
        }
    }

    /// Product, or `None` if it has too many terms or factors.
    fn times(&self, other: &Self) -> Option<Self> {
        if self.terms.len() * other.terms.len() > MOST_TERMS {
            return None;
        }
        let mut product = Self { terms: vec![] };
        for (left, a) in &self.terms {
            for (right, b) in &other.terms {
                let term = Self {
                    terms: vec![(multiply(left, right)?, a * b)],
                };
                product = product.plus(&term, 1.0);
            }
        }
        Some(product)
    }

    /// Power of a single term.
    fn power(&self, exponent: i32) -> Option<Self> {
        let (monomial, value) = self.single()?;
        let raised = |(atom, own): &(u32, i32)| Some((*atom, own.checked_mul(exponent)?));
        let monomial = monomial.iter().map(raised).collect::<Option<Monomial>>()?;
        let value = bifrons_lanes::math::powi(value, exponent);
        value.is_normal().then(|| Self {
            terms: vec![(monomial, value)],
        })
    }
}

fn multiply(a: &Monomial, b: &Monomial) -> Option<Monomial> {
    let mut product: Monomial = Vec::with_capacity(a.len() + b.len());
    let (mut left, mut right) = (a.iter().peekable(), b.iter().peekable());
    while left.peek().is_some() || right.peek().is_some() {
        let next_is_left = match (left.peek(), right.peek()) {
            (Some((a, _)), Some((b, _))) => a <= b,
            (left, _) => left.is_some(),
        };
        let next = if next_is_left {
            left.next()
        } else {
            right.next()
        };
        let Some(&(atom, exponent)) = next else { break };
        match product.last_mut() {
            Some((last, own)) if *last == atom => *own = own.checked_add(exponent)?,
            _ => product.push((atom, exponent)),
        }
    }
    product.retain(|(_, exponent)| *exponent != 0);
    (product.len() <= MOST_FACTORS).then_some(product)
}

/// Brings the nodes of a graph into normal form in a graph of its own.
pub(crate) struct Normaliser {
    pub(crate) graph: Graph,
    /// Whether products of sums are multiplied out.
    expand: bool,
}

impl Normaliser {
    pub(crate) fn new(expand: bool) -> Self {
        Self {
            graph: Graph::new(),
            expand,
        }
    }

    /// Normal form of the last of the nodes `cone`, which lists operands first.
    pub(crate) fn form(&mut self, source: &Graph, cone: &[u32]) -> Form {
        let index = |id: u32| cone.binary_search(&id).unwrap_or(0);
        let operands = |id: u32| {
            let operands = source.nodes[id as usize].operands;
            operands.into_iter().filter(|operand| *operand != NONE)
        };
        // Forms are dropped after their last use, so that a chain keeps only a few of them.
        let mut left = vec![0_u32; cone.len()];
        cone.iter()
            .flat_map(|id| operands(*id))
            .for_each(|operand| left[index(operand)] += 1);
        let mut forms: Vec<Form> = Vec::with_capacity(cone.len());
        for id in cone {
            let node = source.nodes[*id as usize];
            let form = match node.head {
                FlatHead::Constant(bits) => self.number(f64::from_bits(bits)),
                FlatHead::Symbol(symbol) => {
                    Form::atom(self.graph.symbol(&source.symbols[symbol as usize]))
                }
                FlatHead::Function(function) => {
                    let function = &source.functions[function as usize];
                    Form::atom(self.graph.function(function))
                }
                FlatHead::Op(op) => {
                    let operands: Vec<&Form> = operands(*id).map(|i| &forms[index(i)]).collect();
                    self.operation(op, &operands)
                }
            };
            forms.push(form);
            for operand in operands(*id).map(index) {
                left[operand] -= 1;
                if left[operand] == 0 {
                    forms[operand].terms = vec![];
                }
            }
        }
        forms.pop().unwrap_or_else(|| Form::constant(0.0))
    }

    fn number(&mut self, value: f64) -> Form {
        if value.is_finite() {
            Form::constant(value)
        } else {
            Form::atom(self.graph.constant(value))
        }
    }

    fn operation(&mut self, op: Op, operands: &[&Form]) -> Form {
        match (op, operands) {
            (Op::Neg, [a]) => a.scaled(-1.0),
            (Op::Add, [a, b]) => self.sum(a, b, 1.0),
            (Op::Sub, [a, b]) => self.sum(a, b, -1.0),
            (Op::Mul, [a, b]) => self.product(a, b),
            (Op::Div, [a, b]) => self.quotient(a, b),
            (Op::Powi(exponent), [a]) => self.power(a, exponent),
            (Op::Pow, [a, b]) => match b.as_constant() {
                Some(n) if n.fract() == 0.0 && n.abs() <= MOST_INTEGER =>
                {
                    #[expect(clippy::cast_possible_truncation, reason = "an integer of at most 64")]
                    self.power(a, n as i32)
                }
                _ => self.other(op, operands),
            },
            (Op::Min | Op::Max, [a, b]) if a == b => (*a).clone(),
            (Op::Select, [_, a, b]) if a == b => (*a).clone(),
            _ => self.other(op, operands),
        }
    }

    fn sum(&mut self, a: &Form, b: &Form, factor: f64) -> Form {
        let sum = a.plus(b, factor);
        if sum.terms.len() <= MOST_TERMS {
            return sum;
        }
        let (a, b) = (self.as_atom(a), self.as_atom(b));
        a.plus(&b, factor)
    }

    fn product(&mut self, a: &Form, b: &Form) -> Form {
        let constant = a.as_constant().or(b.as_constant());
        let direct = self.expand || constant.is_some() || (a.single().and(b.single())).is_some();
        if direct && let Some(product) = a.times(b) {
            return product;
        }
        let (a, b) = (self.as_atom(a), self.as_atom(b));
        match a.times(&b) {
            Some(product) => product,
            None => {
                let (a, b) = (self.node(&a), self.node(&b));
                Form::atom(self.graph.binary(Op::Mul, a, b))
            }
        }
    }

    fn quotient(&mut self, a: &Form, b: &Form) -> Form {
        if let Some(divisor) = b.as_constant().filter(|divisor| divisor.is_normal()) {
            let terms = a
                .terms
                .iter()
                .map(|(monomial, value)| (monomial.clone(), value / divisor));
            return Form {
                terms: terms.collect(),
            };
        }
        if a == b && b.as_constant().is_none() {
            return Form::constant(1.0);
        }
        let b = self.as_atom(b);
        match b.power(-1) {
            Some(inverse) => self.product(a, &inverse),
            None => self.other(Op::Div, &[a, &b]),
        }
    }

    fn power(&mut self, a: &Form, exponent: i32) -> Form {
        if exponent == 0 {
            return Form::constant(1.0);
        }
        if a.terms.is_empty() {
            return self.other(Op::Powi(exponent), &[a]);
        }
        if self.expand && a.single().is_none() && (2..=MOST_EXPANDED).contains(&exponent) {
            return (1..exponent).fold(a.clone(), |power, _| self.product(&power, a));
        }
        let atom = self.as_atom(a);
        match atom.power(exponent) {
            Some(power) => power,
            None => self.other(Op::Powi(exponent), &[&atom]),
        }
    }

    /// An operation on operands that are already normal, as an atom.
    fn other(&mut self, op: Op, operands: &[&Form]) -> Form {
        let mut nodes = [NONE; 3];
        for (node, operand) in nodes.iter_mut().zip(operands) {
            *node = self.node(operand);
        }
        let result = self.graph.op(op, nodes);
        if let Some(value) = self.graph.constant_value(result) {
            return self.number(value);
        }
        match nodes.iter().position(|node| *node == result) {
            Some(folded) => (*operands[folded]).clone(),
            None => Form::atom(result),
        }
    }

    /// The form itself if it is a single term, else one atom for the sum.
    fn as_atom(&mut self, form: &Form) -> Form {
        match form.terms.len() {
            0 | 1 => form.clone(),
            _ => Form::atom(self.node(form)),
        }
    }

    /// Node of a form: terms with atoms first, a positive one in front if there is one.
    pub(crate) fn node(&mut self, form: &Form) -> u32 {
        let mut terms: Vec<&(Monomial, f64)> = form.terms.iter().collect();
        let constant_first = terms
            .first()
            .is_some_and(|(monomial, _)| monomial.is_empty());
        terms.rotate_left(usize::from(constant_first));
        if let Some(lead) = terms.iter().position(|(_, value)| *value > 0.0) {
            terms[..=lead].rotate_right(1);
        }
        let mut sum = NONE;
        for (monomial, value) in terms {
            let term = self.term(monomial, value.abs());
            sum = match (sum, *value < 0.0) {
                (NONE, false) => term,
                (NONE, true) => self.graph.unary(Op::Neg, term),
                (sum, false) => self.graph.binary(Op::Add, sum, term),
                (sum, true) => self.graph.binary(Op::Sub, sum, term),
            };
        }
        if sum == NONE {
            self.graph.constant(0.0)
        } else {
            sum
        }
    }

    fn term(&mut self, monomial: &Monomial, value: f64) -> u32 {
        let (mut above, mut below) = (NONE, NONE);
        for (atom, exponent) in monomial {
            let side = if *exponent > 0 {
                &mut above
            } else {
                &mut below
            };
            let size = i32::try_from(exponent.unsigned_abs()).unwrap_or(i32::MAX);
            let factor = self.graph.unary(Op::Powi(size), *atom);
            *side = match *side {
                NONE => factor,
                product => self.graph.binary(Op::Mul, product, factor),
            };
        }
        let value = self.graph.constant(value);
        let above = match above {
            NONE => value,
            above => self.graph.binary(Op::Mul, value, above),
        };
        if below == NONE {
            above
        } else {
            self.graph.binary(Op::Div, above, below)
        }
    }
}
