//! Jacobians by differences, one evaluation per group of columns.

use bifrons_memory::Footprint;

use crate::colouring::Colouring;
use crate::structure::Structure;

/// Buffers and groups for Jacobians of one structure.
#[derive(Debug, Clone)]
pub struct Differences {
    structure: Structure,
    colouring: Colouring,
    shifted: Vec<f64>,
    there: Vec<f64>,
}

/// Increment of a component of value `y` whose scale (the inverse of its weight) is `scale`:
/// `√ε max(|y|, scale)`, rounded so that `(y + increment) − y` is exact.
#[must_use]
pub fn increment(y: f64, scale: f64) -> f64 {
    let raw = f64::EPSILON.sqrt() * y.abs().max(scale);
    let raw = if raw > f64::MIN_POSITIVE {
        raw
    } else {
        f64::EPSILON.sqrt()
    };
    (y + raw) - y
}

impl Differences {
    /// Prepares Jacobians of this structure.
    #[must_use]
    pub fn new(structure: &Structure) -> Self {
        let n = structure.dimension();
        Self {
            structure: structure.clone(),
            colouring: Colouring::new(structure),
            shifted: vec![0.0; n],
            there: vec![0.0; n],
        }
    }

    /// Evaluations per Jacobian.
    #[must_use]
    pub const fn evaluation_count(&self) -> usize {
        self.colouring.group_count()
    }

    /// Bytes of the buffers and groups, without the structure.
    #[must_use]
    pub fn footprint(dimension: usize, groups: usize) -> Footprint {
        Footprint::of::<f64>(2 * dimension).beside(Footprint::of::<u32>(2 * dimension + groups + 1))
    }

    /// Writes the Jacobian of `eval` at `y`, where the function is `here`, into `values`.
    ///
    /// `scale[i]` is the smallest magnitude of component `i` that matters, such as
    /// `atol_i / rtol + |y_i|`, see [`increment`]. Components are moved up; if the function cannot
    /// be evaluated there, they are moved down. Accuracy: about `√ε` relative to
    /// `|f| + |∂f/∂y| |y|`. Allocates nothing. Returns the number of evaluations.
    ///
    /// # Errors
    ///
    /// The error of `eval` if the function exists on neither side.
    pub fn fill<E>(
        &mut self,
        y: &[f64],
        here: &[f64],
        scale: &[f64],
        values: &mut [f64],
        mut eval: impl FnMut(&[f64], &mut [f64]) -> Result<(), E>,
    ) -> Result<u64, E> {
        self.shifted.copy_from_slice(y);
        let mut count = 0;
        for group in 0..self.colouring.group_count() {
            let columns = self.colouring.columns(group);
            let mut side = 1.0;
            loop {
                for &column in columns {
                    let i = column as usize;
                    self.shifted[i] = y[i] + side * increment(y[i], scale[i]);
                }
                count += 1;
                let finite = |f: &[f64]| f.iter().all(|v| v.is_finite());
                match eval(&self.shifted, &mut self.there) {
                    Ok(()) if side < 0.0 || finite(&self.there) => break,
                    Err(e) if side < 0.0 => return Err(e),
                    _ => side = -1.0,
                }
            }
            for &column in columns {
                let i = column as usize;
                let over = 1.0 / (self.shifted[i] - y[i]);
                self.shifted[i] = y[i];
                let there = &self.there;
                self.structure.for_column(i, |row, at| {
                    values[at] = (there[row] - here[row]) * over;
                });
            }
        }
        Ok(count)
    }
}
