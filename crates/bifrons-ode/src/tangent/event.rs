//! Sensitivities through events: the instant moves with the parameters, and the handler maps.

use super::{Directions, Tangents};
use crate::event::{Event, Response};
use crate::implicit::Algebra;
use crate::model::{Model, Modelled, SWEEP};
use crate::scalar::{Dual, Scalar as _};

/// Columns of derivatives: `states[d n + i]`, the first `first` of them by initial states, the
/// others by parameters.
#[derive(Debug)]
pub(crate) struct Track<'s> {
    pub(crate) states: &'s mut [f64],
    pub(crate) first: usize,
    pub(crate) count: usize,
}

impl Track<'_> {
    fn directions(&self) -> Directions<'_> {
        Directions {
            states: self.states,
            first: self.first,
            count: self.count,
        }
    }
}

/// What derivatives need at events: dual numbers, the algebraic equations, the last instant.
#[derive(Debug)]
pub(crate) struct Passage {
    pub(crate) tangents: Tangents,
    /// For models with a mass matrix.
    pub(crate) algebra: Option<Box<Algebra>>,
    /// Start of the run: an event there does not move.
    start: f64,
    /// Bits of the instant that `shift` belongs to.
    last: Option<u64>,
    /// `∂t/∂q_d` of the last event.
    pub(crate) shift: Vec<f64>,
    slope: Vec<f64>,
    after: Vec<f64>,
}

impl Passage {
    pub(crate) fn new<M: Model>(
        model: &M,
        parameters: usize,
        count: usize,
        start: f64,
        algebra: Option<Box<Algebra>>,
    ) -> Self {
        let n = model.dimension();
        Self {
            tangents: Tangents::new(model, parameters),
            algebra,
            start,
            last: None,
            shift: vec![0.0; count],
            slope: vec![0.0; n],
            after: vec![0.0; n],
        }
    }

    /// Writes `f_y s_d + f_p e_d` for all directions.
    pub(crate) fn columns<M: Model>(
        &mut self,
        model: &M,
        at: (f64, &[f64], &[f64]),
        directions: Directions<'_>,
        out: &mut [f64],
    ) {
        let value = (self.after.as_mut_slice(), out);
        self.tangents.rhs(model, at, directions, value);
    }

    /// Writes the slope `y'`; the right-hand side where the equations do not determine it.
    pub(crate) fn slope<M: Model>(
        &mut self,
        model: &M,
        at: (f64, &[f64], &[f64]),
        out: &mut [f64],
    ) {
        let tangents = &mut self.tangents;
        let algebra = self.algebra.as_mut();
        if !algebra.is_some_and(|algebra| algebra.slope(tangents, model, at, out)) {
            model.rhs(at.0, at.1, at.2, out);
        }
    }

    /// Forgets the last instant.
    pub(crate) const fn forget(&mut self) {
        self.last = None;
    }

    /// Carries an event through: `y` becomes the state that the handler leaves, and the columns
    /// become those at fixed time after it; `shift` has the derivatives of the instant.
    ///
    /// With `τ = -(g_y s + g_p) / (g_t + g_y y')` the state at the instant changes by
    /// `z = s + y' τ`, the handler maps it to `z⁺`, and what follows starts with
    ///
    /// ```text
    /// M s⁺ = M z⁺ − f⁺ τ,   0 = E (f_y s⁺ + f_p),
    /// ```
    ///
    /// where `E f = 0` are the algebraic equations. A handler that fires at the same instant by
    /// what another one did moves with that one. Where nothing changes, no bit does.
    pub(crate) fn event<M: Model + Clone>(
        &mut self,
        model: &mut M,
        event: &Event<'_>,
        (y, p): (&mut [f64], &[f64]),
        track: &mut Track<'_>,
    ) -> Response {
        let n = y.len();
        let before = y.to_vec();
        self.instants(model, event, (&before, p), track);
        let moves = self.shift.iter().any(|&tau| tau != 0.0);
        let (original, columns) = (model.clone(), track.states.to_vec());
        let mut response = Response::Continue;
        for from in (0..track.count.max(1)).step_by(SWEEP) {
            let tangents = &mut self.tangents;
            tangents.load(&before, p, track.directions(), from);
            let mut instant = [0.0; SWEEP];
            for (tau, &shift) in instant.iter_mut().zip(&self.shift[from.min(track.count)..]) {
                *tau = shift;
            }
            if moves {
                for (dual, f) in tangents.y.iter_mut().zip(&self.slope) {
                    for (tangent, tau) in dual.tangent.iter_mut().zip(instant) {
                        *tangent += f * tau;
                    }
                }
            }
            *model = original.clone();
            let time = Dual::new(event.t, instant);
            response = model.event(event, time, &mut tangents.y, &tangents.p);
            for (i, (value, dual)) in y.iter_mut().zip(&tangents.y).enumerate() {
                *value = dual.value;
                for k in 0..SWEEP.min(track.count - from.min(track.count)) {
                    track.states[(from + k) * n + i] = dual.tangent[k];
                }
            }
        }
        let same = before
            .iter()
            .zip(&*y)
            .all(|(a, b)| a.to_bits() == b.to_bits());
        if same && matches!(response, Response::Continue | Response::Terminate) {
            track.states.copy_from_slice(&columns);
        } else {
            self.settle(model, event.t, (y, p), track, moves);
        }
        response
    }

