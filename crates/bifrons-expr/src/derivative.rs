//! Exact derivatives.

use crate::cone::Cones;
use crate::expr::Expr;
use crate::graph::{FlatHead, Graph};
use crate::node::NONE;
use crate::op::Op;
use crate::symbol::Symbol;

impl Expr {
    /// Partial derivative with respect to one symbol, exact for every node.
    ///
    /// At a kink it is the derivative of the active branch; a tie belongs to the branch that owns
    /// equality: `abs` to the right, `min` and `max` to their first operand, `select` to what its
    /// comparison says. Steps (`sign`, `floor`, `ceil`, conditions) have derivative zero. Inside
    /// the derivative, terms that are zero and factors that are one are left out; a product with
    /// an exact zero is zero even where the other factor is not finite.
    ///
    /// Cost: linear in the number of distinct nodes; shared parts stay shared.
    ///
    /// ```
    /// use bifrons_expr::{Expr, Symbol};
    ///
    /// let x = Expr::symbol("x");
    /// let e = x.sin() * &x;
    /// assert_eq!(e.derivative(&Symbol::new("x")).to_string(), "sin(x) + x * cos(x)");
    /// ```
    #[must_use]
    pub fn derivative(&self, symbol: &Symbol) -> Self {
        let mut graph = Graph::new();
        let root = graph.import([self.node()])[0];
        let cone = Cones::new(&graph).below(&graph, root);
        let derivative = Differentiation::new(&mut graph).derivative(root, &cone, symbol);
        graph.export(&[derivative]).swap_remove(0)
    }
}

/// Derivatives of the nodes of a graph; [`NONE`] stands for a structural zero.
pub(crate) struct Differentiation<'a> {
    graph: &'a mut Graph,
    /// Derivative of each node that the graph had at the start.
    of: Vec<u32>,
}

impl<'a> Differentiation<'a> {
    pub(crate) fn new(graph: &'a mut Graph) -> Self {
        let of = vec![NONE; graph.nodes.len()];
        Self { graph, of }
    }

    /// Node of the derivative of `root`; `cone` holds the nodes below it, operands first.
    pub(crate) fn derivative(&mut self, root: u32, cone: &[u32], symbol: &Symbol) -> u32 {
        let seed = self.graph.find_symbol(symbol).unwrap_or(NONE);
        let one = self.graph.constant(1.0);
        for &id in cone {
            let node = self.graph.nodes[id as usize];
            self.of[id as usize] = match node.head {
                FlatHead::Constant(_) | FlatHead::Function(_) => NONE,
                FlatHead::Symbol(_) => {
                    if id == seed {
                        one
                    } else {
                        NONE
                    }
                }
                FlatHead::Op(op) => {
                    let d = node
                        .operands
                        .map(|i| self.of.get(i as usize).copied().unwrap_or(NONE));
                    if d == [NONE; 3] {
                        NONE
                    } else {
                        self.chain_rule(op, id, node.operands, d)
                    }
                }
            };
        }
        match self.of[root as usize] {
            NONE => self.graph.constant(0.0),
            derivative => derivative,
        }
    }

    /// Whether a derivative is zero everywhere by its structure.
    pub(crate) fn is_zero(&self, node: u32) -> bool {
        self.graph
            .constant_value(node)
            .is_some_and(|value| value.abs() <= 0.0)
    }

