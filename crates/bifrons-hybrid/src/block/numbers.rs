//! A short list of numbers.

use std::ops::Deref;

/// Default values of the parameters of a block: most have one, which takes no memory of its own.
#[derive(Debug, Clone)]
pub(crate) enum Numbers {
    One(f64),
    Many(Box<[f64]>),
}

impl Deref for Numbers {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        match self {
            Self::One(number) => std::slice::from_ref(number),
            Self::Many(numbers) => numbers,
        }
    }
}

impl From<&[f64]> for Numbers {
    fn from(numbers: &[f64]) -> Self {
        match numbers {
            [number] => Self::One(*number),
            _ => Self::Many(numbers.into()),
        }
    }
}
