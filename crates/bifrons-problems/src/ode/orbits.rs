//! Bodies that attract each other.

use bifrons_ode::MatrixMut;

use super::{Facts, Kind, ReferenceProblem};

const fn orbit(name: &'static str, statement: &'static str, end: &'static str) -> Facts {
    Facts {
        name,
        statement,
        source: "",
        kind: Kind::NonStiff,
        scale: 1.0,
        end,
    }
}

/// Derivatives of `(x, y) / r³` with `r² = x² + y²`: `∂x, ∂y` of the first, `∂y` of the second.
fn gradient(x: f64, y: f64) -> [f64; 3] {
    let square = x * x + y * y;
    let cube = square * square.sqrt();
    let fifth = 3.0 / (cube * square);
    let inverse = 1.0 / cube;
    [
        inverse - fifth * x * x,
        -fifth * x * y,
        inverse - fifth * y * y,
    ]
}

/// Arenstorf's closed orbit of a satellite around earth and moon, in rotating coordinates.
#[derive(Debug, Clone, Copy, Default)]
pub struct Arenstorf;

/// Mass of the moon relative to both.
const MOON: f64 = 0.012_277_471;
const EARTH: f64 = 1.0 - MOON;

impl ReferenceProblem for Arenstorf {
    const DIMENSION: usize = 4;

    fn facts(&self) -> Facts {
        Facts {
            source: "Arenstorf (1963) Periodic solutions of the restricted three body problem",
            ..orbit(
                "arenstorf",
                "x'' = x + 2 y' - m' (x + m)/D1 - m (x - m')/D2, \
                 y'' = y - 2 x' - m' y/D1 - m y/D2",
                "17.06521656015796255889172",
            )
        }
    }

    fn data(&self) -> &'static str {
        include_str!("../../data/ode/arenstorf.txt")
    }

    #[inline(always)]
    fn derivative(&self, _t: f64, y: &[f64], dy: &mut [f64]) {
        let (u, v) = (y[0] + MOON, y[0] - EARTH);
        let first = u * u + y[1] * y[1];
        let second = v * v + y[1] * y[1];
        let earth = EARTH / (first * first.sqrt());
        let moon = MOON / (second * second.sqrt());
        dy[0] = y[2];
        dy[1] = y[3];
        dy[2] = y[0] + 2.0 * y[3] - earth * u - moon * v;
        dy[3] = y[1] - 2.0 * y[2] - earth * y[1] - moon * y[1];
    }

    fn jacobian(&self, _t: f64, y: &[f64], out: &mut MatrixMut<'_>) {
        let earth = gradient(y[0] + MOON, y[1]);
        let moon = gradient(y[0] - EARTH, y[1]);
        let pull = |k: usize| EARTH * earth[k] + MOON * moon[k];
        out.set(0, 2, 1.0);
        out.set(1, 3, 1.0);
        out.set(2, 0, 1.0 - pull(0));
        out.set(2, 1, -pull(1));
        out.set(2, 3, 2.0);
        out.set(3, 0, -pull(1));
        out.set(3, 1, 1.0 - pull(2));
        out.set(3, 2, -2.0);
    }
}

/// Kepler's problem with eccentricity 0.9: `q'' = -q / |q|³`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Kepler;

impl ReferenceProblem for Kepler {
    const DIMENSION: usize = 4;

    fn facts(&self) -> Facts {
        Facts {
            source: "Kepler's equation",
            ..orbit("kepler_e09", "q'' = -q / |q|³, e = 0.9", "20")
        }
    }

    fn data(&self) -> &'static str {
        include_str!("../../data/ode/kepler_e09.txt")
    }

    #[inline(always)]
    fn derivative(&self, _t: f64, y: &[f64], dy: &mut [f64]) {
        let square = y[0] * y[0] + y[1] * y[1];
        let pull = 1.0 / (square * square.sqrt());
        dy[0] = y[2];
        dy[1] = y[3];
        dy[2] = -y[0] * pull;
        dy[3] = -y[1] * pull;
    }

    fn jacobian(&self, _t: f64, y: &[f64], out: &mut MatrixMut<'_>) {
        let pull = gradient(y[0], y[1]);
        out.set(0, 2, 1.0);
        out.set(1, 3, 1.0);
        out.set(2, 0, -pull[0]);
        out.set(2, 1, -pull[1]);
        out.set(3, 0, -pull[1]);
        out.set(3, 1, -pull[2]);
    }
}

/// Three equal bodies on one figure of eight; state `(x1, y1, x2, y2, x3, y3)`, then velocities.
#[derive(Debug, Clone, Copy, Default)]
pub struct ThreeBody;

