//! Electric circuits: the transistor amplifier and the ring modulator.

use core::f64::consts::PI;
use std::sync::LazyLock;

use bifrons_ode::{Mass, MatrixMut, Structure};

use super::data::Known;
use super::{Facts, Kind, ReferenceProblem};

/// Two transistors amplify a sine; the mass matrix has rank 5 of 8 and no zero row.
#[derive(Debug, Clone, Copy, Default)]
pub struct TransistorAmplifier;

const UB: f64 = 6.0;
const UF: f64 = 0.026;
const ALPHA: f64 = 0.99;
const BETA: f64 = 1e-6;
const R0: f64 = 1000.0;
const R: f64 = 9000.0;

/// Current of a transistor and its derivative.
#[inline(always)]
fn transistor(u: f64) -> (f64, f64) {
    let e = (u / UF).exp();
    (BETA * (e - 1.0), BETA / UF * e)
}

static AMPLIFIER_MASS: LazyLock<Mass> = LazyLock::new(|| {
    let structure = Structure::Banded { lower: 1, upper: 1 };
    let mut values = vec![0.0; 24];
    let mut add = |i: usize, j: usize, value: f64| values[3 * j + 1 + i - j] = value;
    for (first, c) in [(0, 1e-6), (3, 3e-6), (6, 5e-6)] {
        add(first, first, -c);
        add(first, first + 1, c);
        add(first + 1, first, c);
        add(first + 1, first + 1, -c);
    }
    add(2, 2, -2e-6);
    add(5, 5, -4e-6);
    Mass::Matrix(structure, values)
});

impl ReferenceProblem for TransistorAmplifier {
    const DIMENSION: usize = 8;

    fn facts(&self) -> Facts {
        Facts {
            name: "transistor_amplifier",
            statement: "capacitors, resistors and two transistors at eight nodes",
            source: "Rentrop (1989); Hairer, Lubich, Roche (1989) The numerical solution of \
                     differential-algebraic systems by Runge-Kutta methods",
            kind: Kind::Algebraic,
            scale: 0.1,
            end: "0.2",
        }
    }

    fn data(&self) -> &'static str {
        include_str!("../../data/ode/transistor_amplifier.txt")
    }

    #[inline(always)]
    fn derivative(&self, t: f64, y: &[f64], dy: &mut [f64]) {
        let (y, dy) = (&y[..8], &mut dy[..8]);
        let input = 0.1 * (200.0 * PI * t).sin();
        let (first, second) = (transistor(y[1] - y[2]).0, transistor(y[4] - y[5]).0);
        dy[0] = (y[0] - input) / R0;
        dy[1] = -UB / R + 2.0 * y[1] / R - (ALPHA - 1.0) * first;
        dy[2] = -first + y[2] / R;
        dy[3] = -UB / R + y[3] / R + ALPHA * first;
        dy[4] = -UB / R + 2.0 * y[4] / R - (ALPHA - 1.0) * second;
        dy[5] = -second + y[5] / R;
        dy[6] = -UB / R + y[6] / R + ALPHA * second;
        dy[7] = y[7] / R;
    }

    fn jacobian(&self, _t: f64, y: &[f64], out: &mut MatrixMut<'_>) {
        for (i, value) in [1.0 / R0, 2.0 / R, 1.0 / R, 1.0 / R]
            .into_iter()
            .enumerate()
        {
            out.set(i, i, value);
        }
        for (i, value) in [2.0 / R, 1.0 / R, 1.0 / R, 1.0 / R].into_iter().enumerate() {
            out.set(4 + i, 4 + i, value);
        }
        for base in [1, 4] {
            let slope = transistor(y[base] - y[base + 1]).1;
            out.set(base, base, 2.0 / R - (ALPHA - 1.0) * slope);
            out.set(base, base + 1, (ALPHA - 1.0) * slope);
            out.set(base + 1, base, -slope);
            out.set(base + 1, base + 1, slope + 1.0 / R);
            out.set(base + 2, base, ALPHA * slope);
            out.set(base + 2, base + 1, -ALPHA * slope);
        }
    }

    fn mass(&self) -> &Mass {
        &AMPLIFIER_MASS
    }

    fn initial_slope(&self) -> Vec<f64> {
        Known::parse(self.data()).slope
    }
}

/// A circuit that mixes two sines; small capacities make it stiff and fast.
#[derive(Debug, Clone, Copy, Default)]
pub struct RingModulator;

const C: f64 = 1.6e-8;
const CS: f64 = 2e-12;
const CP: f64 = 1e-8;
const RESISTANCE: f64 = 25_000.0;
const RP: f64 = 50.0;
const LH: f64 = 4.45;
const LS1: f64 = 0.002;
const LS2: f64 = 5e-4;
const RG1: f64 = 36.3;
const RG2: f64 = 17.3;
const RI: f64 = 50.0;
const RC: f64 = 600.0;
const GAMMA: f64 = 4.067_286_402e-8;
const DELTA: f64 = 17.749_333_2;

