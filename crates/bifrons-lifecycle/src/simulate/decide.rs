//! What subjects do: by their rows, by trying all actions, or by maximising anew.

mod anew;
mod outer;

use bifrons_memory::Footprint;
use bifrons_random::Address;

use super::chunk::{Crowd, Stop, Tools, Trouble};
use crate::endogenous::{Bank, Choice, Readouts, best};
use crate::search::{Best, NOTHING};
use crate::solution::NONE;
use anew::Searcher;

/// Working memory of decisions.
#[derive(Debug, Default)]
pub(super) struct Seats {
    order: Vec<Seat>,
    liquid: Vec<f64>,
    shocks: Vec<f64>,
    readouts: Readouts,
}

/// A subject at its place among the subjects of its cell.
#[derive(Debug, Clone, Copy)]
struct Seat {
    cell: usize,
    liquid: f64,
    own: usize,
}

impl Seats {
    /// Bytes for subjects of a chunk with one branch.
    pub(super) fn footprint(subjects: usize) -> Footprint {
        Footprint::of::<Seat>(subjects)
            .beside(Footprint::of::<f64>(subjects))
            .beside(Readouts::footprint(1, subjects))
    }

    fn reserve(&mut self, branches: usize, subjects: usize) {
        self.order.clear();
        self.order.reserve_exact(subjects);
        self.liquid.clear();
        self.liquid.reserve_exact(subjects);
        self.shocks.clear();
        self.shocks.resize(branches, 0.0);
        self.readouts.reserve(branches, subjects);
    }
}

/// The action of each member; subjects with a fault leave.
pub(super) fn choose(
    tools: &mut Tools,
    stop: &Stop<'_>,
    period: usize,
    members: &mut Vec<usize>,
    crowd: &mut Crowd,
) {
    if let Some(bank) = stop.bank.and_then(|bank| bank.outer.as_deref()) {
        return outer::keep_or_adjust(stop, bank, period, members, crowd);
    }
    match stop.bank {
        Some(_) if stop.anew => maximise(tools, stop, period, members, crowd),
        Some(bank) => read(&mut tools.seats, stop, bank, period, members, crowd),
        None => search(tools, stop, period, members, crowd),
    }
}

/// The best of all combinations of actions.
fn search(
    tools: &mut Tools,
    stop: &Stop<'_>,
    period: usize,
    members: &mut Vec<usize>,
    crowd: &mut Crowd,
) {
    let search = tools.search(stop);
    loop {
        let Crowd {
            states,
            choice,
            width,
            numbers,
            ..
        } = crowd;
        let found = search.run(
            &stop.kernel,
            0..members.len(),
            |member, point| {
                let from = members[member] * *width;
                point.copy_from_slice(&states[from..from + point.len()]);
            },
            |member, found| {
                let own = members[member];
                let at = Address::new(numbers[own], period as u64);
                let shaken = |scale| shaken(stop, scale, found.best, at);
                choice[own] = found.scale.map_or_else(|| found.overall(), shaken);
            },
        );
        let Err((pair, kind)) = found else {
            return spell_out(stop, members, crowd);
        };
        let count = stop.kernel.period.choices.count();
        let own = members.remove(pair / count);
        let trouble = Trouble {
            period,
            regime: stop.mover.regime,
            kind,
            state: Vec::new(),
            flat: pair % count,
        };
        crowd.blame(own, &stop.kernel, trouble);
    }
}

/// The branch that is best with its taste shock; ties go to the first.
fn shaken(stop: &Stop<'_>, scale: f64, best: &[Best], at: Address) -> Best {
    let mut chosen = NOTHING;
    let mut highest = f64::NEG_INFINITY;
    for (branch, best) in best.iter().enumerate() {
        if best.flat == NONE {
            continue;
        }
        let shaken = best.value + scale * stop.streams.taste.gumbel(at.component(branch as u64));
        if chosen.flat == NONE || shaken > highest || best.value.is_nan() {
            (chosen, highest) = (*best, shaken);
        }
        if best.value.is_nan() {
            return chosen;
        }
    }
    chosen
}

/// Writes out the actions of the chosen combinations.
fn spell_out(stop: &Stop<'_>, members: &[usize], crowd: &mut Crowd) {
    let count = stop.kernel.plan.actions.len();
    for &own in members {
        let from = own * crowd.acts;
        let flat = crowd.choice[own].flat;
        if flat != NONE {
            let actions = &mut crowd.actions[from..from + count];
            stop.kernel
                .period
                .choices
                .values_into(flat as usize, actions);
        }
    }
}

