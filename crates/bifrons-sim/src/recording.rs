//! What a run keeps, and when.

mod custom;
mod formula;
mod reduction;

pub use custom::CustomReduction;
pub use formula::Formula;
pub use reduction::Reduction;

use bifrons_hybrid::{Clock, Rational, TimeGrid};

use crate::error::BuildError;

/// What happens when more rows are due than a capacity holds. Whatever is not kept is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Overflow {
    /// The run is refused (where the number of rows is known before it) or ends with an error.
    #[default]
    Error,
    /// Every `2^m`-th row is kept, with the smallest `m` that fits; the first and the last row
    /// always are.
    Thin,
    /// The last rows are kept.
    KeepLast,
    /// Full blocks of that many rows go to a sink while the run goes on, see
    /// [`Simulation::run_to`](crate::Simulation::run_to); nothing is lost. Single runs only.
    Spill,
}

/// Which side of an event a row shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Mark {
    /// The start of a run or the end of a step.
    #[default]
    Step,
    /// Just before an event.
    Before,
    /// Just after an event.
    After,
}

impl Mark {
    /// Its code in a table.
    pub(crate) const fn code(self) -> u32 {
        match self {
            Self::Step => 0,
            Self::Before => 1,
            Self::After => 2,
        }
    }

    /// Its number in a checkpoint.
    pub(crate) const fn number(self) -> u64 {
        match self {
            Self::Step => 0,
            Self::Before => 1,
            Self::After => 2,
        }
    }

    pub(crate) const fn of_number(number: u64) -> Option<Self> {
        match number {
            0 => Some(Self::Step),
            1 => Some(Self::Before),
            2 => Some(Self::After),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum When {
    Times(Vec<f64>),
    Period(Rational),
    EveryStep,
    Events,
    Final,
    Reduce {
        times: Vec<f64>,
        reductions: Vec<Reduction>,
    },
}

/// What a run keeps: which signals, when, and how many rows at most.
///
/// A signal is an output of the system or an expression over its quantities. Rows at given times come from the dense output of the
/// integrator; no step is cut for them, so recording never changes a run. A row at the very time
/// of an event shows the values after it.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    pub(crate) when: When,
    pub(crate) signals: Option<Vec<String>>,
    pub(crate) expressions: Vec<(String, Formula)>,
    pub(crate) capacity: Option<(usize, Overflow)>,
}

impl Recording {
    fn new(when: When) -> Self {
        Self {
            when,
            signals: None,
            expressions: Vec::new(),
            capacity: None,
        }
    }

    /// One row at each of these times, sorted in the direction of the run and within its span.
    #[must_use]
    pub fn times(times: Vec<f64>) -> Self {
        Self::new(When::Times(times))
    }

    /// One row at the start and one after each period from then on, as far as the span goes.
    ///
    /// ```text
    /// t_k = t0 ± k · period      (against time in a backward run)
    /// ```
    ///
    /// Each time is one rounding of the exact sum of the shortest decimal form of `t0` and the
    /// `k`-th multiple of the exact period, never a sum of times: rows neither drift nor get
    /// lost, and the end of the span has a row exactly if it is on the grid. Memory: 8 bytes per
    /// row for the times that a capacity leaves, which the plan counts.
    ///
    /// ```
    /// # use bifrons_expr::Expr;
    /// # use bifrons_hybrid::EquationSystem;
    /// use bifrons_sim::{Recording, Simulation};
    ///
    /// # let x = Expr::symbol("x");
    /// # let system = EquationSystem::builder("decay").state("x", -&x, 1.0).output("x", x);
    /// # let system = system.build()?.compile()?;
    /// let recording = Recording::period("0.1".parse()?);
    /// let run = Simulation::builder(&system).record(recording).build()?.run()?;
    /// assert_eq!(run.times()[3], 0.3);
    /// assert_eq!(run.times().len(), 11);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn period(period: Rational) -> Self {
        Self::new(When::Period(period))
    }

    /// A row at the start and one at the end of each accepted step; at an event one just before
    /// and one just after it.
    ///
    /// A sweep needs a capacity for it, so that its memory is known.
    #[must_use]
    pub fn every_step() -> Self {
        Self::new(When::EveryStep)
    }

    /// Two rows at each event, one just before and one just after it, see
    /// [`Run::marks`](crate::Run::marks). A sweep needs a capacity for it.
    #[must_use]
    pub fn events() -> Self {
        Self::new(When::Events)
    }

    /// One row at the end of the run.
    #[must_use]
    pub fn final_values() -> Self {
        Self::new(When::Final)
    }

    /// No rows: the samples at `times` are folded into one number per signal and reduction.
    #[must_use]
    pub fn reduce(times: Vec<f64>, reductions: &[Reduction]) -> Self {
        Self::new(When::Reduce {
            times,
            reductions: reductions.to_vec(),
        })
    }

    /// Keeps these outputs only. Default: all.
    #[must_use]
    pub fn signals<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.signals = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Records an expression under a name, behind the outputs and in the order of these calls.
    ///
    /// It may read outputs, states, discrete states and parameters by their names (an output
    /// goes before a state of the same name), and `time`. It is evaluated wherever a row or a
    /// sample is due, from the dense output like any signal, and changes no step. With
    /// [`signals`](Self::signals) of no name, expressions are all that is recorded.
    ///
    /// A text that is no expression, or has an unknown name, is a
    /// [`BuildError::Expression`] with the place in the text. Compiled systems carry no units, so
    /// those of an expression are not checked.
    ///
    /// ```
    /// # use bifrons_expr::Expr;
    /// # use bifrons_hybrid::EquationSystem;
    /// use bifrons_sim::{Recording, Simulation};
    ///
    /// # let x = Expr::symbol("x");
    /// # let system = EquationSystem::builder("decay").state("x", -&x, 1.0).output("x", x);
    /// # let system = system.build()?.compile()?;
    /// let recording = Recording::times(vec![0.0, 1.0]).expression("half", "x / 2");
    /// let run = Simulation::builder(&system).record(recording).build()?.run()?;
    /// assert_eq!(run.signal("half")?[1], run.signal("x")?[1] / 2.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn expression(mut self, name: impl Into<String>, formula: impl Into<Formula>) -> Self {
        self.expressions.push((name.into(), formula.into()));
        self
    }

