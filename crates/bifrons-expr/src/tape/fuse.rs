//! Choosing instructions: a node takes its single-use operands with it where a code fits.

use crate::graph::{FlatHead, Graph};
use crate::node::NONE;
use crate::op::Op;
use crate::tape::code::Code;

/// Instruction for a node, with operands as nodes of the graph.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pick {
    pub(crate) code: Code,
    /// Nodes; [`NONE`] where absent.
    pub(crate) operands: [u32; 4],
    pub(crate) exponent: Option<i32>,
}

impl Pick {
    fn new(code: Code, operands: [u32; 4]) -> Self {
        Self {
            code,
            operands,
            exponent: None,
        }
    }
}

pub(crate) struct Fuser<'a> {
    pub(crate) graph: &'a Graph,
    /// Whether the only user of a node may take it along.
    pub(crate) absorbable: &'a [bool],
}

impl Fuser<'_> {
    /// The instruction that computes the node with the fewest passes; `None` for leaves.
    pub(crate) fn pick(&self, id: u32) -> Option<Pick> {
        let node = self.graph.nodes[id as usize];
        let FlatHead::Op(op) = node.head else {
            return None;
        };
        let [a, b, c] = node.operands;
        Some(match op {
            Op::Add | Op::Sub | Op::Mul | Op::Div => self
                .pair(op, a, b)
                .or_else(|| self.one_side(op, a, b))
                .unwrap_or_else(|| Pick::new(plain(op), [a, b, NONE, NONE])),
            Op::Gt => Pick::new(Code::Lt, [b, a, NONE, NONE]),
            Op::Ge => Pick::new(Code::Le, [b, a, NONE, NONE]),
            Op::Select => self.select(a, b, c),
            Op::Powi(exponent) => power(a, exponent),
            // The operands of a call are read from the graph.
            Op::Call => Pick::new(Code::Call, [NONE; 4]),
            _ => Pick::new(plain(op), [a, b, c, NONE]),
        })
    }

    fn inner(&self, id: u32) -> Option<(Op, u32, u32)> {
        let node = self.graph.nodes[id as usize];
        match node.head {
            FlatHead::Op(op) if self.absorbable[id as usize] => {
                Some((op, node.operands[0], node.operands[1]))
            }
            _ => None,
        }
    }

    /// `(a . b) . (c . d)`.
    fn pair(&self, op: Op, left: u32, right: u32) -> Option<Pick> {
        let (first, a, b) = self.inner(left)?;
        let (second, c, d) = self.inner(right)?;
        let code = match (op, first, second) {
            (Op::Add, Op::Add, Op::Add) => Code::PairAddAddAdd,
            (Op::Add, Op::Mul, Op::Mul) => Code::PairMulAddMul,
            (Op::Sub, Op::Add, Op::Add) => Code::PairAddSubAdd,
            (Op::Sub, Op::Mul, Op::Mul) => Code::PairMulSubMul,
            (Op::Mul, Op::Add, Op::Add) => Code::PairAddMulAdd,
            (Op::Mul, Op::Add, Op::Sub) => Code::PairAddMulSub,
            (Op::Mul, Op::Sub, Op::Add) => {
                return Some(Pick::new(Code::PairAddMulSub, [c, d, a, b]));
            }
            (Op::Mul, Op::Sub, Op::Sub) => Code::PairSubMulSub,
            (Op::Div, Op::Mul, Op::Add) => Code::PairMulDivAdd,
            (Op::Div, Op::Mul, Op::Mul) => Code::PairMulDivMul,
            (Op::Div, Op::Add, Op::Add) => Code::PairAddDivAdd,
            (Op::Div, Op::Sub, Op::Sub) => Code::PairSubDivSub,
            _ => return None,
        };
        Some(Pick::new(code, [a, b, c, d]))
    }

    /// `((a . b) . c) . d` or `(a . b) . c`, with the inner operation on either side.
    fn one_side(&self, op: Op, left: u32, right: u32) -> Option<Pick> {
        let commutes = op.is_commutative();
        let sides = [(left, right, false), (right, left, !commutes)];
        let chains = sides.iter().find_map(|(inner, other, reversed)| {
            let (middle, c, d) = self.inner(*inner)?;
            self.chain(op, *reversed, middle, (c, d), *other)
        });
        chains.or_else(|| {
            sides.iter().find_map(|(inner, other, reversed)| {
                let (first, a, b) = self.inner(*inner)?;
                Some(Pick::new(two(op, *reversed, first)?, [a, b, *other, NONE]))
            })
        })
    }

    fn chain(
        &self,
        op: Op,
        reversed: bool,
        middle: Op,
        (left, right): (u32, u32),
        last: u32,
    ) -> Option<Pick> {
        let try_inner = |inner: u32, other: u32| {
            let (first, a, b) = self.inner(inner)?;
            Some(Pick::new(
                three(op, reversed, middle, first)?,
                [a, b, other, last],
            ))
        };
        let swapped = || {
            if middle.is_commutative() {
                try_inner(right, left)
            } else {
                None
            }
        };
        try_inner(left, right).or_else(swapped)
    }

    fn select(&self, condition: u32, yes: u32, no: u32) -> Pick {
        let fused = self.inner(condition).and_then(|(op, a, b)| {
            let (code, a, b) = match op {
                Op::Lt => (Code::SelectLt, a, b),
                Op::Le => (Code::SelectLe, a, b),
                Op::Gt => (Code::SelectLt, b, a),
                Op::Ge => (Code::SelectLe, b, a),
                Op::Eq => (Code::SelectEq, a, b),
                Op::Ne => (Code::SelectNe, a, b),
                _ => return None,
            };
            Some(Pick::new(code, [a, b, yes, no]))
        });
        fused.unwrap_or_else(|| Pick::new(Code::Select, [condition, yes, no, NONE]))
    }
}