/// The action of each member as its rows say: subjects of one cell are read together, in the
/// order of their liquid states, which changes no bit.
fn read(
    seats: &mut Seats,
    stop: &Stop<'_>,
    bank: &Bank,
    period: usize,
    members: &[usize],
    crowd: &mut Crowd,
) {
    let states = stop.kernel.plan.states.len();
    seats.reserve(bank.branches(), members.len());
    for &own in members {
        let from = own * crowd.width;
        let point = &crowd.states[from..from + states];
        crowd.choice[own] = NOTHING;
        if let Some((cell, liquid)) = stop.kernel.period.space.cell_of(point) {
            seats.order.push(Seat { cell, liquid, own });
        }
    }
    let before = |a: &Seat, b: &Seat| a.cell.cmp(&b.cell).then(a.liquid.total_cmp(&b.liquid));
    seats.order.sort_unstable_by(before);
    let shocks = &mut seats.shocks;
    for group in seats.order.chunk_by(|a, b| a.cell == b.cell) {
        seats.liquid.clear();
        seats.liquid.extend(group.iter().map(|seat| seat.liquid));
        bank.read_many(group[0].cell, &seats.liquid, &mut seats.readouts);
        for (place, seat) in group.iter().enumerate() {
            let number = crowd.numbers[seat.own];
            draw_tastes(stop, bank.scale, (number, period), shocks);
            let readouts = &seats.readouts;
            let choices = (0..bank.branches())
                .map(|branch| (readouts.choice(branch, place), bank.scale * shocks[branch]));
            take(stop, best(choices), seat.own, crowd);
        }
    }
}

/// Taste shocks of a subject; zero without.
fn draw_tastes(stop: &Stop<'_>, scale: f64, (number, period): (u64, usize), shocks: &mut [f64]) {
    if scale > 0.0 {
        let at = Address::new(number, period as u64);
        stop.streams.taste.fill_gumbel(at, shocks);
    } else {
        shocks.fill(0.0);
    }
}

/// A subject does what was chosen.
fn take(stop: &Stop<'_>, chosen: Option<Choice>, own: usize, crowd: &mut Crowd) {
    let choices = &stop.kernel.period.choices;
    crowd.choice[own] = chosen.map_or(NOTHING, |chosen| Best {
        value: chosen.value,
        #[expect(clippy::cast_possible_truncation, reason = "checked when built")]
        flat: (chosen.branch * choices.inner) as u32,
    });
    let Some(chosen) = chosen else { return };
    let from = own * crowd.acts;
    let actions = &mut crowd.actions[from..from + stop.kernel.plan.actions.len()];
    choices.values_into(chosen.branch * choices.inner, actions);
    if let Some(last) = actions.last_mut() {
        *last = chosen.policy;
    }
}

/// The action of each member by maximising over consumption in each branch.
fn maximise(
    tools: &mut Tools,
    stop: &Stop<'_>,
    period: usize,
    members: &mut Vec<usize>,
    crowd: &mut Crowd,
) {
    let branches = stop.kernel.period.choices.branches;
    let scale = stop.bank.map_or(0.0, |bank| bank.scale);
    let mut shocks = vec![0.0; branches];
    let mut found = Vec::with_capacity(branches);
    let mut searcher = Searcher::new(&stop.kernel);
    tools.seats.order.clear();
    members.retain(|&own| {
        found.clear();
        for branch in 0..branches {
            match searcher.best(&stop.kernel, branch, &crowd.state(own, &stop.kernel)) {
                Ok(choice) => found.push(choice),
                Err(kind) => {
                    let trouble = Trouble {
                        period,
                        regime: stop.mover.regime,
                        kind,
                        state: Vec::new(),
                        flat: branch * stop.kernel.period.choices.inner,
                    };
                    crowd.blame(own, &stop.kernel, trouble);
                    return false;
                }
            }
        }
        draw_tastes(stop, scale, (crowd.numbers[own], period), &mut shocks);
        let choices = found.iter().zip(&shocks);
        let chosen = best(choices.map(|(choice, shock)| (*choice, scale * shock)));
        take(stop, chosen, own, crowd);
        true
    });
}
