//! Life-cycle models that scenarios, benches and pictures share.

mod budget;
mod durable;
mod epstein_zin;
mod mahler_yum;
mod precautionary;
mod retirement;
mod table;

pub use budget::{Budget, Spent};
pub use durable::{
    DURABLES, HOUSES, Owned, Taste, durable, durable_kinked, durable_kinked_reference,
    durable_reference,
};
pub use epstein_zin::{EpsteinZin, epstein_zin};
pub use mahler_yum::{Sizes, mahler_yum};
pub use precautionary::{INCOMES, precautionary};
pub use retirement::{kinked, retirement};

use bifrons_grids::Irregular;

/// Grid nodes denser at the bottom: `low + (high - low) (i / (n - 1))^power`.
///
/// # Errors
///
/// Those of [`Irregular::new`], for fewer than two nodes.
pub fn dense(low: f64, high: f64, count: usize, power: i32) -> anyhow::Result<Irregular> {
    let last = count.saturating_sub(1).max(1) as f64;
    let node = |i: usize| match i + 1 == count {
        true => high,
        false => low + (high - low) * (i as f64 / last).powi(power),
    };
    Ok(Irregular::new((0..count).map(node).collect::<Vec<f64>>())?)
}