    /// Keeps at most `rows` rows per member.
    #[must_use]
    pub fn capacity(mut self, rows: usize, overflow: Overflow) -> Self {
        self.capacity = Some((rows, overflow));
        self
    }

    /// The recording for this span with the capacity applied to the times that are known.
    ///
    /// Returns the rows due beside it, where they are known before the run.
    pub(crate) fn resolve(&self, t0: f64, t_end: f64) -> Result<Policy, BuildError> {
        if let Some((rows, overflow)) = self.capacity {
            let least = if overflow == Overflow::Thin { 2 } else { 1 };
            if rows < least {
                return Err(BuildError::Capacity { rows, least });
            }
        }
        match &self.when {
            When::Times(times) => {
                check(times, t0, t_end)?;
                let due = times.len();
                let kept = self.kept(due)?.map(|index| times[index]);
                Ok(Policy::Times {
                    due,
                    block: self.block(due),
                    times: kept.collect(),
                })
            }
            When::Period(period) => {
                let (due, time) = periodic(*period, t0, t_end)?;
                Ok(Policy::Times {
                    due,
                    block: self.block(due),
                    times: self.kept(due)?.map(time).collect(),
                })
            }
            When::Reduce { times, reductions } => {
                check(times, t0, t_end)?;
                if times.is_empty() || reductions.is_empty() {
                    return Err(BuildError::NothingToReduce {
                        times: times.len(),
                        reductions: reductions.len(),
                    });
                }
                reductions.iter().try_for_each(Reduction::check)?;
                Ok(Policy::Reduce {
                    times: times.clone(),
                    reductions: reductions.clone(),
                })
            }
            When::EveryStep | When::Events => Ok(Policy::Steps {
                capacity: self.capacity,
                events_only: self.when == When::Events,
            }),
            When::Final => Ok(Policy::Final),
        }
    }

    /// Rows that leave together, if they do.
    fn block(&self, due: usize) -> Option<usize> {
        let (rows, overflow) = self.capacity?;
        (overflow == Overflow::Spill).then_some(rows.min(due))
    }

    /// The rows that the capacity leaves of `due` ones.
    fn kept(&self, due: usize) -> Result<impl Iterator<Item = usize> + use<>, BuildError> {
        let (mut start, mut stride) = (0, 1);
        let last = due.saturating_sub(1);
        if let Some((rows, overflow)) = self.capacity
            && due > rows
        {
            match overflow {
                Overflow::Error => return Err(BuildError::TooManyRows { due, rows }),
                Overflow::KeepLast => start = due - rows,
                Overflow::Spill => {}
                Overflow::Thin => {
                    stride = 2;
                    while last.div_ceil(stride) + 1 > rows {
                        stride *= 2;
                    }
                }
            }
        }
        let end = (due > 0).then_some(last);
        Ok((start..last).step_by(stride).chain(end))
    }
}

