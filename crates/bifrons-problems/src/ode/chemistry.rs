//! Reactions: Robertson, HIRES, OREGO, E5, POLLU, Akzo Nobel.

use std::sync::LazyLock;

use bifrons_ode::{Mass, MatrixMut};

use super::{Facts, Kind, ReferenceProblem};

const TEST_SET: &str = "Mazzia, Magherini (2008) Test set for initial value problem solvers";

const fn stiff(
    name: &'static str,
    statement: &'static str,
    scale: f64,
    end: &'static str,
) -> Facts {
    Facts {
        name,
        statement,
        source: TEST_SET,
        kind: Kind::Stiff,
        scale,
        end,
    }
}

/// Writes rows of a matrix.
fn rows<const N: usize>(out: &mut MatrixMut<'_>, rows: &[[f64; N]]) {
    for (i, row) in rows.iter().enumerate() {
        for (j, &value) in row.iter().enumerate() {
            out.set(i, j, value);
        }
    }
}

/// Robertson's three reactions, whose rates differ by nine orders of magnitude.
#[derive(Debug, Clone, Copy, Default)]
pub struct Robertson;

impl Robertson {
    /// Losses of the first substance and gains of the third.
    #[inline(always)]
    fn rates(y: &[f64]) -> [f64; 2] {
        [0.04 * y[0] - 1e4 * y[1] * y[2], 3e7 * y[1] * y[1]]
    }

    fn slopes(y: &[f64]) -> [[f64; 3]; 3] {
        let (back, fast) = (1e4 * y[2], 6e7 * y[1]);
        let mixed = 1e4 * y[1];
        [
            [-0.04, back, mixed],
            [0.04, -back - fast, -mixed],
            [0.0, fast, 0.0],
        ]
    }
}

impl ReferenceProblem for Robertson {
    const DIMENSION: usize = 3;

    fn facts(&self) -> Facts {
        Facts {
            source: "Robertson (1966) The solution of a set of reaction rate equations",
            ..stiff(
                "robertson",
                "x' = -0.04 x + 1e4 y z, y' = 0.04 x - 1e4 y z - 3e7 y², z' = 3e7 y²",
                1e-8,
                "400000.0",
            )
        }
    }

    fn data(&self) -> &'static str {
        include_str!("../../data/ode/robertson.txt")
    }

    #[inline(always)]
    fn derivative(&self, _t: f64, y: &[f64], dy: &mut [f64]) {
        let [lost, gained] = Self::rates(y);
        dy[0] = -lost;
        dy[1] = lost - gained;
        dy[2] = gained;
    }

    fn jacobian(&self, _t: f64, y: &[f64], out: &mut MatrixMut<'_>) {
        rows(out, &Self::slopes(y));
    }
}

/// Robertson's reactions with the conservation of mass as an algebraic equation.
#[derive(Debug, Clone, Copy, Default)]
pub struct RobertsonDae;

static ROBERTSON_MASS: LazyLock<Mass> = LazyLock::new(|| Mass::Diagonal(vec![1.0, 1.0, 0.0]));

impl ReferenceProblem for RobertsonDae {
    const DIMENSION: usize = 3;

    fn facts(&self) -> Facts {
        Facts {
            name: "robertson_dae",
            statement: "x' = -0.04 x + 1e4 y z, y' = 0.04 x - 1e4 y z - 3e7 y², 0 = x + y + z - 1",
            kind: Kind::Algebraic,
            ..Robertson.facts()
        }
    }

    fn data(&self) -> &'static str {
        Robertson.data()
    }

    #[inline(always)]
    fn derivative(&self, _t: f64, y: &[f64], dy: &mut [f64]) {
        let [lost, gained] = Robertson::rates(y);
        dy[0] = -lost;
        dy[1] = lost - gained;
        dy[2] = y[0] + y[1] + y[2] - 1.0;
    }

    fn jacobian(&self, _t: f64, y: &[f64], out: &mut MatrixMut<'_>) {
        let mut slopes = Robertson::slopes(y);
        slopes[2] = [1.0; 3];
        rows(out, &slopes);
    }

    fn mass(&self) -> &Mass {
        &ROBERTSON_MASS
    }
}

