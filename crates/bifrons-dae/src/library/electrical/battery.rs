//! A battery cell with a table of its open-circuit voltage.

use super::one_port;
use crate::component::{Component, Part};
use crate::error::ComponentError;
use crate::library::{builder, check_table, s, start, table};
use crate::name::der;
use crate::range::Range;

/// Battery cell: open-circuit voltage from a table, a resistance and pairs of resistance and
/// capacity.
///
/// ```text
/// v = ocv(soc) + r i + u1 + u2 + …
/// ck duk/dt = i - uk / rk
/// 3600 capacity dsoc/dt = i
/// ```
///
/// `capacity` in A h, `r` in Ω, pairs in Ω and F; `i` is positive when the cell is charged.
#[derive(Debug, Clone, PartialEq)]
pub struct Battery {
    capacity: f64,
    r: f64,
    ocv: Vec<(f64, f64)>,
    pairs: Vec<(f64, f64)>,
    soc: Option<f64>,
}

impl Battery {
    /// A cell of `capacity` A h with resistance `r` Ω and points `(soc, voltage)`.
    #[must_use]
    pub fn new(capacity: f64, r: f64, ocv: impl Into<Vec<(f64, f64)>>) -> Self {
        Self {
            capacity,
            r,
            ocv: ocv.into(),
            pairs: Vec::new(),
            soc: None,
        }
    }

    /// Adds a pair of resistance in Ω and capacity in F; its voltage starts at zero.
    #[must_use]
    pub fn pair(mut self, r: f64, c: f64) -> Self {
        self.pairs.push((r, c));
        self
    }

    /// Fixes the state of charge at the start, between 0 and 1.
    #[must_use]
    pub fn charge(mut self, soc: f64) -> Self {
        self.soc = Some(soc);
        self
    }
}

impl Component for Battery {
    fn into_part(self) -> Result<Part, ComponentError> {
        check_table("Battery", "ocv", &self.ocv)?;
        let mut voltage = table(&s("soc"), &self.ocv) + s("r") * s("i");
        let mut spec = one_port(builder("Battery"))
            .parameter("capacity", self.capacity, Range::POSITIVE)
            .parameter("r", self.r, Range::POSITIVE)
            .variable("soc")
            .equation(3600.0 * s("capacity") * der("soc"), s("i"));
        spec = start(spec, "start_charge", "soc", self.soc, 1.0);
        for (k, (r, c)) in self.pairs.iter().enumerate() {
            let name = |what: &str| format!("{what}{}", k + 1);
            let (u, rk, ck) = (name("u"), name("r"), name("c"));
            voltage += s(&u);
            spec = spec
                .variable(&u)
                .parameter(&rk, *r, Range::POSITIVE)
                .parameter(&ck, *c, Range::POSITIVE)
                .equation(s(&ck) * der(&u), s("i") - s(&u) / s(&rk))
                .fixed(s(&u), 0.0);
        }
        Ok(spec.equation(s("v"), voltage).build()?.into())
    }
}