/// Rows that a report can count.
const MOST_ROWS: u32 = u32::MAX;

/// The number of times of a period within a span, and each of them by its index.
fn periodic(
    period: Rational,
    t0: f64,
    t_end: f64,
) -> Result<(usize, impl Fn(usize) -> f64), BuildError> {
    // A backward run is the mirror image of a forward one.
    let sign = if t_end < t0 { -1.0 } else { 1.0 };
    let offset = Rational::decimal(sign * t0 + 0.0)
        .map_err(|error| BuildError::PeriodStart { start: t0, error })?;
    let grid = TimeGrid::new(&[Clock::new("recording", period, offset)])?;
    let step = period.to_f64();
    if (t_end - t0).abs() / step > f64::from(MOST_ROWS) {
        let (due, rows) = (usize::MAX, MOST_ROWS as usize);
        return Err(BuildError::TooManyRows { due, rows });
    }
    // The first one that is not before the end is a row if it is the end.
    let first = grid.first_at(0, sign * t_end);
    let mirrored = move |k: u64| grid.time(grid.units(0, k));
    let due = first + u64::from(mirrored(first) <= sign * t_end);
    let due = usize::try_from(due).unwrap_or(usize::MAX);
    // No negative zero.
    Ok((due, move |index| sign * mirrored(index as u64) + 0.0))
}

/// A recording with everything checked and known.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Policy {
    Times {
        times: Vec<f64>,
        due: usize,
        /// Rows that are kept before they go to a sink, if they do.
        block: Option<usize>,
    },
    Steps {
        capacity: Option<(usize, Overflow)>,
        /// Rows at events and at no other steps.
        events_only: bool,
    },
    Final,
    Reduce {
        times: Vec<f64>,
        reductions: Vec<Reduction>,
    },
}

impl Policy {
    /// Numbers that a member keeps per signal column.
    pub(crate) fn rows(&self) -> usize {
        match self {
            Self::Times { times, block, .. } => block.unwrap_or(times.len()),
            Self::Steps { capacity, .. } => capacity.map_or(0, |(rows, _)| rows),
            Self::Final | Self::Reduce { .. } => 1,
        }
    }

    /// Whether rows go to a sink while a run goes on.
    pub(crate) fn spills(&self) -> bool {
        match self {
            Self::Times { block, .. } => block.is_some(),
            Self::Steps { capacity, .. } => matches!(capacity, Some((_, Overflow::Spill))),
            Self::Final | Self::Reduce { .. } => false,
        }
    }

    /// Whether rows have a side of an event.
    pub(crate) fn has_marks(&self) -> bool {
        matches!(self, Self::Steps { .. })
    }

    /// The columns that are kept, from the names of the signals.
    pub(crate) fn column_names(&self, signals: &[String]) -> Vec<String> {
        match self {
            Self::Reduce { reductions, .. } => signals
                .iter()
                .flat_map(|s| reductions.iter().map(move |r| format!("{s}.{}", r.name())))
                .collect(),
            _ => signals.to_vec(),
        }
    }

    /// Fails where two columns would have one name.
    pub(crate) fn check_columns(&self, signals: &[String]) -> Result<(), BuildError> {
        let mut names = self.column_names(signals);
        names.sort_unstable();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(BuildError::SameColumn {
                name: pair[0].clone(),
            }),
            None => Ok(()),
        }
    }

    /// The known times of the rows.
    pub(crate) fn times(&self) -> &[f64] {
        match self {
            Self::Times { times, .. } | Self::Reduce { times, .. } => times,
            Self::Steps { .. } | Self::Final => &[],
        }
    }
}

fn check(times: &[f64], t0: f64, t_end: f64) -> Result<(), BuildError> {
    let direction = if t_end < t0 { -1.0 } else { 1.0 };
    let mut last = t0;
    for (index, &value) in times.iter().enumerate() {
        let forward = (value - last) * direction >= 0.0;
        let inside = (t_end - value) * direction >= 0.0;
        if !(forward && inside) {
            return Err(BuildError::Time {
                index,
                value,
                start: t0,
                end: t_end,
            });
        }
        last = value;
    }
    Ok(())
}
