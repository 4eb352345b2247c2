//! Bogacki and Shampine 3(2).

mod tables;

use super::control::Law;
use super::stages::{combine, explicit_stages, stage_time};
use tables::{A21, A32, A41, A42, A43, C2, C3, E1, E2, E3, E4};

explicit_stages! {
    "Bogacki and Shampine 3(2)", Law::new(3.0, 0.04), 2.4, 3, 7;
    arrays k1 k2 k3 k4;
    first k1; before_last k3; last k4;
    stage k2 at C2: A21 * k1;
    stage k3 at C3: A32 * k2;
    end: A41 * k1 + A42 * k2 + A43 * k3;
    error: E1 * k1 + E2 * k2 + E3 * k3 + E4 * k4;
}

/// The method as a type.
#[derive(Debug)]
pub(crate) enum Kind {}

impl super::tableau::Kind for Kind {
    type Arrays<'w> = Arrays<'w, 1>;
}
