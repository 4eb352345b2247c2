//! Buffers that one run leaves for the next.

use bifrons_algebra::Complex;
use bifrons_memory::Footprint;

use crate::dense::DenseSolution;
use crate::ensemble::EnsembleWorkspace;
use crate::error::SolveError;
use crate::solution::{Outcome, Phase, Solution};
use crate::statistics::Statistics;
use crate::watch::Watch;

/// States that the driver and the recorder have.
const DRIVER: usize = 5;
/// Vectors of real numbers that any method and the driver have between them.
const MOST: usize = 24;

/// Vectors of one type, handed out by size and filled as if they were new.
#[derive(Debug, Clone)]
struct Shelf<T>(Vec<Vec<T>>);

impl<T: Copy> Shelf<T> {
    /// A vector of `length` values: the tightest that is there, or a new one.
    fn take(&mut self, length: usize, value: T) -> Vec<T> {
        let fits = self.0.iter().enumerate();
        let fits = fits.filter(|(_, kept)| kept.capacity() >= length);
        let Some((at, _)) = fits.min_by_key(|(_, kept)| kept.capacity()) else {
            return vec![value; length];
        };
        let mut found = self.0.swap_remove(at);
        found.clear();
        found.resize(length, value);
        found
    }

    fn give(&mut self, vector: Vec<T>) {
        if vector.capacity() > 0 {
            self.0.push(vector);
        }
    }
}

/// Vectors of a method and its driver between two runs.
///
/// Runs of one method on problems of one shape ask for the same sizes, so the second one finds all
/// of them here. What is handed out has the values that a new one has: a run does not see what was
/// there before it.
#[derive(Debug, Clone)]
pub(crate) struct Pool {
    /// Whether what is given back is kept.
    keeps: bool,
    reals: Shelf<f64>,
    pairs: Shelf<Complex>,
    powers: Shelf<i32>,
    pub(crate) watch: Option<Watch>,
    pub(crate) stops: Vec<(f64, usize)>,
    pub(crate) phases: Vec<Phase>,
    pub(crate) lanes: Option<EnsembleWorkspace<1>>,
    solution: Option<Solution>,
    /// The box of the partial solution of a run that failed.
    partial: Option<Box<Solution>>,
}

impl Pool {
    /// Nothing is kept yet.
    pub(crate) const fn new() -> Self {
        Self {
            keeps: true,
            reals: Shelf(Vec::new()),
            pairs: Shelf(Vec::new()),
            powers: Shelf(Vec::new()),
            watch: None,
            stops: Vec::new(),
            phases: Vec::new(),
            lanes: None,
            solution: None,
            partial: None,
        }
    }

    /// A pool for one run alone: what is given back is freed.
    pub(crate) fn once() -> Self {
        let mut pool = Self::new();
        pool.keeps = false;
        pool
    }

    /// Bytes that a pool keeps beside the vectors of the method: those of the driver for
    /// `dimension` components and `roots` functions, and the list of all vectors.
    pub(crate) fn footprint(dimension: usize, roots: usize) -> Footprint {
        Footprint::of::<f64>(DRIVER * dimension)
            .beside(Watch::footprint(dimension, roots))
            .beside(Footprint::of::<Vec<f64>>(MOST))
            .beside(Footprint::of::<Vec<Complex>>(1))
            .beside(Footprint::of::<Vec<i32>>(1))
    }

    /// Whether what is given back is kept.
    pub(crate) const fn keeps(&self) -> bool {
        self.keeps
    }

    /// `length` zeros.
    pub(crate) fn zeros(&mut self, length: usize) -> Vec<f64> {
        self.reals.take(length, 0.0)
    }

    /// `length` complex zeros.
    pub(crate) fn complex_zeros(&mut self, length: usize) -> Vec<Complex> {
        self.pairs.take(length, Complex::default())
    }

    /// `length` integers that are zero.
    pub(crate) fn integers(&mut self, length: usize) -> Vec<i32> {
        self.powers.take(length, 0)
    }

    /// Takes vectors back.
    pub(crate) fn give<const N: usize>(&mut self, vectors: [Vec<f64>; N]) {
        if self.keeps {
            if self.reals.0.capacity() == 0 {
                self.reals.0.reserve_exact(MOST);
            }
            for vector in vectors {
                self.reals.give(vector);
            }
        }
    }

    /// Takes a complex vector back.
    pub(crate) fn give_complex(&mut self, vector: Vec<Complex>) {
        if self.keeps {
            self.pairs.0.reserve_exact(1);
            self.pairs.give(vector);
        }
    }

    /// Takes integers back.
    pub(crate) fn give_integers(&mut self, vector: Vec<i32>) {
        if self.keeps {
            self.powers.0.reserve_exact(1);
            self.powers.give(vector);
        }
    }

    /// Takes back what the driver of a run had.
    pub(crate) fn give_driver(&mut self, watch: Watch, stops: Vec<(f64, usize)>) {
        if self.keeps {
            self.watch = Some(watch);
            self.stops = stops;
        }
    }

    /// A workspace of one lane with `arrays` arrays of `dimension` zeros.
    pub(crate) fn one_lane(&mut self, dimension: usize, arrays: usize) -> EnsembleWorkspace<1> {
        match self.lanes.take() {
            Some(mut lanes) if lanes.suits(dimension, arrays) => {
                lanes.clear();
                lanes
            }
            _ => EnsembleWorkspace::with_arrays(dimension, arrays),
        }
    }

    /// Takes back a workspace of one lane.
    pub(crate) fn give_lane(&mut self, lanes: EnsembleWorkspace<1>) {
        if self.keeps {
            self.lanes = Some(lanes);
        }
    }

    /// A solution without rows that starts in `(t0, y0)`; `dense` has its coefficients per
    /// component, if there is to be one.
    pub(crate) fn solution(&mut self, t0: f64, y0: &[f64], dense: Option<usize>) -> Solution {
        let Some(mut solution) = self.solution.take() else {
            return Solution::at(t0, y0, dense);
        };
        solution.outcome = Outcome::Reached;
        solution.times.clear();
        solution.states.clear();
        solution.last_time = t0;
        solution.last_state.clear();
        solution.last_state.reserve_exact(y0.len());
        solution.last_state.extend_from_slice(y0);
        solution.dense = dense.map(|count| match solution.dense.take() {
            Some(kept) => kept.again(t0, y0, count),
            None => DenseSolution::new(t0, y0, count),
        });
        solution.events.renew(y0.len());
        solution.phases.clear();
        solution.statistics = Statistics::default();
        solution
    }

    /// A box with the partial solution of a run that failed.
    pub(crate) fn boxed(&mut self, solution: Solution) -> Box<Solution> {
        match self.partial.take() {
            Some(mut place) => {
                *place = solution;
                place
            }
            None => Box::new(solution),
        }
    }

    /// Takes back what a run has returned.
    pub(crate) fn recycle(&mut self, outcome: Result<Solution, SolveError>) {
        match outcome {
            Ok(solution) => self.solution = Some(solution),
            Err(SolveError::Failed { mut partial, .. }) => {
                self.solution = Some(core::mem::replace(
                    &mut *partial,
                    Solution::at(0.0, &[], None),
                ));
                self.partial = Some(partial);
            }
            Err(_) => {}
        }
    }
}

impl Default for Pool {
    fn default() -> Self {
        Self::new()
    }
}