/// High irradiance responses of photomorphogenesis: eight substances.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hires;

impl ReferenceProblem for Hires {
    const DIMENSION: usize = 8;

    fn facts(&self) -> Facts {
        Facts {
            source: "Schäfer (1975) A new approach to explain the high irradiance responses",
            ..stiff(
                "hires",
                "eight reactions, one of them bimolecular",
                1e-4,
                "321.8122",
            )
        }
    }

    fn data(&self) -> &'static str {
        include_str!("../../data/ode/hires.txt")
    }

    #[inline(always)]
    fn derivative(&self, _t: f64, y: &[f64], dy: &mut [f64]) {
        let (y, dy) = (&y[..8], &mut dy[..8]);
        let met = 280.0 * y[5] * y[7];
        dy[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
        dy[1] = 1.71 * y[0] - 8.75 * y[1];
        dy[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
        dy[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
        dy[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6];
        dy[5] = -met + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
        dy[6] = met - 1.81 * y[6];
        dy[7] = -dy[6];
    }

    fn jacobian(&self, _t: f64, y: &[f64], out: &mut MatrixMut<'_>) {
        let (a, b) = (280.0 * y[7], 280.0 * y[5]);
        let o = 0.0;
        rows(
            out,
            &[
                [-1.71, 0.43, 8.32, o, o, o, o, o],
                [1.71, -8.75, o, o, o, o, o, o],
                [o, o, -10.03, 0.43, 0.035, o, o, o],
                [o, 8.32, 1.71, -1.12, o, o, o, o],
                [o, o, o, o, -1.745, 0.43, 0.43, o],
                [o, o, o, 0.69, 1.71, -0.43 - a, 0.69, -b],
                [o, o, o, o, o, a, -1.81, b],
                [o, o, o, o, o, -a, 1.81, -b],
            ],
        );
    }
}

/// The Oregonator, a model of the reaction of Belousov and Zhabotinskii.
#[derive(Debug, Clone, Copy, Default)]
pub struct Orego;

const OREGO_S: f64 = 77.27;
const OREGO_Q: f64 = 8.375e-6;
const OREGO_W: f64 = 0.161;

impl ReferenceProblem for Orego {
    const DIMENSION: usize = 3;

    fn facts(&self) -> Facts {
        Facts {
            source: "Field, Noyes (1974) Limit cycle behavior of a model of a real reaction",
            ..stiff(
                "orego",
                "x' = s (y + x (1 - q x - y)), y' = (z - (1 + x) y) / s, z' = w (x - z)",
                1.0,
                "360.0",
            )
        }
    }

    fn data(&self) -> &'static str {
        include_str!("../../data/ode/orego.txt")
    }

    #[inline(always)]
    fn derivative(&self, _t: f64, y: &[f64], dy: &mut [f64]) {
        let (u, v, w) = (y[0], y[1], y[2]);
        dy[0] = OREGO_S * (v + u * (1.0 - OREGO_Q * u - v));
        dy[1] = (w - (1.0 + u) * v) / OREGO_S;
        dy[2] = OREGO_W * (u - w);
    }

    fn jacobian(&self, _t: f64, y: &[f64], out: &mut MatrixMut<'_>) {
        let (u, v) = (y[0], y[1]);
        rows(
            out,
            &[
                [
                    OREGO_S * (1.0 - 2.0 * OREGO_Q * u - v),
                    OREGO_S * (1.0 - u),
                    0.0,
                ],
                [-v / OREGO_S, -(1.0 + u) / OREGO_S, 1.0 / OREGO_S],
                [OREGO_W, 0.0, -OREGO_W],
            ],
        );
    }
}

/// A pyrolysis whose four substances differ by many orders of magnitude; from the class E of the
/// test set STIFF DETEST.
///
/// Later than `t = 1e9` round-off decides: `y2 - y3 - y4 = 0` is kept to about 1e-25, and a
/// deviation `δ` changes the substances by the factor `exp(1.13e9 δ t)`.
#[derive(Debug, Clone, Copy, Default)]
pub struct E5;

const E5_A: f64 = 7.89e-10;
const E5_B: f64 = 1.1e7;
const E5_CM: f64 = 1.13e9;
const E5_C: f64 = 1.13e3;

impl ReferenceProblem for E5 {
    const DIMENSION: usize = 4;

    fn facts(&self) -> Facts {
        Facts {
            source: "Enright, Hull, Lindberg (1975) Comparing numerical methods for stiff systems",
            ..stiff(
                "e5",
                "p1 = 7.89e-10 y1, p2 = 1.1e7 y1 y3, p3 = 1.13e9 y2 y3, p4 = 1.13e3 y4; \
                 y1' = -p1 - p2, y2' = p1 - p3, y3' = y2' - y4', y4' = p2 - p4",
                1e-18,
                "1000000000.0",
            )
        }
    }

    fn data(&self) -> &'static str {
        include_str!("../../data/ode/e5.txt")
    }

    #[inline(always)]
    fn derivative(&self, _t: f64, y: &[f64], dy: &mut [f64]) {
        let first = E5_A * y[0];
        let second = E5_B * y[0] * y[2];
        let third = E5_CM * y[1] * y[2];
        let fourth = E5_C * y[3];
        dy[0] = -first - second;
        dy[1] = first - third;
        dy[3] = second - fourth;
        // `y2' - y4'`, written so that nothing cancels.
        dy[2] = first - third - second + fourth;
    }

    fn jacobian(&self, _t: f64, y: &[f64], out: &mut MatrixMut<'_>) {
        let (b1, b3) = (E5_B * y[2], E5_B * y[0]);
        let (c2, c3) = (E5_CM * y[2], E5_CM * y[1]);
        rows(
            out,
            &[
                [-E5_A - b1, 0.0, -b3, 0.0],
                [E5_A, -c2, -c3, 0.0],
                [E5_A - b1, -c2, -c3 - b3, E5_C],
                [b1, 0.0, b3, -E5_C],
            ],
        );
    }
}

