//! Inverses in closed form.

use crate::condition::Condition;
use crate::expr::Expr;
use crate::node::{Head, Order};
use crate::op::Op;
use crate::symbol::Symbol;

/// Solution of `e(x) = y` for `x`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Inverse {
    /// `x` as an expression of `y` and the other symbols.
    pub expr: Expr,
    /// What must hold at `x` for the solution to be this one, for instance a positive base of an
    /// even power or a factor that is not zero.
    pub assumptions: Vec<Condition>,
}

impl Expr {
    /// Solves `self = y` for `symbol` in closed form.
    ///
    /// Works where the symbol is reached by one chain of `+ - * /` with parts that are free of
    /// it, powers, `sqrt exp ln exp_m1 ln_1p tanh sinh` and negation, and for everything that is
    /// [affine](Expr::affine_in): linear budgets, power and exponential marginal utilities (CRRA:
    /// `pow(c, -gamma)`, CARA: `exp(-a*c)`), laws of motion. `None` means that no closed form was
    /// found, not that there is no inverse. Cost: linear.
    ///
    /// Round trips are accurate to a few units in the last place times the condition number
    /// `|y / (x e'(x))|`.
    ///
    /// ```
    /// use bifrons_expr::{Expr, Symbol};
    ///
    /// let marginal = Expr::parse("beta * pow(c, -gamma)").unwrap();
    /// let inverse = marginal.inverse(&Symbol::new("c"), &Symbol::new("v")).unwrap();
    /// assert_eq!(inverse.expr.to_string(), "pow(v / beta, 1 / -gamma)");
    /// ```
    #[must_use]
    pub fn inverse(&self, symbol: &Symbol, y: &Symbol) -> Option<Inverse> {
        let order = Order::of([self.node()]);
        let mut depends: Vec<bool> = Vec::with_capacity(order.nodes.len());
        for (i, node) in order.nodes.iter().enumerate() {
            let itself = matches!(&node.head, Head::Symbol(own) if own == symbol);
            depends.push(itself || order.gather(i, &depends, false).contains(&true));
        }
        let mut solver = Solver {
            rest: self.clone(),
            expr: Self::symbol(y),
            assumptions: vec![],
        };
        let mut at = order.nodes.len() - 1;
        while solver.rest.as_symbol() != Some(symbol) {
            let operands = order.operands[at];
            let inside = operands.map(|k| depends.get(k as usize).is_some_and(|inside| *inside));
            match solver.peel(inside) {
                Some(operand) => at = operands[operand] as usize,
                None => solver.affine(symbol)?,
            }
        }
        Some(Inverse {
            expr: solver.expr,
            assumptions: solver.assumptions,
        })
    }
}

struct Solver {
    /// What is left of the left-hand side.
    rest: Expr,
    /// What it is equal to.
    expr: Expr,
    assumptions: Vec<Condition>,
}

impl Solver {
    /// Moves the outermost operation to the other side; returns the operand that is left.
    fn peel(&mut self, depends: [bool; 3]) -> Option<usize> {
        let node = self.rest.node().clone();
        let Head::Op(op) = node.head else { return None };
        let part = |i: usize| node.operands[i].clone().map(Expr::from_node);
        let a = part(0)?;
        let y = self.expr.clone();
        if op.arity() == 1 {
            self.expr = self.unary(op, &a, &y)?;
            self.rest = a;
            return Some(0);
        }
        let b = part(1)?;
        let inside = match depends {
            [true, false, false] => 0,
            [false, true, false] => 1,
            _ => return None,
        };
        let solved = match (op, inside) {
            (Op::Add, 0) => y - &b,
            (Op::Add, _) => y - &a,
            (Op::Sub, 0) => y + &b,
            (Op::Sub, _) => &a - y,
            (Op::Mul, 0) => y / self.nonzero(&b)?,
            (Op::Mul, _) => y / self.nonzero(&a)?,
            (Op::Div, 0) => y * self.nonzero(&b)?,
            (Op::Div, _) => self.nonzero(&a)? / y,
            (Op::Pow, 0) => {
                self.assume(a.ge(0.0))?;
                let exponent = self.nonzero(&b)?;
                y.pow(1.0 / exponent)
            }
            (Op::Pow, _) => {
                self.assume(a.gt(0.0))?;
                self.assume(a.ne(1.0))?;
                y.ln() / a.ln()
            }
            _ => return None,
        };
        self.rest = if inside == 0 { a } else { b };
        self.expr = solved;
        Some(inside)
    }

    fn unary(&mut self, op: Op, a: &Expr, y: &Expr) -> Option<Expr> {
        Some(match op {
            Op::Neg => -y,
            Op::NoEvent => y.clone(),
            Op::Exp => y.ln(),
            Op::Ln => y.exp(),
            Op::ExpM1 => y.ln_1p(),
            Op::Ln1p => y.exp_m1(),
            Op::Sqrt => y.powi(2),
            // ln(y + sqrt(1 + y^2)), written so that small arguments keep their digits.
            Op::Sinh => {
                let size = y.abs();
                let root = 1.0 + y.hypot(1.0);
                (&size + y.powi(2) / root).ln_1p() * y.sign()
            }
            Op::Tanh => 0.5 * (y.ln_1p() - (-y).ln_1p()),
            Op::Powi(-1) => 1.0 / y,
            Op::Powi(n) if n % 2 == 0 => {
                self.assume(a.ge(0.0))?;
                if n == 2 {
                    y.sqrt()
                } else {
                    y.pow(1.0 / f64::from(n))
                }
            }
            Op::Powi(n) => y.sign() * y.abs().pow(1.0 / f64::from(n)),
            _ => return None,
        })
    }

    /// Solves what is left if it is affine.
    fn affine(&mut self, symbol: &Symbol) -> Option<()> {
        let affine = self.rest.affine_in(symbol)?;
        let slope = self.nonzero(&affine.slope)?;
        self.expr = (self.expr.clone() - affine.offset) / slope;
        self.rest = Expr::symbol(symbol);
        Some(())
    }

    fn nonzero(&mut self, factor: &Expr) -> Option<Expr> {
        self.assume(factor.ne(0.0))?;
        Some(factor.clone())
    }

    /// Remembers a condition; `None` if it never holds.
    fn assume(&mut self, condition: Condition) -> Option<()> {
        match condition.node().constant() {
            None => self.assumptions.push(condition),
            Some(holds) if holds > 0.0 => {}
            Some(_) => return None,
        }
        Some(())
    }
}
