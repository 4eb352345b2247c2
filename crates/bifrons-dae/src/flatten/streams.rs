//! Enthalpies at the nodes of fluid networks.

use std::sync::Arc;

use bifrons_expr::Expr;

use super::Flattening;
use crate::flat::{FlatEquation, Origin};

/// Mass flow in kg/s below which directions are blended.
const SMALL: f64 = 1e-8;

impl Flattening<'_> {
    /// What would flow into each connector of a node: the mixture of what flows out of the others.
    pub(super) fn streams(&mut self, pins: &[usize], names: &[Arc<str>]) {
        // Pressure, flow, enthalpy out, enthalpy in.
        let symbol = |pin: usize, part: usize| {
            let (leaf, connector) = self.pins[pin];
            let leaf = &self.leaves[leaf];
            let first = leaf.spec.connectors[connector].first;
            Expr::symbol(&leaf.symbols[first + part])
        };
        let weight = |pin: usize| {
            let m = symbol(pin, 1);
            SMALL + 0.5 * ((m.powi(2) + SMALL * SMALL).sqrt() - m)
        };
        let mut equations = Vec::with_capacity(pins.len());
        for (position, &pin) in pins.iter().enumerate() {
            let others = pins.iter().copied().filter(|other| *other != pin);
            let mixture = match *pins {
                [_] => symbol(pin, 2),
                [a, b] => symbol(if pin == a { b } else { a }, 2),
                _ => {
                    let mut sums: Option<(Expr, Expr)> = None;
                    for other in others {
                        let (carried, own) = (weight(other) * symbol(other, 2), weight(other));
                        sums = Some(match sums {
                            None => (carried, own),
                            Some((sum, whole)) => (sum + carried, whole + own),
                        });
                    }
                    let (sum, whole) = sums.unwrap_or_else(|| (symbol(pin, 2), 1.0.into()));
                    sum / whole
                }
            };
            equations.push(FlatEquation {
                left: symbol(pin, 3),
                right: mixture,
                origin: Origin::Signal {
                    target: Arc::from(format!("{}.h_in", names[position])),
                },
            });
        }
        self.model.equations.append(&mut equations);
    }
}
