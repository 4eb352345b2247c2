//! Coefficients of the diagonally implicit methods.

/// Square root of 2.
const S2: f64 = core::f64::consts::SQRT_2;

/// Largest number of stages.
pub(super) const MOST: usize = 7;

/// A method with an explicit first stage and one value `γ` on the diagonal, stiffly accurate: the
/// last row is the step.
#[derive(Debug)]
pub(crate) struct Tableau {
    pub(super) stages: usize,
    /// Power of the step in the error estimate.
    pub(super) order: usize,
    pub(super) gamma: f64,
    /// Rows below the diagonal.
    pub(super) a: [[f64; MOST]; MOST],
    pub(super) nodes: [f64; MOST],
    /// Weights of the other formula; the error is the difference.
    pub(super) other: [f64; MOST],
}

/// Trapezoidal rule and second backward difference formula, order 2 with an error estimate of
/// order 3; Bank et al. (1985), Transient simulation of silicon devices and circuits; Hosea and
/// Shampine (1996), Analysis and implementation of TR-BDF2.
pub(crate) static TR_BDF2: Tableau = Tableau {
    stages: 3,
    order: 3,
    gamma: 1.0 - 0.5 * S2,
    a: [
        [0.0; MOST],
        [1.0 - 0.5 * S2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.25 * S2, 0.25 * S2, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0; MOST],
        [0.0; MOST],
        [0.0; MOST],
        [0.0; MOST],
    ],
    nodes: [0.0, 2.0 - S2, 1.0, 0.0, 0.0, 0.0, 0.0],
    other: [
        (1.0 - 0.25 * S2) / 3.0,
        (0.75 * S2 + 1.0) / 3.0,
        (1.0 - 0.5 * S2) / 3.0,
        0.0,
        0.0,
        0.0,
        0.0,
    ],
};

/// `c_i` minus the other entries of a row is its first entry.
const fn first(node: f64, gamma: f64, rest: [f64; 5]) -> f64 {
    node - gamma - rest[0] - rest[1] - rest[2] - rest[3] - rest[4]
}

const R3: [f64; 5] = [(1.0 - S2) / 8.0, 0.0, 0.0, 0.0, 0.0];
const R4: [f64; 5] = [
    (5.0 - 7.0 * S2) / 64.0,
    7.0 * (1.0 + S2) / 32.0,
    0.0,
    0.0,
    0.0,
];
const R5: [f64; 5] = [
    -(13_796.0 + 54_539.0 * S2) / 125_000.0,
    (506_605.0 + 132_109.0 * S2) / 437_500.0,
    166.0 * (-97.0 + 376.0 * S2) / 109_375.0,
    0.0,
    0.0,
];
const R6: [f64; 5] = [
    (1_181.0 - 987.0 * S2) / 13_782.0,
    47.0 * (-267.0 + 1_783.0 * S2) / 273_343.0,
    -16.0 * (-22_922.0 + 3_525.0 * S2) / 571_953.0,
    -15_625.0 * (97.0 + 376.0 * S2) / 90_749_876.0,
    0.0,
];

