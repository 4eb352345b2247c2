//! What a factorisation needs from a number.

use core::fmt::Debug;
use core::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use crate::complex::Complex;

/// Numbers that [`Lu`](crate::Lu) works with: `f64` and [`Complex`]. Sealed.
pub trait Scalar:
    sealed::Sealed
    + Copy
    + Debug
    + Default
    + PartialEq
    + From<f64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + Send
    + Sync
    + 'static
{
    /// `|re| + |im|`: an absolute value without a square root, within √2 of the true one.
    fn size(self) -> f64;

    /// `1 / self`.
    fn reciprocal(self) -> Self;
}

impl Scalar for f64 {
    #[inline(always)]
    fn size(self) -> f64 {
        self.abs()
    }

    #[inline(always)]
    fn reciprocal(self) -> Self {
        1.0 / self
    }
}

impl Scalar for Complex {
    #[inline(always)]
    fn size(self) -> f64 {
        self.re.abs() + self.im.abs()
    }

    #[inline(always)]
    fn reciprocal(self) -> Self {
        Self::reciprocal(self)
    }
}

mod sealed {
    use crate::complex::Complex;

    /// The same number in the package that factors large matrices.
    #[expect(unnameable_types, reason = "the trait is sealed")]
    pub trait Sealed {
        type Outside: faer::traits::ComplexField + Copy;

        fn outside(self) -> Self::Outside;

        fn inside(outside: Self::Outside) -> Self;
    }

    impl Sealed for f64 {
        type Outside = Self;

        #[inline(always)]
        fn outside(self) -> Self {
            self
        }

        #[inline(always)]
        fn inside(outside: Self) -> Self {
            outside
        }
    }

    impl Sealed for Complex {
        type Outside = faer::c64;

        #[inline(always)]
        fn outside(self) -> faer::c64 {
            faer::c64::new(self.re, self.im)
        }

        #[inline(always)]
        fn inside(outside: faer::c64) -> Self {
            Self::new(outside.re, outside.im)
        }
    }
}