    /// From the columns at the moving instant to those at fixed time.
    fn settle<M: Model + Clone>(
        &mut self,
        model: &M,
        t: f64,
        (y, p): (&[f64], &[f64]),
        track: &mut Track<'_>,
        moves: bool,
    ) {
        if let Some(algebra) = &mut self.algebra {
            // The run makes the state consistent later on.
            self.after.copy_from_slice(y);
            let mut problem = Modelled::new(model.clone(), p);
            algebra.approach(&mut problem, t, &mut self.after);
            let y = self.after.as_slice();
            let states = (track.first, &mut *track.states, self.shift.as_slice());
            algebra.settle(&mut self.tangents, model, (t, y, p), states);
            return;
        }
        if moves {
            model.rhs(t, y, p, &mut self.after);
            for (column, tau) in track.states.chunks_exact_mut(y.len()).zip(&self.shift) {
                for (s, f) in column.iter_mut().zip(&self.after) {
                    *s -= f * tau;
                }
            }
        }
    }

    /// Derivatives of the instant in all directions, and the slope before it.
    fn instants<M: Model>(
        &mut self,
        model: &M,
        event: &Event<'_>,
        (y, p): (&[f64], &[f64]),
        track: &Track<'_>,
    ) {
        let again = self.last == Some(event.t.to_bits());
        self.last = Some(event.t.to_bits());
        let still = event.roots.is_empty() || event.t.to_bits() == self.start.to_bits();
        if still && !again {
            self.shift.fill(0.0);
            return;
        }
        let mut slope = core::mem::take(&mut self.slope);
        self.slope(model, (event.t, y, p), &mut slope);
        self.slope = slope;
        if again {
            return;
        }
        let Some(fired) = event.roots.first() else {
            return;
        };
        let rate = self
            .tangents
            .root_rate(model, (event.t, y, p), &self.slope, fired.index);
        for from in (0..track.count).step_by(SWEEP) {
            let tangents = &mut self.tangents;
            tangents.load(y, p, track.directions(), from);
            tangents.roots(model, event.t);
            let change = tangents.g[fired.index].tangent;
            for (tau, g) in self.shift[from..].iter_mut().zip(change) {
                *tau = if g == 0.0 { 0.0 } else { -g / rate };
            }
        }
    }
}

impl Tangents {
    /// Root functions at what is loaded.
    fn roots<M: Model>(&mut self, model: &M, t: f64) {
        self.g.fill(Dual::constant(0.0));
        model.roots(Dual::constant(t), &self.y, &self.p, &mut self.g);
    }

    /// Derivative of root function `index` by time, along the trajectory.
    fn root_rate<M: Model>(
        &mut self,
        model: &M,
        (t, y, p): (f64, &[f64], &[f64]),
        slope: &[f64],
        index: usize,
    ) -> f64 {
        for (dual, (&value, &f)) in self.y.iter_mut().zip(y.iter().zip(slope)) {
            *dual = Dual::constant(value);
            dual.tangent[0] = f;
        }
        for (dual, &value) in self.p.iter_mut().zip(p) {
            *dual = Dual::constant(value);
        }
        let mut time = Dual::constant(t);
        time.tangent[0] = 1.0;
        self.g.fill(Dual::constant(0.0));
        model.roots(time, &self.y, &self.p, &mut self.g);
        self.g[index].tangent[0]
    }
}
