//! Components, each with its equations, units and ranges.
//!
//! Flows are positive into a component. Every number given to `new` is a parameter of the model
//! under the name of the argument; methods that fix a value at the start add the parameter
//! `start_…`.

macro_rules! component {
    (
        $(#[$doc:meta])*
        $name:ident($($field:ident: $range:expr),* $(,)?)
        $([$($start:ident: $variable:literal, $guess:expr);* $(;)?])?
        $({$($of:literal: $unit:literal),* $(,)?})?
        => $body:expr
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct $name {
            $($field: f64,)*
            $($($start: Option<f64>,)*)?
        }

        impl $name {
            /// The component with these parameters; their ranges are checked when it is added.
            #[must_use]
            #[allow(clippy::new_without_default, reason = "few components have no parameter")]
            pub const fn new($($field: f64),*) -> Self {
                Self { $($field,)* $($($start: None,)*)? }
            }

            $($(
                /// Fixes this quantity at the start.
                #[must_use]
                pub const fn $start(mut self, value: f64) -> Self {
                    self.$start = Some(value);
                    self
                }
            )*)?
        }

        impl $crate::component::Component for $name {
            fn into_part(
                self,
            ) -> Result<$crate::component::Part, $crate::error::ComponentError> {
                let body: fn(
                    $crate::component::ComponentSpecBuilder,
                ) -> $crate::component::ComponentSpecBuilder = $body;
                let spec = body($crate::component::ComponentSpec::builder(stringify!($name)));
                let spec = spec.trusted();
                $(let spec = spec$(.unit($of, $unit))*;)?
                $(let spec = spec.parameter(stringify!($field), self.$field, $range);)*
                $($(
                    let name = concat!("start_", stringify!($start));
                    let spec = $crate::library::start(spec, name, $variable, self.$start, $guess);
                )*)?
                Ok(spec.build()?.into())
            }
        }
    };
}

#[cfg(test)]
mod tests;

pub mod electrical;
pub mod fluid;
pub mod hydraulic;
pub mod planar;
pub mod rotational;
pub mod thermal;
pub mod translational;

use bifrons_expr::Expr;

use crate::component::{ComponentSpec, ComponentSpecBuilder};
use crate::domain::Domain;
use crate::range::Range;

/// The symbol of a local name.
fn s(name: &str) -> Expr {
    Expr::symbol(name)
}

/// A value at the start: fixed by a parameter, else guessed.
fn start(
    spec: ComponentSpecBuilder,
    parameter: &str,
    variable: &str,
    value: Option<f64>,
    guess: f64,
) -> ComponentSpecBuilder {
    match value {
        Some(value) => spec
            .parameter(parameter, value, Range::ANY)
            .fixed(s(variable), s(parameter)),
        None => spec.guess(variable, guess),
    }
}

/// Two connectors with equal and opposite flows.
fn two_ports(spec: ComponentSpecBuilder, domain: Domain, pins: [&str; 2]) -> ComponentSpecBuilder {
    let mut spec = spec.pin(pins[0], domain).pin(pins[1], domain);
    for pair in domain.pairs() {
        let flow = |pin: &str| Expr::symbol(format!("{pin}.{}", pair.flow));
        spec = spec.equation(flow(pins[0]) + flow(pins[1]), 0.0);
    }
    spec
}

/// Piecewise linear interpolation through points with ascending abscissae, constant slopes kept
/// beyond the ends.
fn table(x: &Expr, points: &[(f64, f64)]) -> Expr {
    let slope = |k: usize| {
        let ((x0, y0), (x1, y1)) = (points[k], points[k + 1]);
        (y1 - y0) / (x1 - x0)
    };
    let Some(&(first, value)) = points.first() else {
        return Expr::constant(0.0);
    };
    if points.len() == 1 {
        return Expr::constant(value);
    }
    let mut sum = value + slope(0) * (x - first);
    for k in 1..points.len() - 1 {
        let change = slope(k) - slope(k - 1);
        sum += change * (x - points[k].0).max(0.0).no_event();
    }
    sum
}

/// Checks the points of a table.
fn check_table(
    kind: &str,
    setting: &str,
    points: &[(f64, f64)],
) -> Result<(), crate::error::ComponentError> {
    let finite = points.iter().all(|(x, y)| x.is_finite() && y.is_finite());
    let ascending = points.windows(2).all(|pair| pair[0].0 < pair[1].0);
    if finite && ascending && !points.is_empty() {
        return Ok(());
    }
    Err(crate::error::ComponentError::Setting {
        kind: kind.to_owned(),
        setting: setting.to_owned(),
        requirement: "must have at least one point, finite and with ascending abscissae".to_owned(),
    })
}

/// A builder for a component that the macro does not fit.
fn builder(kind: &'static str) -> ComponentSpecBuilder {
    ComponentSpec::builder(kind).trusted()
}
