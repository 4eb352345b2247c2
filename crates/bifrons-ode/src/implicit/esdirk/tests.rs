//! The tables against the conditions of order, measured orders, and what a step keeps.

use bifrons_algebra::{Complex, Contraction};

use super::tables::{ESDIRK4, ESDIRK5, MAX_STAGES, TR_BDF2, Tableau};
use super::{Esdirk, Setup};
use crate::problem::{Mass, Problem, closure};
use crate::stepper::{Attempt, Start, Stepper};
use crate::tolerance::Tolerance;

type Vector = [f64; MAX_STAGES];

fn product(a: &Vector, b: &Vector) -> Vector {
    core::array::from_fn(|i| a[i] * b[i])
}

fn dot(a: &Vector, b: &Vector) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `A x` with the diagonal.
fn times(tableau: &Tableau, x: &Vector) -> Vector {
    let diagonal = |i: usize| if i == 0 { 0.0 } else { tableau.gamma };
    core::array::from_fn(|i| dot(&tableau.a[i], x) + diagonal(i) * x[i])
}

/// `ψ(t)` and `1 / γ(t)` of the 17 trees up to order five, by ascending order.
fn trees(tableau: &Tableau) -> Vec<(usize, Vector, f64)> {
    let mut one = [0.0; MAX_STAGES];
    one[..tableau.stages].fill(1.0);
    let c = tableau.c;
    let apply = |x: &Vector| times(tableau, x);
    let c2 = product(&c, &c);
    let ac = apply(&c);
    let aac = apply(&ac);
    let ac2 = apply(&c2);
    let c3 = product(&c2, &c);
    vec![
        (1, one, 1.0),
        (2, c, 1.0 / 2.0),
        (3, c2, 1.0 / 3.0),
        (3, ac, 1.0 / 6.0),
        (4, c3, 1.0 / 4.0),
        (4, product(&c, &ac), 1.0 / 8.0),
        (4, ac2, 1.0 / 12.0),
        (4, aac, 1.0 / 24.0),
        (5, product(&c3, &c), 1.0 / 5.0),
        (5, product(&c2, &ac), 1.0 / 10.0),
        (5, product(&ac, &ac), 1.0 / 20.0),
        (5, product(&c, &ac2), 1.0 / 15.0),
        (5, product(&c, &aac), 1.0 / 30.0),
        (5, apply(&c3), 1.0 / 20.0),
        (5, apply(&product(&c, &ac)), 1.0 / 40.0),
        (5, apply(&ac2), 1.0 / 60.0),
        (5, apply(&aac), 1.0 / 120.0),
    ]
}

fn weights(tableau: &Tableau) -> Vector {
    let mut b = tableau.a[tableau.stages - 1];
    b[tableau.stages - 1] = tableau.gamma;
    b
}

/// Largest defect of each order.
fn defects(trees: &[(usize, Vector, f64)], b: &Vector, exact: bool) -> [f64; 6] {
    let mut worst = [0.0_f64; 6];
    for (order, psi, wanted) in trees {
        let wanted = if exact { *wanted } else { 0.0 };
        worst[*order] = worst[*order].max((dot(b, psi) - wanted).abs());
    }
    worst
}

#[test]
fn conditions_of_order_hold_and_the_next_ones_do_not() {
    for (tableau, order) in [(&TR_BDF2, 2), (&ESDIRK4, 4), (&ESDIRK5, 5)] {
        let trees = trees(tableau);
        let found = defects(&trees, &weights(tableau), true);
        assert!(
            found[..=order].iter().all(|&d| d < 1e-14),
            "{order}: {found:?}"
        );
        assert!(order == 5 || found[order + 1] > 1e-4, "{order}: {found:?}");
        let estimate = defects(&trees, &tableau.error, false);
        // The lower order of the pair is where the estimate begins.
        let lower = tableau.error_order - 1;
        assert!(
            estimate[..=lower].iter().all(|&d| d < 1e-14),
            "{order}: {estimate:?}"
        );
        assert!(estimate[lower + 1] > 1e-4, "{order}: {estimate:?}");
    }
}

