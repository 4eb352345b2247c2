//! A chunk of subjects through all periods.

use core::ops::Range;

use bifrons_memory::Footprint;

use super::options::SimulateOptions;
use super::panel::{Cells, Layout, Rows};
use super::step::{Mover, Moves};
use super::streams::Streams;
use crate::endogenous::{Bank, Decider, OuterBank};
use crate::error::SimulateError;
use crate::kernel::{FaultKind, Kernel, Next};
use crate::population::Population;
use crate::problem::Problem;
use crate::search::{Best, NOTHING, Search};
use crate::solution::{NONE, Solution};
use crate::space::code;
use bifrons_random::{Address, Draws};

/// Everything that all chunks share.
#[derive(Debug)]
pub(super) struct Driver<'a> {
    solution: &'a Solution,
    population: &'a Population,
    layout: &'a Layout,
    /// By period and regime.
    stops: Vec<Vec<Option<Stop<'a>>>>,
    /// Regime in which each subject begins, by index of its name in the population.
    regimes: Vec<usize>,
}

/// A regime in a period.
#[derive(Debug)]
pub(super) struct Stop<'a> {
    pub(super) kernel: Kernel<'a>,
    pub(super) mover: Mover<'a>,
    /// Rows that say what to do; without them all actions are tried.
    bank: Option<&'a Bank>,
    streams: Streams,
}

/// Working memory of one thread: a search and a machine per regime and stage.
pub(super) struct Tools {
    searches: Vec<Vec<Option<Search>>>,
    moves: Vec<Vec<Option<Moves>>>,
}

/// The rows of a chunk, and what was seen.
#[derive(Debug)]
pub(super) struct Chunk {
    pub(super) rows: Rows,
    pub(super) infeasible: usize,
    pub(super) first_infeasible: Option<u64>,
    pub(super) off_grid: usize,
}

/// Subjects of a chunk while they move.
#[derive(Debug)]
pub(super) struct Crowd {
    /// Number of the first subject in the population.
    first: usize,
    /// Regime of each subject; `None` before it enters and after its history has ended.
    pub(super) regime: Vec<Option<usize>>,
    /// Coordinates, `width` per subject.
    pub(super) states: Vec<f64>,
    pub(super) width: usize,
    /// The chosen combination of each subject, and its value.
    pub(super) choice: Vec<Best>,
    /// The chosen actions, `acts` per subject.
    pub(super) actions: Vec<f64>,
    pub(super) acts: usize,
    /// First fault by subject.
    fault: Option<(usize, Trouble)>,
}

/// A fault of a subject, as a point of its state and action.
#[derive(Debug, Clone)]
pub(super) struct Trouble {
    pub(super) period: usize,
    pub(super) regime: usize,
    pub(super) kind: FaultKind,
    pub(super) state: Vec<f64>,
    pub(super) flat: usize,
}

/// Bytes of a subject while it moves.
pub(super) fn subject_footprint(states: usize, actions: usize) -> Footprint {
    Footprint::of::<f64>(states + actions)
        .beside(Footprint::of::<Option<usize>>(1))
        .beside(Footprint::of::<Best>(1))
        .beside(Footprint::of::<usize>(1))
}

/// Bytes of [`Tools`] without what the machines hold.
pub(super) fn tools_footprint(stages: usize) -> Footprint {
    Footprint::of::<Option<Search>>(stages).beside(Footprint::of::<Option<Moves>>(stages))
}

/// Bytes of a [`Driver`].
pub(super) fn driver_footprint(problem: &Problem) -> Footprint {
    let model = &problem.model.inner;
    let parameters = Footprint::of::<f64>(problem.parameters.len() + 2).times(2);
    let count = model.ages.count() * model.regimes.len();
    let mut total = Footprint::of::<Option<Stop<'_>>>(count);
    for plan in &model.regimes {
        for own in plan.periods.iter().flatten() {
            let edges = &plan.stages[own.stage].edges;
            let axes = edges.iter().map(|edge| edge.plan.axes.len()).sum();
            let streams =
                Footprint::of::<Vec<Draws>>(edges.len()).beside(Footprint::of::<Draws>(axes));
            // What follows is known to the kernel and to the mover.
            let next = Footprint::of::<Next<'_>>(2 * own.live.len());
            total = total.beside(parameters).beside(streams).beside(next);
        }
    }
    total
}

