//! The retirement model of Iskhakov, Jørgensen, Rust and Schjerning (2017) over the kernels.

use bifrons_egm::{
    Affine, Budget, Corner, Crra, DcEgmOptions, EgmError, Expectation, Gradient, NbEgmOptions,
    NbEgmWorkspace, NextChoice, ReadOptions, Row, RowReader, SavingsNodes, SavingsProblem, Scaled,
    StepWorkspace, TasteShocks, dcegm_step, nbegm_step,
};

/// Parameters.
#[derive(Debug, Clone)]
pub(crate) struct Model {
    pub(crate) periods: usize,
    pub(crate) gross_return: f64,
    pub(crate) discount: f64,
    pub(crate) retired: Crra,
    pub(crate) working: Scaled<Crra>,
    /// Income after working in each period, by shock node, and the weights.
    pub(crate) incomes: Vec<Vec<f64>>,
    pub(crate) weights: Vec<f64>,
    pub(crate) shocks: TasteShocks,
}

/// Memory of a solution: rows of work and retirement by period.
#[derive(Debug)]
pub(crate) struct Solver {
    pub(crate) grid: Vec<f64>,
    pub(crate) work: Vec<Row>,
    pub(crate) retired: Vec<Row>,
    readers: [RowReader; 2],
    expectation: Expectation,
    resources: Vec<f64>,
    step: StepWorkspace,
    aligned: NbEgmWorkspace,
    nodes: SavingsNodes,
    identity: Budget,
    pub(crate) folds: usize,
}

/// Savings from 0 to `high`, denser near zero.
pub(crate) fn quadratic_grid(high: f64, count: u32) -> Vec<f64> {
    (0..count)
        .map(|i| high * (f64::from(i) / f64::from(count - 1)).powi(2))
        .collect()
}

/// Zero, equal ratios up to `middle`, then equal steps in ranges.
pub(crate) fn mixed_grid(middle: f64, ranges: &[(f64, u32)], low_count: u32) -> Vec<f64> {
    let low = 1e-4_f64;
    let ratio = (middle / low).ln() / f64::from(low_count);
    let mut grid = vec![0.0];
    grid.extend((0..=low_count).map(|i| low * (ratio * f64::from(i)).exp()));
    let mut from = middle;
    for &(to, count) in ranges {
        let step = (to - from) / f64::from(count);
        grid.extend((1..=count).map(|i| from + step * f64::from(i)));
        from = to;
    }
    grid
}

impl Solver {
    pub(crate) fn new(grid: Vec<f64>, periods: usize, expectation: Expectation) -> Self {
        let readers = [(); 2].map(|()| RowReader::new(ReadOptions::default()));
        let rows = || vec![Row::new(); periods];
        let (work, retired) = (rows(), rows());
        let (step, aligned, nodes) = (
            StepWorkspace::new(),
            NbEgmWorkspace::new(),
            SavingsNodes::new(),
        );
        let resources = Vec::new();
        Self {
            grid,
            work,
            retired,
            readers,
            expectation,
            resources,
            step,
            aligned,
            nodes,
            identity: Budget::identity(),
            folds: 0,
        }
    }

    /// Solves all periods with plain savings nodes.
    pub(crate) fn solve(&mut self, model: &Model) -> Result<(), EgmError> {
        self.last_period(model);
        self.folds = 0;
        for t in (0..model.periods - 1).rev() {
            self.prepare(t + 1)?;
            let grid = std::mem::take(&mut self.grid);
            self.expect_work(model, t, &grid)?;
            let options = DcEgmOptions::default();
            let (value, marginal) = (self.expectation.value(), self.expectation.marginal());
            let problem =
                SavingsProblem::new(&grid, value, marginal, &model.working, model.discount)?;
            let report = dcegm_step(&problem, &options, &mut self.step, &mut self.work[t])?;
            self.folds += usize::from(report.envelope.is_some());
            self.expect_retired(model, &grid)?;
            let (value, marginal) = (self.expectation.value(), self.expectation.marginal());
            let problem =
                SavingsProblem::new(&grid, value, marginal, &model.retired, model.discount)?;
            dcegm_step(&problem, &options, &mut self.step, &mut self.retired[t])?;
            self.grid = grid;
        }
        Ok(())
    }

