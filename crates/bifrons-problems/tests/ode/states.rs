//! Right-hand sides against known states.

use bifrons_ode::{Options, Save, Tolerance, solve};
use bifrons_problems::ode::{
    Andrews, AndrewsMultipliers, Kind, Pendulum, PendulumIndex, ReferenceProblem, Visit, visit_all,
};

use crate::radau;

/// Integrates with the explicit method, as far as that is quick.
struct Explicit;

impl Visit for Explicit {
    fn visit<M: ReferenceProblem, const N: usize>(&mut self, model: &M) {
        let name = model.facts().name;
        let (tolerance, allowed) = match (model.facts().kind, name) {
            // Errors grow by `exp(0.9 t)`, and along close encounters.
            (_, "lorenz" | "arenstorf" | "pleiades" | "kepler_e09") => (1e-12, 1e-6),
            (Kind::NonStiff, "andrews") => (1e-9, 1e-5),
            (Kind::NonStiff, _) => (1e-11, 1e-8),
            // The first known state of these is early enough.
            (Kind::Lines, _) | (_, "vdp1000" | "robertson" | "hires") => (1e-8, 1e-7),
            _ => return,
        };
        let mut known = model.known();
        if matches!(model.facts().kind, Kind::Lines | Kind::Stiff) || name == "andrews" {
            known.truncate(1);
        }
        for (t, expected) in known {
            let absolute = tolerance * model.facts().scale;
            let options =
                Options::with_tolerance(Tolerance::new(tolerance, absolute).expect("valid"));
            let start = model.initial();
            let run = solve(&mut model.problem(), 0.0, &start, t, &Save::Final, &options);
            let state = run.expect(name).last_state;
            let error = model.error(&state, &expected);
            assert!(error < allowed, "{name} at {t}: error {error:e}");
        }
    }
}

#[test]
fn explicit_runs_reach_the_known_states() {
    visit_all(&mut Explicit);
}

/// Integrates with the slow implicit method.
struct Implicit;

impl Visit for Implicit {
    fn visit<M: ReferenceProblem, const N: usize>(&mut self, model: &M) {
        let facts = model.facts();
        if !matches!(facts.kind, Kind::Stiff | Kind::Algebraic) {
            return;
        }
        let (upto, tolerance, allowed) = match facts.name {
            // Index 3 is left to the constraints below: rounding in the multipliers grows by 1/h².
            "pendulum_index3" | "andrews_index3" => return,
            "transistor_amplifier" => (1, 1e-7, 1e-5),
            "ring_modulator" => (1, 1e-6, 1e-4),
            "pendulum_index2" => (1, 1e-9, 1e-6),
            "robertson" | "robertson_dae" => (5, 1e-9, 1e-8),
            "e5" => (3, 1e-9, 1e-6),
            _ => (2, 1e-9, 1e-7),
        };
        for (t, expected) in model.known().into_iter().take(upto) {
            let state = radau::integrate(model, t, tolerance);
            let error = model.error(&state, &expected);
            assert!(error < allowed, "{} at {t}: error {error:e}", facts.name);
        }
    }
}

#[test]
fn slow_implicit_runs_reach_the_known_states() {
    visit_all(&mut Implicit);
}

#[test]
fn constraints_of_every_index_hold_at_the_known_states() {
    for index in [PendulumIndex::One, PendulumIndex::Two, PendulumIndex::Three] {
        let model = Pendulum::new(index);
        for (t, state) in model.known() {
            let mut dy = [0.0; 5];
            model.derivative(t, &state, &mut dy);
            assert!(dy[4].abs() < 1e-13, "{index:?} at {t}: {:e}", dy[4]);
        }
    }
}

#[test]
fn accelerations_and_multipliers_of_the_mechanism_are_the_known_ones() {
    for (t, all) in AndrewsMultipliers.known() {
        let mut dy = [0.0; 14];
        Andrews.derivative(t, &all[..14], &mut dy);
        for i in 0..7 {
            let relative = (dy[7 + i] - all[14 + i]).abs() / all[14 + i].abs();
            assert!(relative < 1e-11, "angle {i} at {t}: {relative:e}");
        }
        let mut residual = [0.0; 27];
        AndrewsMultipliers.derivative(t, &all, &mut residual);
        for (i, r) in residual[14..].iter().enumerate() {
            // Forces are of size 100, lengths of size 0.1.
            let allowed = if i < 7 { 1e-11 } else { 1e-15 };
            assert!(r.abs() < allowed, "equation {i} at {t}: {r:e}");
        }
    }
}