    /// Derivative of node `id = op(a, b, c)` where some operand has a derivative.
    fn chain_rule(&mut self, op: Op, id: u32, operands: [u32; 3], d: [u32; 3]) -> u32 {
        let ([a, b, _], [da, db, dc]) = (operands, d);
        match op {
            Op::Call => self.call(operands),
            // Not used as a number: only tells that an argument depends on the symbol.
            Op::Arguments => id,
            Op::Neg => self.neg(da),
            Op::NoEvent => self.graph.unary(Op::NoEvent, da),
            Op::Add => self.add(da, db),
            Op::Sub => self.sub(da, db),
            Op::Mul => {
                let (left, right) = (self.mul(b, da), self.mul(a, db));
                self.add(right, left)
            }
            Op::Div => {
                let (left, right) = (self.over(da, b), self.over(id, b));
                let right = self.mul(right, db);
                self.sub(left, right)
            }
            Op::Select => self.select(a, db, dc),
            Op::Min => {
                let other = self.graph.binary(Op::Lt, b, a);
                self.select(other, db, da)
            }
            Op::Max => {
                let other = self.graph.binary(Op::Gt, b, a);
                self.select(other, db, da)
            }
            Op::Modulo => {
                let quotient = self.graph.binary(Op::Div, a, b);
                let quotient = self.graph.unary(Op::Floor, quotient);
                let right = self.mul(quotient, db);
                self.sub(da, right)
            }
            Op::Pow => self.power(id, [a, b], [da, db]),
            Op::Atan2 => self.angle([a, b], [da, db]),
            Op::Hypot => {
                let (left, right) = (self.over(a, id), self.over(b, id));
                let (left, right) = (self.mul(left, da), self.mul(right, db));
                self.add(left, right)
            }
            Op::Abs => {
                let zero = self.graph.constant(0.0);
                let right = self.graph.binary(Op::Ge, a, zero);
                let left = self.neg(da);
                self.select(right, da, left)
            }
            _ => self.elementary(op, id, a, da),
        }
    }

    /// `Σ f_i(a) da_i` over the arguments that depend on the symbol.
    fn call(&mut self, operands: [u32; 3]) -> u32 {
        let Some((function, arguments)) = self.graph.call(operands) else {
            return NONE;
        };
        let function = function.clone();
        let mut sum = NONE;
        for (i, argument) in arguments.as_slice().iter().enumerate() {
            let inner = self.of[*argument as usize];
            let Some(partial) = function.partial(i).filter(|_| inner != NONE) else {
                continue;
            };
            let leaf = self.graph.function(&partial);
            let [_, first, rest] = operands;
            let slope = self.graph.op(Op::Call, [leaf, first, rest]);
            let term = self.mul(slope, inner);
            sum = self.add(sum, term);
        }
        sum
    }

    /// Smooth functions of one operand, and steps.
    fn elementary(&mut self, op: Op, id: u32, a: u32, da: u32) -> u32 {
        match op {
            Op::Sqrt => {
                let twice = self.scaled(2.0, id);
                self.over(da, twice)
            }
            Op::Exp => self.mul(id, da),
            Op::ExpM1 => self.times(Op::Exp, a, da),
            Op::Ln => self.over(da, a),
            Op::Ln1p => {
                let one = self.graph.constant(1.0);
                let below = self.graph.binary(Op::Add, one, a);
                self.over(da, below)
            }
            Op::Sin => self.times(Op::Cos, a, da),
            Op::Cos => {
                let product = self.times(Op::Sin, a, da);
                self.neg(product)
            }
            Op::Tan => {
                let slope = self.one_plus_square(id);
                self.mul(slope, da)
            }
            Op::Asin => self.arc(a, da),
            Op::Acos => {
                let arc = self.arc(a, da);
                self.neg(arc)
            }
            Op::Atan => {
                let below = self.one_plus_square(a);
                self.over(da, below)
            }
            Op::Sinh => self.times(Op::Cosh, a, da),
            Op::Cosh => self.times(Op::Sinh, a, da),
            Op::Tanh => {
                let below = self.graph.unary(Op::Cosh, a);
                let below = self.graph.unary(Op::Powi(2), below);
                self.over(da, below)
            }
            Op::Erf => {
                let square = self.graph.unary(Op::Powi(2), a);
                let exponent = self.graph.unary(Op::Neg, square);
                let bell = self.graph.unary(Op::Exp, exponent);
                let slope = self.scaled(std::f64::consts::FRAC_2_SQRT_PI, bell);
                self.mul(slope, da)
            }
            Op::Powi(n) => {
                let power = self.graph.unary(Op::Powi(n.wrapping_sub(1)), a);
                let slope = self.scaled(f64::from(n), power);
                self.mul(slope, da)
            }
            // Steps and truth values are constant almost everywhere.
            _ => NONE,
        }
    }

