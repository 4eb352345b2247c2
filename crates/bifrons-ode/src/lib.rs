//! Initial-value problems `y' = f(t, y)`, `y(t0) = y0`.
//!
//! ```
//! use bifrons_ode::{Options, Save, closure, solve};
//!
//! // y' = -y, y(0) = 1, recorded at t = 0, 1, 2.
//! let mut decay = closure(1, |_t, y, dy| dy[0] = -y[0]);
//! let save = Save::Times(vec![0.0, 1.0, 2.0]);
//! let solution = solve(&mut decay, 0.0, &[1.0], 2.0, &save, &Options::default())?;
//! assert!((solution.state(2)[0] - (-2.0_f64).exp()).abs() < 1e-6);
//! # Ok::<(), bifrons_ode::SolveError>(())
//! ```
//!
//! | need | entry point |
//! |---|---|
//! | one run, by any method, with events and stops | [`solve`], [`Method`], [`Problem`] |
//! | many members by implicit methods over threads, one analysis for all | [`solve_many`] |
//! | one run after the other in the same memory | [`solve_in`], [`ImplicitWorkspace`] |
//! | many members on lanes, with events | [`solve_members`], [`solve_members_with`] |
//! | derivatives of a solution | [`Model`], [`forward_sensitivities`], [`adjoint`] |
//! | bytes before a run | [`RunSize`], [`EnsembleWorkspace::footprint_for_method`] |
//!
//! A member of an ensemble has the same bits as the same problem solved alone.
//!
//! # Error norm
//!
//! A step is accepted when the weighted root mean square of its estimated local error,
//!
//! ```text
//! sqrt(1/n Σ_i (e_i / (atol_i + rtol max(|y_i|, |y_i new|)))²),
//! ```
//!
//! is at most one. A component whose error estimate is exactly zero contributes zero, also where
//! its weight vanishes. A norm that is not finite counts as infinite: the step is rejected and
//! shrunk.
#![forbid(unsafe_code)]

mod adjoint;
mod auto;
mod compiled;
mod dense;
mod drive;
mod ensemble;
mod error;
mod event;
mod explicit;
mod footprint;
mod implicit;
mod initial_step;
mod many;
mod method;
mod model;
mod options;
mod pool;
mod problem;
mod recorder;
mod scalar;
mod sensitivity;
mod solution;
mod solve;
mod statistics;
mod step;
mod stepper;
mod tangent;
mod tolerance;
mod watch;

pub use adjoint::{Gradient, adjoint};
pub use compiled::{Dop853, ExplicitMethod, solve_with};
pub use dense::{DenseSolution, OutsideSpan};
pub use ensemble::{Bs32, Dopri5, LaneMethod, Rodas4, Rodas5P, Tsit5};
pub use ensemble::{
    EnsembleWorkspace, Flow, MemberEnd, MemberEvent, MemberSink, Progress, Restart,
};
pub use ensemble::{solve_members, solve_members_with};
pub use error::{Failure, InputError, SolveError};
pub use event::{AtStart, Crossing, Event, EventLog, Fired, LoggedEvent, Response, RootRule};
pub use footprint::RunSize;
pub use implicit::{ImplicitWorkspace, implicit_footprint, make_consistent};
pub use implicit::{InitialError, InitialReport, Initialisation, Moved};
pub use many::{MemberProblem, solve_many};
pub use method::Method;
pub use model::{Model, Modelled};
pub use options::{Options, Save};
pub use problem::{Closure, Fault, LaneProblem, Problem, closure};
pub use problem::{Mass, MatrixMut, Pattern, Structure};
pub use problem::{WithEvents, WithIndex, WithJacobian, WithMass, WithRoots, WithStructure};
pub use scalar::{Dual, Scalar};
pub use sensitivity::{Sensitivities, forward_sensitivities};
pub use solution::{Outcome, Phase, Solution};
pub use solve::{solve, solve_in};
pub use statistics::Statistics;
pub use step::Step;
pub use tolerance::Tolerance;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
