//! Everything that a run needs, compiled before it starts.

use std::mem::size_of;

use bifrons_algebra::{Lu, Sparsity, Structure};
use bifrons_memory::{Footprint, Part};
use bifrons_ode::{EnsembleWorkspace, Method, RunSize, Save, implicit_footprint};

use super::Engine;
use super::segments::is_implicit;
use crate::error::RunError;
use crate::simulation::Simulation;
use crate::simulation::problem::SemiExplicit;
use crate::simulation::result::RunEvent;
use crate::stage::ImplicitSlopes;

/// Sets of states that are compiled before a run.
const MOST_SETS: usize = 64;

/// Where a run starts.
#[derive(Debug)]
pub(in crate::simulation) struct Snapshot {
    slot: usize,
    t: f64,
    x: Vec<f64>,
    tears: Vec<f64>,
    parameters: Vec<f64>,
    values: Vec<f64>,
    surfaces: super::Surfaces,
}

impl Engine<'_> {
    /// Compiles all sets of states and what the method needs.
    pub(in crate::simulation) fn compile_all(&mut self, method: Method) -> Result<(), RunError> {
        if !(self.plan.is_trivial() || self.plan.is_fixed) {
            let all = self.values[..self.model.unknowns.len()].to_vec();
            let (current, x, values) = (self.current, self.x.clone(), self.values.clone());
            for set in self.plan.sets(MOST_SETS).unwrap_or_default() {
                // Sets for which the equations cannot be solved are never chosen.
                match self.enter(set, &all) {
                    Ok(()) | Err(RunError::Unordered { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
            (self.current, self.x, self.values) = (current, x, values);
        }
        if is_implicit(method) {
            for slot in &mut self.slots {
                if slot.implicit.is_none() {
                    slot.implicit = Some(ImplicitSlopes::new(self.model, &slot.stage)?);
                }
            }
        }
        self.push_parameters();
        Ok(())
    }

    pub(in crate::simulation) fn snapshot(&self) -> Snapshot {
        Snapshot {
            slot: self.current,
            t: self.t,
            x: self.x.clone(),
            tears: self.slots[self.current].observing.tears.clone(),
            parameters: self.parameters.clone(),
            values: self.values.clone(),
            surfaces: self.surfaces.clone(),
        }
    }

    /// Goes back to the start.
    pub(in crate::simulation) fn restore(&mut self, start: &Snapshot) {
        self.current = start.slot;
        self.t = start.t;
        self.x.clone_from(&start.x);
        self.values.clone_from(&start.values);
        self.parameters.copy_from_slice(&start.parameters);
        self.surfaces.clone_from(&start.surfaces);
        self.push_parameters();
        let slot = &mut self.slots[start.slot];
        slot.integrating.tears.copy_from_slice(&start.tears);
        slot.observing.tears.copy_from_slice(&start.tears);
    }

    /// Bytes that a run of at most `events` events allocates.
    pub(in crate::simulation) fn footprint(
        &mut self,
        simulation: &Simulation<'_>,
        columns: usize,
        events: usize,
    ) -> Part {
        let (rows, states) = (simulation.times.len(), self.x.len());
        let method = simulation.options.method;
        let result = Footprint::of::<f64>(rows * (columns + 1) + columns);
        let text = |names: &mut dyn Iterator<Item = usize>| {
            names.fold(Footprint::ZERO, |all, length| {
                all.beside(Footprint::of::<String>(1))
                    .beside(Footprint::of::<u8>(length))
            })
        };
        let titles = text(&mut simulation.names.iter().map(String::len));
        let report = &self.report.states;
        let reported = text(&mut report.iter().map(|(name, ..)| name.len()))
            .beside(Footprint::of::<(f64, crate::initial::Used)>(states));
        let order = &self.slots[self.current].stage.order;
        let name = |u: &usize| self.model.unknowns[*u].symbol.name().len();
        let named = text(&mut order.states.iter().map(name));
        // The log of events doubles; each event has two rows. Copies of all values pass by.
        let log = events.next_power_of_two() * size_of::<RunEvent>() * usize::from(events > 0);
        let each = 2 * columns * size_of::<f64>() + 32;
        let is_watched = events > 0 || is_implicit(method) || !self.plan.is_fixed;
        let passing = Footprint::of::<f64>(3 * self.values.len() * usize::from(is_watched));
        let happening = Footprint::of::<u8>(log + events * each).beside(passing);
        Part::beside(
            "run",
            [
                Part::new("rows", result),
                Part::new("names", titles.beside(reported).beside(named)),
                Part::new("events", happening),
                Part::new("integrator", self.integrator(method, rows)),
            ],
        )
    }

    fn integrator(&mut self, method: Method, rows: usize) -> Footprint {
        let states = self.x.len();
        if !is_implicit(method) || states == 0 {
            let start = Footprint::of::<f64>(states);
            return EnsembleWorkspace::<1>::footprint(states).beside(start);
        }
        let t = self.t;
        let mut y = self.x.clone();
        y.extend_from_slice(&self.slots[self.current].observing.tears);
        let slot = &mut self.slots[self.current];
        let Some(slopes) = &mut slot.implicit else {
            return Footprint::ZERO;
        };
        let fill = slopes.fill_of_factors(t, &y);
        let problem = SemiExplicit {
            stage: &slot.stage,
            workspace: &mut slot.integrating,
            slopes,
            surfaces: &self.surfaces,
            positions: &self.parameters[self.model.parameters.len()..],
            plan: &self.plan,
            selection: &mut self.selection,
            values: Vec::new(),
            fired: Vec::new(),
        };
        let steps = implicit_footprint(&problem, method, fill).unwrap_or(Footprint::ZERO);
        let roots = bifrons_ode::Problem::root_count(&problem);
        let size = RunSize {
            dimension: y.len(),
            roots,
            ..RunSize::default()
        };
        // Rows and driver are those of any method.
        let save = Save::Times(vec![0.0; rows]);
        let driver = size.footprint(Method::Bs32, &save);
        // Each choice of states is an event of the solver, and so is what ends a part.
        let log = 4 * (2 * y.len() + 8) * usize::from(roots > 0);
        let times = Footprint::of::<f64>(rows + 2 * y.len() + self.values.len() + log);
        steps
            .beside(driver.unwrap_or(Footprint::ZERO))
            .beside(times)
    }
}

impl ImplicitSlopes {
    /// Entries of the factors of a sparse iteration matrix.
    fn fill_of_factors(&mut self, t: f64, y: &[f64]) -> usize {
        if matches!(self.structure, bifrons_ode::Structure::Dense) {
            return 0;
        }
        self.evaluate(t, y);
        let (places, values) = (&self.places, &self.entries);
        let diagonal = (0..y.len()).map(|k| (k, k));
        let Ok(pattern) = Sparsity::from_places(y.len(), places.iter().copied().chain(diagonal))
        else {
            return 0;
        };
        let structure = Structure::Sparse(pattern);
        let mut matrix = vec![0.0; structure.value_count()];
        for (&(row, column), value) in places.iter().zip(values) {
            if let Some(position) = structure.position(row, column) {
                matrix[position] = -value;
            }
        }
        for k in 0..y.len() {
            if let Some(position) = structure.position(k, k) {
                // Any diagonal that a step of moderate size would have.
                matrix[position] += 1.0 + matrix[position].abs();
            }
        }
        let mut lu = Lu::<f64>::analyse(&structure);
        match lu.refactor(&matrix) {
            Ok(_) => lu.fill(),
            Err(_) => 4 * places.len(),
        }
    }
}