impl ReferenceProblem for ThreeBody {
    const DIMENSION: usize = 12;

    fn facts(&self) -> Facts {
        Facts {
            source: "Chenciner, Montgomery (2000) A remarkable periodic solution of the \
                     three-body problem",
            ..orbit(
                "threebody_figure8",
                "r_i'' = Σ_j (r_j - r_i) / |r_j - r_i|³",
                "20.0",
            )
        }
    }

    fn data(&self) -> &'static str {
        include_str!("../../data/ode/threebody_figure8.txt")
    }

    #[inline(always)]
    fn derivative(&self, _t: f64, y: &[f64], dy: &mut [f64]) {
        let (y, dy) = (&y[..12], &mut dy[..12]);
        dy[..6].copy_from_slice(&y[6..]);
        dy[6..].fill(0.0);
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            let dx = y[2 * j] - y[2 * i];
            let dz = y[2 * j + 1] - y[2 * i + 1];
            let square = dx * dx + dz * dz;
            let pull = 1.0 / (square * square.sqrt());
            dy[6 + 2 * i] += dx * pull;
            dy[7 + 2 * i] += dz * pull;
            dy[6 + 2 * j] -= dx * pull;
            dy[7 + 2 * j] -= dz * pull;
        }
    }

    fn jacobian(&self, _t: f64, y: &[f64], out: &mut MatrixMut<'_>) {
        for i in 0..6 {
            out.set(i, 6 + i, 1.0);
        }
        let place = |body: usize, axis: usize| 2 * body + axis;
        attraction(y, &[1.0; 3], place, 6, out);
    }
}

/// Seven stars of masses 1 to 7 in a plane; state `x1..x7, y1..y7`, then velocities.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pleiades;

const STARS: usize = 7;
const MASSES: [f64; STARS] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];

impl ReferenceProblem for Pleiades {
    const DIMENSION: usize = 4 * STARS;

    fn facts(&self) -> Facts {
        Facts {
            source: "Hairer, Nørsett, Wanner (1993) Solving ordinary differential equations I",
            ..orbit(
                "pleiades",
                "r_i'' = Σ_j m_j (r_j - r_i) / |r_j - r_i|³, m_i = i",
                "3.0",
            )
        }
    }

    fn data(&self) -> &'static str {
        include_str!("../../data/ode/pleiades.txt")
    }

    #[inline(always)]
    fn derivative(&self, _t: f64, y: &[f64], dy: &mut [f64]) {
        let (y, dy) = (&y[..4 * STARS], &mut dy[..4 * STARS]);
        dy[..2 * STARS].copy_from_slice(&y[2 * STARS..]);
        dy[2 * STARS..].fill(0.0);
        for i in 0..STARS {
            for j in i + 1..STARS {
                let dx = y[j] - y[i];
                let dz = y[STARS + j] - y[STARS + i];
                let square = dx * dx + dz * dz;
                let pull = 1.0 / (square * square.sqrt());
                dy[2 * STARS + i] += MASSES[j] * dx * pull;
                dy[3 * STARS + i] += MASSES[j] * dz * pull;
                dy[2 * STARS + j] -= MASSES[i] * dx * pull;
                dy[3 * STARS + j] -= MASSES[i] * dz * pull;
            }
        }
    }

    fn jacobian(&self, _t: f64, y: &[f64], out: &mut MatrixMut<'_>) {
        for i in 0..2 * STARS {
            out.set(i, 2 * STARS + i, 1.0);
        }
        let place = |body: usize, axis: usize| STARS * axis + body;
        attraction(y, &MASSES, place, 2 * STARS, out);
    }
}

/// Derivatives of all accelerations by all positions; accelerations start at row `first`.
fn attraction(
    y: &[f64],
    masses: &[f64],
    place: impl Fn(usize, usize) -> usize,
    first: usize,
    out: &mut MatrixMut<'_>,
) {
    for i in 0..masses.len() {
        let mut own = [0.0; 3];
        for j in (0..masses.len()).filter(|&j| j != i) {
            let apart = |axis| y[place(j, axis)] - y[place(i, axis)];
            let pull = gradient(apart(0), apart(1)).map(|value| value * masses[j]);
            for (a, b, k) in [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 2)] {
                out.set(first + place(i, a), place(j, b), pull[k]);
            }
            for (own, pull) in own.iter_mut().zip(pull) {
                *own -= pull;
            }
        }
        for (a, b, k) in [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 2)] {
            out.set(first + place(i, a), place(i, b), own[k]);
        }
    }
}