impl<'a> Driver<'a> {
    pub(super) fn new(
        solution: &'a Solution,
        population: &'a Population,
        options: &SimulateOptions,
        layout: &'a Layout,
    ) -> Result<Self, SimulateError> {
        let problem = &solution.problem;
        let model = &problem.model.inner;
        let names = model.regimes.iter().map(|plan| plan.name());
        let names: Vec<&str> = names.collect();
        let mut stops = Vec::with_capacity(model.ages.count());
        for period in 0..model.ages.count() {
            let mut here = Vec::with_capacity(model.regimes.len());
            for (regime, plan) in model.regimes.iter().enumerate() {
                let Some(own) = &plan.periods[period] else {
                    here.push(None);
                    continue;
                };
                let after =
                    |target: usize| solution.slots.get(period + 1)?[target].values.as_deref();
                let kernel = problem.kernel(period, regime, true, after);
                let kernel = kernel.ok_or_else(|| SimulateError::NotRetained {
                    age: model.ages.values()[period],
                    regime: plan.name().to_owned(),
                    what: "values of the next age",
                })?;
                let bank = solution.slots[period][regime].bank.as_ref();
                if kernel.stage.margin.is_some() && bank.is_none() {
                    return Err(SimulateError::NotRetained {
                        age: model.ages.values()[period],
                        regime: plan.name().to_owned(),
                        what: "rows",
                    });
                }
                here.push(Some(Stop {
                    bank,
                    kernel,
                    mover: Mover::new(problem, layout, period, regime)?,
                    streams: Streams::new(options.seed, plan, own.stage),
                }));
            }
            stops.push(here);
        }
        let regimes = population.regimes.iter();
        Ok(Self {
            solution,
            population,
            layout,
            stops,
            regimes: regimes
                .map(|name| names.iter().position(|known| known == name).unwrap_or(0))
                .collect(),
        })
    }

    fn first_regime(&self, subject: usize) -> usize {
        match &*self.regimes {
            [all] => *all,
            each => each[subject],
        }
    }

    /// Subjects before they enter.
    fn crowd(&self, subjects: &Range<usize>) -> Crowd {
        let regimes = &self.solution.problem.model.inner.regimes;
        let count = subjects.len();
        let width = regimes.iter().map(|plan| plan.states.len()).max();
        let acts = regimes.iter().map(|plan| plan.actions.len()).max();
        let (width, acts) = (width.unwrap_or(0), acts.unwrap_or(0));
        Crowd {
            first: subjects.start,
            regime: vec![None; count],
            states: vec![0.0; count * width],
            width,
            choice: vec![
                Best {
                    value: f64::NAN,
                    flat: NONE
                };
                count
            ],
            actions: vec![0.0; count * acts],
            acts,
            fault: None,
        }
    }

    /// Moves the subjects of a range through all periods.
    pub(super) fn run(
        &self,
        tools: &mut Tools,
        subjects: Range<usize>,
    ) -> Result<Chunk, SimulateError> {
        let count = subjects.len();
        let periods = self.stops.len();
        let mut crowd = self.crowd(&subjects);
        let mut chunk = Chunk {
            rows: super::rows(self.layout, count, periods),
            infeasible: 0,
            first_infeasible: None,
            off_grid: 0,
        };
        let mut infeasible = usize::MAX;
        let mut members = Vec::with_capacity(count);
        for (period, stops) in self.stops.iter().enumerate() {
            self.enter(&mut crowd, period);
            for (regime, stop) in stops.iter().enumerate() {
                members.clear();
                members.extend((0..count).filter(|&own| crowd.regime[own] == Some(regime)));
                let Some(stop) = stop.as_ref().filter(|_| !members.is_empty()) else {
                    continue;
                };
                self.choose(tools, stop, period, &mut members, &mut crowd);
                self.record(stop, period, &members, &crowd, &mut chunk.rows);
                for &own in &members {
                    if crowd.choice[own].flat == NONE || crowd.choice[own].value.is_nan() {
                        crowd.regime[own] = None;
                        chunk.infeasible += 1;
                        infeasible = infeasible.min(own);
                    }
                }
                members.retain(|&own| crowd.regime[own].is_some());
                self.advance(tools, stop, period, &members, &mut crowd, &mut chunk);
            }
            self.arrive(&mut crowd);
        }
        if let Some((own, trouble)) = crowd.fault {
            return Err(self.fault(subjects.start + own, trouble));
        }
        let first = (infeasible < count).then(|| subjects.start + infeasible);
        chunk.first_infeasible = first.map(|subject| self.population.numbers[subject]);
        Ok(chunk)
    }