/// Chemistry of polluted air: 20 substances, 25 reactions.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pollu;

/// One reaction: its rate constant, its reactants, and how often it adds each substance.
type Reaction = (f64, &'static [usize], &'static [(usize, f64)]);

/// The reactions; substances are counted from zero.
#[rustfmt::skip]
const POLLU: [Reaction; 25] = [
    (0.35, &[0], &[(0, -1.0), (1, 1.0), (2, 1.0)]),
    (26.6, &[1, 3], &[(0, 1.0), (1, -1.0), (3, -1.0)]),
    (12_300.0, &[4, 1], &[(0, 1.0), (1, -1.0), (4, -1.0), (5, 1.0)]),
    (0.000_86, &[6], &[(4, 2.0), (6, -1.0), (7, 1.0)]),
    (0.000_82, &[6], &[(6, -1.0), (7, 1.0)]),
    (15_000.0, &[6, 5], &[(4, 1.0), (5, -1.0), (6, -1.0), (7, 1.0)]),
    (0.000_13, &[8], &[(4, 1.0), (7, 1.0), (8, -1.0), (9, 1.0)]),
    (24_000.0, &[8, 5], &[(5, -1.0), (8, -1.0), (10, 1.0)]),
    (16_500.0, &[10, 1], &[(0, 1.0), (1, -1.0), (9, 1.0), (10, -1.0), (11, 1.0)]),
    (9_000.0, &[10, 0], &[(0, -1.0), (10, -1.0), (12, 1.0)]),
    (0.022, &[12], &[(0, 1.0), (10, 1.0), (12, -1.0)]),
    (12_000.0, &[9, 1], &[(0, 1.0), (1, -1.0), (9, -1.0), (13, 1.0)]),
    (1.88, &[13], &[(4, 1.0), (6, 1.0), (13, -1.0)]),
    (16_300.0, &[0, 5], &[(0, -1.0), (5, -1.0), (14, 1.0)]),
    (4_800_000.0, &[2], &[(2, -1.0), (3, 1.0)]),
    (0.000_35, &[3], &[(3, -1.0), (15, 1.0)]),
    (0.0175, &[3], &[(2, 1.0), (3, -1.0)]),
    (100_000_000.0, &[15], &[(5, 2.0), (15, -1.0)]),
    (444_000_000_000.0, &[15], &[(2, 1.0), (15, -1.0)]),
    (1_240.0, &[16, 5], &[(4, 1.0), (5, -1.0), (16, -1.0), (17, 1.0)]),
    (2.1, &[18], &[(1, 1.0), (18, -1.0)]),
    (5.78, &[18], &[(0, 1.0), (2, 1.0), (18, -1.0)]),
    (0.0474, &[0, 3], &[(0, -1.0), (3, -1.0), (18, 1.0)]),
    (1_780.0, &[18, 0], &[(0, -1.0), (18, -1.0), (19, 1.0)]),
    (3.12, &[19], &[(0, 1.0), (18, 1.0), (19, -1.0)]),
];

