//! Integration from one event to the next.

use bifrons_ode::{
    EnsembleWorkspace, Failure, Method, Save, Solution, SolveError, solve, solve_members,
};

use super::{Engine, MOST_STANDSTILL};
use crate::error::RunError;
use crate::reduced::Meaning;
use crate::simulation::Simulation;
use crate::simulation::problem::{Explicit, SemiExplicit};
use crate::simulation::result::Run;
use crate::simulation::watch::{Empty, Stop, Watch, row};
use crate::stage::ImplicitSlopes;

/// Whether a method solves for algebraic components itself.
pub(super) fn is_implicit(method: Method) -> bool {
    !matches!(
        method,
        Method::Dopri5 | Method::Tsit5 | Method::Bs32 | Method::Dop853 | Method::Rk4 { .. }
    )
}

impl Engine<'_> {
    pub(super) fn segments(
        &mut self,
        simulation: &Simulation<'_>,
        columns: &[Meaning],
        run: &mut Run,
    ) -> Result<(), RunError> {
        let mut workspace = EnsembleWorkspace::<1>::new(self.x.len());
        let (mut events, mut still) = (0, 0);
        while simulation.times.get(run.times.len()) == Some(&self.t) {
            run.times.push(self.t);
            row(columns, &self.values, &mut run.rows);
        }
        while self.t < simulation.t_end {
            let before = self.t;
            let stop = if is_implicit(simulation.options.method) && !self.x.is_empty() {
                self.implicit_segment(simulation, columns, run)?
            } else {
                self.segment(simulation, columns, run, &mut workspace)?
            };
            match stop {
                None => break,
                Some(Stop::Fault(fault)) => return Err(self.fault(self.t, fault)),
                Some(Stop::Surface) => {
                    events += 1;
                    self.happen(columns, run, &[])?;
                    self.choose_again(run, false)?;
                    while simulation.times.get(run.times.len()) == Some(&self.t) {
                        run.times.push(self.t);
                        row(columns, &self.values, &mut run.rows);
                    }
                }
                Some(Stop::Selection) => self.choose_again(run, true)?,
                Some(Stop::Fired) => {
                    events += 1;
                    let fired = std::mem::take(&mut self.fired);
                    self.happen(columns, run, &fired)?;
                    self.choose_again(run, false)?;
                    while simulation.times.get(run.times.len()) == Some(&self.t) {
                        run.times.push(self.t);
                        row(columns, &self.values, &mut run.rows);
                    }
                }
            }
            still = if self.t > before { 0 } else { still + 1 };
            if events > simulation.max_events || still > MOST_STANDSTILL {
                return Err(RunError::Events {
                    time: self.t,
                    events,
                });
            }
        }
        self.evaluate()
    }

    /// Integrates until something happens.
    fn segment(
        &mut self,
        simulation: &Simulation<'_>,
        columns: &[Meaning],
        run: &mut Run,
        workspace: &mut EnsembleWorkspace<1>,
    ) -> Result<Option<Stop>, RunError> {
        let slot = &mut self.slots[self.current];
        let initial = self.x.clone();
        let mut problem = Explicit {
            stage: &slot.stage,
            workspace: &mut slot.integrating,
            initial: &initial,
            fault: None,
        };
        let mut watch = Watch {
            stage: &slot.stage,
            workspace: &mut slot.observing,
            surfaces: &mut self.surfaces,
            positions: &self.parameters[self.model.parameters.len()..],
            plan: &self.plan,
            selection: &mut self.selection,
            full: &mut self.full,
            times: &simulation.times,
            columns,
            run,
            t: self.t,
            x: &mut self.x,
            values: &mut self.values,
            stop: None,
            failure: None,
        };
        if initial.is_empty() {
            without_states(&mut watch, simulation.t_end);
        } else {
            let (t0, t_end, options) = (self.t, simulation.t_end, &simulation.options);
            solve_members(
                &mut problem,
                0..1,
                t0,
                t_end,
                options,
                workspace,
                &mut watch,
            )?;
        }
        let (stop, failure) = (watch.stop, watch.failure);
        self.t = watch.t;
        let fault = problem.fault;
        if let Some(failure) = failure {
            let cause = fault.map(|(t, fault)| Box::new(self.fault(t, fault)));
            return Err(RunError::Integration { failure, cause });
        }
        Ok(stop)
    }

    /// Integrates by an implicit method until something happens.
    fn implicit_segment(
        &mut self,
        simulation: &Simulation<'_>,
        columns: &[Meaning],
        run: &mut Run,
    ) -> Result<Option<Stop>, RunError> {
        let (solution, failure) = self.solve_implicit(simulation, run.times.len())?;
        run.statistics += solution.statistics;
        let (states, t_end) = (self.x.len(), simulation.t_end);
        for (k, &t) in solution.times.iter().enumerate() {
            // A row at an event shows what is after it.
            if t >= solution.last_time && t < t_end {
                break;
            }
            self.take(t, solution.state(k), states)?;
            run.times.push(t);
            row(columns, &self.values, &mut run.rows);
            let unknowns = self.values[..self.model.unknowns.len()].to_vec();
            let (_, worst) = self.full.worst(t, &unknowns);
            run.residual = run.residual.max(worst);
        }
        self.take(solution.last_time, &solution.last_state, states)?;
        if let Some(failure) = failure {
            return Err(RunError::Integration {
                failure,
                cause: None,
            });
        }
        let selection = self.surfaces.count_all();
        self.fired.retain(|surface| *surface != selection);
        Ok(if solution.last_time >= t_end && self.fired.is_empty() {
            None
        } else if self.fired.is_empty() {
            Some(Stop::Selection)
        } else {
            Some(Stop::Fired)
        })
    }

    /// One call of the implicit solver from the present point, rows from number `row` on.
    fn solve_implicit(
        &mut self,
        simulation: &Simulation<'_>,
        row: usize,
    ) -> Result<(Solution, Option<Failure>), RunError> {
        let slot = &mut self.slots[self.current];
        let mut slopes = match slot.implicit.take() {
            Some(slopes) => slopes,
            None => {
                let mut slopes = ImplicitSlopes::new(self.model, &slot.stage)?;
                slopes.set_parameters(&self.parameters);
                slopes
            }
        };
        let mut y = self.x.clone();
        y.extend_from_slice(&slot.observing.tears);
        let mut problem = SemiExplicit {
            stage: &slot.stage,
            workspace: &mut slot.integrating,
            slopes: &mut slopes,
            surfaces: &self.surfaces,
            positions: &self.parameters[self.model.parameters.len()..],
            plan: &self.plan,
            selection: &mut self.selection,
            values: vec![0.0; slot.stage.value_count()],
            fired: Vec::new(),
        };
        let save = Save::Times(simulation.times[row..].to_vec());
        let (t0, t_end, options) = (self.t, simulation.t_end, &simulation.options);
        let solved = solve(&mut problem, t0, &y, t_end, &save, options);
        self.fired = std::mem::take(&mut problem.fired);
        slot.implicit = Some(slopes);
        match solved {
            Ok(solution) => Ok((solution, None)),
            Err(SolveError::Input(error)) => Err(error.into()),
            Err(SolveError::Failed { failure, partial }) => Ok((*partial, Some(failure))),
            Err(error) => Err(RunError::Solver {
                message: error.to_string(),
            }),
        }
    }

    /// Takes states and guesses of the tears over, solves for the tears.
    fn take(&mut self, t: f64, y: &[f64], states: usize) -> Result<(), RunError> {
        self.t = t;
        self.x.copy_from_slice(&y[..states]);
        self.slots[self.current]
            .observing
            .tears
            .copy_from_slice(&y[states..]);
        self.evaluate()
    }
}

/// Steps from row to row.
fn without_states(watch: &mut Watch<'_>, t_end: f64) {
    let mut t = watch.t;
    while t < t_end {
        let next = watch.times.iter().copied().find(|time| *time > t);
        let next = next.unwrap_or(t_end).min(t_end);
        if !watch.look(&Empty(t, next)) {
            return;
        }
        t = next;
    }
}
