//! A chunk of subjects through all periods.

use core::ops::Range;

use bifrons_memory::Footprint;

use super::decide::Seats;
use super::options::{Decisions, SimulateOptions};
use super::panel::{Cells, Layout, Rows};
use super::seen::{Seen, Tally};
use super::step::{Mover, Moves};
use super::streams::Streams;
use crate::endogenous::Bank;
use crate::error::{Fault, SimulateError};
use crate::kernel::{FaultKind, Kernel, Next};
use crate::options::Validation;
use crate::population::{Column, Population};
use crate::problem::Problem;
use crate::search::{Best, Search};
use crate::solution::{NONE, Solution};
use crate::space::code;
use bifrons_random::Draws;

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
    /// For each regime and state, the first values.
    columns: Vec<Vec<Option<&'a Column>>>,
    validation: Validation,
}

/// A regime in a period.
#[derive(Debug)]
pub(super) struct Stop<'a> {
    pub(super) kernel: Kernel<'a>,
    pub(super) mover: Mover<'a>,
    /// Rows that say what to do; without them all actions are tried.
    pub(super) bank: Option<&'a Bank>,
    /// Whether actions without a grid are searched for.
    pub(super) anew: bool,
    pub(super) streams: Streams,
}

/// Working memory of one thread: a search and a machine per regime and stage.
pub(super) struct Tools {
    searches: Vec<Vec<Option<Search>>>,
    moves: Vec<Vec<Option<Moves>>>,
    pub(super) seats: Seats,
}

/// The rows of a chunk, and what was seen.
#[derive(Debug)]
pub(super) struct Chunk {
    pub(super) rows: Rows,
    pub(super) seen: Seen,
}

