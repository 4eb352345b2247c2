//! What a paused run leaves in a checkpoint, and back.

use std::cell::RefCell;

use bifrons_hybrid::HybridSystem;

use super::run::Paused;
use super::{Kept, Place, Simulation};
use crate::checkpoint::{Checkpoint, Reader, Writer};
use crate::events::EventLanes;

/// The checkpoint of a run that was paused.
pub(super) fn save<S: HybridSystem>(
    simulation: &Simulation<'_, S>,
    kept: &Kept,
    paused: &Paused,
    place: &Place,
    events: Option<&RefCell<EventLanes<'_, S, 1>>>,
) -> Checkpoint {
    let mut writer = Writer::part();
    let mut discrete = Vec::new();
    if let Some(events) = events {
        let events = events.borrow();
        discrete = events.discrete(0).to_vec();
        events.save(0, &mut writer);
    }
    writer.word(place.next as u64);
    writer.number(place.last_time);
    writer.numbers(place.last_value.as_flattened());
    for column in &kept.columns {
        writer.numbers(column);
    }
    for steps in &kept.steps {
        steps.save(&mut writer);
    }
    for folds in &kept.folds {
        folds.save(&mut writer);
    }
    let state = kept.last.state.clone();
    let t = f64::from_bits(paused.progress.to_bits()[0]);
    Checkpoint {
        fingerprint: simulation.fingerprint(),
        progress: paused.progress,
        next: paused.next,
        slopes: simulation.slopes(t, &state, &discrete),
        state,
        phases: Box::new(paused.phases),
        spent: Box::new(paused.spent),
        rest: writer.into_part(),
    }
}

/// The discrete states in a checkpoint; `None` if its parts do not fit the simulation.
pub(super) fn discrete<S: HybridSystem>(
    simulation: &Simulation<'_, S>,
    checkpoint: &Checkpoint,
) -> Option<Vec<f64>> {
    let level = bifrons_lanes::Level::Baseline;
    let plan = simulation.events.as_ref();
    let events = plan.map(|plan| RefCell::new(EventLanes::new(simulation.system, plan, level)));
    let (mut kept, mut place) = (
        Kept::new(simulation),
        Place::new(simulation.signals.count()),
    );
    restore(
        simulation,
        checkpoint,
        &mut kept,
        &mut place,
        events.as_ref(),
    )?;
    Some(events.map_or_else(Vec::new, |events| events.borrow().discrete(0).to_vec()))
}

/// Puts everything back; `None` if the parts do not fit.
pub(super) fn restore<S: HybridSystem>(
    simulation: &Simulation<'_, S>,
    checkpoint: &Checkpoint,
    kept: &mut Kept,
    place: &mut Place,
    events: Option<&RefCell<EventLanes<'_, S, 1>>>,
) -> Option<()> {
    let mut reader = Reader::part(&checkpoint.rest);
    if let Some(events) = events {
        let mut parameters = vec![0.0; simulation.parameters.count()];
        simulation.parameters.fill(0, &mut parameters);
        events.borrow_mut().restore(0, &parameters, &mut reader)?;
    }
    place.next = usize::try_from(reader.word()?).ok()?;
    place.last_time = reader.number()?;
    reader.fill(place.last_value.as_flattened_mut())?;
    for column in &mut kept.columns {
        if kept.steps.is_empty() {
            reader.fill(column)?;
        } else {
            reader.numbers()?;
        }
    }
    for own in &mut kept.steps {
        own.restore(&mut reader)?;
    }
    for own in &mut kept.folds {
        own.restore(&mut reader)?;
    }
    Some(())
}
