//! Derivatives of right-hand sides and of events in given directions, by dual numbers.

use crate::event::{Event, Response};
use crate::model::{Model, SWEEP};
use crate::scalar::{Dual, Scalar as _};

/// Buffers for derivatives of a model in many directions, `SWEEP` at a time.
#[derive(Debug, Clone)]
pub(crate) struct Tangents {
    y: Vec<Dual<SWEEP>>,
    p: Vec<Dual<SWEEP>>,
    dy: Vec<Dual<SWEEP>>,
    g: Vec<Dual<SWEEP>>,
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
        let zero = Dual::constant(0.0);
        Self {
            y: vec![zero; model.dimension()],
            p: vec![zero; parameters],
            dy: vec![zero; model.dimension()],
            g: vec![zero; model.root_count()],
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

    /// Carries an event through: `y` becomes the state after it, and the state directions become
    /// those at fixed time after it; `shift[d]` is the derivative of the instant.
    ///
    /// With `τ` the derivative of the instant, `τ = -(g_y s + g_p) / (g_t + g_y f)`, the state at
    /// the instant changes by `s + f τ`, the handler maps it, and `f⁺ τ` is taken off again.
    pub(crate) fn event<M: Model + Clone>(
        &mut self,
        model: &mut M,
        event: &Event<'_>,
        (y, p): (&mut [f64], &[f64]),
        (states, first, count): (&mut [f64], usize, usize),
        shift: &mut [f64],
    ) -> Response {
        let n = y.len();
        let (before, mut after) = (y.to_vec(), y.to_vec());
        let (mut slope, mut slope_after) = (vec![0.0; n], vec![0.0; n]);
        model.rhs(event.t, &before, p, &mut slope);
        let original = model.clone();
        let mut response = Response::Continue;
        for from in (0..count.max(1)).step_by(SWEEP) {
            let directions = Directions {
                states,
                first,
                count,
            };
            self.load(&before, p, directions, from);
            let instant = self.instant(&original, event, &slope);
            for (dual, f) in self.y.iter_mut().zip(&slope) {
                for (tangent, shift) in dual.tangent.iter_mut().zip(instant) {
                    *tangent += f * shift;
                }
            }
            *model = original.clone();
            let time = Dual::new(event.t, instant);
            response = model.event(event, time, &mut self.y, &self.p);
            for (value, dual) in after.iter_mut().zip(&self.y) {
                *value = dual.value;
            }
            model.rhs(event.t, &after, p, &mut slope_after);
            for (k, &tau) in instant.iter().enumerate() {
                if from + k < count {
                    shift[from + k] = tau;
                    for i in 0..n {
                        states[(from + k) * n + i] = self.y[i].tangent[k] - slope_after[i] * tau;
                    }
                }
            }
        }
        y.copy_from_slice(&after);
        response
    }

    /// Derivative of the instant at which the first function of the event is zero.
    fn instant<M: Model>(&mut self, model: &M, event: &Event<'_>, slope: &[f64]) -> [f64; SWEEP] {
        let Some(fired) = event.roots.first() else {
            return [0.0; SWEEP];
        };
        let zero = Dual::constant(0.0);
        self.g.fill(zero);
        model.roots(Dual::constant(event.t), &self.y, &self.p, &mut self.g);
        let change = self.g[fired.index].tangent;
        // Along the trajectory: one direction with the slope as its tangent, time running.
        let mut along = [zero; 1].repeat(self.y.len());
        for (dual, (own, f)) in along.iter_mut().zip(self.y.iter().zip(slope)) {
            *dual = Dual::constant(own.value);
            dual.tangent[0] = *f;
        }
        let still: Vec<_> = self.p.iter().map(|p| Dual::constant(p.value)).collect();
        let mut time = Dual::constant(event.t);
        time.tangent[0] = 1.0;
        model.roots(time, &along, &still, &mut self.g);
        let rate = self.g[fired.index].tangent[0];
        change.map(|g| if g == 0.0 { 0.0 } else { -g / rate })
    }
}