/// Subjects of a chunk while they move.
#[derive(Debug)]
pub(super) struct Crowd {
    /// Place of the first subject in the population.
    first: usize,
    /// Numbers of the subjects.
    pub(super) numbers: Vec<u64>,
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
        .beside(Footprint::of::<u64>(1))
        .beside(Seats::footprint(1))
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
    let states: usize = model.regimes.iter().map(|plan| plan.states.len()).sum();
    let mut total =
        Footprint::of::<Option<Stop<'_>>>(count).beside(Footprint::of::<Option<&Column>>(states));
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
            let regimes = 0..model.regimes.len();
            let here = regimes.map(|regime| stop(solution, options, layout, (period, regime)));
            stops.push(here.collect::<Result<Vec<_>, _>>()?);
        }
        let regimes = population.regimes.iter();
        let columns = model.regimes.iter().map(|plan| {
            let states = plan.states.iter();
            states.map(|state| population.column(&state.name)).collect()
        });
        Ok(Self {
            columns: columns.collect(),
            validation: options.validation,
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
            numbers: subjects
                .clone()
                .map(|subject| self.population.number(subject))
                .collect(),
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
            seen: Seen::default(),
        };
        let mut tally = Tally::new(periods * self.columns.len());
        let mut members = Vec::with_capacity(count);
        for (period, stops) in self.stops.iter().enumerate() {
            self.enter(&mut crowd, period);
            for (regime, stop) in stops.iter().enumerate() {
                members.clear();
                members.extend((0..count).filter(|&own| crowd.regime[own] == Some(regime)));
                let Some(stop) = stop.as_ref().filter(|_| !members.is_empty()) else {
                    continue;
                };
                super::decide::choose(tools, stop, period, &mut members, &mut crowd);
                self.record(stop, period, &members, &crowd, &mut chunk.rows);
                self.look(&mut tally, stop, period, &members, &mut crowd);
                members.retain(|&own| crowd.regime[own].is_some());
                self.advance(tools, stop, period, &members, &mut crowd, &mut chunk);
            }
            self.arrive(&mut crowd);
        }
        if let Some((own, trouble)) = crowd.fault {
            return Err(SimulateError::Fault {
                subject: crowd.numbers[own],
                fault: Box::new(self.fault(trouble)),
            });
        }
        let number = |own: usize| crowd.numbers[own];
        chunk.seen.first_infeasible = tally.first_infeasible.map(number);
        let nan = tally.first_nan.take();
        chunk.seen.first_nan = nan.map(|(own, trouble)| (number(own), self.fault(trouble)));
        chunk.seen.entries = tally.entries;
        Ok(chunk)
    }

    /// Counts what was decided; histories without a value end.
    fn look(
        &self,
        tally: &mut Tally,
        stop: &Stop<'_>,
        period: usize,
        members: &[usize],
        crowd: &mut Crowd,
    ) {
        let regime = stop.mover.regime;
        let place = period * self.columns.len() + regime;
        for &own in members {
            let best = crowd.choice[own];
            tally.add(place, own, best);
            let ends = best.flat == NONE || best.value.is_nan();
            if !ends {
                continue;
            }
            if best.value.is_nan() {
                let trouble = Trouble {
                    period,
                    regime,
                    kind: FaultKind::NotANumber,
                    state: Vec::new(),
                    flat: best.flat as usize,
                };
                if self.validation == Validation::Debug {
                    crowd.blame(own, &stop.kernel, trouble);
                } else if tally
                    .first_nan
                    .as_ref()
                    .is_none_or(|(first, _)| own < *first)
                {
                    let state = crowd.state(own, &stop.kernel);
                    tally.first_nan = Some((own, Trouble { state, ..trouble }));
                }
            }
            crowd.regime[own] = None;
        }
    }

    /// Subjects whose first period it is.
    fn enter(&self, crowd: &mut Crowd, period: usize) {
        for own in 0..crowd.regime.len() {
            let subject = crowd.first + own;
            if self.population.entry(subject) != period {
                continue;
            }
            let regime = self.first_regime(subject);
            crowd.regime[own] = Some(regime);
            for (place, column) in self.columns[regime].iter().enumerate() {
                let value = column.and_then(|column| column.get(subject));
                crowd.states[own * crowd.width + place] = value.unwrap_or(f64::NAN);
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
            rows.subject[at] = crowd.numbers[own].cast_signed();
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
        let off_grid = stop
            .mover
            .go(moves, &stop.kernel, &stop.streams, members, crowd);
        chunk.seen.off_grid += off_grid;
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

    fn fault(&self, trouble: Trouble) -> Fault {
        let problem = &self.solution.problem;
        let stop = self.stops[trouble.period][trouble.regime].as_ref();
        let point = stop.map(|stop| match trouble.flat {
            // No action: the state alone.
            flat if flat >= NONE as usize => problem.point(&stop.kernel, &trouble.state, 0),
            flat => problem.point(&stop.kernel, &trouble.state, flat),
        });
        let point = point.unwrap_or_default();
        problem.fault(trouble.period, trouble.regime, trouble.kind, point)
    }
}

/// A regime in a period, if it exists then.
fn stop<'a>(
    solution: &'a Solution,
    options: &SimulateOptions,
    layout: &Layout,
    (period, regime): (usize, usize),
) -> Result<Option<Stop<'a>>, SimulateError> {
    let problem = &solution.problem;
    let model = &problem.model.inner;
    let plan = &model.regimes[regime];
    let Some(own) = &plan.periods[period] else {
        return Ok(None);
    };
    let missing = |what| SimulateError::NotRetained {
        age: model.ages.values()[period],
        regime: plan.name().to_owned(),
        what,
    };
    let after = |target: usize| solution.slots.get(period + 1)?[target].values.as_deref();
    let checked = options.validation != Validation::Off;
    let kernel = problem.kernel(period, regime, checked, after);
    let mut kernel = kernel.ok_or_else(|| missing("values of the next age"))?;
    let bank = solution.slots[period][regime].bank.as_ref();
    if kernel.stage.margin.is_some() && bank.is_none() {
        return Err(missing("rows"));
    }
    let anew = bank.is_some() && options.decisions == Decisions::Reoptimise;
    if anew {
        read_rows(solution, period, &mut kernel);
    }
    Ok(Some(Stop {
        bank,
        anew,
        kernel,
        mover: Mover::new(problem, layout, (period, regime), checked)?,
        streams: Streams::new(options.seed, plan, own.stage),
    }))
}

/// The next age is read by rows wherever it has them.
fn read_rows<'a>(solution: &'a Solution, period: usize, kernel: &mut Kernel<'a>) {
    let regimes = &solution.problem.model.inner.regimes;
    for next in &mut kernel.next {
        let target = kernel.stage.edges[next.edge].plan.target;
        let slot = solution.slots.get(period + 1).map(|slots| &slots[target]);
        let space = regimes[target].periods.get(period + 1);
        let space = space.and_then(|own| Some(&own.as_ref()?.space));
        next.bank = slot.and_then(|slot| slot.bank.as_ref()).zip(space);
    }
}

impl Crowd {
    /// Coordinates of a subject in a regime.
    pub(super) fn state(&self, own: usize, kernel: &Kernel<'_>) -> Vec<f64> {
        let from = own * self.width;
        self.states[from..from + kernel.plan.states.len()].to_vec()
    }

    /// Ends the history of a subject with a fault; the first subject's fault is kept.
    pub(super) fn blame(&mut self, own: usize, kernel: &Kernel<'_>, trouble: Trouble) {
        self.regime[own] = None;
        if self.fault.as_ref().is_none_or(|(first, _)| own < *first) {
            let state = self.state(own, kernel);
            self.fault = Some((own, Trouble { state, ..trouble }));
        }
    }
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
            seats: Seats::default(),
        }
    }

    pub(super) fn search(&mut self, stop: &Stop<'_>) -> &mut Search {
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
