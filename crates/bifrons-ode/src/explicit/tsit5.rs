//! Tsitouras 5(4).

mod tables;

use super::control::Law;
use super::stages::{combine, explicit_stages, stage_time};
use tables::{
    A21, A31, A32, A41, A42, A43, A51, A52, A53, A54, A61, A62, A63, A64, A65, A71, A72, A73, A74,
    A75, A76, C2, C3, C4, C5, D1, D2, D3, D4, D5, D6, D7, E1, E2, E3, E4, E5, E6, E7,
};

explicit_stages! {
    "Tsitouras 5(4)", Law::new(5.0, 0.04), 3.25, 6, 10;
    arrays k1 k2 k3 k4 k5 k6 k7;
    first k1; before_last k6; last k7;
    stage k2 at C2: A21 * k1;
    stage k3 at C3: A31 * k1 + A32 * k2;
    stage k4 at C4: A41 * k1 + A42 * k2 + A43 * k3;
    stage k5 at C5: A51 * k1 + A52 * k2 + A53 * k3 + A54 * k4;
    stage k6 at END: A61 * k1 + A62 * k2 + A63 * k3 + A64 * k4 + A65 * k5;
    end: A71 * k1 + A72 * k2 + A73 * k3 + A74 * k4 + A75 * k5 + A76 * k6;
    error: E1 * k1 + E2 * k2 + E3 * k3 + E4 * k4 + E5 * k5 + E6 * k6 + E7 * k7;
    dense: D1 * k1 + D2 * k2 + D3 * k3 + D4 * k4 + D5 * k5 + D6 * k6 + D7 * k7;
}

/// The method as a type.
#[derive(Debug)]
pub(crate) enum Kind {}

impl super::tableau::Kind for Kind {
    type Arrays<'w> = Arrays<'w, 1>;
}