    /// `a^b`: `b a^(b-1) da + a^b ln(a) db`, the second term zero where the power is zero.
    fn power(&mut self, id: u32, [a, b]: [u32; 2], [da, db]: [u32; 2]) -> u32 {
        let left = if da == NONE {
            NONE
        } else {
            let one = self.graph.constant(1.0);
            let exponent = self.graph.binary(Op::Sub, b, one);
            let power = self.graph.binary(Op::Pow, a, exponent);
            let slope = self.mul(b, power);
            self.mul(slope, da)
        };
        let right = if db == NONE {
            NONE
        } else {
            let zero = self.graph.constant(0.0);
            let logarithm = self.graph.unary(Op::Ln, a);
            let slope = self.graph.binary(Op::Mul, id, logarithm);
            let vanishes = self.graph.binary(Op::Eq, id, zero);
            let slope = self.graph.op(Op::Select, [vanishes, zero, slope]);
            let slope = self.graph.unary(Op::NoEvent, slope);
            self.mul(slope, db)
        };
        self.add(left, right)
    }

    /// `atan2(y, x)`: `(x dy - y dx) / (x² + y²)`.
    fn angle(&mut self, [y, x]: [u32; 2], [dy, dx]: [u32; 2]) -> u32 {
        let (left, right) = (self.mul(x, dy), self.mul(y, dx));
        let above = self.sub(left, right);
        let (x2, y2) = (
            self.graph.unary(Op::Powi(2), x),
            self.graph.unary(Op::Powi(2), y),
        );
        let below = self.graph.binary(Op::Add, x2, y2);
        self.over(above, below)
    }

    /// `da / sqrt((1 - a)(1 + a))`, which is accurate near the ends.
    fn arc(&mut self, a: u32, da: u32) -> u32 {
        let one = self.graph.constant(1.0);
        let (left, right) = (
            self.graph.binary(Op::Sub, one, a),
            self.graph.binary(Op::Add, one, a),
        );
        let product = self.graph.binary(Op::Mul, left, right);
        let root = self.graph.unary(Op::Sqrt, product);
        self.over(da, root)
    }

    fn one_plus_square(&mut self, a: u32) -> u32 {
        let one = self.graph.constant(1.0);
        let square = self.graph.unary(Op::Powi(2), a);
        self.graph.binary(Op::Add, one, square)
    }

    fn scaled(&mut self, factor: f64, a: u32) -> u32 {
        let factor = self.graph.constant(factor);
        self.graph.binary(Op::Mul, factor, a)
    }

    fn times(&mut self, op: Op, a: u32, da: u32) -> u32 {
        let slope = self.graph.unary(op, a);
        self.mul(slope, da)
    }

    fn select(&mut self, condition: u32, a: u32, b: u32) -> u32 {
        if a == b {
            return a;
        }
        let zero = self.graph.constant(0.0);
        let or_zero = |node: u32| if node == NONE { zero } else { node };
        self.graph
            .op(Op::Select, [condition, or_zero(a), or_zero(b)])
    }

    fn neg(&mut self, a: u32) -> u32 {
        if a == NONE {
            NONE
        } else {
            self.graph.unary(Op::Neg, a)
        }
    }

    fn add(&mut self, a: u32, b: u32) -> u32 {
        match (a, b) {
            (NONE, _) => b,
            (_, NONE) => a,
            _ => self.graph.binary(Op::Add, a, b),
        }
    }

    fn sub(&mut self, a: u32, b: u32) -> u32 {
        match (a, b) {
            (NONE, _) => self.neg(b),
            (_, NONE) => a,
            _ => self.graph.binary(Op::Sub, a, b),
        }
    }

    /// Product of a value with a derivative; either may be a structural zero.
    fn mul(&mut self, value: u32, derivative: u32) -> u32 {
        if value == NONE || derivative == NONE || self.graph.constant_value(value) == Some(0.0) {
            return NONE;
        }
        self.graph.binary(Op::Mul, value, derivative)
    }

    fn over(&mut self, above: u32, below: u32) -> u32 {
        if above == NONE {
            NONE
        } else {
            self.graph.binary(Op::Div, above, below)
        }
    }
}
