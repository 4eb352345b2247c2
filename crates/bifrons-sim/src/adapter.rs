//! A hybrid system as the problem that the ODE driver integrates.

use std::cell::{Cell, RefCell};

use bifrons_hybrid::{HybridSystem, LoopFailure};
use bifrons_lanes::Level;
use bifrons_memory::{Footprint, Part};
use bifrons_ode::{LaneProblem, Progress};

use crate::events::EventLanes;
use crate::parameters::Parameters;

/// Components that the integrator works on: a system without states gets one that is constant.
pub(crate) fn dimension(system: &impl HybridSystem) -> usize {
    system.schema().state_count().max(1)
}

/// Workspaces of one worker: the lanes, and one member for the start of a lane.
pub(crate) struct LaneWorkspace<S: HybridSystem, const W: usize> {
    wide: S::Workspace<W>,
    /// The member loaded last; not needed where there is one lane.
    one: Option<S::Workspace<1>>,
    parameters: Vec<f64>,
}

impl<S: HybridSystem, const W: usize> LaneWorkspace<S, W> {
    pub(crate) fn new(system: &S, level: Level) -> Self {
        Self {
            wide: system.workspace::<W>(level),
            one: (W > 1).then(|| system.workspace::<1>(level)),
            parameters: vec![0.0; system.schema().parameter_count()],
        }
    }

    pub(crate) fn footprint(system: &S) -> Part {
        let parameters = Footprint::of::<f64>(system.schema().parameter_count());
        let wide = Part::new("system in lanes", system.workspace_footprint(W));
        let one = if W > 1 {
            system.workspace_footprint(1)
        } else {
            Footprint::ZERO
        };
        Part::beside(
            "system",
            [
                wide,
                Part::new("one member", one),
                Part::new("parameters", parameters),
            ],
        )
    }
}

/// Members of a sweep, chunk by chunk.
pub(crate) struct Members<'a, 'p, S: HybridSystem, const W: usize> {
    pub(crate) system: &'a S,
    pub(crate) parameters: &'a Parameters,
    pub(crate) workspace: &'a mut LaneWorkspace<S, W>,
    pub(crate) t0: f64,
    pub(crate) events: Option<&'a RefCell<EventLanes<'p, S, W>>>,
    pub(crate) loops: Option<&'a LoopNotes<W>>,
    /// Where the only member goes on; its events stand there already.
    pub(crate) resumed: Option<Standing<'a>>,
}

/// Where a member goes on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Standing<'a> {
    pub(crate) progress: Progress,
    pub(crate) state: &'a [f64],
}

/// Per lane: the last algebraic loop of its member without solution.
#[derive(Debug)]
pub(crate) struct LoopNotes<const W: usize>([Cell<Option<LoopFailure>>; W]);

impl<const W: usize> LoopNotes<W> {
    /// `None` for a system whose loops are all solved symbolically.
    pub(crate) fn of(system: &impl HybridSystem) -> Option<Self> {
        let notes = || Self(core::array::from_fn(|_| Cell::new(None)));
        (!system.loops().is_empty()).then(notes)
    }

    pub(crate) fn get(&self, lane: usize) -> Option<LoopFailure> {
        self.0[lane].get()
    }

    fn set(&self, lane: usize, failure: Option<LoopFailure>) {
        self.0[lane].set(failure);
    }

    fn note(&self, lane: usize, failure: Option<LoopFailure>) {
        if failure.is_some() {
            self.0[lane].set(failure);
        }
    }
}

impl<S: HybridSystem, const W: usize> LaneProblem<W> for Members<'_, '_, S, W> {
    #[inline]
    fn dimension(&self) -> usize {
        dimension(self.system)
    }

    fn load(&mut self, lane: usize, member: usize, state: &mut [f64]) {
        let LaneWorkspace {
            wide,
            one,
            parameters,
        } = &mut *self.workspace;
        if let Some(loops) = self.loops {
            loops.set(lane, None);
        }
        let bad_start = self.parameters.starts().bad(member).is_some();
        if self.parameters.fill(member, parameters).is_some() || bad_start {
            // Ends the member at its start; the recorder names the parameter.
            if let Some(events) = self.events {
                events.borrow_mut().forget(lane);
            }
            state.fill(f64::NAN);
            return;
        }
        let states = self.system.schema().state_count();
        state[states..].fill(0.0);
        self.system.set_parameters(wide, lane, parameters);
        if let Some(standing) = self.resumed {
            state[..states].copy_from_slice(standing.state);
            self.restart(lane, member);
            return;
        }
        match one {
            Some(one) => {
                self.system.set_parameters(one, 0, parameters);
                let state = &mut state[..states];
                self.system.initial_state(one, self.t0, parameters, state);
            }
            None => {
                let state = &mut state[..states];
                self.system.initial_state(wide, self.t0, parameters, state);
            }
        }
        self.parameters.starts().fill_state(member, state);
        if let Some(events) = self.events {
            let mut events = events.borrow_mut();
            if state.iter().all(|x| x.is_finite()) {
                events.start(lane, (member, self.parameters.starts()), parameters, state);
                if events.is_over(lane) {
                    // Ends the member at its start; the recorder knows why.
                    state.fill(f64::NAN);
                }
            }
            drop(events);
            self.restart(lane, member);
        }
    }

    fn progress(&self, _lane: usize, _member: usize) -> Option<Progress> {
        self.resumed.map(|standing| standing.progress)
    }

    fn restart(&mut self, lane: usize, _member: usize) {
        if let Some(events) = self.events {
            let events = events.borrow();
            let (parameters, discrete) = (events.parameters(lane), events.discrete(lane));
            let LaneWorkspace { wide, one, .. } = &mut *self.workspace;
            self.system.set_values(wide, lane, parameters, discrete);
            if let Some(one) = one {
                self.system.set_values(one, 0, parameters, discrete);
            }
        }
    }

    #[inline(always)]
    fn rhs(&mut self, t: &[f64; W], y: &[[f64; W]], dy: &mut [[f64; W]]) {
        let states = self.system.schema().state_count();
        if states == 0 {
            // The integrator gets one component that stays where it is.
            dy.fill([0.0; W]);
            return;
        }
        self.system.derivatives(&mut self.workspace.wide, t, y, dy);
        if let Some(loops) = self.loops {
            for lane in 0..W {
                let wide = &self.workspace.wide;
                loops.note(lane, self.system.loop_failure(wide, lane));
            }
        }
    }

    fn rhs_one(&mut self, lane: usize, t: f64, y: &[f64], dy: &mut [f64]) {
        if self.system.schema().state_count() == 0 {
            dy.fill(0.0);
            return;
        }
        let LaneWorkspace { wide, one, .. } = &mut *self.workspace;
        match one {
            Some(one) => {
                let (y, dy) = (y.as_chunks::<1>().0, dy.as_chunks_mut::<1>().0);
                self.system.derivatives(one, &[t], y, dy);
                if let Some(loops) = self.loops {
                    loops.note(lane, self.system.loop_failure(one, 0));
                }
            }
            // One lane: chunks of one number.
            None => {
                let (y, dy) = (y.as_chunks::<W>().0, dy.as_chunks_mut::<W>().0);
                self.system.derivatives(wide, &[t; W], y, dy);
                if let Some(loops) = self.loops {
                    loops.note(lane, self.system.loop_failure(wide, lane));
                }
            }
        }
    }
}
