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
