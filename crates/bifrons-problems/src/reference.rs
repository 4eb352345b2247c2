//! Problems with known solutions.

use bifrons_ode::{Closure, Problem};

/// The solution at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Time.
    pub t: f64,
    /// The state there.
    pub y: &'static [f64],
}

/// An initial-value problem with known values.
#[derive(Debug, Clone, Copy)]
pub struct Reference {
    /// Name, as in the scenarios `ode/NAME`.
    pub name: &'static str,
    /// The equations in words of mathematics.
    pub statement: &'static str,
    /// Where the values come from.
    pub source: &'static str,
    /// The state at time zero.
    pub initial: &'static [f64],
    /// The solution at some times, ascending.
    pub points: &'static [Point],
    rhs: fn(f64, &[f64], &mut [f64]),
}

impl Reference {
    /// Exponential decay, `y = exp(-t)`.
    #[must_use]
    pub fn decay() -> Self {
        Self {
            name: "decay",
            statement: "y' = -y",
            source: "closed form exp(-t)",
            initial: &[1.0],
            points: &[
                Point {
                    t: 1.0,
                    y: &[0.367_879_441_171_442_33],
                },
                Point {
                    t: 10.0,
                    y: &[4.539_992_976_248_485e-5],
                },
                Point {
                    t: 50.0,
                    y: &[1.928_749_847_963_917_8e-22],
                },
            ],
            rhs: |_t, y, dy| dy[0] = -y[0],
        }
    }

    /// Harmonic oscillator of frequency one, `x = cos t`, `v = -sin t`.
    #[must_use]
    pub fn oscillator() -> Self {
        Self {
            name: "oscillator",
            statement: "x' = v, v' = -x",
            source: "closed form cos t, -sin t",
            initial: &[1.0, 0.0],
            points: &[
                Point {
                    t: 1.0,
                    y: &[0.540_302_305_868_139_7, -0.841_470_984_807_896_5],
                },
                Point {
                    t: 10.0,
                    y: &[-0.839_071_529_076_452_4, 0.544_021_110_889_369_8],
                },
                Point {
                    t: 100.0,
                    y: &[0.862_318_872_287_683_9, 0.506_365_641_109_758_8],
                },
            ],
            rhs: |_t, y, dy| {
                dy[0] = y[1];
                dy[1] = -y[0];
            },
        }
    }

    /// Lorenz's system with the classical parameters σ = 10, ρ = 28, β = 8/3; errors grow like
    /// `exp(0.9 t)`.
    ///
    /// Lorenz, E. N. (1963): Deterministic nonperiodic flow. Journal of the Atmospheric Sciences
    /// 20, 130–141.
    #[must_use]
    pub fn lorenz() -> Self {
        Self {
            name: "lorenz",
            statement: "x' = 10 (y - x), y' = x (28 - z) - y, z' = x y - 8/3 z",
            source: "Radau IIA of order 17 in 113-bit arithmetic, at least 20 digits agree",
            initial: &[1.0, 0.0, 0.0],
            points: &[
                Point {
                    t: 1.0,
                    y: &[
                        -9.408_450_567_056_036,
                        -9.096_199_071_186_48,
                        28.581_627_624_392_34,
                    ],
                },
                Point {
                    t: 5.0,
                    y: &[
                        -6.974_570_472_684_818,
                        -7.021_060_890_822_53,
                        25.119_616_492_127_594,
                    ],
                },
            ],
            rhs: |_t, y, dy| {
                dy[0] = 10.0 * (y[1] - y[0]);
                dy[1] = y[0] * (28.0 - y[2]) - y[1];
                dy[2] = y[0] * y[1] - 8.0 / 3.0 * y[2];
            },
        }
    }

    /// All problems.
    #[must_use]
    pub fn all() -> [Self; 3] {
        [Self::decay(), Self::oscillator(), Self::lorenz()]
    }

    /// The right-hand side as a problem for [`bifrons_ode::solve`].
    #[must_use]
    pub fn problem(&self) -> impl Problem + use<> {
        bifrons_ode::closure(self.initial.len(), self.rhs)
    }

    /// Largest difference of a component from the reference, relative to the larger of one and
    /// the component.
    #[must_use]
    pub fn error(&self, state: &[f64], point: &Point) -> f64 {
        state
            .iter()
            .zip(point.y)
            .map(|(y, exact)| (y - exact).abs() / exact.abs().max(1.0))
            .fold(0.0, f64::max)
    }
}

/// A Lorenz problem in plain Rust with the dimension known at compile time and `ρ` free: the
/// fastest scalar form.
pub(crate) fn lorenz_closure(rho: f64) -> impl Problem {
    Closure::<_, 3>::fixed(move |_t: f64, y: &[f64], dy: &mut [f64]| {
        dy[0] = 10.0 * (y[1] - y[0]);
        dy[1] = y[0] * (rho - y[2]) - y[1];
        dy[2] = y[0] * y[1] - 8.0 / 3.0 * y[2];
    })
}