/// How the voltages at the four diodes depend on components 3 to 7 (counted from one).
const DIODES: [[f64; 5]; 4] = [
    [1.0, 0.0, -1.0, 0.0, -1.0],
    [0.0, -1.0, 0.0, 1.0, -1.0],
    [0.0, 1.0, 1.0, 0.0, 1.0],
    [-1.0, 0.0, 0.0, -1.0, 1.0],
];
/// How the second input acts on them.
const INPUT: [f64; 4] = [-1.0, -1.0, 1.0, 1.0];
/// How the currents of the diodes act on components 3 to 7.
const CURRENTS: [[f64; 4]; 5] = [
    [-1.0, 0.0, 0.0, 1.0],
    [0.0, 1.0, -1.0, 0.0],
    [1.0, 0.0, -1.0, 0.0],
    [0.0, -1.0, 0.0, 1.0],
    [1.0, 1.0, -1.0, -1.0],
];
const CAPACITIES: [f64; 5] = [CS, CS, CS, CS, CP];

impl ReferenceProblem for RingModulator {
    const DIMENSION: usize = 15;

    fn facts(&self) -> Facts {
        Facts {
            name: "ring_modulator",
            statement: "seven voltages and eight currents with four diodes",
            source: "Horneber (1976); Kampowsky, Rentrop, Schmidt (1992) Classification and \
                     numerical simulation of electric circuits",
            kind: Kind::Stiff,
            scale: 1e-2,
            end: "1.000000000000000000000000000000e-03",
        }
    }

    fn data(&self) -> &'static str {
        include_str!("../../data/ode/ring_modulator.txt")
    }

    #[inline(always)]
    fn derivative(&self, t: f64, y: &[f64], dy: &mut [f64]) {
        let (y, dy) = (&y[..15], &mut dy[..15]);
        let first = 0.5 * (2000.0 * PI * t).sin();
        let second = 2.0 * (20_000.0 * PI * t).sin();
        let diode = |u: f64| GAMMA * ((DELTA * u).exp() - 1.0);
        let q1 = diode(y[2] - y[4] - y[6] - second);
        let q2 = diode(-y[3] + y[5] - y[6] - second);
        let q3 = diode(y[3] + y[4] + y[6] + second);
        let q4 = diode(-y[2] - y[5] + y[6] + second);
        dy[0] = (y[7] - 0.5 * y[9] + 0.5 * y[10] + y[13] - y[0] / RESISTANCE) / C;
        dy[1] = (y[8] - 0.5 * y[11] + 0.5 * y[12] + y[14] - y[1] / RESISTANCE) / C;
        dy[2] = (y[9] - q1 + q4) / CS;
        dy[3] = (-y[10] + q2 - q3) / CS;
        dy[4] = (y[11] + q1 - q3) / CS;
        dy[5] = (-y[12] - q2 + q4) / CS;
        dy[6] = (-y[6] / RP + q1 + q2 - q3 - q4) / CP;
        dy[7] = -y[0] / LH;
        dy[8] = -y[1] / LH;
        dy[9] = (0.5 * y[0] - y[2] - RG2 * y[9]) / LS2;
        dy[10] = (-0.5 * y[0] + y[3] - RG2 * y[10]) / LS2;
        dy[11] = (0.5 * y[1] - y[4] - RG2 * y[11]) / LS2;
        dy[12] = (-0.5 * y[1] + y[5] - RG2 * y[12]) / LS2;
        dy[13] = (-y[0] + first - (RI + RG1) * y[13]) / LS1;
        dy[14] = (-y[1] - (RC + RG1) * y[14]) / LS1;
    }

    fn jacobian(&self, t: f64, y: &[f64], out: &mut MatrixMut<'_>) {
        let second = 2.0 * (20_000.0 * PI * t).sin();
        for row in 0..2 {
            let (half, i) = (0.5 / C, row);
            out.set(i, i, -1.0 / (RESISTANCE * C));
            out.set(i, 7 + row, 1.0 / C);
            out.set(i, 9 + 2 * row, -half);
            out.set(i, 10 + 2 * row, half);
            out.set(i, 13 + row, 1.0 / C);
            out.set(7 + row, row, -1.0 / LH);
            for (k, sign) in [(0, 1.0), (1, -1.0)] {
                let (current, voltage) = (9 + 2 * row + k, 2 + 2 * row + k);
                out.set(current, row, 0.5 * sign / LS2);
                out.set(current, voltage, -sign / LS2);
                out.set(current, current, -RG2 / LS2);
                out.set(voltage, current, sign / CS);
            }
            let resistance = [RI, RC][row] + RG1;
            out.set(13 + row, row, -1.0 / LS1);
            out.set(13 + row, 13 + row, -resistance / LS1);
        }
        let slopes = [0, 1, 2, 3].map(|d| {
            let u: f64 = (0..5).map(|k| DIODES[d][k] * y[2 + k]).sum();
            GAMMA * DELTA * (DELTA * (u + INPUT[d] * second)).exp()
        });
        for i in 0..5 {
            for j in 0..5 {
                let sum: f64 = (0..4)
                    .map(|d| CURRENTS[i][d] * slopes[d] * DIODES[d][j])
                    .sum();
                let leak = if i == 4 && j == 4 { 1.0 / RP } else { 0.0 };
                out.set(2 + i, 2 + j, (sum - leak) / CAPACITIES[i]);
            }
        }
    }
}
