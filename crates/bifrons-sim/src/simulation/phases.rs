//! Which methods a run has used, and one member through its changes of method.

use std::cell::RefCell;

use bifrons_hybrid::HybridSystem;
use bifrons_ode::{
    EnsembleWorkspace, InputError, Options, Rodas5P, Statistics, solve_members, solve_members_with,
};

use super::run::Guarded;
use crate::adapter::{LaneWorkspace, LoopNotes, Members, Standing, dimension};
use crate::checkpoint::{Checkpoint, Reader, Writer};
use crate::events::EventLanes;
use crate::method::RunMethod;
use crate::parameters::Parameters;

/// What the methods before the present one have done.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Phases {
    /// When the run changed to the implicit method.
    pub(crate) changed: Option<f64>,
    /// What the steps before have cost.
    pub(crate) before: Statistics,
}

impl Phases {
    pub(crate) fn write(&self, writer: &mut Writer) {
        writer.word(u64::from(self.changed.is_some()));
        writer.number(self.changed.unwrap_or(0.0));
        let before = &self.before;
        for count in [
            before.accepted,
            before.rejected,
            before.rhs,
            before.stiff_suspected,
        ] {
            writer.word(count);
        }
    }

    pub(crate) fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let is_changed = reader.word()? != 0;
        let t = reader.number()?;
        let mut before = Statistics::default();
        before.accepted = reader.word()?;
        before.rejected = reader.word()?;
        before.rhs = reader.word()?;
        before.stiff_suspected = reader.word()?;
        Some(Self {
            changed: is_changed.then_some(t),
            before,
        })
    }
}

/// One member alone in its lane.
pub(crate) struct Alone<'a, 'p, S: HybridSystem> {
    pub(crate) system: &'a S,
    pub(crate) parameters: &'a Parameters,
    pub(crate) workspace: &'a mut LaneWorkspace<S, 1>,
    pub(crate) events: Option<&'a RefCell<EventLanes<'p, S, 1>>>,
    pub(crate) loops: Option<&'a LoopNotes<1>>,
    pub(crate) span: (f64, f64),
    pub(crate) options: &'a Options,
    pub(crate) method: RunMethod,
}

impl<S: HybridSystem> Alone<'_, '_, S> {
    /// Integrates from the start or from where a run was paused, to the end or to a pause.
    pub(crate) fn run(
        &mut self,
        member: usize,
        sink: &mut Guarded<'_, '_, '_, '_, '_, '_, S>,
        resumed: Option<&Checkpoint>,
    ) -> Result<(), InputError> {
        let may_change = self.method.may_change(dimension(self.system));
        let mut state = resumed.map_or_else(Vec::new, |checkpoint| checkpoint.state.clone());
        let mut progress = resumed.map(|checkpoint| checkpoint.progress);
        if let Some(paused) = progress
            && may_change
            && paused.is_stiff()
        {
            // The change was due at the step at which the run was paused.
            let before = resumed.map_or_else(Statistics::default, |checkpoint| *checkpoint.spent);
            sink.change(f64::from_bits(paused.to_bits()[0]), before);
            progress = Some(paused.for_another_method());
        }
        loop {
            let is_first = sink.phases.changed.is_none();
            sink.may_change = may_change && is_first;
            let standing = progress.map(|progress| Standing {
                progress,
                state: &state,
            });
            let is_implicit = !is_first || self.method == RunMethod::Rodas5P;
            self.phase(member, sink, standing, is_implicit)?;
            let Some(next) = sink.take_change() else {
                return Ok(());
            };
            progress = Some(next);
            state.clone_from(&sink.last.state);
        }
    }

    /// One method, from its first step to its last.
    fn phase(
        &mut self,
        member: usize,
        sink: &mut Guarded<'_, '_, '_, '_, '_, '_, S>,
        resumed: Option<Standing<'_>>,
        is_implicit: bool,
    ) -> Result<(), InputError> {
        let n = dimension(self.system);
        let (t0, t_end) = self.span;
        let mut members = Members {
            system: self.system,
            parameters: self.parameters,
            workspace: &mut *self.workspace,
            t0,
            events: self.events,
            loops: self.loops,
            resumed,
        };
        let one = member..member + 1;
        if !is_implicit {
            let mut work = EnsembleWorkspace::<1>::new(n);
            return solve_members(&mut members, one, t0, t_end, self.options, &mut work, sink);
        }
        let before = &sink.phases.before;
        let mut options = self.options.clone();
        options.max_steps = options
            .max_steps
            .saturating_sub(before.accepted + before.rejected)
            .max(1);
        let mut work = EnsembleWorkspace::<1>::for_method::<Rodas5P>(n, 0);
        let span = (t0, t_end);
        solve_members_with::<Rodas5P, 1, _, _>(&mut members, one, span, &options, &mut work, sink)
    }
}
