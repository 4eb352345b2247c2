//! The coefficients of a method, read off from the code that runs.

use super::stages::Stages;
use crate::ensemble::EnsembleWorkspace;
use crate::problem::LaneProblem;

/// Slots for stages: all that a method evaluates, and the first one.
pub(crate) const SLOTS: usize = 20;

/// Coefficients of a method, read off from one step with `y = 0`, `h = 1`.
#[derive(Debug, Clone)]
pub(crate) struct Tableau {
    /// Rows of all stages in the order of evaluation, those of the interpolant at the end.
    pub(crate) a: Vec<Vec<f64>>,
    pub(crate) c: Vec<f64>,
    pub(crate) b: Vec<f64>,
    /// Weights of the error estimate.
    #[cfg(test)]
    pub(crate) error: Vec<f64>,
    /// Per slot: coefficients of the interpolant.
    #[cfg(test)]
    pub(crate) dense: Vec<Vec<f64>>,
}

/// Answers its `j`-th call by the `j`-th unit vector, and notes where it was called.
struct Impulses {
    times: Vec<f64>,
    arguments: Vec<Vec<f64>>,
}

impl LaneProblem<1> for Impulses {
    fn dimension(&self) -> usize {
        SLOTS
    }
    fn load(&mut self, _lane: usize, _member: usize, _state: &mut [f64]) {}
    fn rhs(&mut self, t: &[f64; 1], y: &[[f64; 1]], dy: &mut [[f64; 1]]) {
        dy.fill([0.0]);
        // The first stage is slot 0, it is not called for.
        dy[self.times.len() + 1] = [1.0];
        self.times.push(t[0]);
        self.arguments.push(y.as_flattened().to_vec());
    }
    fn rhs_one(&mut self, _lane: usize, _t: f64, _y: &[f64], _dy: &mut [f64]) {}
}

/// A method by its type, on one lane, whatever the lifetime of its arrays.
pub(crate) trait Kind {
    type Arrays<'w>: Stages<'w, 1>;
}

impl Tableau {
    /// The coefficients of a method.
    pub(crate) fn read<K: Kind>() -> Self {
        let mut workspace = EnsembleWorkspace::<1>::with_arrays(SLOTS, 16);
        let (mut stages, ..) = workspace.split::<K::Arrays<'_>>();
        stages.start_mut().1[0] = [1.0];
        let mut problem = Impulses {
            times: Vec::new(),
            arguments: Vec::new(),
        };
        stages.attempt(SLOTS, &mut problem, &[0.0], &[1.0], &[1.0]);
        let b = stages.end().0.as_flattened().to_vec();
        #[cfg(test)]
        let error = (0..SLOTS).map(|i| stages.local_error(i, 0, 1.0)).collect();
        #[cfg(test)]
        stages.prepare(SLOTS, &mut problem, &[0.0], &[1.0]);
        #[cfg(test)]
        let dense = (0..SLOTS)
            .map(|i| {
                let mut row = vec![0.0; <K::Arrays<'_> as Stages<'_, 1>>::COEFFICIENTS];
                stages.coefficients(i, 0, 1.0, &mut row);
                row
            })
            .collect();
        let mut a = vec![vec![0.0; SLOTS]];
        a.extend(problem.arguments);
        let mut c = vec![0.0];
        c.extend(problem.times);
        Self {
            a,
            c,
            b,
            #[cfg(test)]
            error,
            #[cfg(test)]
            dense,
        }
    }

    /// Stages that the end of the step depends on.
    pub(crate) fn stage_count(&self) -> usize {
        self.b
            .iter()
            .rposition(|&b| b != 0.0)
            .map_or(0, |last| last + 1)
    }
}
