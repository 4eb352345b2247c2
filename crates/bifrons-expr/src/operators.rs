//! `+ - * /` and negation for expressions, references and numbers in all mixes.

use crate::expr::Expr;
use crate::op::Op;
use std::iter::{Product, Sum};
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

macro_rules! operator {
    ($trait:ident, $method:ident, $assign:ident, $assign_method:ident, $op:ident) => {
        impl $trait<&Expr> for &Expr {
            type Output = Expr;
            fn $method(self, other: &Expr) -> Expr {
                Expr::binary(Op::$op, self, other)
            }
        }
        impl $trait<Expr> for Expr {
            type Output = Expr;
            fn $method(self, other: Expr) -> Expr {
                Expr::binary(Op::$op, &self, &other)
            }
        }
        impl $trait<&Expr> for Expr {
            type Output = Expr;
            fn $method(self, other: &Expr) -> Expr {
                Expr::binary(Op::$op, &self, other)
            }
        }
        impl $trait<Expr> for &Expr {
            type Output = Expr;
            fn $method(self, other: Expr) -> Expr {
                Expr::binary(Op::$op, self, &other)
            }
        }
        impl $trait<f64> for Expr {
            type Output = Expr;
            fn $method(self, other: f64) -> Expr {
                Expr::binary(Op::$op, &self, &Expr::constant(other))
            }
        }
        impl $trait<f64> for &Expr {
            type Output = Expr;
            fn $method(self, other: f64) -> Expr {
                Expr::binary(Op::$op, self, &Expr::constant(other))
            }
        }
        impl $trait<Expr> for f64 {
            type Output = Expr;
            fn $method(self, other: Expr) -> Expr {
                Expr::binary(Op::$op, &Expr::constant(self), &other)
            }
        }
        impl $trait<&Expr> for f64 {
            type Output = Expr;
            fn $method(self, other: &Expr) -> Expr {
                Expr::binary(Op::$op, &Expr::constant(self), other)
            }
        }
        impl<T: Into<Expr>> $assign<T> for Expr {
            fn $assign_method(&mut self, other: T) {
                *self = Expr::binary(Op::$op, self, &other.into());
            }
        }
    };
}

operator!(Add, add, AddAssign, add_assign, Add);
operator!(Sub, sub, SubAssign, sub_assign, Sub);
operator!(Mul, mul, MulAssign, mul_assign, Mul);
operator!(Div, div, DivAssign, div_assign, Div);

impl Neg for Expr {
    type Output = Self;

    fn neg(self) -> Self {
        Self::unary(Op::Neg, &self)
    }
}

impl Neg for &Expr {
    type Output = Expr;

    fn neg(self) -> Expr {
        Expr::unary(Op::Neg, self)
    }
}

/// Left-to-right sum; the empty sum is 0.
impl Sum for Expr {
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        terms
            .reduce(|sum, term| sum + term)
            .unwrap_or_else(|| Self::constant(0.0))
    }
}

/// Left-to-right product; the empty product is 1.
impl Product for Expr {
    fn product<I: Iterator<Item = Self>>(factors: I) -> Self {
        factors
            .reduce(|product, factor| product * factor)
            .unwrap_or_else(|| Self::constant(1.0))
    }
}
