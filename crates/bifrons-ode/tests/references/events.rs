//! Events of reference problems: closed forms and times located in quadruple precision.

use std::cell::Cell;

use bifrons_ode::{Crossing, Method, Options, Problem, Response, RootRule, Save, Tolerance};
use bifrons_ode::{closure, solve};

use crate::problems::Reference;

const METHODS: [Method; 3] = [Method::Dopri5, Method::Tsit5, Method::Dop853];

fn options(method: Method, relative: f64) -> Options {
    let mut options = Options::with_tolerance(Tolerance::new(relative, relative).expect("valid"));
    options.method = method;
    options
}

/// `bouncing_ball`: impacts and rebound speeds.
#[test]
fn bouncing_ball() {
    let impacts = [
        1.427_843_122_927_064_5,
        3.712_392_119_610_367_6,
        5.540_031_316_957_01,
        7.002_142_674_834_324,
        8.171_831_761_136_175,
        9.107_583_030_177_656,
    ];
    let speeds = [
        11.205_712_828_731_602,
        8.964_570_262_985_282,
        7.171_656_210_388_225,
        5.737_324_968_310_58,
        4.589_859_974_648_464,
        3.671_887_979_718_772_6,
    ];
    for method in METHODS {
        let mut ball = closure(2, |_t, y, dy: &mut [f64]| {
            dy[0] = y[1];
            dy[1] = -9.81;
        })
        .with_roots(1, |_t, y, g| g[0] = y[0])
        .with_rule(RootRule::new(Crossing::Falling))
        .with_events(|_event, y| {
            y[1] *= -0.8;
            Response::Reset
        });
        let run = solve(
            &mut ball,
            0.0,
            &[10.0, 0.0],
            9.5,
            &Save::Final,
            &options(method, 1e-10),
        );
        let solution = run.expect("before the accumulation");
        assert_eq!(solution.events.len(), 6, "{method:?}");
        for (event, (t, v)) in solution.events.iter().zip(impacts.into_iter().zip(speeds)) {
            assert!(
                (event.t - t).abs() < 1e-10 * t,
                "{method:?}: {} {t}",
                event.t
            );
            assert!(
                (event.after[1] - v).abs() < 1e-10 * v,
                "{method:?}: {:?} {v}",
                event.after
            );
        }
    }
}

/// `bang_bang`: the force changes its sign where the position does; a kink at each zero.
#[test]
fn bang_bang() {
    for method in METHODS {
        let positive = Cell::new(true);
        let mut problem = closure(2, |_t, y, dy: &mut [f64]| {
            dy[0] = y[1];
            dy[1] = if positive.get() { -1.0 } else { 1.0 };
        })
        .with_roots(1, |_t, y, g| g[0] = y[0])
        .with_events(|event, _y| {
            positive.set(event.roots[0].crossing == Crossing::Rising);
            Response::Kink
        });
        let run = solve(
            &mut problem,
            0.0,
            &[1.0, 0.0],
            10.0,
            &Save::Final,
            &options(method, 1e-10),
        );
        let solution = run.expect("swings");
        for (k, event) in solution.events.iter().enumerate() {
            let exact = 2.0_f64.sqrt() * (1.0 + 2.0 * k as f64);
            assert!(
                (event.t - exact).abs() < 1e-10,
                "{method:?}: {} {exact}",
                event.t
            );
        }
        assert_eq!(solution.events.len(), 4, "{method:?}");
        let exact = [0.137_084_989_847_603_9, 1.313_708_498_984_760_5];
        for (y, exact) in solution.last_state.iter().zip(exact) {
            assert!((y - exact).abs() < 1e-9, "{method:?}: {y} {exact}");
        }
    }
}

/// `time_switch`: a right-hand side that jumps at known times, which are declared stops.
#[test]
fn time_switch() {
    let exact = [
        (1.0, 0.367_879_441_171_442_33),
        (2.0, 3.295_938_077_379_401),
        (3.0, 1.212_507_858_042_012),
    ];
    for method in METHODS {
        let mut problem = closure(1, |t: f64, y, dy: &mut [f64]| {
            let inflow = if (1.0..2.0).contains(&t) { 5.0 } else { 0.0 };
            dy[0] = -y[0] + inflow;
        });
        let mut settings = options(method, 1e-9);
        settings.stops = vec![1.0, 2.0];
        let save = Save::Times(vec![1.0, 2.0, 3.0]);
        let solution = solve(&mut problem, 0.0, &[1.0], 3.0, &save, &settings).expect("switches");
        for (row, (t, y)) in exact.into_iter().enumerate() {
            let found = solution.state(row)[0];
            assert!(
                (found - y).abs() < 30.0 * 1e-9,
                "{method:?} at {t}: {found} {y}"
            );
        }
        assert_eq!(solution.statistics.events, 2, "{method:?}");
    }
}

/// `stiff_events`: zeros of Van der Pol's oscillator (mu = 1), and of a Lotka-Volterra component
/// that starts on the surface.
#[test]
fn located_times() {
    let zeros = [
        2.161_694_993_868_678,
        5.493_155_842_723_519,
        8.824_793_913_740_879,
        12.156_437_186_279_472,
        15.488_080_611_334_1,
    ];
    for method in METHODS {
        for relative in [1e-7, 1e-10] {
            let mut problem = Reference::read("vdp1")
                .problem()
                .with_roots(1, |_t, y, g| g[0] = y[0]);
            let run = solve(
                &mut problem,
                0.0,
                &[2.0, 0.0],
                17.0,
                &Save::Final,
                &options(method, relative),
            );
            let solution = run.expect("oscillates");
            assert_eq!(solution.events.len(), zeros.len(), "{method:?}");
            for (event, t) in solution.events.iter().zip(zeros) {
                let bound = 30.0 * relative;
                assert!(
                    (event.t - t).abs() < bound,
                    "{method:?} {relative:e}: {} {t}",
                    event.t
                );
            }
        }
    }
}

/// The same of a Lotka-Volterra component that starts on the surface.
#[test]
fn located_times_from_a_start_on_the_surface() {
    let crossings = [
        (2.942_628_377_586_562, Crossing::Falling),
        (3.317_457_068_499_642_3, Crossing::Rising),
        (6.260_085_446_086_204, Crossing::Falling),
        (6.634_914_136_999_284, Crossing::Rising),
        (9.577_542_514_585_846, Crossing::Falling),
        (9.952_371_205_498_926, Crossing::Rising),
    ];
    for method in METHODS {
        let problem = Reference::read("lotka_volterra").problem();
        let mut problem = problem.with_roots(1, |_t, y, g| g[0] = y[0] - 1.0);
        let run = solve(
            &mut problem,
            0.0,
            &[1.0, 1.0],
            10.0,
            &Save::Final,
            &options(method, 1e-10),
        );
        let solution = run.expect("oscillates");
        assert_eq!(solution.events.len(), crossings.len(), "{method:?}");
        for (event, (t, crossing)) in solution.events.iter().zip(crossings) {
            assert!(
                (event.t - t).abs() < 30.0 * 1e-10,
                "{method:?}: {} {t}",
                event.t
            );
            assert_eq!(event.roots[0].crossing, crossing, "{method:?} at {t}");
        }
    }
}
