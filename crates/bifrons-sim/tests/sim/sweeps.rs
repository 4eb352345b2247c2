//! Sweeps against closed forms; bad members, bad input, empty sweeps.

use crate::models;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use bifrons_blocks::{Expression, Integrator};
use bifrons_hybrid::DiagramBuilder;
use bifrons_memory::{Budget, PlanError};
use bifrons_sim::{
    BuildError, MemberFailure, Overflow, Recording, Reduction, Status, Sweep, SweepError,
    SweepResult, uniform_times,
};

#[test]
fn decays_follow_their_closed_form_at_every_recorded_time() {
    let system = models::decay();
    let gains: Vec<f64> = (0..10).map(|i| -0.1 * f64::from(i)).collect();
    let times = uniform_times(0.0, 1.0, 11);
    let result = Sweep::builder(&system)
        .span(0.0, 1.0)
        .column("gain.k", gains.clone())
        .tolerance(1e-8, 1e-12)
        .record(Recording::times(times.clone()))
        .build()
        .expect("valid sweep")
        .run()
        .expect("fits");
    for (member, gain) in gains.iter().enumerate() {
        let (x, slope) = (result.rows("x", member), result.rows("slope", member));
        let (x, slope) = (x.expect("recorded"), slope.expect("recorded"));
        assert_eq!(x.len(), times.len(), "one row per time");
        for (row, &t) in times.iter().enumerate() {
            let exact = (gain * t).exp();
            assert!(
                (x[row] / exact - 1.0).abs() < 1e-7,
                "x of member {member} at {t}"
            );
            assert_eq!(slope[row], gain * x[row], "slope of member {member} at {t}");
        }
    }
}

#[test]
fn reductions_fold_the_recorded_rows() {
    let system = models::oscillator();
    let springs: Vec<f64> = (1..=40).map(|i| -0.25 * f64::from(i)).collect();
    let times = uniform_times(0.0, 10.0, 301);
    let sweep = |recording: Recording| {
        Sweep::builder(&system)
            .span(0.0, 10.0)
            .column("spring.k", springs.clone())
            .record(recording)
            .build()
            .expect("valid sweep")
            .run()
            .expect("fits")
    };
    let rows = sweep(Recording::times(times.clone()));
    let all = [
        Reduction::Min,
        Reduction::Max,
        Reduction::Mean,
        Reduction::Integral,
    ];
    let reduced = sweep(Recording::reduce(times.clone(), &all));
    for member in 0..springs.len() {
        let x = rows.rows("x", member).expect("recorded");
        let number = |name: &str| reduced.rows(name, member).expect("reduced")[0];
        let mean = x.iter().fold(0.0, |sum, x| sum + x) / x.len() as f64;
        assert_eq!(number("x.mean"), mean, "mean of member {member}");
        assert_eq!(
            number("x.min"),
            x.iter().copied().fold(f64::INFINITY, f64::min),
            "min"
        );
        assert_eq!(
            number("x.max"),
            x.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            "max"
        );
        let omega = (-springs[member]).sqrt();
        let exact = (10.0 * omega).sin() / omega;
        let error = (number("x.integral") - exact).abs();
        assert!(error < 2e-3, "integral of member {member}: error {error:e}");
    }
}

/// Ten members of `x' = b x² - a x`, each with its own `a`, `b` and start.
fn quadratic(a: Vec<f64>, b: Vec<f64>, start: Vec<f64>) -> SweepResult {
    let slope = Expression::new("b*u*u - a*u")
        .input("u")
        .parameter("a", 0.0)
        .parameter("b", 0.0);
    let mut diagram = DiagramBuilder::new("quadratic");
    let f = diagram.add("f", slope).expect("block");
    let x = diagram.add("x", Integrator::new(1.0)).expect("block");
    diagram
        .connect(f.output("y"), x.input("u"))
        .expect("connection");
    diagram
        .connect(x.output("y"), f.input("u"))
        .expect("connection");
    diagram.export_output("x", x.output("y")).expect("output");
    let system = diagram
        .build()
        .expect("diagram")
        .flatten()
        .expect("equations")
        .compile()
        .expect("system");
    Sweep::builder(&system)
        .span(0.0, 1.0)
        .column("f.a", a)
        .column("f.b", b)
        .column("x.x0", start)
        .tolerance(1e-8, 1e-12)
        .record(Recording::times(uniform_times(0.0, 1.0, 101)))
        .build()
        .expect("valid sweep")
        .run()
        .expect("fits")
}