impl ReferenceProblem for Pollu {
    const DIMENSION: usize = 20;

    fn facts(&self) -> Facts {
        Facts {
            source: "Verwer (1994) Gauss-Seidel iteration for stiff ODEs from chemical kinetics",
            ..stiff(
                "pollu",
                "20 substances, 25 reactions of air pollution",
                1e-6,
                "60.0",
            )
        }
    }

    fn data(&self) -> &'static str {
        include_str!("../../data/ode/pollu.txt")
    }

    #[inline(always)]
    fn derivative(&self, _t: f64, y: &[f64], dy: &mut [f64]) {
        let (y, dy) = (&y[..20], &mut dy[..20]);
        let r1 = 0.35 * y[0];
        let r2 = 26.6 * y[1] * y[3];
        let r3 = 12_300.0 * y[4] * y[1];
        let r4 = 0.000_86 * y[6];
        let r5 = 0.000_82 * y[6];
        let r6 = 15_000.0 * y[6] * y[5];
        let r7 = 0.000_13 * y[8];
        let r8 = 24_000.0 * y[8] * y[5];
        let r9 = 16_500.0 * y[10] * y[1];
        let r10 = 9_000.0 * y[10] * y[0];
        let r11 = 0.022 * y[12];
        let r12 = 12_000.0 * y[9] * y[1];
        let r13 = 1.88 * y[13];
        let r14 = 16_300.0 * y[0] * y[5];
        let r15 = 4_800_000.0 * y[2];
        let r16 = 0.000_35 * y[3];
        let r17 = 0.0175 * y[3];
        let r18 = 100_000_000.0 * y[15];
        let r19 = 444_000_000_000.0 * y[15];
        let r20 = 1_240.0 * y[16] * y[5];
        let r21 = 2.1 * y[18];
        let r22 = 5.78 * y[18];
        let r23 = 0.0474 * y[0] * y[3];
        let r24 = 1_780.0 * y[18] * y[0];
        let r25 = 3.12 * y[19];
        dy[0] = -r1 - r10 - r14 - r23 - r24 + r2 + r3 + r9 + r11 + r12 + r22 + r25;
        dy[1] = -r2 - r3 - r9 - r12 + r1 + r21;
        dy[2] = -r15 + r1 + r17 + r19 + r22;
        dy[3] = -r2 - r16 - r17 - r23 + r15;
        dy[4] = -r3 + 2.0 * r4 + r6 + r7 + r13 + r20;
        dy[5] = -r6 - r8 - r14 - r20 + r3 + 2.0 * r18;
        dy[6] = -r4 - r5 - r6 + r13;
        dy[7] = r4 + r5 + r6 + r7;
        dy[8] = -r7 - r8;
        dy[9] = -r12 + r7 + r9;
        dy[10] = -r9 - r10 + r8 + r11;
        dy[11] = r9;
        dy[12] = -r11 + r10;
        dy[13] = -r13 + r12;
        dy[14] = r14;
        dy[15] = -r18 - r19 + r16;
        dy[16] = -r20;
        dy[17] = r20;
        dy[18] = -r21 - r22 - r24 + r23 + r25;
        dy[19] = -r25 + r24;
    }

    fn jacobian(&self, _t: f64, y: &[f64], out: &mut MatrixMut<'_>) {
        let mut slopes = [[0.0; 20]; 20];
        for &(rate, reactants, effects) in &POLLU {
            for (k, &by) in reactants.iter().enumerate() {
                let others = reactants.iter().enumerate().filter(|&(l, _)| l != k);
                let slope = rate * others.map(|(_, &other)| y[other]).product::<f64>();
                for &(of, times) in effects {
                    slopes[of][by] += times * slope;
                }
            }
        }
        rows(out, &slopes);
    }
}