    /// Subjects whose first period it is.
    fn enter(&self, crowd: &mut Crowd, period: usize) {
        let model = &self.solution.problem.model.inner;
        for own in 0..crowd.regime.len() {
            let subject = crowd.first + own;
            if self.population.entries[subject] != period {
                continue;
            }
            let regime = self.first_regime(subject);
            crowd.regime[own] = Some(regime);
            let states = &model.regimes[regime].states;
            for (place, state) in states.iter().enumerate() {
                let columns = &self.population.states;
                let column = columns.iter().find(|(known, _)| *known == state.name);
                let value = column.and_then(|(_, column)| column.get(subject));
                crowd.states[own * crowd.width + place] = value.unwrap_or(f64::NAN);
            }
        }
    }

    /// The action of each member; subjects with a fault leave.
    fn choose(
        &self,
        tools: &mut Tools,
        stop: &Stop<'_>,
        period: usize,
        members: &mut Vec<usize>,
        crowd: &mut Crowd,
    ) {
        if let Some(bank) = stop.bank.and_then(|bank| bank.outer.as_deref()) {
            return self.decide(stop, bank, period, members, crowd);
        }
        if let Some(bank) = stop.bank {
            return self.read(stop, bank, period, members, crowd);
        }
        let search = tools.search(stop);
        loop {
            let Crowd {
                states,
                choice,
                width,
                first,
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
                    let subject = self.population.numbers[*first + own];
                    let at = Address::new(subject, period as u64);
                    let shaken = |scale| shaken(stop, scale, found.best, at);
                    choice[own] = found.scale.map_or_else(|| found.overall(), shaken);
                },
            );
            let Err((pair, kind)) = found else {
                return spell_out(stop, members, crowd);
            };
            let count = stop.kernel.period.choices.count();
            let own = members.remove(pair / count);
            crowd.blame(
                own,
                &stop.kernel,
                Trouble {
                    period,
                    regime: stop.mover.regime,
                    kind,
                    state: Vec::new(),
                    flat: pair % count,
                },
            );
        }
    }

    /// The action of each member as its rows say.
    fn read(
        &self,
        stop: &Stop<'_>,
        bank: &Bank,
        period: usize,
        members: &[usize],
        crowd: &mut Crowd,
    ) {
        let inner = stop.kernel.period.choices.inner;
        let states = stop.kernel.plan.states.len();
        for &own in members {
            let from = own * crowd.width;
            let point = &crowd.states[from..from + states];
            let number = self.population.numbers[crowd.first + own];
            let at = Address::new(number, period as u64);
            let chosen = stop
                .kernel
                .period
                .space
                .cell_of(point)
                .and_then(|(cell, liquid)| {
                    let shaken = |branch: usize| match bank.scale > 0.0 {
                        true => bank.scale * stop.streams.taste.gumbel(at.component(branch as u64)),
                        false => 0.0,
                    };
                    bank.choose(cell, liquid, shaken)
                });
            crowd.choice[own] = chosen.map_or(NOTHING, |chosen| Best {
                value: chosen.value,
                #[expect(clippy::cast_possible_truncation, reason = "checked when built")]
                flat: (chosen.branch * inner) as u32,
            });
            if let Some(chosen) = chosen {
                let from = own * crowd.acts;
                let count = stop.kernel.plan.actions.len();
                let actions = &mut crowd.actions[from..from + count];
                let choices = &stop.kernel.period.choices;
                choices.values_into(chosen.branch * inner, actions);
                if let Some(last) = actions.last_mut() {
                    *last = chosen.policy;
                }
            }
        }
    }

    /// The actions of each member of a regime with an outer margin.
    fn decide(
        &self,
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
        let (states, count) = (
            stop.kernel.plan.states.len(),
            stop.kernel.plan.actions.len(),
        );
        for &own in members {
            let from = own * crowd.width;
            let number = self.population.numbers[crowd.first + own];
            let uniform = stop
                .streams
                .adjustment
                .uniform(Address::new(number, period as u64));
            let chosen = decider.decide(&crowd.states[from..from + states], Some(uniform));
            crowd.choice[own] = chosen.map_or(NOTHING, |chosen| Best {
                value: chosen.value,
                #[expect(clippy::cast_possible_truncation, reason = "checked when built")]
                flat: (chosen.branch * choices.inner) as u32,
            });
            if let Some(chosen) = chosen {
                let from = own * crowd.acts;
                let actions = &mut crowd.actions[from..from + count];
                choices.values_into(chosen.branch * choices.inner, actions);
                if let [.., outer, liquid] = actions {
                    (*outer, *liquid) = (chosen.action, chosen.policy);
                }
            }
        }
    }

    fn record(
        &self,
        stop: &Stop<'_>,
        period: usize,
        members: &[usize],
        crowd: &Crowd,
        rows: &mut Rows,
    ) {
        let regime = stop.mover.regime;
        let plan = stop.kernel.plan;
        for &own in members {
            let action = &crowd.actions[own * crowd.acts..];
            let at = rows.place(own, period);
            let best = crowd.choice[own];
            let feasible = best.flat != NONE && !best.value.is_nan();
            rows.used[at] = true;
            rows.subject[at] = self.population.numbers[crowd.first + own].cast_signed();
            #[expect(
                clippy::cast_possible_truncation,
                reason = "periods and regimes are few"
            )]
            {
                rows.period[at] = period as u32;
                rows.regime[at] = regime as u32;
            }
            rows.age[at] = self.solution.problem.model.inner.ages.values()[period];
            rows.value[at] = best.value;
            rows.feasible[at] = feasible;
            for (shared, cells) in self.layout.quantities.iter().zip(&mut rows.quantities) {
                let Some(source) = &shared.sources[regime] else {
                    continue;
                };
                let value = match source.action {
                    true if feasible => action[source.place],
                    true => continue,
                    false => crowd.states[own * crowd.width + source.place],
                };
                match cells {
                    Cells::Codes(codes) => codes[at] = source.codes[code(value)],
                    Cells::Numbers(values) => {
                        values[at] = match source.action {
                            true => value,
                            false => plan.states[source.place].value(value),
                        };
                    }
                }
            }
        }
    }

    /// Draws what happens to the members and where they go.
    fn advance(
        &self,
        tools: &mut Tools,
        stop: &Stop<'_>,
        period: usize,
        members: &[usize],
        crowd: &mut Crowd,
        chunk: &mut Chunk,
    ) {
        let moves = tools.moves(stop);
        stop.mover
            .derive(moves, period, members, crowd, &mut chunk.rows);
        if stop.kernel.plan.is_terminal() {
            for &own in members {
                crowd.regime[own] = None;
            }
            return;
        }
        let numbers = &self.population.numbers[crowd.first..];
        chunk.off_grid +=
            stop.mover
                .go(moves, &stop.kernel, &stop.streams, numbers, members, crowd);
    }

    /// All subjects are where they go.
    fn arrive(&self, crowd: &mut Crowd) {
        for regime in &mut crowd.regime {
            if let Some(own) = regime
                && *own >= super::step::ARRIVED
            {
                *own -= super::step::ARRIVED;
            }
        }
    }

    fn fault(&self, subject: usize, trouble: Trouble) -> SimulateError {
        let problem = &self.solution.problem;
        let stop = self.stops[trouble.period][trouble.regime].as_ref();
        let point = stop.map(|stop| problem.point(&stop.kernel, &trouble.state, trouble.flat));
        let point = point.unwrap_or_default();
        SimulateError::Fault {
            subject: self.population.numbers[subject],
            fault: Box::new(problem.fault(trouble.period, trouble.regime, trouble.kind, point)),
        }
    }
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