/// `a = 0, 0.1, …, 0.9`.
fn rates() -> Vec<f64> {
    (0..10).map(|i| 0.1 * f64::from(i)).collect()
}

fn assert_others_untouched(with_bad: &SweepResult) {
    let good = quadratic(rates(), vec![0.0; 10], vec![1.0; 10]);
    assert!(good.failures().is_empty(), "all good");
    for member in (0..10).filter(|&m| m != 5) {
        let rows = with_bad.rows("x", member).expect("recorded");
        assert_eq!(
            rows,
            good.rows("x", member).expect("recorded"),
            "member {member}"
        );
        assert_eq!(
            with_bad.reports()[member],
            good.reports()[member],
            "member {member}"
        );
    }
}

#[test]
fn a_member_with_a_pole_keeps_its_valid_part_and_disturbs_no_other() {
    // x' = x², x(0) = 2 has its pole at t = 1/2.
    let (mut a, mut b, mut start) = (rates(), vec![0.0; 10], vec![1.0; 10]);
    (a[5], b[5], start[5]) = (0.0, 1.0, 2.0);
    let pole = quadratic(a, b, start);
    let (member, failure) = &pole.failures()[0];
    assert_eq!(*member, 5, "the error names the member");
    assert!(matches!(failure, MemberFailure::Solver(_)), "{failure}");
    let report = pole.reports()[5];
    // The computed pole is where the accumulated error puts it: 2.6e-10 behind the exact one.
    let ended = report.last_time < 0.5 + 1e-8 && report.status == Status::Failed;
    assert!(ended, "{report:?}");
    let rows = pole.rows("x", 5).expect("recorded");
    assert!(
        rows.len() > 40 && rows.len() == pole.times(5).len(),
        "{} rows",
        rows.len()
    );
    for (&t, &x) in pole.times(5).iter().zip(rows).filter(|(t, _)| **t < 0.495) {
        assert!((x * (0.5 - t) - 1.0).abs() < 1e-5, "x({t}) = {x}");
    }
    assert_others_untouched(&pole);
}

#[test]
fn a_member_with_a_parameter_that_is_no_number_is_named() {
    let mut a = rates();
    a[5] = f64::NAN;
    let nan = quadratic(a, vec![0.0; 10], vec![1.0; 10]);
    let (member, failure) = &nan.failures()[0];
    assert_eq!(*member, 5, "the error names the member");
    assert_eq!(
        failure.to_string(),
        "parameter `f.a` must be finite, got NaN",
        "typed error"
    );
    assert_eq!(nan.rows("x", 5).expect("recorded").len(), 0, "no rows");
    assert_others_untouched(&nan);
}

#[test]
fn no_members_is_a_valid_sweep_with_columns() {
    let system = models::decay();
    let result = Sweep::builder(&system)
        .column("gain.k", vec![])
        .record(Recording::times(uniform_times(0.0, 1.0, 5)))
        .build()
        .expect("valid sweep")
        .run()
        .expect("nothing to do");
    assert_eq!(result.member_count(), 0, "no members");
    assert_eq!(
        result.names().collect::<Vec<_>>(),
        ["x", "slope"],
        "columns are there"
    );
    assert_eq!(
        result.column("x").expect("recorded"),
        (&[][..], 5),
        "empty column"
    );
}

type Builder<'s> = bifrons_sim::SweepBuilder<'s, bifrons_hybrid::TapeSystem>;

