//! Functions that are no expressions: closures and tables.

mod builder;
mod lookup;

use crate::expr::{Expr, build};
use crate::interval::Interval;
use crate::node::{Head, NONE, Node};
use crate::op::Op;
use std::fmt;
use std::sync::{Arc, OnceLock};

pub use builder::{FunctionBuilder, FunctionError};

/// Most arguments of a function.
pub(crate) const MOST_ARGUMENTS: usize = 16;

/// A pure function of numbers that is not written as an expression: a closure or a table.
///
/// The closure must give the same bits for the same arguments, must not panic, and answers
/// arguments outside its domain with NaN; it may be called from several threads, in any order and
/// number, and with constants while expressions are built. A [`Tape`](crate::Tape) calls it
/// lane by lane, so that a member has the same bits in every lane and at every width.
///
/// Derivatives are functions, too: given ones, or central differences with the step
/// `h = (1 + |x|) ε^(1/3)`, whose error is about `4e-11 (|f| + |f'''|)` relative to the scale of the
/// argument, and `1e-6` for second derivatives.
///
/// Two functions are equal if they are clones of one: what a closure does cannot be compared.
/// Cloning copies a counted pointer. In text a call is written `name(a, b)`, a derivative by the
/// second argument `name.d2(a, b)`; [`Parser::functions`](crate::Parser::functions) announces
/// names.
///
/// ```
/// use bifrons_expr::{Expr, Function, Symbol};
///
/// let slope = Function::builder("drag_slope", 1, |v| 0.6 * v[0].abs()).build()?;
/// let drag = Function::builder("drag", 1, |v| 0.3 * v[0] * v[0].abs())
///     .derivatives([slope])
///     .build()?;
/// let force = -drag.call([Expr::symbol("v")])?;
/// assert_eq!(force.to_string(), "-drag(v)");
/// assert_eq!(force.derivative(&Symbol::new("v")).to_string(), "-drag_slope(v)");
/// assert_eq!(force.evaluate(&mut |_| Some(2.0)), Ok(-1.2));
/// # Ok::<(), bifrons_expr::FunctionError>(())
/// ```
#[derive(Clone)]
pub struct Function(Arc<Content>);

type Closure = Arc<dyn Fn(&[f64]) -> f64 + Send + Sync>;

struct Content {
    name: Arc<str>,
    arity: usize,
    cost: usize,
    smooth: bool,
    range: Interval,
    value: Closure,
    partials: Vec<Partial>,
    switches: Vec<Nodes>,
}

enum Partial {
    /// Zero everywhere.
    Zero,
    Given(Function),
    /// By differences, made when it is asked for.
    Difference(OnceLock<Function>),
}

/// Values of one argument at which a function switches.
#[derive(Debug, Clone)]
pub(crate) struct Nodes {
    pub(crate) argument: usize,
    pub(crate) at: Vec<f64>,
    pub(crate) jumps: bool,
}

