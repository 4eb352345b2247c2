//! Affine decomposition.

use crate::expr::Expr;
use crate::graph::{FlatHead, Graph};
use crate::node::NONE;
use crate::op::Op;
use crate::symbol::Symbol;

/// `slope * x + offset`, both free of `x`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Affine {
    /// Factor of the symbol.
    pub slope: Expr,
    /// What is left without the symbol.
    pub offset: Expr,
}

impl Expr {
    /// Slope and offset if this expression is affine in the symbol by its structure.
    ///
    /// `select` is affine where its condition is free of the symbol and both branches are affine.
    /// `None` means that the structure does not show it: the expression may contain `min`, `max`
    /// or a condition on the symbol (decompose each region on its own), or be
    /// affine only after cancellation. Sums and products are rearranged, so values agree up to
    /// rounding. Cost: linear.
    ///
    /// ```
    /// use bifrons_expr::{Expr, Symbol};
    ///
    /// let (w, tax, x) = (Expr::symbol("w"), Expr::symbol("tax"), Expr::symbol("x"));
    /// let affine = ((1.0 - &tax) * (&w + &x)).affine_in(&Symbol::new("x")).unwrap();
    /// assert_eq!(affine.slope.to_string(), "1 - tax");
    /// assert_eq!(affine.offset.to_string(), "(1 - tax) * w");
    /// ```
    #[must_use]
    pub fn affine_in(&self, symbol: &Symbol) -> Option<Affine> {
        let mut graph = Graph::new();
        let root = graph.import([self.node()])[0];
        let count = root as usize + 1;
        let mut decomposition = Decomposition {
            symbol: graph.find_symbol(symbol).unwrap_or(NONE),
            graph,
            of: vec![],
        };
        for id in 0..count {
            let part = decomposition.part(id);
            decomposition.of.push(part);
        }
        let Part { slope, offset } = decomposition.of[root as usize]?;
        let [slope, offset] = [slope, offset].map(|node| decomposition.or_zero(node));
        let mut both = decomposition.graph.export(&[slope, offset]);
        let (offset, slope) = (both.pop()?, both.pop()?);
        Some(Affine { slope, offset })
    }
}

/// Slope and offset of a node; [`NONE`] is zero.
#[derive(Debug, Clone, Copy)]
struct Part {
    slope: u32,
    offset: u32,
}

impl Part {
    fn is_free(self) -> bool {
        self.slope == NONE
    }
}

struct Decomposition {
    graph: Graph,
    symbol: u32,
    of: Vec<Option<Part>>,
}

impl Decomposition {
    fn part(&mut self, id: usize) -> Option<Part> {
        let node = self.graph.nodes[id];
        let id = crate::node::position(id);
        if id == self.symbol {
            return Some(Part {
                slope: self.graph.constant(1.0),
                offset: NONE,
            });
        }
        let FlatHead::Op(op) = node.head else {
            return Some(Part {
                slope: NONE,
                offset: id,
            });
        };
        let parts = node
            .operands
            .map(|operand| match self.of.get(operand as usize) {
                Some(part) => *part,
                None => Some(Part {
                    slope: NONE,
                    offset: NONE,
                }),
            });
        let [Some(a), Some(b), Some(c)] = parts else {
            return None;
        };
        if a.is_free() && b.is_free() && c.is_free() {
            return Some(Part {
                slope: NONE,
                offset: id,
            });
        }
        match op {
            Op::Neg => Some(self.map(a, |graph, node| graph.unary(Op::Neg, node))),
            Op::NoEvent => Some(self.map(a, |graph, node| graph.unary(Op::NoEvent, node))),
            Op::Add => Some(self.both(a, b, Self::add)),
            Op::Sub => Some(self.both(a, b, Self::sub)),
            Op::Mul if a.is_free() => {
                let factor = node.operands[0];
                Some(self.map(b, |graph, node| graph.binary(Op::Mul, factor, node)))
            }
            Op::Mul if b.is_free() => {
                let factor = node.operands[1];
                Some(self.map(a, |graph, node| graph.binary(Op::Mul, node, factor)))
            }
            Op::Div if b.is_free() => {
                let divisor = node.operands[1];
                Some(self.map(a, |graph, node| graph.binary(Op::Div, node, divisor)))
            }
            Op::Select if a.is_free() => {
                let condition = node.operands[0];
                Some(self.both(b, c, |this, yes, no| this.select(condition, yes, no)))
            }
            _ => None,
        }
    }

    fn map(&mut self, part: Part, f: impl Fn(&mut Graph, u32) -> u32) -> Part {
        let mut apply = |node: u32| {
            if node == NONE {
                NONE
            } else {
                f(&mut self.graph, node)
            }
        };
        Part {
            slope: apply(part.slope),
            offset: apply(part.offset),
        }
    }

    fn both(&mut self, a: Part, b: Part, f: impl Fn(&mut Self, u32, u32) -> u32) -> Part {
        Part {
            slope: f(self, a.slope, b.slope),
            offset: f(self, a.offset, b.offset),
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
            (_, NONE) => a,
            (NONE, _) => self.graph.unary(Op::Neg, b),
            _ => self.graph.binary(Op::Sub, a, b),
        }
    }

    fn select(&mut self, condition: u32, yes: u32, no: u32) -> u32 {
        if yes == no {
            return yes;
        }
        let [yes, no] = [yes, no].map(|node| self.or_zero(node));
        self.graph.op(Op::Select, [condition, yes, no])
    }

    fn or_zero(&mut self, node: u32) -> u32 {
        if node == NONE {
            self.graph.constant(0.0)
        } else {
            node
        }
    }
}
