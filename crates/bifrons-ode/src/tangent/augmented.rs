//! State and sensitivities as one problem.

use super::{Directions, Passage, Track};
use crate::event::{Event, Response, RootRule};
use crate::model::Model;
use crate::problem::{Derivatives, DynamicProblem, Fault, Mass, MatrixMut, Structure};

/// A model with columns `∂y/∂q_d` behind its state: `n (1 + count)` components.
///
/// A slice of `n` components is the state alone: methods that carry the columns themselves see the
/// model through such slices, and the columns through [`Derivatives`].
pub(crate) struct Augmented<M> {
    pub(crate) model: M,
    mass: Mass,
    structure: Structure,
    parameters: Vec<f64>,
    pub(crate) passage: Passage,
    /// Directions of the initial state, that come before the parameters.
    first: usize,
    count: usize,
    /// `∂t/∂q_d` of each event.
    pub(crate) instants: Vec<Vec<f64>>,
}

impl<M: Model + Clone> Augmented<M> {
    pub(crate) fn new(model: M, parameters: &[f64], first: usize, passage: Passage) -> Self {
        Self {
            mass: model.mass(),
            structure: model.structure(),
            model,
            parameters: parameters.to_vec(),
            passage,
            first,
            count: first + parameters.len(),
            instants: Vec::new(),
        }
    }

    const fn directions<'s>(&self, states: &'s [f64]) -> Directions<'s> {
        Directions {
            states,
            first: self.first,
            count: self.count,
        }
    }
}

impl<M: Model + Clone> DynamicProblem for Augmented<M> {
    fn dimension(&self) -> usize {
        self.model.dimension() * (1 + self.count)
    }

    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Fault> {
        let n = self.model.dimension();
        let p = self.parameters.as_slice();
        if y.len() == n {
            self.model.rhs(t, y, p, dy);
            return Ok(());
        }
        let ((y, states), (dy, out)) = (y.split_at(n), dy.split_at_mut(n));
        let directions = self.directions(states);
        let tangents = &mut self.passage.tangents;
        tangents.rhs(&self.model, (t, y, p), directions, (dy, out));
        Ok(())
    }

    fn structure(&self) -> &Structure {
        &self.structure
    }

    fn has_jacobian(&self) -> bool {
        true
    }

    fn jacobian(&mut self, t: f64, y: &[f64], out: &mut MatrixMut<'_>) -> Result<(), Fault> {
        let at = (t, y, self.parameters.as_slice());
        let tangents = &mut self.passage.tangents;
        tangents.jacobian(&self.model, at, |i, j, slope| out.set(i, j, slope))
    }

    fn mass(&self) -> &Mass {
        &self.mass
    }

    fn index(&self, component: usize) -> u8 {
        self.model.index(component)
    }

    fn root_count(&self) -> usize {
        self.model.root_count()
    }

    fn root_rule(&self, root: usize) -> RootRule {
        self.model.root_rule(root)
    }

    fn roots(&mut self, t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Fault> {
        let n = self.model.dimension();
        self.model.roots(t, &y[..n], &self.parameters, g);
        Ok(())
    }

    fn event(&mut self, event: &Event<'_>, y: &mut [f64]) -> Response {
        let n = self.model.dimension();
        let (y, states) = y.split_at_mut(n);
        let mut track = Track {
            states,
            first: self.first,
            count: self.count,
        };
        let at = (y, self.parameters.as_slice());
        let response = self.passage.event(&mut self.model, event, at, &mut track);
        self.instants.push(self.passage.shift.clone());
        response
    }

    fn own_dimension(&self) -> usize {
        self.model.dimension()
    }

    fn derivatives(&mut self) -> Option<&mut dyn Derivatives> {
        Some(self)
    }
}

impl<M: Model + Clone> Derivatives for Augmented<M> {
    fn columns(&mut self, t: f64, y: &[f64], s: &[f64], out: &mut [f64]) {
        let directions = self.directions(s);
        let at = (t, y, self.parameters.as_slice());
        self.passage.columns(&self.model, at, directions, out);
    }

    fn second(&mut self, t: f64, y: &[f64], s: &[f64], along: (f64, &[f64]), out: &mut [f64]) {
        let directions = self.directions(s);
        let at = (t, y, self.parameters.as_slice());
        let tangents = &mut self.passage.tangents;
        tangents.second(&self.model, at, directions, along, out);
    }

    fn jacobian(&mut self, t: f64, y: &[f64], out: &mut [f64]) {
        let (n, at) = (y.len(), (t, y, self.parameters.as_slice()));
        let tangents = &mut self.passage.tangents;
        out.fill(0.0);
        let found = tangents.jacobian(&self.model, at, |i, j, slope| out[j * n + i] = slope);
        if found.is_err() {
            out.fill(f64::NAN);
        }
    }

    fn jacobian_values(&mut self, t: f64, y: &[f64], out: &mut [f64]) {
        let at = (t, y, self.parameters.as_slice());
        let (n, structure) = (y.len(), &self.structure);
        let tangents = &mut self.passage.tangents;
        out.fill(0.0);
        let entry = |i, j, slope| {
            if let Some(at) = structure.position(n, i, j) {
                out[at] = slope;
            }
        };
        if tangents.jacobian(&self.model, at, entry).is_err() {
            out.fill(f64::NAN);
        }
    }

    fn slopes(&mut self, t: f64, y: &[f64], s: &[f64], out: &mut [f64]) {
        let directions = self.directions(s);
        let at = (t, y, self.parameters.as_slice());
        let Some(algebra) = &mut self.passage.algebra else {
            self.passage.columns(&self.model, at, directions, out);
            return;
        };
        let tangents = &mut self.passage.tangents;
        if !algebra.slopes(tangents, &self.model, at, directions, out) {
            out.fill(0.0);
        }
    }

    fn settle(&mut self, t: f64, y: &[f64], s: &mut [f64]) {
        let at = (t, y, self.parameters.as_slice());
        let still = vec![0.0; self.count];
        if let Some(algebra) = &mut self.passage.algebra {
            let columns = (self.first, s, still.as_slice());
            algebra.settle(&mut self.passage.tangents, &self.model, at, columns);
        }
    }
}
