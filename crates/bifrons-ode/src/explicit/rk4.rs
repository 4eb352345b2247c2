//! The classical method of order 4, with steps of one size.

mod tables;

use super::control::Law;
use super::stages::{combine, explicit_stages, stage_time};
use tables::{A21, A32, A43, A51, A52, A53, A54, C2, C3, E1};

explicit_stages! {
    "the classical method of order 4", Law::new(4.0, 0.0), 2.7, 4, 8;
    arrays k1 k2 k3 k4 k5;
    first k1; before_last k4; last k5;
    stage k2 at C2: A21 * k1;
    stage k3 at C3: A32 * k2;
    stage k4 at END: A43 * k3;
    end: A51 * k1 + A54 * k4 + A52 * k2 + A53 * k3;
    error: E1 * k5;
}

/// The method as a type.
#[derive(Debug)]
pub(crate) enum Kind {}

impl super::tableau::Kind for Kind {
    type Arrays<'w> = Arrays<'w, 1>;
}
