//! Coefficients. The tests of the crate verify order, stage order and stability of each table.

/// Most stages of a table.
pub(crate) const MAX_STAGES: usize = 7;

/// A method with explicit first stage, one diagonal coefficient, and a last stage that is the
/// result.
#[derive(Debug)]
pub(crate) struct Tableau {
    pub(crate) stages: usize,
    /// Order in the step of the error estimate: that of the lower order of the pair, plus one.
    pub(crate) error_order: usize,
    /// The diagonal coefficient of all stages but the first.
    pub(crate) gamma: f64,
    pub(crate) c: [f64; MAX_STAGES],
    /// Stages by rows, without the diagonal.
    pub(crate) a: [[f64; MAX_STAGES]; MAX_STAGES],
    /// Weights of the result minus those of the embedded formula.
    pub(crate) error: [f64; MAX_STAGES],
    /// Weights `v` of the quartic term of the interpolant, `θ² (1 − θ)² h Σ v_i k_i`; zero for a
    /// cubic one.
    pub(crate) quartic: [f64; MAX_STAGES],
}

const fn ratio(p: f64, q: f64) -> f64 {
    p / q
}

/// TR-BDF2: a trapezoidal rule to `2 − √2` of the step, then the differentiation formula of order
/// two; estimate from the embedded formula of order three (Hosea and Shampine 1996, Analysis and
/// implementation of TR-BDF2, sections 2 and 3). L-stable.
pub(crate) static TR_BDF2: Tableau = {
    let root = core::f64::consts::SQRT_2;
    let (d, w) = (1.0 - 0.5 * root, 0.25 * root);
    let mut a = [[0.0; MAX_STAGES]; MAX_STAGES];
    a[1][0] = d;
    (a[2][0], a[2][1]) = (w, w);
    let mut error = [0.0; MAX_STAGES];
    (error[0], error[1]) = (w - (1.0 - w) / 3.0, w - (3.0 * w + 1.0) / 3.0);
    error[2] = d - d / 3.0;
    Tableau {
        stages: 3,
        error_order: 3,
        gamma: d,
        c: [0.0, 2.0 - root, 1.0, 0.0, 0.0, 0.0, 0.0],
        a,
        error,
        quartic: [0.0; MAX_STAGES],
    }
};

/// ESDIRK4(3)6L[2]SA (Kennedy and Carpenter 2016, Diagonally implicit Runge-Kutta methods for
/// ordinary differential equations. A review, NASA/TM-2016-219173, table 16). Both formulas are
/// L-stable, all stages have order two.
pub(crate) static ESDIRK4: Tableau = {
    let root = core::f64::consts::SQRT_2;
    let mut a = [[0.0; MAX_STAGES]; MAX_STAGES];
    a[1][0] = 0.25;
    a[2][1] = (1.0 - root) / 8.0;
    (a[3][1], a[3][2]) = ((5.0 - 7.0 * root) / 64.0, 7.0 * (1.0 + root) / 32.0);
    a[4][1] = (-13796.0 - 54539.0 * root) / 125_000.0;
    a[4][2] = (506_605.0 + 132_109.0 * root) / 437_500.0;
    a[4][3] = 166.0 * (-97.0 + 376.0 * root) / 109_375.0;
    a[5][1] = (1181.0 - 987.0 * root) / 13782.0;
    a[5][2] = 47.0 * (-267.0 + 1783.0 * root) / 273_343.0;
    a[5][3] = -16.0 * (-22922.0 + 3525.0 * root) / 571_953.0;
    a[5][4] = -15625.0 * (97.0 + 376.0 * root) / 90_749_876.0;
    let mut i = 2;
    while i < 6 {
        a[i][0] = a[i][1];
        i += 1;
    }
    let embedded = [
        ratio(-480_923_228_411.0, 4_982_971_448_372.0),
        ratio(6_709_447_293_961.0, 12_833_189_095_359.0),
        ratio(3_513_175_791_894.0, 6_748_737_351_361.0),
        ratio(-498_863_281_070.0, 6_042_575_550_617.0),
        ratio(2_077_005_547_802.0, 8_945_017_530_137.0),
    ];
    let mut error = [0.0; MAX_STAGES];
    error[0] = a[5][0] - embedded[0];
    error[5] = 0.25 - embedded[4];
    let mut i = 1;
    while i < 5 {
        error[i] = a[5][i] - embedded[i - 1];
        i += 1;
    }
    Tableau {
        stages: 6,
        error_order: 4,
        gamma: 0.25,
        c: [0.0, 0.5, (2.0 - root) / 4.0, 0.625, 1.04, 1.0, 0.0],
        a,
        error,
        quartic: [
            -1.975_216_050_586_170_2,
            1.883_980_645_452_269,
            2.658_441_811_993_274,
            -3.097_392_824_918_833,
            1.859_349_627_929_687_2,
            -1.329_163_209_870_227,
            0.0,
        ],
    }
};

