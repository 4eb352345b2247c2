//! A reduction that the caller defines.

use core::fmt;
use std::sync::Arc;

/// How one sample changes the numbers.
type Step = dyn Fn(&mut [f64], f64, f64) + Send + Sync;
/// What the numbers are worth in the end.
type Finish = dyn Fn(&[f64]) -> f64 + Send + Sync;

/// A fold over the samples of one signal: numbers to start with, a step per sample, and a finish.
///
/// ```text
/// s_0 = initial,  s_(k+1) = step(s_k, t_k, x_k),  result = finish(s_n)
/// ```
///
/// The state is `N` numbers, and the functions are pure: they see the state, the time in seconds
/// and the value, and nothing that is shared between members. So each member has the same bits
/// for every number of threads, chunk and lane, and a paused run keeps the state in its
/// checkpoint. A checkpoint knows a fold by its name and its initial numbers only, as functions
/// cannot be compared: whoever resumes a run gives it the same functions.
///
/// The samples come in the order of the run. The column is `signal.name`. A member without
/// samples has NaN, and `finish` is not called.
///
/// Memory: `8 N` bytes per signal and member in flight.
///
/// # Examples
///
/// The root of the mean square:
///
/// ```
/// use bifrons_sim::{CustomReduction, Reduction};
///
/// let rms = CustomReduction::new(
///     "rms",
///     [0.0, 0.0],
///     |[count, sum]: &mut [f64; 2], _t, x| {
///         *count += 1.0;
///         *sum += x * x;
///     },
///     |[count, sum]| (sum / count).sqrt(),
/// );
/// assert_eq!(Reduction::Custom(rms).name(), "rms");
/// ```
#[derive(Clone)]
pub struct CustomReduction {
    name: Arc<str>,
    initial: Arc<[f64]>,
    step: Arc<Step>,
    finish: Arc<Finish>,
}

impl CustomReduction {
    /// A fold with a state of `N` numbers.
    pub fn new<const N: usize>(
        name: impl Into<Arc<str>>,
        initial: [f64; N],
        step: impl Fn(&mut [f64; N], f64, f64) + Send + Sync + 'static,
        finish: impl Fn(&[f64; N]) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            initial: Arc::new(initial),
            // The state always has the length of `initial`.
            step: Arc::new(move |state, t, value| {
                if let Ok(state) = state.try_into() {
                    step(state, t, value);
                }
            }),
            finish: Arc::new(move |state| state.try_into().map_or(f64::NAN, &finish)),
        }
    }

    /// Its name, the second part of the name of its columns.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn initial(&self) -> &[f64] {
        &self.initial
    }

    pub(crate) fn step(&self, state: &mut [f64], t: f64, value: f64) {
        (self.step)(state, t, value);
    }

    pub(crate) fn finish(&self, state: &[f64]) -> f64 {
        (self.finish)(state)
    }
}

/// The name and the initial numbers, which is what a checkpoint compares.
impl fmt::Debug for CustomReduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CustomReduction")
            .field("name", &self.name)
            .field("initial", &self.initial)
            .finish_non_exhaustive()
    }
}

/// Equal are clones of one fold.
impl PartialEq for CustomReduction {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.step, &other.step) && Arc::ptr_eq(&self.finish, &other.finish)
    }
}