/// The text of the error that `settings` cause.
fn refusal(settings: fn(Builder<'_>) -> Builder<'_>) -> String {
    let system = models::decay();
    let built: Result<(), BuildError> = settings(Sweep::builder(&system)).build().map(drop);
    built.expect_err("refused").to_string()
}

#[test]
fn bad_parameters_are_refused_by_name_value_and_fix() {
    let text = refusal(|b| b.column("gain.x", vec![1.0]));
    assert!(text.contains("gain.x") && text.contains("gain.k"), "{text}");
    let text = refusal(|b| {
        b.column("gain.k", vec![1.0; 3])
            .column("x.x0", vec![1.0; 2])
    });
    assert_eq!(
        text, "column `x.x0` has 2 values for 3 members",
        "column length"
    );
    let text = refusal(|b| b.column("gain.k", vec![1.0]).parameter("gain.k", 1.0));
    assert!(text.starts_with("`gain.k` is given twice"), "{text}");
}

#[test]
fn bad_settings_are_refused_by_name_value_and_fix() {
    let text = refusal(|b| b.span(1.0, 0.0));
    assert!(text.contains("ends at 0, before its start 1"), "{text}");
    let text = refusal(|b| b.span(0.0, f64::NAN));
    assert!(
        text.contains("end of the time span must be finite"),
        "{text}"
    );
    let text = refusal(|b| b.tolerance(0.0, 0.0));
    assert!(
        text.contains("tolerance") && text.contains("got 0"),
        "{text}"
    );
    let text = refusal(|b| b.tolerance(-1e-6, 1e-9));
    assert!(
        text.contains("relative tolerance") && text.contains("got -0.000001"),
        "{text}"
    );
    let text = refusal(|b| b.tolerances(1e-6, &[1e-9, 1e-9]));
    assert!(
        text.contains("2 absolute tolerances for 1 components"),
        "{text}"
    );
    let text = refusal(|b| b.chunk(0));
    assert_eq!(text, "chunk width must be at least 1, got 0", "chunk");
    let text = refusal(|b| b.lanes(5));
    assert_eq!(text, "number of lanes must be 1 or 16, got 5", "lanes");
}

#[test]
fn bad_recordings_are_refused_by_name_value_and_fix() {
    let text = refusal(|b| b.record(Recording::every_step()));
    assert!(text.contains("needs a capacity"), "{text}");
    let text = refusal(|b| b.record(Recording::times(vec![0.5, 0.4])));
    assert!(text.contains("recording time 0.4 at index 1"), "{text}");
    let text = refusal(|b| b.record(Recording::final_values().signals(["y"])));
    assert!(text.contains("no output `y`"), "{text}");
    let text = refusal(|b| b.record(Recording::reduce(vec![], &[])));
    assert!(text.contains("0 times and 0 reductions"), "{text}");
    let text = refusal(|b| {
        let times = Recording::times(uniform_times(0.0, 1.0, 11));
        b.record(times.capacity(10, Overflow::Error))
    });
    assert!(text.contains("needs 11 rows but has room for 10"), "{text}");
}

#[test]
fn a_budget_that_is_too_small_names_needed_and_allowed_bytes() {
    let system = models::decay();
    let sweep = |budget: Budget| {
        Sweep::builder(&system)
            .span(0.0, 5.0)
            .column("gain.k", vec![-1.0; 1000])
            .record(Recording::times(uniform_times(0.0, 5.0, 200)).signals(["x"]))
            .budget(budget)
            .build()
            .expect("valid sweep")
    };
    let error = sweep(Budget::bytes(100_000))
        .plan()
        .expect_err("1000 × 200 × 8 bytes");
    let SweepError::Plan(PlanError::TooSmall {
        needed,
        allowed,
        part,
    }) = &error
    else {
        unreachable!("{error}")
    };
    assert!(*needed > 1_600_000 && *allowed == 100_000, "{error}");
    assert!(part.ends_with("record"), "the largest part is `{part}`");
    assert_eq!(
        sweep(Budget::bytes(100_000))
            .run()
            .expect_err("the run plans first"),
        error,
        "same refusal"
    );
    let plan = sweep(Budget::bytes(*needed))
        .plan()
        .expect("exactly the needed bytes fit");
    assert!(
        plan.peak() <= *needed,
        "planned {} of {needed}",
        plan.peak()
    );
}

#[test]
fn progress_counts_the_members_and_can_stop_the_sweep() {
    let system = models::decay();
    let sweep = |stop_after: usize, seen: &AtomicUsize| {
        Sweep::builder(&system)
            .column("gain.k", vec![-1.0; 100])
            .chunk(10)
            .progress(|done, members| {
                seen.store(done, Ordering::Relaxed);
                assert_eq!(members, 100, "all members");
                if done >= stop_after {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            })
            .build()
            .expect("valid sweep")
            .run()
            .expect("fits")
    };
    let seen = AtomicUsize::new(0);
    let whole = sweep(usize::MAX, &seen);
    assert_eq!(seen.load(Ordering::Relaxed), 100, "every member was told");
    let part = sweep(30, &seen);
    assert_eq!(
        &part.reports()[..30],
        &whole.reports()[..30],
        "what was done is kept"
    );
    assert!(
        part.reports()[30..]
            .iter()
            .all(|r| r.status == Status::NotRun),
        "the rest is marked"
    );
}
