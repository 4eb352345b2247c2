//! The retirement model of Iskhakov, Jørgensen, Rust and Schjerning (2017) on the kernels of
//! `bifrons-egm`.

mod tables;

use bifrons_egm::{
    ChoiceError, Corner, Crra, DcEgmOptions, EgmError, Expectation, Gradient, NextChoice,
    ReadError, ReadOptions, Row, RowReader, SavingsProblem, Scaled, StepWorkspace, TasteShocks,
    Utility, UtilityError, dcegm_step, egm_step,
};
use bifrons_memory::Footprint;

/// Candidates of the constrained region where it competes.
const CONSTRAINED_POINTS: usize = 20;
/// Ascending runs of a chain of candidates for which memory is made.
const RUNS: usize = 16;

/// A worker chooses each period whether to work on or to retire for good, and how much to consume.
///
/// ```text
/// v_work(m)   = max_s  ln(m - s) - δ + β E V(R s + y ε)
/// v_retire(m) = max_s  ln(m - s)     + β v_retire(R s)
/// V           = σ ln(exp(v_work/σ) + exp(v_retire/σ)),   0 ≤ s ≤ m
/// ```
///
/// In the last of `decisions` periods everything is consumed.
#[derive(Debug, Clone, PartialEq)]
pub struct Retirement {
    /// Number of periods with a decision.
    pub decisions: usize,
    /// Gross return R.
    pub gross_return: f64,
    /// Discount factor β.
    pub discount: f64,
    /// Disutility of work δ.
    pub disutility: f64,
    /// Wage y.
    pub wage: f64,
    /// Scale σ of the taste shocks.
    pub taste: TasteShocks,
    /// Income factors ε and their probabilities.
    pub income: Vec<(f64, f64)>,
    /// Savings nodes, ascending from zero.
    pub savings: Vec<f64>,
}

