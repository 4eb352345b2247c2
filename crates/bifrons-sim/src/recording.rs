//! What a run keeps, and when.

mod custom;
mod reduction;

pub use custom::CustomReduction;
pub use reduction::Reduction;

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
/// A signal is an output of the system. Rows at given times come from the dense output of the
/// integrator; no step is cut for them, so recording never changes a run. A row at the very time
/// of an event shows the values after it.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    pub(crate) when: When,
    pub(crate) signals: Option<Vec<String>>,
    pub(crate) capacity: Option<(usize, Overflow)>,
}

impl Recording {
    fn new(when: When) -> Self {
        Self {
            when,
            signals: None,
            capacity: None,
        }
    }

    /// One row at each of these times, sorted in the direction of the run and within its span.
    #[must_use]
    pub fn times(times: Vec<f64>) -> Self {
        Self::new(When::Times(times))
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
                Ok(Policy::Times {
                    due: times.len(),
                    times: self.thinned(times)?,
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

    fn thinned(&self, times: &[f64]) -> Result<Vec<f64>, BuildError> {
        let due = times.len();
        let Some((rows, overflow)) = self.capacity else {
            return Ok(times.to_vec());
        };
        if due <= rows {
            return Ok(times.to_vec());
        }
        match overflow {
            Overflow::Error => Err(BuildError::TooManyRows { due, rows }),
            Overflow::KeepLast => Ok(times[due - rows..].to_vec()),
            Overflow::Thin => {
                let last = due - 1;
                let mut stride = 2;
                while last.div_ceil(stride) + 1 > rows {
                    stride *= 2;
                }
                let mut kept: Vec<f64> = times[..last].iter().copied().step_by(stride).collect();
                kept.push(times[last]);
                Ok(kept)
            }
        }
    }
}

/// A recording with everything checked and known.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Policy {
    Times {
        times: Vec<f64>,
        due: usize,
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
            Self::Times { times, .. } => times.len(),
            Self::Steps { capacity, .. } => capacity.map_or(0, |(rows, _)| rows),
            Self::Final | Self::Reduce { .. } => 1,
        }
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
