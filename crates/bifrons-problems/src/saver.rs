//! Savers with and without income risk on the kernels of `bifrons-egm`.

mod tables;

use bifrons_egm::{
    Corner, Crra, EgmError, Expectation, Gradient, NextChoice, ReadError, ReadOptions, Row,
    RowReader, SavingsProblem, TasteShocks, UtilityError, egm_step,
};
use bifrons_memory::Footprint;

/// Consumption and savings with permanent and transitory income risk (Carroll 1997), normalised by
/// permanent income.
///
/// ```text
/// v_t(m) = max_s  u(m - s) + β E (Γψ)^(1-ρ) v_{t+1}(R/(Γψ) s + θ),   0 ≤ s ≤ m,  v_T = u
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Saver {
    /// Periods before the last one, in which everything is consumed.
    pub decisions: usize,
    /// Gross return R.
    pub gross_return: f64,
    /// Discount factor β, survival included.
    pub discount: f64,
    /// Relative risk aversion ρ.
    pub risk_aversion: f64,
    /// Growth Γ of permanent income.
    pub growth: f64,
    /// Atoms `(ψ, θ, probability)`.
    pub atoms: Vec<(f64, f64, f64)>,
    /// Savings nodes, ascending from zero.
    pub savings: Vec<f64>,
    exact: bool,
}

/// Why a saver's problem could not be solved.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SaverError {
    /// A step.
    #[error("a step of the saver's problem failed")]
    Step(#[from] EgmError),
    /// A read.
    #[error("a row of the saver cannot be read")]
    Read(#[from] ReadError),
    /// The utility.
    #[error("the utility of the saver is wrong")]
    Utility(#[from] UtilityError),
}

/// Rows of all periods, and the memory to compute them.
#[derive(Debug, Clone)]
pub struct SaverWorkspace {
    rows: Vec<Row>,
    reader: RowReader,
    expectation: Expectation,
    resources: Vec<f64>,
}

impl Saver {
    /// The buffer-stock saver of HARK's defaults: ten periods, 56 income atoms; `points` savings
    /// nodes are cubes of equal steps up to 20.
    #[must_use]
    pub fn buffer_stock(points: usize) -> Self {
        Self {
            decisions: 10,
            gross_return: 1.03,
            discount: 0.96 * 0.98,
            risk_aversion: 2.0,
            growth: 1.01,
            atoms: tables::ATOMS.to_vec(),
            savings: cubes(20.0, points),
            exact: false,
        }
    }

    /// A saver with income 1 for certain, twenty periods, and savings nodes up to 60.
    #[must_use]
    pub fn deterministic(points: usize) -> Self {
        Self {
            decisions: 19,
            gross_return: 1.03,
            discount: 0.96,
            risk_aversion: 2.0,
            growth: 1.0,
            atoms: vec![(1.0, 1.0, 1.0)],
            savings: cubes(60.0, points),
            exact: true,
        }
    }

    /// Memory for [`Saver::solve_into`].
    #[must_use]
    pub fn workspace(&self) -> SaverWorkspace {
        let points = self.savings.len();
        let mut reader = RowReader::new(ReadOptions::default());
        reader.reserve(points);
        SaverWorkspace {
            rows: (0..=self.decisions)
                .map(|_| Row::with_capacity(points))
                .collect(),
            reader,
            expectation: Expectation::new(),
            resources: vec![0.0; points],
        }
    }

    /// Bytes of the workspace.
    #[must_use]
    pub fn footprint(&self) -> Footprint {
        let points = self.savings.len();
        let rows = self.decisions as u64 + 1;
        Footprint::of::<Row>(self.decisions + 1)
            .beside(Row::footprint(points).times(rows))
            .beside(RowReader::footprint(points))
            .beside(Expectation::footprint(points, 1, 0))
            .beside(Footprint::of::<f64>(points))
    }

    /// Solves all periods backwards.
    ///
    /// Allocates nothing with a workspace that has solved a problem of this size before.
    ///
    /// # Errors
    ///
    /// [`SaverError`].
    pub fn solve_into(&self, workspace: &mut SaverWorkspace) -> Result<(), SaverError> {
        let utility = Crra::new(self.risk_aversion)?;
        let SaverWorkspace {
            rows,
            reader,
            expectation,
            resources,
        } = workspace;
        for (age, row) in rows.iter_mut().enumerate().rev() {
            if age == self.decisions {
                row.clear();
                row.corner = Some(Corner {
                    savings: 0.0,
                    continuation: 0.0,
                });
            } else {
                expectation.reset(self.savings.len());
                for &(permanent, transitory, probability) in &self.atoms {
                    let growth = self.growth * permanent;
                    let gradient = self.gross_return / growth;
                    for (next, savings) in resources.iter_mut().zip(&self.savings) {
                        *next = gradient * savings + transitory;
                    }
                    let next = NextChoice {
                        reader,
                        utility: &utility,
                        resources,
                        gradient: Gradient::Constant(gradient),
                    };
                    let weight = probability * growth.powf(1.0 - self.risk_aversion);
                    expectation.add(weight, &[next], TasteShocks::NONE)?;
                }
                expectation.finish();
                let (value, marginal) = (expectation.value(), expectation.marginal());
                let discount = self.discount;
                let problem =
                    SavingsProblem::new(&self.savings, value, marginal, &utility, discount)?;
                egm_step(&problem, row)?;
            }
            reader.prepare(row.view())?;
        }
        Ok(())
    }

    /// The largest relative distance of consumption in the first period from the reference: a
    /// dense solution within 6.5e-6 for the buffer stock, 40-digit arithmetic otherwise.
    ///
    /// # Errors
    ///
    /// [`SaverError`].
    pub fn error(&self, workspace: &SaverWorkspace) -> Result<f64, SaverError> {
        let utility = Crra::new(self.risk_aversion)?;
        let mut reader = RowReader::new(ReadOptions::default());
        reader.prepare(workspace.rows[0].view())?;
        let mut worst = 0.0_f64;
        let mut compare = |resources: f64, consumption: f64| -> Result<(), SaverError> {
            let policy = reader.read(&utility, resources)?.policy;
            worst = worst.max((policy / consumption - 1.0).abs());
            Ok(())
        };
        if self.exact {
            for (resources, (consumption, _)) in tables::CASH.into_iter().zip(tables::EXACT) {
                compare(resources, consumption)?;
            }
        } else {
            for (resources, consumption) in tables::RESOURCES.into_iter().zip(tables::CONSUMPTION) {
                compare(resources, consumption)?;
            }
        }
        Ok(worst)
    }
}

impl SaverWorkspace {
    /// The rows, first period first.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }
}

/// `most · (i/(points - 1))³`.
fn cubes(most: f64, points: usize) -> Vec<f64> {
    let last = points.saturating_sub(1).max(1) as f64;
    (0..points)
        .map(|i| most * (i as f64 / last).powi(3))
        .collect()
}
