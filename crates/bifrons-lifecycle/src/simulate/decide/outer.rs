//! Keeping or adjusting an outer margin.

use bifrons_random::Address;

use super::super::chunk::{Crowd, Stop};
use crate::endogenous::{Decider, OuterBank};
use crate::search::{Best, NOTHING};

/// The actions of each member of a regime with an outer margin, as its rows say.
pub(super) fn keep_or_adjust(
    stop: &Stop<'_>,
    bank: &OuterBank,
    period: usize,
    members: &[usize],
    crowd: &mut Crowd,
) {
    let Some(mut decider) = Decider::new(&stop.kernel, bank) else {
        return;
    };
    let choices = &stop.kernel.period.choices;
    let states = stop.kernel.plan.states.len();
    let count = stop.kernel.plan.actions.len();
    for &own in members {
        let from = own * crowd.width;
        let at = Address::new(crowd.numbers[own], period as u64);
        let uniform = stop.streams.adjustment.uniform(at);
        let chosen = decider.decide(&crowd.states[from..from + states], Some(uniform));
        crowd.choice[own] = chosen.map_or(NOTHING, |chosen| Best {
            value: chosen.value,
            #[expect(clippy::cast_possible_truncation, reason = "checked when built")]
            flat: (chosen.branch * choices.inner) as u32,
        });
        let Some(chosen) = chosen else { continue };
        let from = own * crowd.acts;
        let actions = &mut crowd.actions[from..from + count];
        choices.values_into(chosen.branch * choices.inner, actions);
        if let [.., outer, liquid] = actions {
            (*outer, *liquid) = (chosen.action, chosen.policy);
        }
    }
}
