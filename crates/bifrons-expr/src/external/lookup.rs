//! Tables as functions.

use crate::external::{Function, FunctionError};
use crate::interval::Interval;
use bifrons_grids::{Extrapolation, Grid, Interpolant, Method, Multilinear, ProductSpace, rank};
use std::sync::Arc;

/// Slopes of smooth methods that differ by less, relatively, are round-off.
const SAME_SLOPE: f64 = 1e-9;
/// Cost of finding a cell, in multiplications.
const SEARCH: usize = 20;

impl Function {
    /// A table of one argument, read by an interpolant of `bifrons-grids`.
    ///
    /// Value and derivative are those of [`Interpolant::read`], NaN outside under
    /// [`Extrapolation::Error`]. Where the slope jumps, at the nodes of straight pieces and at the
    /// ends under [`Extrapolation::Clamp`], the call has kinks, at seams jumps, see
    /// [`Expr::switches`](crate::Expr::switches). The second derivative is zero between the nodes of
    /// straight pieces, else by differences. Cost of a call: a binary search.
    ///
    /// # Errors
    ///
    /// [`FunctionError::Name`].
    ///
    /// ```
    /// use bifrons_expr::{Expr, Function};
    /// use bifrons_grids::{Extrapolation, Interpolant, Knots, Method};
    ///
    /// let nodes = Knots::strict(&[0.0, 1.0, 3.0]);
    /// let curve = Interpolant::new(Method::Linear, nodes, &[0.0, 2.0, 3.0], Extrapolation::Clamp)?;
    /// let torque = Function::table("torque", curve)?;
    /// let e = torque.call([Expr::symbol("w")])?;
    /// assert_eq!(e.evaluate(&mut |_| Some(2.0))?, 2.5);
    /// assert_eq!(e.switches().visible.len(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn table(name: impl Into<String>, interpolant: Interpolant) -> Result<Self, FunctionError> {
        let name = name.into();
        let curve = Arc::new(interpolant);
        let Places { kinks, jumps } = places(&curve);
        let straight = curve.method() == Method::Linear;
        let slope = {
            let curve = curve.clone();
            let read = move |x: &[f64]| curve.read(x[0]).map_or(f64::NAN, |r| r.slope);
            let slope = Self::builder(name.clone(), 1, read)
                .cost(SEARCH)
                .jumps(0, [&kinks[..], &jumps[..]].concat());
            let slope = if straight { slope.flat(0) } else { slope };
            slope.renamed(1)?
        };
        let range = range(&curve);
        Self::builder(name, 1, move |x| {
            curve.read(x[0]).map_or(f64::NAN, |reading| reading.value)
        })
        .derivative(0, slope)
        .cost(SEARCH)
        .within(range)
        .kinks(0, kinks)
        .jumps(0, jumps)
        .build()
    }

    /// A table of several arguments, multilinear between the points of a space.
    ///
    /// `table` holds one value per point in the numbering of the space (last axis contiguous),
    /// `policies` one per axis. Value and gradient are those of
    /// [`Multilinear::read_gradient`], NaN outside under [`Extrapolation::Error`]. Interior nodes
    /// of every axis are kinks, its ends, too, under [`Extrapolation::Clamp`]. The derivative by
    /// an argument has derivative zero by the same argument; mixed second derivatives are
    /// differences. Cost of a call: a search per axis and `2^n` points.
    ///
    /// # Errors
    ///
    /// [`FunctionError`] for a bad name, a table or policies of the wrong length, or more than 16
    /// axes.
    pub fn table_on(
        name: impl Into<String>,
        space: ProductSpace,
        policies: &[Extrapolation],
        table: impl Into<Vec<f64>>,
    ) -> Result<Self, FunctionError> {
        let (name, table) = (name.into(), table.into());
        let arity = space.axes().len();
        let bad = |problem: String| FunctionError::Table {
            name: name.clone(),
            problem,
        };
        if table.len() != space.len() {
            let (found, needed) = (table.len(), space.len());
            return Err(bad(format!("has {found} values: the space needs {needed}")));
        }
        let reader =
            Multilinear::new(space.clone(), policies).map_err(|error| bad(error.to_string()))?;
        let data = Arc::new((reader, table));
        let kinks: Vec<Vec<f64>> = space
            .axes()
            .iter()
            .zip(policies)
            .map(|(axis, policy)| axis_kinks(axis.nodes(), *policy))
            .collect();
        let cost = arity * SEARCH + (1 << arity.min(MOST_SHIFTS));
        let mut builder = {
            let data = data.clone();
            let read = move |x: &[f64]| data.0.read(&data.1, x).unwrap_or(f64::NAN);
            Self::builder(name.clone(), arity, read).cost(cost)
        };
        for (argument, kinks) in kinks.iter().enumerate() {
            builder = builder.kinks(argument, kinks.clone());
            let data = data.clone();
            let slope = move |x: &[f64]| {
                let mut gradient = [0.0; super::MOST_ARGUMENTS];
                let gradient = &mut gradient[..x.len()];
                match data.0.read_gradient(&data.1, x, gradient) {
                    Ok(_) => gradient[argument],
                    Err(_) => f64::NAN,
                }
            };
            let slope = Self::builder(name.clone(), arity, slope)
                .cost(2 * cost)
                .jumps(argument, kinks.clone())
                .flat(argument);
            builder = builder.derivative(argument, slope.renamed(argument + 1)?);
        }
        builder.build()
    }

    /// A staircase: the value of the last node that is not above the argument.
    ///
    /// ```text
    /// f(x) = values[i]   for nodes[i] <= x < nodes[i + 1],   f(x) = values[0] below all nodes
    /// ```
    ///
    /// Nodes increase strictly and are finite; each one but the first is a jump, slopes are zero.
    /// For the nearest of some points take their midpoints as nodes.
    ///
    /// # Errors
    ///
    /// [`FunctionError`] for a bad name, no nodes, nodes that do not increase, or another number
    /// of values.
    pub fn steps(
        name: impl Into<String>,
        nodes: impl Into<Vec<f64>>,
        values: impl Into<Vec<f64>>,
    ) -> Result<Self, FunctionError> {
        let (name, nodes, values) = (name.into(), nodes.into(), values.into());
        let bad = |problem: String| FunctionError::Table {
            name: name.clone(),
            problem,
        };
        if nodes.len() != values.len() || nodes.is_empty() {
            let (found, needed) = (values.len(), nodes.len());
            return Err(bad(format!(
                "has {found} values at {needed} nodes: give one value per node, at least one"
            )));
        }
        let rises = nodes.windows(2).all(|pair| pair[0] < pair[1]);
        if !rises || nodes.iter().any(|node| !node.is_finite()) {
            return Err(bad(
                "has nodes that are not finite and increasing".to_owned()
            ));
        }
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let jumps = nodes[1..].to_vec();
        Self::builder(name, 1, move |x| {
            if x[0].is_nan() {
                return f64::NAN;
            }
            values[rank(&nodes, x[0]).saturating_sub(1)]
        })
        .flat(0)
        .cost(SEARCH)
        .within(Interval::new(low, high))
        .jumps(0, jumps)
        .build()
    }
}