fn power(a: u32, exponent: i32) -> Pick {
    let code = match exponent {
        2 => Code::Square,
        3 => Code::Cube,
        4 => Code::Fourth,
        -1 => Code::Reciprocal,
        -2 => Code::ReciprocalSquare,
        _ => Code::Powi,
    };
    let exponent = (code == Code::Powi).then_some(exponent);
    Pick {
        code,
        operands: [a, NONE, NONE, NONE],
        exponent,
    }
}

/// `(a first b) op c`, or `c op (a first b)` if reversed.
fn two(op: Op, reversed: bool, first: Op) -> Option<Code> {
    Some(match (op, reversed, first) {
        (Op::Add, _, Op::Add) => Code::AddAdd,
        (Op::Add, _, Op::Sub) => Code::SubAdd,
        (Op::Add, _, Op::Mul) => Code::MulAdd,
        (Op::Add, _, Op::Div) => Code::DivAdd,
        (Op::Sub, false, Op::Add) => Code::AddSub,
        (Op::Sub, false, Op::Sub) => Code::SubSub,
        (Op::Sub, false, Op::Mul) => Code::MulSub,
        (Op::Sub, false, Op::Div) => Code::DivSub,
        (Op::Sub, true, Op::Add) => Code::FromAdd,
        (Op::Sub, true, Op::Sub) => Code::FromSub,
        (Op::Sub, true, Op::Mul) => Code::FromMul,
        (Op::Sub, true, Op::Div) => Code::FromDiv,
        (Op::Mul, _, Op::Add) => Code::AddMul,
        (Op::Mul, _, Op::Sub) => Code::SubMul,
        (Op::Mul, _, Op::Mul) => Code::MulMul,
        (Op::Mul, _, Op::Div) => Code::DivMul,
        (Op::Div, false, Op::Add) => Code::AddDiv,
        (Op::Div, false, Op::Sub) => Code::SubDiv,
        (Op::Div, false, Op::Mul) => Code::MulDiv,
        (Op::Div, true, Op::Add) => Code::OverAdd,
        (Op::Div, true, Op::Sub) => Code::OverSub,
        (Op::Div, true, Op::Mul) => Code::OverMul,
        _ => return None,
    })
}

