//! Bytes of the implicit methods.

use bifrons_memory::Footprint;

use super::{Bdf, ESDIRK4, ESDIRK5, Esdirk, RODAS4, RODAS5P, Radau, Rosenbrock, Setup, TR_BDF2};
use crate::method::Method;
use crate::problem::Problem;
use crate::tolerance::Tolerance;

/// Bytes that a run of `problem` with an implicit method allocates for the method itself; `None`
/// for an explicit one.
///
/// `fill` is the number of entries of the factors of a sparse iteration matrix, which is known
/// after a first factorisation only; for other structures it is not used. Of [`Method::Auto`] it is
/// what both methods allocate. Saved rows and the driver are not part of it.
///
/// ```
/// use bifrons_ode::{Method, closure, implicit_footprint};
/// let problem = closure(3, |_t, y, dy| dy.copy_from_slice(y));
/// let bytes = implicit_footprint(&problem, Method::Radau, 0);
/// assert!(bytes.is_some_and(|f| f.peak() > 3 * 8 * 20));
/// assert_eq!(implicit_footprint(&problem, Method::Dopri5, 0), None);
/// ```
#[must_use]
pub fn implicit_footprint<P: Problem>(
    problem: &P,
    method: Method,
    fill: usize,
) -> Option<Footprint> {
    let tolerance = Tolerance::default();
    let setup = Setup::new(problem, &tolerance);
    Some(match method {
        Method::Bdf => Bdf::footprint(&setup, fill),
        Method::Radau => Radau::footprint(&setup, fill),
        Method::Rodas4 => Rosenbrock::footprint(&setup, &RODAS4, fill),
        Method::Rodas5P => Rosenbrock::footprint(&setup, &RODAS5P, fill),
        Method::TrBdf2 => Esdirk::footprint(&setup, &TR_BDF2, fill),
        Method::Esdirk4 => Esdirk::footprint(&setup, &ESDIRK4, fill),
        Method::Esdirk5 => Esdirk::footprint(&setup, &ESDIRK5, fill),
        Method::Auto => crate::auto::footprint(&setup, fill),
        _ => return None,
    })
}