impl Crowd {
    /// Ends the history of a subject with a fault; the first subject's fault is kept.
    pub(super) fn blame(&mut self, own: usize, kernel: &Kernel<'_>, trouble: Trouble) {
        self.regime[own] = None;
        if self.fault.as_ref().is_none_or(|(first, _)| own < *first) {
            let from = own * self.width;
            let state = self.states[from..from + kernel.plan.states.len()].to_vec();
            self.fault = Some((own, Trouble { state, ..trouble }));
        }
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

impl Tools {
    pub(super) fn new(driver: &Driver<'_>) -> Self {
        let regimes = &driver.solution.problem.model.inner.regimes;
        let stages = regimes.iter().map(|plan| plan.stages.len());
        Self {
            searches: stages
                .clone()
                .map(|count| (0..count).map(|_| None).collect())
                .collect(),
            moves: stages
                .map(|count| (0..count).map(|_| None).collect())
                .collect(),
        }
    }

    fn search(&mut self, stop: &Stop<'_>) -> &mut Search {
        let place = &mut self.searches[stop.mover.regime][stop.kernel.period.stage];
        let search = place.get_or_insert_with(|| Search::new(&stop.kernel));
        stop.kernel.prepare(&mut search.worker);
        search
    }

    fn moves(&mut self, stop: &Stop<'_>) -> &mut Moves {
        let place = &mut self.moves[stop.mover.regime][stop.kernel.period.stage];
        let moves = place.get_or_insert_with(|| stop.mover.moves());
        stop.mover.prepare(moves);
        moves
    }
}
