//! Compilation of a reduced model for drivers.

use std::sync::Arc;

use bifrons_hybrid::{HybridSystem, Schema};
use bifrons_lanes::Level;
use bifrons_memory::Footprint;

use super::NetworkSystem;
use super::layout::Layout;
use super::start::StartPlan;
use crate::error::BridgeError;
use crate::initial::full_footprint;
use crate::order::order;
use crate::reduced::{Meaning, ReducedModel};
use crate::selection::SelectionPlan;
use crate::stage::Stage;

/// Sets of states that a compiled system has at most.
const MOST_SETS: usize = 64;

impl ReducedModel {
    /// The model as a system for any driver, with the exported signals and these variables as
    /// outputs. Iterations, switches, events and changing states are allowed.
    ///
    /// Cost: one compilation per set of states that the structure allows, at most 64.
    ///
    /// # Errors
    ///
    /// [`BridgeError`]: an open input, a variable that does not exist, a condition at the start
    /// over something that is no variable, an event that sets something that is neither a state
    /// nor iterated, too many sets of states.
    pub fn compile(&self, outputs: &[&str]) -> Result<NetworkSystem, BridgeError> {
        if let Some(input) = self.inputs.first() {
            return Err(BridgeError::Input {
                input: input.name().to_owned(),
            });
        }
        let plan = SelectionPlan::new(self)?;
        let stages = self.stages(&plan)?;
        let start = StartPlan::new(self)?.map_err(|quantity| BridgeError::Start { quantity })?;
        let layout = Layout::new(self, &stages);
        self.check_resets(&layout, &stages)?;
        let (names, outputs) = self.named_outputs(outputs)?;
        let single = (stages.len() == 1).then(|| &*stages[0].order.states);
        let state = |meaning: &Meaning| match *meaning {
            Meaning::Unknown(unknown) => single?.binary_search(&unknown).ok(),
            _ => None,
        };
        let output_states = outputs.iter().map(state).collect();
        let states: Vec<String> = match single {
            Some(states) => states.iter().map(|u| self.plain_name(*u)).collect(),
            None => (1..=layout.states).map(|k| format!("state{k}")).collect(),
        };
        let parameters = self.parameters.iter();
        let parameters = parameters.map(|p| (p.symbol.name().to_owned(), p.default));
        let schema = Schema::new(self.name.clone(), states, parameters, names)?;
        let mut system = NetworkSystem {
            table: layout.table(self),
            model: Arc::new(self.clone()),
            schema,
            layout,
            plan,
            stages,
            outputs,
            output_states,
            start,
            fill: 0,
            thorough: Footprint::ZERO,
        };
        system.look_at_defaults();
        Ok(system)
    }

    fn stages(&self, plan: &SelectionPlan) -> Result<Vec<Stage>, BridgeError> {
        let sets = if plan.is_trivial() || plan.is_fixed {
            let mut workspace = plan.workspace();
            let switches = self.switches.iter().map(|_| 0.0);
            let parameters = self.parameters.iter().map(|p| p.default).chain(switches);
            plan.set_parameters(&mut workspace, &parameters.collect::<Vec<_>>());
            let values = vec![1.0; self.unknowns.len()];
            let states = plan.choose(&mut workspace, 0.0, &values);
            vec![states.ok_or(BridgeError::Selection)?.to_vec()]
        } else {
            let sets = plan.sets(MOST_SETS);
            sets.ok_or(BridgeError::Sets { limit: MOST_SETS })?
        };
        let mut stages = Vec::with_capacity(sets.len());
        for set in sets {
            if let Ok(order) = order(self, &set) {
                stages.push(Stage::new(self, order)?);
            }
        }
        if stages.is_empty() {
            return Err(BridgeError::Selection);
        }
        Ok(stages)
    }

    /// What an event sets must be a state or iterated in every set of states.
    fn check_resets(&self, layout: &Layout, stages: &[Stage]) -> Result<(), BridgeError> {
        for (event, place) in self.events.iter().zip(&layout.events) {
            for ((target, _), (unknown, _)) in event.resets.iter().zip(&place.targets) {
                let has = |stage: &Stage| {
                    let order = &stage.order;
                    order.states.contains(unknown) || order.tears.contains(unknown)
                };
                if !stages.iter().any(has) {
                    return Err(BridgeError::Reset {
                        event: event.name.to_string(),
                        variable: target.name().to_owned(),
                    });
                }
            }
        }
        Ok(())
    }

    fn named_outputs(&self, wanted: &[&str]) -> Result<(Vec<String>, Vec<Meaning>), BridgeError> {
        let exported = self
            .outputs
            .iter()
            .map(|(name, of)| (name.name(), of.name()));
        let wanted = wanted.iter().map(|name| (*name, *name));
        let mut names = Vec::new();
        let mut meanings = Vec::new();
        for (name, of) in exported.chain(wanted) {
            let meaning = self.recorded(of).ok_or_else(|| BridgeError::UnknownName {
                name: of.to_owned(),
            })?;
            names.push(name.to_owned());
            meanings.push(meaning);
        }
        Ok((names, meanings))
    }

    fn plain_name(&self, unknown: usize) -> String {
        self.unknowns[unknown].symbol.name().replace('\'', "")
    }
}

impl NetworkSystem {
    /// Finds what depends on numbers: the fill of sparse factors, and whether states decide the
    /// start.
    fn look_at_defaults(&mut self) {
        let mut workspace = self.workspace::<1>(Level::detect());
        let defaults = self.schema.defaults().to_vec();
        self.find_start(&mut workspace, 0.0, &defaults);
        let spare = &workspace.spare;
        self.fill = Stage::fill(&spare.stages[spare.stage]);
        if workspace.start.was_thorough {
            let hard = self.model.starts.iter().filter(|s| s.fixed).count();
            self.thorough = full_footprint(self.model.equations.len() + hard, self.unknown_count());
        }
    }
}
