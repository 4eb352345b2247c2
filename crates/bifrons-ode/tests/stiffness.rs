//! Signs of stiffness are counted alike by every driver, on lanes and alone.
#![expect(clippy::expect_used, reason = "a failed test helper is a failed test")]

use bifrons_ode::{
    EnsembleWorkspace, Flow, LaneProblem, MemberEnd, MemberSink, Method, Options, Problem, Save,
    Statistics, Step, Tolerance, closure, solve, solve_members,
};
use proptest::prelude::*;

/// `y' = -k (y - cos t)`: smooth, and the step is bounded by `k` once the transient is over.
struct Attracted<'p, const W: usize> {
    rates: &'p [f64],
    lanes: [f64; W],
}

fn slope(rate: f64, t: f64, y: f64) -> f64 {
    -rate * (y - t.cos())
}

impl<const W: usize> LaneProblem<W> for Attracted<'_, W> {
    fn dimension(&self) -> usize {
        1
    }
    fn load(&mut self, lane: usize, member: usize, state: &mut [f64]) {
        self.lanes[lane] = self.rates[member];
        state[0] = 2.0;
    }
    fn rhs(&mut self, t: &[f64; W], y: &[[f64; W]], dy: &mut [[f64; W]]) {
        for l in 0..W {
            dy[0][l] = slope(self.lanes[l], t[l], y[0][l]);
        }
    }
    fn rhs_one(&mut self, lane: usize, t: f64, y: &[f64], dy: &mut [f64]) {
        dy[0] = slope(self.lanes[lane], t, y[0]);
    }
}

#[derive(Default)]
struct Counts(Vec<Option<Statistics>>);

impl<const W: usize> MemberSink<W> for Counts {
    fn begin(&mut self, _lane: usize, _member: usize, _t0: f64, _state: &[f64]) -> f64 {
        f64::INFINITY
    }
    fn step(&mut self, _step: &Step<'_, W>) -> Flow {
        Flow::Until(f64::INFINITY)
    }
    fn end(&mut self, end: &MemberEnd<'_>) {
        self.0[end.member] = Some(end.statistics);
    }
}

fn options() -> Options {
    Options::with_tolerance(Tolerance::new(1e-5, 1e-7).expect("valid"))
}

fn on_lanes<const W: usize>(rates: &[f64]) -> Vec<Statistics> {
    let mut problem = Attracted {
        rates,
        lanes: [0.0; W],
    };
    let mut counts = Counts(vec![None; rates.len()]);
    let mut workspace = EnsembleWorkspace::<W>::new(1);
    let members = 0..rates.len();
    solve_members(
        &mut problem,
        members,
        0.0,
        1.0,
        &options(),
        &mut workspace,
        &mut counts,
    )
    .expect("valid");
    counts.0.into_iter().map(|s| s.expect("ended")).collect()
}

fn attracted(rate: f64) -> impl Problem {
    closure(1, move |t, y: &[f64], dy: &mut [f64]| {
        dy[0] = slope(rate, t, y[0]);
    })
}

fn count(problem: &mut impl Problem, y0: &[f64], t_end: f64, options: &Options) -> Statistics {
    solve(problem, 0.0, y0, t_end, &Save::Final, options)
        .expect("smooth")
        .statistics
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn lanes_and_single_runs_count_alike(
        rates in prop::collection::vec(1.0_f64..4000.0, 1..20),
    ) {
        let (four, sixteen) = (on_lanes::<4>(&rates), on_lanes::<16>(&rates));
        for (i, &rate) in rates.iter().enumerate() {
            let alone = count(&mut attracted(rate), &[2.0], 1.0, &options());
            prop_assert_eq!(four[i], alone);
            prop_assert_eq!(sixteen[i], alone);
            // A root function that never fires moves the run to the general driver.
            let mut watched = attracted(rate).with_roots(1, |_t, _y, g| g[0] = 1.0);
            let general = count(&mut watched, &[2.0], 1.0, &options());
            prop_assert_eq!(general.stiff_suspected, alone.stiff_suspected);
        }
    }
}

#[test]
fn stiff_problems_are_suspected_and_others_are_not() {
    for method in [Method::Dopri5, Method::Tsit5, Method::Bs32, Method::Dop853] {
        let mut options = options();
        options.method = method;
        let stiff = count(&mut attracted(5000.0), &[2.0], 1.0, &options);
        assert!(stiff.stiff_suspected > 0, "{method:?}: {stiff:?}");
        let mut lorenz = closure(3, |_t, y: &[f64], dy: &mut [f64]| {
            dy[0] = 10.0 * (y[1] - y[0]);
            dy[1] = y[0] * (28.0 - y[2]) - y[1];
            dy[2] = y[0] * y[1] - 8.0 / 3.0 * y[2];
        });
        let smooth = count(&mut lorenz, &[1.0, 1.0, 1.0], 20.0, &options);
        assert_eq!(smooth.stiff_suspected, 0, "{method:?}: {smooth:?}");
    }
}