/// ESDIRK5(4)7L[2]SA2 (Kennedy and Carpenter 2019, Diagonally implicit Runge-Kutta methods for
/// stiff ODEs, Applied Numerical Mathematics 146, table of the appendix). Both formulas are
/// A-stable, the result is L-stable, all stages have order two.
pub(crate) static ESDIRK5: Tableau = {
    let gamma = 0.184;
    let mut a = [[0.0; MAX_STAGES]; MAX_STAGES];
    a[1][0] = gamma;
    a[2][1] = ratio(791_020_047_304.0, 3_561_426_431_547.0);
    a[3][1] = ratio(-158_159_076_358.0, 11_257_294_102_345.0);
    a[3][2] = ratio(-85_517_644_447.0, 5_003_708_988_389.0);
    a[4][1] = ratio(-1_653_327_111_580.0, 4_048_416_487_981.0);
    a[4][2] = ratio(1_514_767_744_496.0, 9_099_671_765_375.0);
    a[4][3] = ratio(14_283_835_447_591.0, 12_247_432_691_556.0);
    a[5][1] = ratio(-4_540_011_970_825.0, 8_418_487_046_959.0);
    a[5][2] = ratio(-1_790_937_573_418.0, 7_393_406_387_169.0);
    a[5][3] = ratio(10_819_093_665_085.0, 7_266_595_846_747.0);
    a[5][4] = ratio(4_109_463_131_231.0, 7_386_972_500_302.0);
    a[6][1] = ratio(-188_593_204_321.0, 4_778_616_380_481.0);
    a[6][2] = ratio(2_809_310_203_510.0, 10_304_234_040_467.0);
    a[6][3] = ratio(1_021_729_336_898.0, 2_364_210_264_653.0);
    a[6][4] = ratio(870_612_361_811.0, 2_470_410_392_208.0);
    a[6][5] = ratio(-1_307_970_675_534.0, 8_059_683_598_661.0);
    let mut i = 2;
    while i < 7 {
        a[i][0] = a[i][1];
        i += 1;
    }
    let embedded = [
        ratio(-582_099_335_757.0, 7_214_068_459_310.0),
        ratio(615_023_338_567.0, 3_362_626_566_945.0),
        ratio(3_192_122_436_311.0, 6_174_152_374_399.0),
        ratio(6_156_034_052_041.0, 14_430_468_657_929.0),
        ratio(-1_011_318_518_279.0, 9_693_750_372_484.0),
        ratio(1_914_490_192_573.0, 13_754_262_428_401.0),
    ];
    let mut error = [0.0; MAX_STAGES];
    error[0] = a[6][0] - embedded[0];
    error[6] = gamma - embedded[5];
    let mut i = 1;
    while i < 6 {
        error[i] = a[6][i] - embedded[i - 1];
        i += 1;
    }
    Tableau {
        stages: 7,
        error_order: 5,
        gamma,
        c: [
            0.0,
            0.368,
            ratio(7_121_331_996_143.0, 11_335_814_405_378.0),
            ratio(49.0, 353.0),
            ratio(3_706_679_970_760.0, 5_295_570_149_437.0),
            ratio(347.0, 382.0),
            1.0,
        ],
        a,
        error,
        quartic: [
            -1.681_711_057_314_288_5,
            2.329_264_413_981_873,
            -0.898_931_831_751_723_3,
            1.510_968_766_974_479_8,
            -2.808_229_307_153_761,
            0.929_669_674_669_693_1,
            0.618_969_340_593_727,
        ],
    }
};
