//! Derivatives of right-hand sides and of events in given directions, by dual numbers.

mod augmented;
mod event;

use crate::model::{Model, SWEEP, Seeds};
use crate::problem::Fault;
use crate::scalar::{Along, Dual, Scalar as _};
pub(crate) use augmented::Augmented;
pub(crate) use event::{Passage, Track};

/// Buffers for derivatives of a model in many directions, `SWEEP` at a time.
#[derive(Debug, Clone)]
pub(crate) struct Tangents {
    seeds: Seeds,
    y: Vec<Dual<SWEEP>>,
    p: Vec<Dual<SWEEP>>,
    dy: Vec<Dual<SWEEP>>,
    g: Vec<Dual<SWEEP>>,
    /// Second derivatives: state, parameters, right-hand side.
    y2: Vec<Along<Dual<SWEEP>>>,
    p2: Vec<Along<Dual<SWEEP>>>,
    dy2: Vec<Along<Dual<SWEEP>>>,
}

/// Directions in the space of states and parameters: `states[d n + i]`, and for direction `d` a
/// unit change of parameter `d - first` (none if that is not a parameter).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Directions<'d> {
    pub(crate) states: &'d [f64],
    pub(crate) first: usize,
    pub(crate) count: usize,
}

impl Tangents {
    pub(crate) fn new<M: Model>(model: &M, parameters: usize) -> Self {
        let (zero, none) = (Dual::constant(0.0), Along::constant(0.0));
        let n = model.dimension();
        Self {
            seeds: Seeds::new(n, &model.structure()),
            y: vec![zero; n],
            p: vec![zero; parameters],
            dy: vec![zero; n],
            g: vec![zero; model.root_count()],
            y2: vec![none; n],
            p2: vec![none; parameters],
            dy2: vec![none; n],
        }
    }

    /// Loads state and parameters with the tangents of directions `from` to `from + SWEEP`.
    fn load(&mut self, y: &[f64], p: &[f64], directions: Directions<'_>, from: usize) {
        let n = y.len();
        for (i, dual) in self.y.iter_mut().enumerate() {
            *dual = Dual::constant(y[i]);
            for (k, tangent) in dual.tangent.iter_mut().enumerate() {
                if from + k < directions.count {
                    *tangent = directions.states[(from + k) * n + i];
                }
            }
        }
        for (j, dual) in self.p.iter_mut().enumerate() {
            *dual = Dual::constant(p[j]);
            let direction = directions.first + j;
            if (from..from + SWEEP).contains(&direction) && direction < directions.count {
                dual.tangent[direction - from] = 1.0;
            }
        }
    }

    /// Writes `f` into `dy` and its derivatives in all directions into `out[d n + i]`.
    pub(crate) fn rhs<M: Model>(
        &mut self,
        model: &M,
        (t, y, p): (f64, &[f64], &[f64]),
        directions: Directions<'_>,
        (dy, out): (&mut [f64], &mut [f64]),
    ) {
        let n = y.len();
        for from in (0..directions.count.max(1)).step_by(SWEEP) {
            self.load(y, p, directions, from);
            model.rhs(Dual::constant(t), &self.y, &self.p, &mut self.dy);
            for (i, dual) in self.dy.iter().enumerate() {
                dy[i] = dual.value;
                for (k, &slope) in dual.tangent.iter().enumerate() {
                    if from + k < directions.count {
                        out[(from + k) * n + i] = slope;
                    }
                }
            }
        }
    }

    /// Writes the derivatives of `J u + f_t time` in all directions into `out[d n + i]`:
    /// `(f_yy s_d + f_yp e_d) u + (f_ty s_d + f_tp e_d) time`.
    pub(crate) fn second<M: Model>(
        &mut self,
        model: &M,
        (t, y, p): (f64, &[f64], &[f64]),
        directions: Directions<'_>,
        (time, u): (f64, &[f64]),
        out: &mut [f64],
    ) {
        let n = y.len();
        let t = Along {
            value: Dual::constant(t),
            along: Dual::constant(time),
        };
        for from in (0..directions.count).step_by(SWEEP) {
            self.load(y, p, directions, from);
            for (second, (first, &u)) in self.y2.iter_mut().zip(self.y.iter().zip(u)) {
                *second = Along {
                    value: *first,
                    along: Dual::constant(u),
                };
            }
            for (second, first) in self.p2.iter_mut().zip(&self.p) {
                *second = Along {
                    value: *first,
                    along: Dual::constant(0.0),
                };
            }
            model.rhs(t, &self.y2, &self.p2, &mut self.dy2);
            for (i, number) in self.dy2.iter().enumerate() {
                for (k, &slope) in number.along.tangent.iter().enumerate() {
                    if from + k < directions.count {
                        out[(from + k) * n + i] = slope;
                    }
                }
            }
        }
    }

    /// Writes `∂f/∂t` into `out`.
    pub(crate) fn by_time<M: Model>(
        &mut self,
        model: &M,
        (t, y, p): (f64, &[f64], &[f64]),
        out: &mut [f64],
    ) {
        let none = Directions {
            states: &[],
            first: 0,
            count: 0,
        };
        self.load(y, p, none, 0);
        let mut time = Dual::constant(t);
        time.tangent[0] = 1.0;
        model.rhs(time, &self.y, &self.p, &mut self.dy);
        for (out, dual) in out.iter_mut().zip(&self.dy) {
            *out = dual.tangent[0];
        }
    }

    /// Calls `entry(i, j, ∂f_i/∂y_j)` for every entry of the structure of the model.
    ///
    /// # Errors
    ///
    /// A fault if the structure misses an entry.
    pub(crate) fn jacobian<M: Model>(
        &mut self,
        model: &M,
        (t, y, p): (f64, &[f64], &[f64]),
        mut entry: impl FnMut(usize, usize, f64),
    ) -> Result<(), Fault> {
        for (dual, &p) in self.p.iter_mut().zip(p) {
            *dual = Dual::constant(p);
        }
        for sweep in 0..self.seeds.sweeps() {
            self.seeds.load(sweep, y, &mut self.y);
            model.rhs(Dual::constant(t), &self.y, &self.p, &mut self.dy);
            self.seeds.read(sweep, &self.dy, &mut entry)?;
        }
        Ok(())
    }
}