/// Why a retirement model could not be solved.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RetirementError {
    /// A step.
    #[error("a step of the retirement model failed")]
    Step(#[from] EgmError),
    /// A read.
    #[error("a row of the retirement model cannot be read")]
    Read(#[from] ReadError),
    /// A utility.
    #[error("a utility of the retirement model is wrong")]
    Utility(#[from] UtilityError),
    /// A choice.
    #[error("the choices of the retirement model cannot be compared")]
    Choice(#[from] ChoiceError),
}

/// Rows of all periods, and the memory to compute them.
#[derive(Debug, Clone)]
pub struct RetirementWorkspace {
    /// By period: the row of a worker who works on, and the row of a retired one.
    rows: Vec<[Row; 2]>,
    /// Of the next period: work, retire.
    readers: [RowReader; 2],
    expectation: Expectation,
    step: StepWorkspace,
    resources: Vec<f64>,
}

impl Retirement {
    /// The calibration with interest 0.05, discount factor 0.95, wage 10, disutility 0.5 and taste
    /// shocks of scale 0.1; `points` savings nodes are cubes of equal steps up to 400.
    ///
    /// # Errors
    ///
    /// [`RetirementError::Choice`] never in practice.
    pub fn with_points(decisions: usize, points: usize) -> Result<Self, RetirementError> {
        let last = points.saturating_sub(1).max(1) as f64;
        let place = |i: usize| (i as f64 / last).powi(3) * 400.0;
        Ok(Self {
            decisions,
            gross_return: 1.05,
            discount: 0.95,
            disutility: 0.5,
            wage: 10.0,
            taste: TasteShocks::new(0.1)?,
            income: vec![(1.0, 1.0)],
            savings: (0..points).map(place).collect(),
        })
    }

    /// With five income factors: a log-normal law with mean one and spread 0.1.
    #[must_use]
    pub fn with_income_shocks(mut self) -> Self {
        self.income = tables::INCOME
            .into_iter()
            .zip(tables::PROBABILITY)
            .collect();
        self
    }

    /// Reference for eight decision periods: resources, value of a worker in the first period,
    /// within 1e-8; with [`Retirement::with_income_shocks`] within 1e-7.
    #[must_use]
    pub fn reference(&self) -> [(f64, f64); 15] {
        let values = if self.income.len() > 1 {
            tables::VALUE_SHOCKS
        } else {
            tables::VALUE
        };
        core::array::from_fn(|i| (tables::WEALTH[i], values[i]))
    }

    /// The largest distance from [`Retirement::reference`].
    ///
    /// # Errors
    ///
    /// As [`Retirement::worker`].
    pub fn error(&self, workspace: &RetirementWorkspace) -> Result<f64, RetirementError> {
        let mut worst = 0.0_f64;
        for (wealth, value) in self.reference() {
            worst = worst.max((self.worker(workspace, 0, wealth)?.0 - value).abs());
        }
        Ok(worst)
    }

    /// Memory for [`Retirement::solve_into`].
    #[must_use]
    pub fn workspace(&self) -> RetirementWorkspace {
        let points = self.savings.len();
        let records = Self::records(points);
        let reader = || {
            let mut reader = RowReader::new(ReadOptions::default());
            reader.reserve(records);
            reader
        };
        let rows = || [Row::with_capacity(records), Row::with_capacity(points)];
        let mut step = StepWorkspace::new();
        step.reserve(points, CONSTRAINED_POINTS, RUNS);
        RetirementWorkspace {
            rows: (0..self.decisions).map(|_| rows()).collect(),
            readers: [reader(), reader()],
            expectation: Expectation::new(),
            step,
            resources: vec![0.0; points],
        }
    }

    /// Records of a row: candidates, and two for each jump.
    const fn records(points: usize) -> usize {
        points + CONSTRAINED_POINTS + 2 * RUNS
    }

    /// Bytes of the workspace.
    #[must_use]
    pub fn footprint(&self) -> Footprint {
        let points = self.savings.len();
        let records = Self::records(points);
        Footprint::of::<[Row; 2]>(self.decisions)
            .beside(Row::footprint(records).times(self.decisions as u64))
            .beside(Row::footprint(points).times(self.decisions as u64))
            .beside(RowReader::footprint(records).times(2))
            .beside(Expectation::footprint(points, 2, 0))
            .beside(StepWorkspace::footprint(points, CONSTRAINED_POINTS, RUNS))
            .beside(Footprint::of::<f64>(points))
    }

    /// Solves all periods backwards.
    ///
    /// Allocates nothing with a workspace that has solved a model of this size before.
    ///
    /// # Errors
    ///
    /// [`RetirementError`].
    pub fn solve_into(&self, workspace: &mut RetirementWorkspace) -> Result<(), RetirementError> {
        let utilities = [Scaled::new(Crra::log(), 1.0, -self.disutility)?, retired()?];
        for period in (0..self.decisions).rev() {
            let RetirementWorkspace {
                rows,
                readers,
                expectation,
                step,
                resources,
            } = workspace;
            let row = &mut rows[period];
            if period + 1 == self.decisions {
                for row in row {
                    row.clear();
                    row.corner = Some(Corner {
                        savings: 0.0,
                        continuation: 0.0,
                    });
                }
            } else {
                let [working, idle] = row;
                self.expect_work(&utilities, readers, expectation, resources)?;
                let problem = self.problem(expectation, &utilities[0])?;
                let options = DcEgmOptions::default().with_constrained_points(CONSTRAINED_POINTS);
                dcegm_step(&problem, &options, step, working)?;
                self.expect_retirement(&utilities, readers, expectation, resources)?;
                egm_step(&self.problem(expectation, &utilities[1])?, idle)?;
            }
            for (reader, row) in readers.iter_mut().zip(&rows[period]) {
                reader.prepare(row.view())?;
            }
        }
        Ok(())
    }

    fn problem<'a>(
        &'a self,
        expectation: &'a Expectation,
        utility: &'a dyn Utility,
    ) -> Result<SavingsProblem<'a>, EgmError> {
        let (value, marginal) = (expectation.value(), expectation.marginal());
        SavingsProblem::new(&self.savings, value, marginal, utility, self.discount)
    }

    fn expect_work(
        &self,
        utilities: &[Scaled<Crra>; 2],
        readers: &[RowReader; 2],
        expectation: &mut Expectation,
        resources: &mut [f64],
    ) -> Result<(), EgmError> {
        expectation.reset(self.savings.len());
        for &(factor, weight) in &self.income {
            for (next, savings) in resources.iter_mut().zip(&self.savings) {
                *next = self.gross_return * savings + self.wage * factor;
            }
            let choice = |k: usize| self.next(&readers[k], &utilities[k], resources);
            expectation.add(weight, &[choice(0), choice(1)], self.taste)?;
        }
        expectation.finish();
        Ok(())
    }

    fn expect_retirement(
        &self,
        utilities: &[Scaled<Crra>; 2],
        readers: &[RowReader; 2],
        expectation: &mut Expectation,
        resources: &mut [f64],
    ) -> Result<(), EgmError> {
        expectation.reset(self.savings.len());
        for (next, savings) in resources.iter_mut().zip(&self.savings) {
            *next = self.gross_return * savings;
        }
        let only = self.next(&readers[1], &utilities[1], resources);
        expectation.add(1.0, &[only], TasteShocks::NONE)?;
        expectation.finish();
        Ok(())
    }

    fn next<'a>(
        &self,
        reader: &'a RowReader,
        utility: &'a Scaled<Crra>,
        resources: &'a [f64],
    ) -> NextChoice<'a> {
        NextChoice {
            reader,
            utility,
            resources,
            gradient: Gradient::Constant(self.gross_return),
        }
    }

    /// Value of a worker with `resources` in `period`, and the probability of working on.
    ///
    /// # Errors
    ///
    /// [`RetirementError`] outside of the solved periods' domain.
    pub fn worker(
        &self,
        workspace: &RetirementWorkspace,
        period: usize,
        resources: f64,
    ) -> Result<(f64, f64), RetirementError> {
        let utilities = [Scaled::new(Crra::log(), 1.0, -self.disutility)?, retired()?];
        let mut values = [0.0; 2];
        for ((value, row), utility) in values
            .iter_mut()
            .zip(&workspace.rows[period])
            .zip(&utilities)
        {
            let mut reader = RowReader::new(ReadOptions::default());
            reader.prepare(row.view())?;
            *value = reader.read(utility, resources)?.value;
        }
        let mut probabilities = [0.0; 2];
        let value = self.taste.aggregate(&values, &mut probabilities)?;
        Ok((value, probabilities[0]))
    }
}

fn retired() -> Result<Scaled<Crra>, UtilityError> {
    Scaled::new(Crra::log(), 1.0, 0.0)
}

impl RetirementWorkspace {
    /// The rows of a worker who works on and of a retired person, by period.
    #[must_use]
    pub fn rows(&self) -> &[[Row; 2]] {
        &self.rows
    }
}