#[test]
fn stages_have_order_two_and_the_last_is_the_result() {
    for tableau in [&TR_BDF2, &ESDIRK4, &ESDIRK5] {
        let s = tableau.stages;
        assert!((tableau.c[s - 1] - 1.0).abs() < 1e-15);
        let mut one = [0.0; MAX_STAGES];
        one[..s].fill(1.0);
        let (sums, seconds) = (times(tableau, &one), times(tableau, &tableau.c));
        for i in 0..s {
            assert!(
                (sums[i] - tableau.c[i]).abs() < 1e-14,
                "row {i}: {}",
                sums[i]
            );
            let half = 0.5 * tableau.c[i] * tableau.c[i];
            assert!((seconds[i] - half).abs() < 1e-14, "row {i}");
        }
    }
}

/// `R(z)` by substitution through the stages of `y' = z y`.
fn stability(tableau: &Tableau, z: Complex) -> Complex {
    let mut stages = [Complex::new(0.0, 0.0); MAX_STAGES];
    stages[0] = Complex::new(1.0, 0.0);
    let over = (Complex::new(1.0, 0.0) - z * Complex::new(tableau.gamma, 0.0)).reciprocal();
    for i in 1..tableau.stages {
        let mut sum = Complex::new(1.0, 0.0);
        for j in 0..i {
            sum += z * Complex::new(tableau.a[i][j], 0.0) * stages[j];
        }
        stages[i] = sum * over;
    }
    stages[tableau.stages - 1]
}

#[test]
fn methods_are_stable_on_the_imaginary_axis_and_at_infinity() {
    for tableau in [&TR_BDF2, &ESDIRK4, &ESDIRK5] {
        for k in -60..80 {
            let z = Complex::new(0.0, 10.0_f64.powf(f64::from(k) / 20.0));
            let r = stability(tableau, z);
            let size = r.re.hypot(r.im);
            assert!(size <= 1.0 + 1e-13, "|R({z:?})| = {size}");
        }
        let r = stability(tableau, Complex::new(-1e10, 0.0));
        assert!(r.re.abs() < 1e-8, "R(-1e10) = {}", r.re);
    }
}

#[test]
fn interpolants_of_order_four() {
    for tableau in [&ESDIRK4, &ESDIRK5] {
        let found = trees(tableau);
        for theta in [0.1, 0.35, 0.5, 0.8, 0.95] {
            let rest = 1.0 - theta;
            // Hermite's cubic and the quartic term as weights of the increments.
            let (b, s) = (weights(tableau), tableau.stages);
            let square = theta * theta * (3.0 - 2.0 * theta);
            let quartic = theta * theta * rest * rest;
            let mut at: Vector =
                core::array::from_fn(|i| square * b[i] + quartic * tableau.quartic[i]);
            at[0] += theta * rest * rest;
            at[s - 1] -= theta * theta * rest;
            for (order, psi, wanted) in found.iter().filter(|tree| tree.0 <= 4) {
                let exact = theta.powi(i32::try_from(*order).unwrap()) * wanted;
                let defect = (dot(&at, psi) - exact).abs();
                assert!(defect < 1e-14, "order {order} at {theta}: {defect:e}");
            }
        }
    }
}

/// Errors at the ends and inside of `count` equal steps.
fn errors<P: Problem>(
    tableau: &'static Tableau,
    mut problem: P,
    y0: &[f64],
    count: u32,
    exact: fn(f64) -> Vec<f64>,
) -> (f64, f64) {
    let step = 1.0 / f64::from(count);
    let tolerance = Tolerance::new(1.0, 1.0).unwrap();
    let mut method = Esdirk::new(&Setup::new(&problem, &tolerance), tableau).unwrap();
    // The iteration is as good as it can be, and every step is accepted.
    method.newton.tolerance = 1e-15;
    method.newton.contraction = Contraction::new(30);
    let start = Start {
        t: 0.0,
        y: y0,
        direction: 1.0,
        limit: 1.0,
        initial_step: Some(step),
        max_step: step,
    };
    method.start(&mut problem, &start).unwrap();
    let (mut ends, mut inside) = (0.0_f64, 0.0_f64);
    let mut state = vec![0.0; y0.len()];
    let worst = |y: &[f64], t: f64| {
        let exact = exact(t);
        y.iter()
            .zip(exact)
            .map(|(y, e)| (y - e).abs())
            .fold(0.0, f64::max)
    };
    let mut steps = 0;
    while Stepper::<P>::t(&method) < 1.0 {
        // Many iterations make the controller careful.
        method.h = step;
        let attempt = method.attempt(&mut problem, 1.0).unwrap();
        let seen = Stepper::<P>::statistics(&method);
        assert_eq!(attempt, Attempt::Accepted, "{seen:?}");
        steps += 1;
        let m: &dyn Stepper<P> = &method;
        ends = ends.max(worst(m.state(), m.t()));
        method.prepare_dense(&mut problem).unwrap();
        let m: &dyn Stepper<P> = &method;
        for theta in [0.2, 0.5, 0.7] {
            let t = m.t_old() + theta * m.length();
            m.interpolate(t, &mut state);
            inside = inside.max(worst(&state, t));
        }
    }
    assert_eq!(steps, count);
    (ends, inside)
}