/// A reaction of two species with carbon dioxide, one substance in equilibrium.
#[derive(Debug, Clone, Copy, Default)]
pub struct AkzoNobel;

const AKZO_K: [f64; 4] = [18.7, 0.58, 0.09, 0.42];
const AKZO_BACK: f64 = 0.58 / 34.4;
const AKZO_KLA: f64 = 3.3;
const AKZO_KS: f64 = 115.83;
static AKZO_MASS: LazyLock<Mass> =
    LazyLock::new(|| Mass::Diagonal(vec![1.0, 1.0, 1.0, 1.0, 1.0, 0.0]));

impl ReferenceProblem for AkzoNobel {
    const DIMENSION: usize = 6;

    fn facts(&self) -> Facts {
        Facts {
            source: "Stortelder (1995) The chemical Akzo Nobel problem",
            kind: Kind::Algebraic,
            ..stiff(
                "akzo_nobel",
                "five reactions and one equilibrium",
                1e-4,
                "180.0",
            )
        }
    }

    fn data(&self) -> &'static str {
        include_str!("../../data/ode/akzo_nobel.txt")
    }

    #[inline(always)]
    fn derivative(&self, _t: f64, y: &[f64], dy: &mut [f64]) {
        let (y, dy) = (&y[..6], &mut dy[..6]);
        let root = y[1].abs().sqrt();
        let square = y[0] * y[0];
        let r1 = AKZO_K[0] * square * square * root;
        let r2 = AKZO_K[1] * y[2] * y[3];
        let r3 = AKZO_BACK * y[0] * y[4];
        let r4 = AKZO_K[2] * y[0] * y[3] * y[3];
        let r5 = AKZO_K[3] * y[5] * y[5] * root;
        let inflow = AKZO_KLA * (0.9 / 737.0 - y[1]);
        dy[0] = -2.0 * r1 + r2 - r3 - r4;
        dy[1] = -0.5 * r1 - r4 - 0.5 * r5 + inflow;
        dy[2] = r1 - r2 + r3;
        dy[3] = -r2 + r3 - 2.0 * r4;
        dy[4] = r2 - r3 + r5;
        dy[5] = AKZO_KS * y[0] * y[3] - y[5];
    }

    fn jacobian(&self, _t: f64, y: &[f64], out: &mut MatrixMut<'_>) {
        let root = y[1].abs().sqrt();
        let half = 0.5 * y[1].signum() / root;
        let cube = y[0] * y[0] * y[0];
        // Derivatives of the five rates.
        let mut r = [[0.0; 6]; 5];
        r[0][0] = 4.0 * AKZO_K[0] * cube * root;
        r[0][1] = AKZO_K[0] * cube * y[0] * half;
        r[1][2] = AKZO_K[1] * y[3];
        r[1][3] = AKZO_K[1] * y[2];
        r[2][0] = AKZO_BACK * y[4];
        r[2][4] = AKZO_BACK * y[0];
        r[3][0] = AKZO_K[2] * y[3] * y[3];
        r[3][3] = 2.0 * AKZO_K[2] * y[0] * y[3];
        r[4][1] = AKZO_K[3] * y[5] * y[5] * half;
        r[4][5] = 2.0 * AKZO_K[3] * y[5] * root;
        let mut slopes = [[0.0; 6]; 6];
        for j in 0..6 {
            let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|k| r[k][j]);
            slopes[0][j] = -2.0 * a + b - c - d;
            slopes[1][j] = -0.5 * a - d - 0.5 * e;
            slopes[2][j] = a - b + c;
            slopes[3][j] = -b + c - 2.0 * d;
            slopes[4][j] = b - c + e;
        }
        slopes[1][1] -= AKZO_KLA;
        slopes[5][0] = AKZO_KS * y[3];
        slopes[5][3] = AKZO_KS * y[0];
        slopes[5][5] = -1.0;
        rows(out, &slopes);
    }

    fn mass(&self) -> &Mass {
        &AKZO_MASS
    }
}