/// ESDIRK4(3)6L[2]SA; Kennedy and Carpenter (2016), Diagonally implicit Runge-Kutta methods for
/// ordinary differential equations: a review, table 16; (2019), Diagonally implicit Runge-Kutta
/// methods for stiff ODEs.
pub(crate) static ESDIRK4: Tableau = Tableau {
    stages: 6,
    order: 4,
    gamma: 0.25,
    a: [
        [0.0; MOST],
        [0.25, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [
            first(0.5 - 0.25 * S2, 0.25, R3),
            R3[0],
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
        ],
        [first(0.625, 0.25, R4), R4[0], R4[1], 0.0, 0.0, 0.0, 0.0],
        [first(1.04, 0.25, R5), R5[0], R5[1], R5[2], 0.0, 0.0, 0.0],
        [R6[0], R6[0], R6[1], R6[2], R6[3], 0.0, 0.0],
        [0.0; MOST],
    ],
    nodes: [0.0, 0.5, 0.5 - 0.25 * S2, 0.625, 1.04, 1.0, 0.0],
    other: [
        -480_923_228_411.0 / 4_982_971_448_372.0,
        -480_923_228_411.0 / 4_982_971_448_372.0,
        6_709_447_293_961.0 / 12_833_189_095_359.0,
        3_513_175_791_894.0 / 6_748_737_351_361.0,
        -498_863_281_070.0 / 6_042_575_550_617.0,
        2_077_005_547_802.0 / 8_945_017_530_137.0,
        0.0,
    ],
};

const G: f64 = 0.184;
const C3: f64 = 1_518_047_795_759.0 / 14_084_074_382_095.0;
const C5: f64 = 5_906_118_540_659.0 / 9_042_400_211_275.0;
const Q3: [f64; 5] = [-121_529_886_477.0 / 3_189_120_653_983.0, 0.0, 0.0, 0.0, 0.0];
const Q4: [f64; 5] = [
    186_345_625_210.0 / 8_596_203_768_457.0,
    3_681_435_451_073.0 / 12_579_882_114_497.0,
    0.0,
    0.0,
    0.0,
];
const Q5: [f64; 5] = [
    -9_898_129_553_915.0 / 11_630_542_248_213.0,
    19_565_727_496_993.0 / 11_159_348_038_501.0,
    2_073_446_517_052.0 / 4_961_027_473_423.0,
    0.0,
    0.0,
];
const Q6: [f64; 5] = [
    -39_752_543_191_591.0 / 7_894_275_939_720.0,
    52_228_808_998_390.0 / 5_821_762_529_307.0,
    2_756_378_382_725.0 / 8_748_785_577_174.0,
    17_322_065_038_796.0 / 10_556_643_942_083.0,
    0.0,
];
const Q7: [f64; 5] = [
    -1_319_096_626_979.0 / 17_356_965_168_099.0,
    4_356_877_330_928.0 / 10_268_933_656_267.0,
    922_991_294_344.0 / 3_350_617_878_647.0,
    4_729_382_008_034.0 / 14_755_765_856_909.0,
    -308_199_069_217.0 / 5_897_303_561_678.0,
];
const QD: [f64; 5] = [
    -12_068_858_301_481.0 / 111_697_653_055_985.0,
    30_204_157_393_951.0 / 62_440_428_688_139.0,
    26_156_819_792_768.0 / 110_856_972_047_457.0,
    33_531_609_809_941.0 / 89_326_307_438_822.0,
    -18_686_091_006_953.0 / 578_397_443_530_870.0,
];
const QL: f64 = 10_582_397_456_777.0 / 69_011_126_173_064.0;

/// ESDIRK5(4)7L[2]SA; Kennedy and Carpenter (2019), Diagonally implicit Runge-Kutta methods for
/// stiff ODEs, table 8.
pub(crate) static ESDIRK5: Tableau = Tableau {
    stages: 7,
    order: 5,
    gamma: G,
    a: [
        [0.0; MOST],
        [G, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [first(C3, G, Q3), Q3[0], 0.0, 0.0, 0.0, 0.0, 0.0],
        [first(0.52, G, Q4), Q4[0], Q4[1], 0.0, 0.0, 0.0, 0.0],
        [first(C5, G, Q5), Q5[0], Q5[1], Q5[2], 0.0, 0.0, 0.0],
        [first(1.04, G, Q6), Q6[0], Q6[1], Q6[2], Q6[3], 0.0, 0.0],
        [first(1.0, G, Q7), Q7[0], Q7[1], Q7[2], Q7[3], Q7[4], 0.0],
    ],
    nodes: [0.0, 0.368, C3, 0.52, C5, 1.04, 1.0],
    other: [first(1.0, QL, QD), QD[0], QD[1], QD[2], QD[3], QD[4], QL],
};

#[cfg(test)]
mod tests {
    use super::*;

    /// Full matrix with the diagonal.
    fn matrix(t: &Tableau) -> Vec<Vec<f64>> {
        let s = t.stages;
        let entry = |i: usize, j: usize| {
            if i == j && i > 0 {
                t.gamma
            } else if j < i {
                t.a[i][j]
            } else {
                0.0
            }
        };
        (0..s)
            .map(|i| (0..s).map(|j| entry(i, j)).collect())
            .collect()
    }

    /// Conditions of order up to 5 for weights `b`: `(order, residual)`.
    fn conditions(t: &Tableau, b: &[f64]) -> Vec<(usize, f64)> {
        let (a, c) = (matrix(t), &t.nodes[..t.stages]);
        let dot = |x: &[f64], y: &[f64]| -> f64 { x.iter().zip(y).map(|(x, y)| x * y).sum() };
        let times = |x: &[f64]| -> Vec<f64> { a.iter().map(|row| dot(row, x)).collect() };
        let mul =
            |x: &[f64], y: &[f64]| -> Vec<f64> { x.iter().zip(y).map(|(x, y)| x * y).collect() };
        let one = vec![1.0; t.stages];
        let c2 = mul(c, c);
        let c3 = mul(&c2, c);
        let (ac, ac2, ac3) = (times(c), times(&c2), times(&c3));
        let aac = times(&ac);
        let sum = |v: &[f64]| dot(b, v);
        vec![
            (1, sum(&one) - 1.0),
            (2, sum(c) - 0.5),
            (3, sum(&c2) - 1.0 / 3.0),
            (3, sum(&ac) - 1.0 / 6.0),
            (4, sum(&c3) - 0.25),
            (4, sum(&mul(c, &ac)) - 0.125),
            (4, sum(&ac2) - 1.0 / 12.0),
            (4, sum(&aac) - 1.0 / 24.0),
            (5, sum(&mul(&c2, &c2)) - 0.2),
            (5, sum(&mul(&c2, &ac)) - 0.1),
            (5, sum(&mul(&ac, &ac)) - 0.05),
            (5, sum(&mul(c, &ac2)) - 1.0 / 15.0),
            (5, sum(&mul(c, &aac)) - 1.0 / 30.0),
            (5, sum(&ac3) - 0.05),
            (5, sum(&times(&mul(c, &ac))) - 1.0 / 40.0),
            (5, sum(&times(&ac2)) - 1.0 / 60.0),
            (5, sum(&times(&aac)) - 1.0 / 120.0),
        ]
    }

    #[test]
    fn conditions_of_order_hold() {
        for (t, order, other) in [(&TR_BDF2, 2, 3), (&ESDIRK4, 4, 3), (&ESDIRK5, 5, 4)] {
            let a = matrix(t);
            for (row, node) in a.iter().zip(t.nodes) {
                assert!(
                    (row.iter().sum::<f64>() - node).abs() < 1e-12,
                    "node {node}"
                );
            }
            let last = &a[t.stages - 1];
            for (weights, order) in [(last.as_slice(), order), (&t.other[..t.stages], other)] {
                let conditions = conditions(t, weights);
                let missed = |o: usize| {
                    let size = |(k, r): &(usize, f64)| if *k == o { r.abs() } else { 0.0 };
                    conditions.iter().map(size).fold(0.0, f64::max)
                };
                for o in 1..=order {
                    assert!(missed(o) < 1e-12, "order {o}: {:e}", missed(o));
                }
                assert!(
                    order == 5 || missed(order + 1) > 1e-5,
                    "no more than order {order}"
                );
            }
        }
    }
}