/// The cost is an estimate: a bound keeps it in range.
const MOST_SHIFTS: usize = 10;

struct Places {
    kinks: Vec<f64>,
    jumps: Vec<f64>,
}

/// Where slope and value of an interpolant jump.
fn places(curve: &Interpolant) -> Places {
    let nodes = curve.nodes();
    let mut places = Places {
        kinks: vec![],
        jumps: vec![],
    };
    let (Some(first), Some(last)) = (nodes.first(), nodes.last()) else {
        return places;
    };
    let pieces = matches!(
        curve.method(),
        Method::Linear | Method::InverseUtility { .. }
    );
    let tolerance = if pieces { 0.0 } else { SAME_SLOPE };
    let differs = |a: f64, b: f64, tolerance: f64| {
        let same = (a - b).abs() <= tolerance * a.abs().max(b.abs()) || a.to_bits() == b.to_bits();
        !same
    };
    let clamped = curve.extrapolation() == Extrapolation::Clamp;
    for &node in nodes {
        let (Ok(left), Ok(right)) = (curve.read_left(node), curve.read_right(node)) else {
            continue;
        };
        // Beyond the ends a clamped curve is flat.
        let outer = |inside: f64, end: bool| if end && clamped { 0.0 } else { inside };
        let below = outer(left.slope, node <= *first);
        let above = outer(right.slope, node >= *last);
        let list = if differs(left.value, right.value, 0.0) {
            &mut places.jumps
        } else if differs(below, above, tolerance) {
            &mut places.kinks
        } else {
            continue;
        };
        if list.last().is_none_or(|known| *known < node) {
            list.push(node);
        }
    }
    places
}

/// Bounds of all values, where the method shows them.
fn range(curve: &Interpolant) -> Interval {
    let monotone = matches!(curve.method(), Method::Linear | Method::MonotoneCubic(_));
    let unknown = Interval::new(f64::NAN, f64::NAN);
    if !monotone || curve.extrapolation() != Extrapolation::Clamp {
        return unknown;
    }
    let ends = curve.nodes().iter().map(|node| {
        let right = curve.read(*node).map_or(f64::NAN, |r| r.value);
        let left = curve.read_left(*node).map_or(f64::NAN, |r| r.value);
        Interval::new(left, right)
    });
    let hull = ends.reduce(Interval::hull).unwrap_or(unknown);
    // Interpolation rounds: a few units in the last place of the larger end.
    let room = 8.0 * f64::EPSILON * hull.low().abs().max(hull.high().abs());
    hull.hull(Interval::new(hull.low() - room, hull.high() + room))
}

fn axis_kinks(nodes: &[f64], policy: Extrapolation) -> Vec<f64> {
    let inner = nodes.len().saturating_sub(1).max(1);
    match policy {
        Extrapolation::Clamp if nodes.len() > 1 => nodes.to_vec(),
        _ => nodes[1.min(nodes.len())..inner].to_vec(),
    }
}
