//! Methods of ensembles, named by type: a loop over lanes is compiled for each.

use super::rosenbrock;
use crate::explicit::{bs32, dopri5, tsit5};
use crate::step::View;

/// What a method of ensembles runs on.
pub(crate) trait Tableau {
    type Arrays<'w, const W: usize>: View<'w, W>;
}

/// A method of [`solve_members_with`](crate::solve_members_with); implemented by this crate only.
#[expect(
    private_bounds,
    reason = "sealed: the bound keeps other crates from implementing it"
)]
pub trait LaneMethod: Tableau {}

/// Dormand and Prince 5(4) on lanes: order 5, six evaluations per step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Dopri5;

/// Tsitouras 5(4) on lanes: order 5, six evaluations per step, a smaller error constant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tsit5;

/// Bogacki and Shampine 3(2) on lanes: order 3, three evaluations per step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bs32;

/// The Rosenbrock method RODAS of order 4(3) on lanes, for stiff problems
/// ([`Method::Rodas4`](crate::Method::Rodas4)).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rodas4;

/// The Rosenbrock method `Rodas5P` of order 5(4) on lanes, for stiff problems
/// ([`Method::Rodas5P`](crate::Method::Rodas5P)).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rodas5P;

impl Tableau for Dopri5 {
    type Arrays<'w, const W: usize> = dopri5::Arrays<'w, W>;
}
impl Tableau for Tsit5 {
    type Arrays<'w, const W: usize> = tsit5::Arrays<'w, W>;
}
impl Tableau for Bs32 {
    type Arrays<'w, const W: usize> = bs32::Arrays<'w, W>;
}
impl Tableau for Rodas4 {
    type Arrays<'w, const W: usize> = rosenbrock::Arrays<'w, Self, W>;
}
impl Tableau for Rodas5P {
    type Arrays<'w, const W: usize> = rosenbrock::Arrays<'w, Self, W>;
}

impl LaneMethod for Dopri5 {}
impl LaneMethod for Tsit5 {}
impl LaneMethod for Bs32 {}
impl LaneMethod for Rodas4 {}
impl LaneMethod for Rodas5P {}