/// `((a first b) middle c) op d`, or `d op (..)` if reversed.
fn three(op: Op, reversed: bool, middle: Op, first: Op) -> Option<Code> {
    Some(match (op, reversed, middle, first) {
        (Op::Add, _, Op::Add, Op::Add) => Code::AddAddAdd,
        (Op::Add, _, Op::Add, Op::Mul) => Code::MulAddAdd,
        (Op::Add, _, Op::Sub, Op::Mul) => Code::MulSubAdd,
        (Op::Add, _, Op::Mul, Op::Add) => Code::AddMulAdd,
        (Op::Add, _, Op::Mul, Op::Sub) => Code::SubMulAdd,
        (Op::Add, _, Op::Mul, Op::Mul) => Code::MulMulAdd,
        (Op::Sub, false, Op::Add, Op::Add) => Code::AddAddSub,
        (Op::Sub, false, Op::Add, Op::Mul) => Code::MulAddSub,
        (Op::Sub, false, Op::Sub, Op::Mul) => Code::MulSubSub,
        (Op::Sub, false, Op::Mul, Op::Add) => Code::AddMulSub,
        (Op::Sub, false, Op::Mul, Op::Sub) => Code::SubMulSub,
        (Op::Sub, false, Op::Mul, Op::Mul) => Code::MulMulSub,
        (Op::Sub, true, Op::Mul, Op::Add) => Code::FromAddMul,
        (Op::Sub, true, Op::Mul, Op::Sub) => Code::FromSubMul,
        (Op::Sub, true, Op::Mul, Op::Mul) => Code::FromMulMul,
        (Op::Mul, _, Op::Add, Op::Mul) => Code::MulAddMul,
        (Op::Mul, _, Op::Sub, Op::Mul) => Code::MulSubMul,
        (Op::Mul, _, Op::Mul, Op::Add) => Code::AddMulMul,
        (Op::Mul, _, Op::Mul, Op::Sub) => Code::SubMulMul,
        (Op::Mul, _, Op::Mul, Op::Mul) => Code::MulMulMul,
        _ => return None,
    })
}

/// The code of a single operation.
fn plain(op: Op) -> Code {
    match op {
        Op::Neg => Code::Neg,
        Op::Abs => Code::Abs,
        Op::Sign => Code::Sign,
        Op::Floor => Code::Floor,
        Op::Ceil => Code::Ceil,
        Op::Sqrt => Code::Sqrt,
        Op::Exp => Code::Exp,
        Op::Ln => Code::Ln,
        Op::ExpM1 => Code::ExpM1,
        Op::Ln1p => Code::Ln1p,
        Op::Sin => Code::Sin,
        Op::Cos => Code::Cos,
        Op::Tan => Code::Tan,
        Op::Asin => Code::Asin,
        Op::Acos => Code::Acos,
        Op::Atan => Code::Atan,
        Op::Sinh => Code::Sinh,
        Op::Cosh => Code::Cosh,
        Op::Tanh => Code::Tanh,
        Op::Erf => Code::Erf,
        Op::NoEvent => Code::Copy,
        Op::Powi(_) => Code::Powi,
        Op::Add => Code::Add,
        Op::Sub => Code::Sub,
        Op::Mul => Code::Mul,
        Op::Div => Code::Div,
        Op::Pow => Code::Pow,
        Op::Min => Code::Min,
        Op::Max => Code::Max,
        Op::Modulo => Code::Modulo,
        Op::Atan2 => Code::Atan2,
        Op::Hypot => Code::Hypot,
        Op::Lt | Op::Gt => Code::Lt,
        Op::Le | Op::Ge => Code::Le,
        Op::Eq => Code::Eq,
        Op::Ne => Code::Ne,
        Op::And => Code::And,
        Op::Or => Code::Or,
        Op::Not => Code::Not,
        Op::Select => Code::Select,
        Op::Call => Code::Call,
        Op::Arguments => Code::Copy,
    }
}