impl Function {
    /// The function `name` of `arity` arguments that the closure computes.
    ///
    /// The name is a plain identifier that is no word or function of the expression language;
    /// from 1 to 16 arguments. Both are checked by [`FunctionBuilder::build`].
    pub fn builder(
        name: impl Into<String>,
        arity: usize,
        value: impl Fn(&[f64]) -> f64 + Send + Sync + 'static,
    ) -> FunctionBuilder {
        FunctionBuilder::new(name.into(), arity, Arc::new(value))
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Number of arguments.
    #[must_use]
    pub fn arity(&self) -> usize {
        self.0.arity
    }

    /// What a call costs, in multiplications; 10 unless declared.
    #[must_use]
    pub fn cost(&self) -> usize {
        self.0.cost
    }

    /// Whether it is declared infinitely often differentiable.
    #[must_use]
    pub fn is_smooth(&self) -> bool {
        self.0.smooth
    }

    /// Value at one point; NaN if the number of arguments is wrong.
    #[must_use]
    pub fn value(&self, arguments: &[f64]) -> f64 {
        if arguments.len() == self.0.arity {
            (self.0.value)(arguments)
        } else {
            f64::NAN
        }
    }

    /// The call with these arguments, folded if all of them are constants.
    ///
    /// # Errors
    ///
    /// [`FunctionError::Arguments`] if their number is wrong.
    pub fn call<A: Into<Expr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<Expr, FunctionError> {
        let arguments: Vec<Expr> = arguments.into_iter().map(Into::into).collect();
        if arguments.len() != self.0.arity {
            return Err(FunctionError::Arguments {
                name: self.name().to_owned(),
                expected: self.0.arity,
                found: arguments.len(),
            });
        }
        let nodes: Vec<Arc<Node>> = arguments.iter().map(|a| a.node().clone()).collect();
        Ok(Expr::from_node(self.node(&nodes)))
    }

    /// Node of a call; the number of arguments is right.
    pub(crate) fn node(&self, arguments: &[Arc<Node>]) -> Arc<Node> {
        let leaf = Arc::new(Node {
            head: Head::Function(self.clone()),
            operands: [None, None, None],
        });
        let mut rest: Option<Arc<Node>> = None;
        for (i, argument) in arguments.iter().enumerate().skip(1).rev() {
            rest = Some(match rest {
                // The last one stands for itself; the others are pairs of argument and rest.
                None if i + 1 == arguments.len() => argument.clone(),
                rest => build(Op::Arguments, [Some(argument), rest.as_ref(), None]),
            });
        }
        build(Op::Call, [Some(&leaf), arguments.first(), rest.as_ref()])
    }

    /// Derivative by an argument; `None` if it is zero everywhere.
    ///
    /// Arguments are counted from 0; an argument that does not exist has derivative zero.
    #[must_use]
    pub fn partial(&self, argument: usize) -> Option<Self> {
        match self.0.partials.get(argument)? {
            Partial::Zero => None,
            Partial::Given(function) => Some(function.clone()),
            Partial::Difference(made) => Some(
                made.get_or_init(|| builder::difference(self, argument))
                    .clone(),
            ),
        }
    }

    /// The function that a name in a text means: this one or one of its derivatives.
    pub(crate) fn named(&self, name: &str) -> Option<Self> {
        let mut rest = name.strip_prefix(self.name())?;
        let mut function = self.clone();
        while !rest.is_empty() {
            let digits = rest.strip_prefix(".d")?;
            let end = digits.find('.').unwrap_or(digits.len());
            let argument = digits[..end].parse::<usize>().ok()?.checked_sub(1)?;
            function = function.partial(argument)?;
            rest = &digits[end..];
        }
        Some(function)
    }

    pub(crate) fn range(&self) -> Interval {
        self.0.range
    }

    pub(crate) fn switches(&self) -> &[Nodes] {
        &self.0.switches
    }

    /// Value at `here` on the side of `there`, where the function may jump.
    pub(crate) fn limit(&self, there: &[f64], here: &[f64]) -> f64 {
        let mut moved = [0.0; MOST_ARGUMENTS];
        for (i, (there, here)) in there.iter().zip(here).enumerate() {
            let jumps = self.0.switches.iter().any(|s| s.jumps && s.argument == i);
            moved[i] = match there.partial_cmp(here) {
                Some(std::cmp::Ordering::Greater) if jumps => here.next_up(),
                Some(std::cmp::Ordering::Less) if jumps => here.next_down(),
                _ => *here,
            };
        }
        self.value(&moved[..here.len()])
    }

    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }
}

/// A few positions of nodes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Positions {
    items: [u32; MOST_ARGUMENTS],
    count: usize,
}

impl Positions {
    const EMPTY: Self = Self {
        items: [NONE; MOST_ARGUMENTS],
        count: 0,
    };

    pub(crate) fn as_slice(&self) -> &[u32] {
        &self.items[..self.count]
    }

    /// The positions that are present.
    pub(crate) fn of(items: [u32; 4]) -> Self {
        let mut found = Self::EMPTY;
        for item in items.into_iter().filter(|item| *item != NONE) {
            found.push(item);
        }
        found
    }

    fn push(&mut self, item: u32) {
        if let Some(slot) = self.items.get_mut(self.count) {
            *slot = item;
            self.count += 1;
        }
    }

    /// What a table of values holds at these positions.
    pub(crate) fn read(&self, values: &[f64]) -> [f64; MOST_ARGUMENTS] {
        self.items
            .map(|i| values.get(i as usize).copied().unwrap_or(f64::NAN))
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }
}

/// Positions of the arguments of a call with these operands; `pair` gives the operands of a node
/// that is a pair of argument and rest.
pub(crate) fn arguments(
    [_, first, mut rest]: [u32; 3],
    pair: impl Fn(u32) -> Option<[u32; 3]>,
) -> Positions {
    let mut found = Positions::EMPTY;
    found.push(first);
    while rest != NONE {
        match pair(rest) {
            Some([argument, next, _]) => {
                found.push(argument);
                rest = next;
            }
            None => {
                found.push(rest);
                break;
            }
        }
    }
    found
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Function {}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Function({}/{})", self.name(), self.arity())
    }
}
