//! Bytes of a single run, as a function of sizes.

use bifrons_memory::Footprint;

use crate::ensemble::EnsembleWorkspace;
use crate::explicit::stages::Stages;
use crate::explicit::{bs32, dop853, dopri5, rk4, tsit5};
use crate::method::Method;
use crate::options::Save;
use crate::watch::Watch;

/// Sizes that the memory of a single run by [`solve`](crate::solve) depends on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunSize {
    /// Components of the problem.
    pub dimension: usize,
    /// Root functions.
    pub roots: usize,
    /// Declared stops.
    pub stops: usize,
    /// Accepted steps, for [`Save::EveryStep`] and [`Save::Dense`]; a bound on them gives a bound.
    pub steps: usize,
}

impl RunSize {
    /// Bytes that a run by an explicit method asks for at its peak, its result included; `None`
    /// for an implicit method.
    ///
    /// Rows of [`Save::EveryStep`] and [`Save::Dense`] live in vectors that double, which is
    /// counted. Not counted are the log of events, `8 (2 n + 5)` bytes per event and twice that
    /// while it grows, and rows after jumps of the state.
    #[must_use]
    pub fn footprint(&self, method: Method, save: &Save) -> Option<Footprint> {
        let (arrays, coefficients) = match method {
            Method::Dopri5 => sizes::<dopri5::Arrays<'_, 1>>(),
            Method::Tsit5 => sizes::<tsit5::Arrays<'_, 1>>(),
            Method::Bs32 => sizes::<bs32::Arrays<'_, 1>>(),
            Method::Dop853 => sizes::<dop853::Arrays<'_, 1>>(),
            Method::Rk4 { .. } => sizes::<rk4::Arrays<'_, 1>>(),
            _ => return None,
        };
        let n = self.dimension;
        let lanes = EnsembleWorkspace::<1>::footprint_of_arrays(n, arrays);
        let result = self.result(save, coefficients);
        if method == Method::Dopri5 && self.roots == 0 && self.stops == 0 {
            return Some(lanes.beside(result));
        }
        Some(lanes.beside(self.driver(coefficients)).beside(result))
    }

    /// The driver of general runs beside the stepper.
    fn driver(&self, coefficients: usize) -> Footprint {
        let n = self.dimension;
        Footprint::of::<f64>((coefficients + 4) * n)
            .beside(Footprint::of::<(f64, usize)>(self.stops))
            .beside(Watch::footprint(n, self.roots))
    }

    /// Rows, last state, dense solution.
    fn result(&self, save: &Save, coefficients: usize) -> Footprint {
        let n = self.dimension;
        let fixed = Footprint::of::<f64>(2 * n);
        let rows = match save {
            Save::Final => 0,
            Save::EveryStep => grown(self.steps + 1, 1) + grown(self.steps + 1, n),
            Save::Times(times) => times.len() * (n + 1),
            Save::Dense => n + 3 * grown(self.steps, 1) + grown(self.steps, n * (coefficients + 1)),
        };
        fixed.beside(Footprint::of::<f64>(rows))
    }
}

/// Arrays and coefficients per component of a method.
const fn sizes<'w, S: Stages<'w, 1>>() -> (usize, usize) {
    (S::ARRAYS, S::COEFFICIENTS)
}

/// Capacity of a vector to which `rows` times `width` numbers were added.
fn grown(rows: usize, width: usize) -> usize {
    let mut capacity = 0_usize;
    while capacity < rows * width {
        let needed = (capacity / width + 1) * width;
        capacity = needed.max(2 * capacity).max(4);
    }
    capacity
}
