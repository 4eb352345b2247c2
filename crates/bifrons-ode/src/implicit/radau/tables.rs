//! Coefficients (Hairer and Wanner 1996, sections IV.5 and IV.8).
#![expect(clippy::excessive_precision, reason = "digits as in the source")]

/// Square root of 6.
const S6: f64 = 2.449_489_742_783_178;

/// Nodes `(4 − √6)/10, (4 + √6)/10, 1`.
pub(super) const C: [f64; 3] = [(4.0 - S6) / 10.0, (4.0 + S6) / 10.0, 1.0];

/// Real eigenvalue `3 + 3^(2/3) − 3^(1/3)` of the inverse of the coefficients.
pub(super) const REAL: f64 = 3.637_834_252_744_496;
/// Real part `3 + (3^(1/3) − 3^(2/3))/2` of the complex pair.
pub(super) const PAIR_RE: f64 = 2.681_082_873_627_752_3;
/// Imaginary part, `−(3^(5/6) + 3^(7/6))/2`.
pub(super) const PAIR_IM: f64 = -3.050_430_199_247_410_5;

/// Transformation to eigenvectors.
pub(super) const T: [[f64; 3]; 3] = [
    [
        0.094_438_762_488_975_24,
        -0.141_255_295_020_954_21,
        0.030_029_194_105_147_42,
    ],
    [
        0.250_213_122_965_333_32,
        0.204_129_352_293_799_94,
        -0.382_942_112_757_261_92,
    ],
    [1.0, 1.0, 0.0],
];

/// Inverse of the transformation.
pub(super) const TI: [[f64; 3]; 3] = [
    [
        4.178_718_591_551_904_28,
        0.327_682_820_761_062_37,
        0.523_376_445_499_449_51,
    ],
    [
        -4.178_718_591_551_904_28,
        -0.327_682_820_761_062_37,
        0.476_623_554_500_550_44,
    ],
    [
        0.502_872_634_945_786_82,
        -2.571_926_949_855_605_22,
        0.596_039_204_828_224_92,
    ],
];

/// Weights of the stages in the error estimate, times the step.
pub(super) const E: [f64; 3] = [
    (-13.0 - 7.0 * S6) / 3.0,
    (-13.0 + 7.0 * S6) / 3.0,
    -1.0 / 3.0,
];

/// Powers `θ, θ², θ³` of the collocation polynomial from the stages: row by stage.
pub(super) const P: [[f64; 3]; 3] = [
    [
        13.0 / 3.0 + 7.0 * S6 / 3.0,
        -23.0 / 3.0 - 22.0 * S6 / 3.0,
        10.0 / 3.0 + 5.0 * S6,
    ],
    [
        13.0 / 3.0 - 7.0 * S6 / 3.0,
        -23.0 / 3.0 + 22.0 * S6 / 3.0,
        10.0 / 3.0 - 5.0 * S6,
    ],
    [1.0 / 3.0, -8.0 / 3.0, 10.0 / 3.0],
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Coefficients of the method: the collocation conditions `Σ_j a_ij c_j^(k−1) = c_i^k / k`.
    const A: [[f64; 3]; 3] = [
        [
            (88.0 - 7.0 * S6) / 360.0,
            (296.0 - 169.0 * S6) / 1800.0,
            (-2.0 + 3.0 * S6) / 225.0,
        ],
        [
            (296.0 + 169.0 * S6) / 1800.0,
            (88.0 + 7.0 * S6) / 360.0,
            (-2.0 - 3.0 * S6) / 225.0,
        ],
        [(16.0 - S6) / 36.0, (16.0 + S6) / 36.0, 1.0 / 9.0],
    ];

    fn product(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
        let mut c = [[0.0; 3]; 3];
        for i in 0..3 {
            for j in 0..3 {
                c[i][j] = (0..3).map(|k| a[i][k] * b[k][j]).sum();
            }
        }
        c
    }

    #[test]
    fn collocation_holds() {
        for i in 0..3 {
            for k in 1..=3 {
                let sum: f64 = (0..3).map(|j| A[i][j] * C[j].powi(k - 1)).sum();
                assert!((sum - C[i].powi(k) / f64::from(k)).abs() < 1e-15, "{i} {k}");
            }
        }
        // Order 5 of the weights, which are the last row.
        for k in 1..=5 {
            let sum: f64 = (0..3).map(|j| A[2][j] * C[j].powi(k - 1)).sum();
            assert!((sum - 1.0 / f64::from(k)).abs() < 1e-15, "weights {k}");
        }
    }

    #[test]
    fn transformation_makes_blocks() {
        let unit = product(&T, &TI);
        // A T Λ = T, where Λ is the block diagonal matrix of the inverse.
        let blocks = [
            [REAL, 0.0, 0.0],
            [0.0, PAIR_RE, -PAIR_IM],
            [0.0, PAIR_IM, PAIR_RE],
        ];
        let back = product(&A, &product(&T, &blocks));
        for i in 0..3 {
            for j in 0..3 {
                let wanted = f64::from(u8::from(i == j));
                assert!((unit[i][j] - wanted).abs() < 1e-14, "inverse {i} {j}");
                assert!((back[i][j] - T[i][j]).abs() < 1e-14, "blocks {i} {j}");
            }
        }
    }

    #[test]
    fn polynomial_passes_the_stages() {
        for i in 0..3 {
            for j in 0..3 {
                let value: f64 = (0..3).map(|k| P[j][k] * C[i].powi([1, 2, 3][k])).sum();
                let wanted = f64::from(u8::from(i == j));
                assert!((value - wanted).abs() < 1e-13, "stage {i} of {j}");
            }
        }
    }
}