    /// Solves all periods with savings nodes at the breakpoints of the next one.
    pub(crate) fn solve_aligned(&mut self, model: &Model) -> Result<(), EgmError> {
        self.last_period(model);
        for t in (0..model.periods - 1).rev() {
            self.prepare(t + 1)?;
            let mut nodes = std::mem::take(&mut self.nodes);
            nodes.clear();
            for &intercept in &model.incomes[t] {
                let next = Affine {
                    slope: model.gross_return,
                    intercept,
                };
                nodes.add_child(next, &self.identity, self.work[t + 1].view())?;
            }
            if model.shocks.scale() <= 0.0 {
                self.add_switches(model, t, &mut nodes)?;
            }
            nodes.merge(&self.grid);
            self.expect_work(model, t, nodes.nodes())?;
            let options = NbEgmOptions::default();
            let (value, marginal) = (self.expectation.value(), self.expectation.marginal());
            let problem = SavingsProblem::new(
                nodes.nodes(),
                value,
                marginal,
                &model.working,
                model.discount,
            )?;
            nbegm_step(
                &problem,
                nodes.breaks(),
                &options,
                &mut self.aligned,
                &mut self.work[t],
            )?;
            self.nodes = nodes;
            let grid = std::mem::take(&mut self.grid);
            self.expect_retired(model, &grid)?;
            let (value, marginal) = (self.expectation.value(), self.expectation.marginal());
            let problem =
                SavingsProblem::new(&grid, value, marginal, &model.retired, model.discount)?;
            dcegm_step(
                &problem,
                &DcEgmOptions::default(),
                &mut self.step,
                &mut self.retired[t],
            )?;
            self.grid = grid;
        }
        Ok(())
    }

    /// Without taste shocks the better of work and retirement makes a kink, too.
    fn add_switches(
        &self,
        model: &Model,
        t: usize,
        nodes: &mut SavingsNodes,
    ) -> Result<(), EgmError> {
        for &income in &model.incomes[t] {
            nodes.add_switches(&self.grid, |s| {
                let m = model.gross_return * s + income;
                let value = |k: usize, utility| {
                    self.readers[k]
                        .read(utility, m)
                        .map_or(f64::NAN, |r| r.value)
                };
                u32::from(value(1, &model.retired) > value(0, &model.working))
            });
        }
        Ok(())
    }

    fn last_period(&mut self, model: &Model) {
        for rows in [&mut self.work, &mut self.retired] {
            let last = &mut rows[model.periods - 1];
            last.clear();
            last.corner = Some(Corner {
                savings: 0.0,
                continuation: 0.0,
            });
        }
    }

    fn prepare(&mut self, t: usize) -> Result<(), EgmError> {
        self.readers[0].prepare(self.work[t].view())?;
        self.readers[1].prepare(self.retired[t].view())?;
        Ok(())
    }

    fn move_resources(&mut self, savings: &[f64], gross_return: f64, income: f64) {
        self.resources.clear();
        self.resources
            .extend(savings.iter().map(|s| gross_return * s + income));
    }

    /// Next period after working: work or retire.
    fn expect_work(&mut self, model: &Model, t: usize, savings: &[f64]) -> Result<(), EgmError> {
        self.expectation.reset(savings.len());
        let gradient = Gradient::Constant(model.gross_return);
        for (&income, &weight) in model.incomes[t].iter().zip(&model.weights) {
            self.move_resources(savings, model.gross_return, income);
            let resources = &self.resources[..];
            let work = NextChoice {
                reader: &self.readers[0],
                utility: &model.working,
                resources,
                gradient,
            };
            let retire = NextChoice {
                reader: &self.readers[1],
                utility: &model.retired,
                resources,
                gradient,
            };
            self.expectation
                .add(weight, &[work, retire], model.shocks)?;
        }
        self.expectation.finish();
        Ok(())
    }

    /// Next period of the retired: no income, no choice.
    fn expect_retired(&mut self, model: &Model, savings: &[f64]) -> Result<(), EgmError> {
        self.expectation.reset(savings.len());
        self.move_resources(savings, model.gross_return, 0.0);
        let gradient = Gradient::Constant(model.gross_return);
        let next = NextChoice {
            reader: &self.readers[1],
            utility: &model.retired,
            resources: &self.resources,
            gradient,
        };
        self.expectation.add(1.0, &[next], TasteShocks::NONE)?;
        self.expectation.finish();
        Ok(())
    }
}

/// The model of the timing goal: risk aversion 1.95, five income nodes, twenty periods.
pub(crate) fn timing_model() -> Model {
    let retired = Crra::normalised(1.95).unwrap();
    let z = [
        -2.856_970_013_872_806_f64,
        -1.355_626_179_974_266,
        0.0,
        1.355_626_179_974_266,
        2.856_970_013_872_806,
    ];
    let w = [
        0.011_257_411_327_720_69,
        0.222_075_922_005_612_6,
        8.0 / 15.0,
        0.222_075_922_005_612_6,
        0.011_257_411_327_720_69,
    ];
    let mean = |age: f64| 0.75 + 0.04 * age - 0.0002 * age * age;
    let incomes = (0..20)
        .map(|t| {
            z.map(|z| (mean(f64::from(t) + 25.0) + 0.35 * z).exp())
                .to_vec()
        })
        .collect();
    Model {
        periods: 20,
        gross_return: 1.05,
        discount: 1.0 / 1.05,
        working: Scaled::new(retired, 1.0, -0.35).unwrap(),
        retired,
        incomes,
        weights: w.to_vec(),
        shocks: TasteShocks::new(0.2).unwrap(),
    }
}