fn slope(errors: &[f64]) -> f64 {
    let steps = errors.len() as f64 - 1.0;
    (errors[0] / errors[errors.len() - 1]).log2() / steps
}

/// `y₁ = exp(sin t²)`, `y₂ = exp(cos t²)`: not linear, not autonomous.
#[test]
fn measured_orders_of_differential_equations() {
    for (tableau, first, order, dense) in [
        (&TR_BDF2, 64, 2.0, 2.0),
        (&ESDIRK4, 24, 4.0, 4.0),
        (&ESDIRK5, 16, 5.0, 5.0),
    ] {
        let mut found = (Vec::new(), Vec::new());
        for k in 0..4 {
            let problem = closure(2, |t, y, dy| {
                dy[0] = 2.0 * t * y[0] * y[1].ln();
                dy[1] = -2.0 * t * y[1] * y[0].ln();
            });
            let exact = |t: f64| vec![(t * t).sin().exp(), (t * t).cos().exp()];
            let y0 = [1.0, core::f64::consts::E];
            let (ends, inside) = errors(tableau, problem, &y0, first << k, exact);
            found.0.push(ends);
            found.1.push(inside);
        }
        let (at_ends, within) = (slope(&found.0), slope(&found.1));
        assert!(
            (at_ends - order).abs() < 0.2,
            "order {order}: {at_ends}, {found:?}"
        );
        assert!(
            (within - dense).abs() < 0.3,
            "order {order} inside: {within}"
        );
    }
}

/// `y' = z²`, `0 = y z − 1`: index one, `y = (1 + 3 t)^(1/3)`.
#[test]
fn measured_orders_of_algebraic_systems() {
    for (tableau, first, order) in [(&TR_BDF2, 64, 2.0), (&ESDIRK4, 12, 4.0), (&ESDIRK5, 5, 5.0)] {
        let mut found = Vec::new();
        for k in 0..3 {
            let problem = closure(2, |_, y, f| {
                f[0] = y[1] * y[1];
                f[1] = y[0] * y[1] - 1.0;
            })
            .with_mass(Mass::Diagonal(vec![1.0, 0.0]));
            let exact = |t: f64| {
                let y = (1.0 + 3.0 * t).cbrt();
                vec![y, 1.0 / y]
            };
            found.push(errors(tableau, problem, &[1.0, 1.0], first << k, exact).0);
        }
        let measured = slope(&found);
        assert!(
            (measured - order).abs() < 0.2,
            "order {order}: {measured}, {found:?}"
        );
    }
}

#[test]
fn footprints_count_every_row() {
    let problem = closure(5, |_, y, dy| dy.copy_from_slice(y));
    let tolerance = Tolerance::default();
    let setup = Setup::new(&problem, &tolerance);
    let matrices = super::Matrices::footprint(&setup, false, 0).peak();
    for tableau in [&TR_BDF2, &ESDIRK4, &ESDIRK5] {
        let m = Esdirk::new(&setup, tableau).unwrap();
        let rows = [
            &m.absolute,
            &m.floors,
            &m.k,
            &m.begin,
            &m.end,
            &m.quartic,
            &m.y_old,
            &m.y,
            &m.stage,
            &m.base,
            &m.d,
            &m.f,
            &m.delta,
            &m.weights,
        ];
        let bytes: usize = rows
            .iter()
            .map(|row| row.capacity() * size_of::<f64>())
            .sum();
        let planned = Esdirk::footprint(&setup, tableau, 0).peak() - matrices;
        assert_eq!(planned, bytes as u64);
    }
}
