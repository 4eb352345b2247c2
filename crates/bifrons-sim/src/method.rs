//! The methods of a run.

use bifrons_ode::{InputError, Method};

/// Components up to which the implicit method runs: its factors are dense.
pub(crate) const MOST_STIFF: usize = 64;

/// How a run is integrated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunMethod {
    /// Dormand and Prince 5(4) with detection of stiffness. Where at least 15 steps are at the
    /// bound of its stability region (estimate of `h |λ|`: Hairer and Wanner 1996, section IV.2),
    /// a system of at most 64 states goes on with `Rodas5P`, through all later events. A run that
    /// is not stiff has the bits of [`RunMethod::Dopri5`]. Members of sweeps change each for
    /// itself.
    ///
    /// Detection takes up to 40 steps without an event that restarts the run; fewer steps between
    /// events cost less by the explicit method.
    #[default]
    Automatic,
    /// Dormand and Prince 5(4) throughout.
    Dopri5,
    /// The Rosenbrock method `Rodas5P` of order 5(4) throughout (Steinebach 2023), for stiff
    /// systems of at most 64 states. Jacobians are taken by differences.
    Rodas5P,
}

impl RunMethod {
    /// Whether runs of this many components can change their method.
    pub(crate) const fn may_change(self, components: usize) -> bool {
        matches!(self, Self::Automatic) && components <= MOST_STIFF
    }

    /// The method of the first step.
    pub(crate) const fn first(self) -> Method {
        match self {
            Self::Automatic | Self::Dopri5 => Method::Dopri5,
            Self::Rodas5P => Method::Rodas5P,
        }
    }

    /// The implicit method must have room for the states.
    pub(crate) const fn check(self, states: usize) -> Result<(), InputError> {
        if matches!(self, Self::Rodas5P) && states > MOST_STIFF {
            return Err(InputError::LaneDimension {
                found: states,
                most: MOST_STIFF,
            });
        }
        Ok(())
    }
}
