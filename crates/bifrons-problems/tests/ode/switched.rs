//! Problems with jumps, between which closed forms hold.

use bifrons_ode::{Options, Problem as _, Save, Tolerance, solve};
use bifrons_problems::ode::{
    BangBang, BouncingBall, Known, LotkaVolterra, ReferenceProblem as _, TimeSwitch, VanDerPol,
};

#[test]
fn the_ball_falls_to_its_first_bounce_and_the_bounces_accumulate() {
    let (times, speeds) = BouncingBall::bounces();
    assert_eq!((times.len(), speeds.len()), (10, 9), "as many as are known");
    let options = Options::with_tolerance(Tolerance::new(1e-10, 1e-12).expect("valid"));
    let run = solve(
        &mut bifrons_ode::closure(2, |t, y, dy| {
            BouncingBall.rhs(t, y, dy).expect("always defined");
        }),
        0.0,
        &BouncingBall::INITIAL,
        times[0],
        &Save::Final,
        &options,
    );
    let state = run.expect("smooth").last_state;
    assert!(state[0].abs() < 1e-12, "on the floor: {}", state[0]);
    let mut after = [state[0], state[1]];
    after[1] *= -BouncingBall::RESTITUTION;
    assert!((after[1] - speeds[0]).abs() < 1e-12, "speed {}", after[1]);
    for (k, pair) in times.windows(2).enumerate() {
        let flight = 2.0 * speeds[k] / BouncingBall::GRAVITY;
        assert!((pair[1] - pair[0] - flight).abs() < 1e-12, "flight {k}");
    }
    // Flights shrink by the same factor: a geometric series.
    let rest = BouncingBall::RESTITUTION / (1.0 - BouncingBall::RESTITUTION);
    let sum = times[0] * (1.0 + 2.0 * rest);
    assert!((sum - BouncingBall::ACCUMULATION).abs() < 1e-13, "{sum}");
}

#[test]
fn bang_bang_follows_parabolas_between_its_switches() {
    let known = BangBang::known();
    for (k, t) in known.events.iter().enumerate() {
        let odd = f64::from(u32::try_from(2 * k + 1).expect("small"));
        assert!((t - 2.0_f64.sqrt() * odd).abs() < 1e-13, "switch {k}");
    }
    // From the last switch before 10 the state is `(0, -√2)` or `(0, √2)`.
    let (t, state) = &known.states[1];
    let k = known.events.iter().filter(|at| *at < t).count();
    let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
    let (since, speed) = (t - known.events[k - 1], 2.0_f64.sqrt() * sign);
    let x = speed * since - 0.5 * sign * since * since;
    let v = speed - sign * since;
    assert!(
        (x - state[0]).abs() < 1e-13 && (v - state[1]).abs() < 1e-13,
        "{x} {v}"
    );
    let mut dy = [0.0; 2];
    BangBang::default()
        .rhs(0.0, &BangBang::INITIAL, &mut dy)
        .expect("defined");
    assert_eq!(
        dy.map(f64::to_bits),
        [0.0, -1.0].map(f64::to_bits),
        "pulled back"
    );
    assert!(
        (BangBang::PERIOD - known.states[0].0).abs() < 1e-15,
        "period"
    );
}

#[test]
fn the_input_jumps_where_it_says() {
    let known = TimeSwitch::known().states;
    let e = (-1.0_f64).exp();
    let exact = [e, e * e + 5.0 * (1.0 - e), e * (e * e + 5.0 * (1.0 - e))];
    for ((t, state), exact) in known.iter().zip(exact) {
        assert!((state[0] - exact).abs() < 1e-15, "at {t}");
    }
    let mut dy = [0.0];
    TimeSwitch::default()
        .rhs(0.0, &TimeSwitch::INITIAL, &mut dy)
        .expect("defined");
    assert_eq!(dy[0].to_bits(), f64::to_bits(-1.0), "no input at the start");
}

#[test]
fn crossings_lie_on_the_solutions() {
    let crossings = Known::crossings();
    assert_eq!(crossings.len(), 16, "as many as are known");
    let options = Options::with_tolerance(Tolerance::new(1e-12, 1e-12).expect("valid"));
    let mut checked = 0;
    for crossed in &crossings {
        let run = match crossed.name.as_str() {
            "vdp1_y1_eq_0" => solve(
                &mut VanDerPol::one().problem(),
                0.0,
                &VanDerPol::one().initial(),
                crossed.t,
                &Save::Final,
                &options,
            ),
            "lotka_volterra_y1_eq_1" => solve(
                &mut LotkaVolterra.problem(),
                0.0,
                &LotkaVolterra.initial(),
                crossed.t,
                &Save::Final,
                &options,
            ),
            _ => continue,
        };
        let run = run.expect("smooth");
        for (y, expected) in run.last_state.iter().zip(&crossed.state) {
            assert!(
                (y - expected).abs() < 1e-9,
                "{} at {}: {y}",
                crossed.name,
                crossed.t
            );
        }
        checked += 1;
    }
    assert_eq!(checked, 12, "crossings of the two problems");
}
