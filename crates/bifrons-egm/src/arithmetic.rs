//! Arithmetic beyond `f64`: two-fold numbers, and exact signs of sums of products.

mod integer;
mod twofold;

pub(crate) use integer::sign_of_products;
pub(crate) use twofold::Twofold;

/// Whether two numbers are equal: copies of one number, or exact results.
#[expect(clippy::float_cmp, reason = "equality of stored numbers is meant")]
#[inline(always)]
pub(crate) fn same(a: f64, b: f64) -> bool {
    a == b
}
