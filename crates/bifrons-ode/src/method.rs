//! The methods that a single run can choose from.

use crate::error::InputError;

/// Method of a single run.
///
/// | method | order | evaluations per step | dense output | for |
/// |---|---|---|---|---|
/// | [`Method::Rk4`] | 4 | 4 | order 3 | steps of one size |
/// | [`Method::Bs32`] | 3(2) | 3 | order 3 | loose tolerances |
/// | [`Method::Dopri5`] | 5(4) | 6 | order 4 | the default |
/// | [`Method::Tsit5`] | 5(4) | 6 | order 4 | as Dopri5, smaller error constant |
/// | [`Method::Dop853`] | 8(5,3) | 12, and 3 if looked into | order 7 | tight tolerances |
/// | [`Method::Bdf`] | 1 to 5 | about 2 | order of the step | stiff, many components or loose tolerances |
/// | [`Method::Radau`] | 5 | about 10 | order 3 | stiff, all tolerances; index 1 to 3 |
/// | [`Method::Rodas4`] | 4(3) | 6 to 8 and a Jacobian | order 3 | stiff, few components, loose tolerances |
/// | [`Method::Rodas5P`] | 5(4) | 8 to 10 and a Jacobian | order 4 | stiff, few components |
/// | [`Method::TrBdf2`] | 2 | about 4 | order 2 | stiff, loose tolerances, rough solutions |
/// | [`Method::Esdirk4`] | 4(3) | about 10 | order 4 | stiff, large systems, oscillations |
/// | [`Method::Esdirk5`] | 5(4) | about 13 | order 4 | as Esdirk4, tighter tolerances |
/// | [`Method::Auto`] | 5(4), 1 to 5 | as those | of the method | unknown or changing stiffness |
///
/// Implicit methods take mass matrices, singular ones included.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub enum Method {
    /// Dormand and Prince 5(4).
    #[default]
    Dopri5,
    /// Tsitouras 5(4).
    Tsit5,
    /// Bogacki and Shampine 3(2).
    Bs32,
    /// Dormand and Prince 8(5,3).
    Dop853,
    /// The classical Runge-Kutta method of order 4 with steps of one size; tolerances are not
    /// used. The last step before a stop, an event or the end is shorter. A step that gives no
    /// finite state is an error, because it cannot be made smaller.
    Rk4 {
        /// Step size, positive.
        step: f64,
    },
    /// Numerical differentiation formulas of variable order 1 to 5 with quasi-constant steps
    /// (Klopfenstein 1971; Shampine and Reichelt 1997, The MATLAB ODE suite).
    Bdf,
    /// Radau IIA of order 5 with three stages, for stiff problems and systems of index 1 to 3
    /// (Hairer and Wanner 1996, Solving Ordinary Differential Equations II, section IV.8). Steps
    /// are chosen for `0.1 rtol^(2/3)`, so that the error follows the tolerance asked for.
    Radau,
    /// The Rosenbrock method RODAS of order 4(3) (Hairer and Wanner 1996, section IV.7).
    Rodas4,
    /// The Rosenbrock method `Rodas5P` of order 5(4) (Steinebach 2023, Construction of
    /// Rosenbrock-Wanner method `Rodas5P`).
    Rodas5P,
    /// A trapezoidal rule and a differentiation formula in each step (Hosea and Shampine 1996,
    /// Analysis and implementation of TR-BDF2). L-stable. The estimate is that of the local error,
    /// `O(h³)`, so the global error, `O(h²)`, falls with the power 2/3 of the tolerance: of every
    /// order `p` with `p / (p + 1)`, which is seen here most.
    TrBdf2,
    /// `ESDIRK4(3)6L[2]SA` (Kennedy and Carpenter 2016, Diagonally implicit Runge-Kutta methods for
    /// ordinary differential equations, a review). L-stable, also on the imaginary axis, where
    /// differentiation formulas are not.
    Esdirk4,
    /// `ESDIRK5(4)7L[2]SA2` (Kennedy and Carpenter 2019, Diagonally implicit Runge-Kutta methods for
    /// stiff ODEs). L-stable.
    Esdirk5,
    /// [`Method::Tsit5`] where the problem is not stiff, elsewhere [`Method::Rodas5P`] up to 16
    /// components and [`Method::Bdf`] above; with a mass matrix the implicit method throughout.
    ///
    /// A run changes after ten signs that stability chooses the explicit steps (`h |λ|` from the
    /// last two stages; Hairer and Wanner 1996, section IV.2), and back when implicit steps stay
    /// well within the stability region for a bound of the spectral radius (Petzold 1983,
    /// Automatic selection of methods for solving stiff and nonstiff systems of ordinary
    /// differential equations). Waits double after a change that did not last.
    /// [`Solution::phases`](crate::Solution::phases) says which method ran when. Where nothing is
    /// stiff a run has the bits of Tsit5. Cost beside it: `4 n` flops per step.
    Auto,
}

impl Method {
    /// Name in messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dopri5 => "Dopri5",
            Self::Tsit5 => "Tsit5",
            Self::Bs32 => "Bs32",
            Self::Dop853 => "Dop853",
            Self::Rk4 { .. } => "Rk4",
            Self::Bdf => "Bdf",
            Self::Radau => "Radau",
            Self::Rodas4 => "Rodas4",
            Self::Rodas5P => "Rodas5P",
            Self::TrBdf2 => "TrBdf2",
            Self::Esdirk4 => "Esdirk4",
            Self::Esdirk5 => "Esdirk5",
            Self::Auto => "Auto",
        }
    }

    pub(crate) fn check(self) -> Result<(), InputError> {
        match self {
            Self::Rk4 { step } if !(step > 0.0 && step.is_finite()) => {
                Err(InputError::StepOption {
                    which: "fixed",
                    value: step,
                })
            }
            _ => Ok(()),
        }
    }
}
