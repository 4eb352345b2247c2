//! Utility of consumption in one cell and branch, in the fastest form that is it.

use core::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use bifrons_egm::{Cara, CesScale, Crra, NumericInverse, Scaled, SmoothUtility, Utility};
use bifrons_lanes::{LANES, Level, math};

use crate::program::{Lane, Machine, Program};

/// Utility of consumption with everything else fixed.
#[derive(Debug)]
pub(crate) enum CellUtility {
    Crra(Crra),
    ScaledCrra(Scaled<Crra>),
    ScaledCara(Scaled<Cara>),
    Formula(Box<NumericInverse<Formula>>),
    /// Of Epstein-Zin preferences: rows are on a scale on which they are additive.
    Recursive(Scaled<Crra>, CesScale),
}

impl CellUtility {
    pub(crate) fn as_dyn(&self) -> &dyn Utility {
        match self {
            Self::Crra(own) => own,
            Self::ScaledCrra(own) => own,
            Self::ScaledCara(own) => own,
            Self::Formula(own) => &**own,
            Self::Recursive(own, _) => own,
        }
    }

    /// The scale of the rows, if it is not that of values.
    pub(super) fn scale(&self) -> Option<&CesScale> {
        match self {
            Self::Recursive(_, scale) => Some(scale),
            _ => None,
        }
    }

    /// The value that a row says on its scale.
    pub(super) fn value(&self, read: f64) -> f64 {
        self.scale().map_or(read, |scale| scale.value(read))
    }

    /// The utility of Epstein-Zin preferences whose flow is `A c^φ`; the outputs beyond the
    /// derivatives are discount factor, risk aversion and substitution. `None` for another flow
    /// or parameters that have no such utility.
    pub(super) fn recursive(
        program: &Program,
        machine: &mut Machine,
        action: usize,
        scale: f64,
    ) -> Option<Self> {
        let points = sample(scale);
        machine.slots[action] = points;
        program.run(Level::detect(), machine);
        let outputs = program.outputs(machine);
        let (flow, marginal) = (outputs[0], outputs[1]);
        let (discount, substitution) = (outputs[3][0], outputs[5][0]);
        let elasticity = core::array::from_fn(|l| points[l] * marginal[l] / flow[l]);
        let power = constant(&elasticity).filter(|_| flow.iter().all(|q| *q > 0.0))?;
        // Where consumption is nearest to one its power has the fewest digits to lose.
        let distance = |lane: &usize| math::ln(points[*lane]).abs();
        let at = (0..LANES).min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        let factor = flow[at] / math::pow(points[at], power);
        let own = CesScale::new(substitution).ok()?;
        let utility = own.utility(discount, (factor, power)).ok()?;
        Some(Self::Recursive(utility, own))
    }

    /// The utility of a row that is never read.
    pub(super) fn any() -> Self {
        Self::Crra(Crra::log())
    }

    /// Recognises the utility from its values and derivatives at sixteen points.
    ///
    /// Constant relative risk aversion `-c u''/u'` makes it CRRA, constant absolute risk aversion
    /// `-u''/u'` CARA, each times a factor plus a constant; otherwise the formula is used with a
    /// numeric inverse. `None` if marginal utility is not positive and falling.
    pub(super) fn recognise(
        program: &Arc<Program>,
        machine: &mut Machine,
        action: usize,
        scale: f64,
    ) -> Option<Self> {
        let points = sample(scale);
        machine.slots[action] = points;
        program.run(Level::detect(), machine);
        let outputs = program.outputs(machine);
        let (value, marginal, curvature) = (outputs[0], outputs[1], outputs[2]);
        let falls = |lane: usize| marginal[lane] > 0.0 && curvature[lane] < 0.0;
        if !(0..LANES).all(falls) {
            return None;
        }
        let absolute: Lane = core::array::from_fn(|l| -curvature[l] / marginal[l]);
        let relative: Lane = core::array::from_fn(|l| absolute[l] * points[l]);
        let found = match (constant(&relative), constant(&absolute)) {
            (Some(rho), _) => crra(rho, &points, &value, &marginal),
            (None, Some(alpha)) => cara(alpha, &points, &value, &marginal),
            (None, None) => None,
        };
        found
            .filter(|own| agrees(own, &points, &value, &marginal))
            .or_else(|| {
                let formula = Formula {
                    program: program.clone(),
                    machine: Mutex::new(machine.clone()),
                    action,
                };
                let inverse = NumericInverse::new(formula, 1e-8 * scale, 1e3 * scale).ok()?;
                Some(Self::Formula(Box::new(inverse)))
            })
    }
}

/// Sixteen amounts of consumption, by powers of two up to a scale.
fn sample(scale: f64) -> Lane {
    core::array::from_fn(|lane| scale * 2.0_f64.powi(i32::try_from(lane).unwrap_or(0) - 15))
}

/// The number that all entries are, up to rounding; short decimals are taken as meant.
fn constant(values: &Lane) -> Option<f64> {
    let first = values[LANES / 2];
    let close = |value: &f64| (value - first).abs() <= 1e-11 * first.abs();
    if !(first > 0.0 && values.iter().all(close)) {
        return None;
    }
    let short: f64 = format!("{first:.9}").parse().ok()?;
    Some(if close(&short) { short } else { first })
}

fn crra(rho: f64, points: &Lane, value: &Lane, marginal: &Lane) -> Option<CellUtility> {
    // Far from one the plain form has no constant to lose digits by.
    let own = if (rho - 1.0).abs() < 0.1 {
        Crra::normalised(rho)
    } else {
        Crra::new(rho)
    };
    let own = own.ok()?;
    let (factor, shift) = fit(&own, points, value, marginal);
    if factor.to_bits() == 1.0_f64.to_bits() && shift == 0.0 {
        return Some(CellUtility::Crra(own));
    }
    Scaled::new(own, factor, shift)
        .ok()
        .map(CellUtility::ScaledCrra)
}

fn cara(alpha: f64, points: &Lane, value: &Lane, marginal: &Lane) -> Option<CellUtility> {
    let own = Cara::new(alpha).ok()?;
    let (factor, shift) = fit(&own, points, value, marginal);
    Scaled::new(own, factor, shift)
        .ok()
        .map(CellUtility::ScaledCara)
}

/// Factor and constant, read off the points where marginal utility is near one.
fn fit(own: &dyn Utility, points: &Lane, value: &Lane, marginal: &Lane) -> (f64, f64) {
    let distance = |lane: &usize| own.marginal(points[*lane]).ln().abs();
    let near = (0..LANES).min_by(|a, b| distance(a).total_cmp(&distance(b)));
    let at = near.unwrap_or(0);
    let factor = marginal[at] / own.marginal(points[at]);
    let factor = if (factor - 1.0).abs() <= 1e-12 {
        1.0
    } else {
        factor
    };
    let shift = value[at] - factor * own.value(points[at]);
    let level = value[at].abs() + (factor * own.value(points[at])).abs();
    let shift = if shift.abs() <= 1e-14 * level {
        0.0
    } else {
        shift
    };
    (factor, shift)
}

/// Whether a form has the values and marginals that were sampled.
fn agrees(own: &CellUtility, points: &Lane, value: &Lane, marginal: &Lane) -> bool {
    let own = own.as_dyn();
    (0..LANES).all(|lane| {
        let c = points[lane];
        let level = value[lane].abs().max(marginal[lane] * c);
        (own.marginal(c) - marginal[lane]).abs() <= 1e-11 * marginal[lane]
            && (own.value(c) - value[lane]).abs() <= 1e-11 * level
    })
}

/// A formula, evaluated on its program one number at a time.
pub(crate) struct Formula {
    program: Arc<Program>,
    machine: Mutex<Machine>,
    action: usize,
}

impl fmt::Debug for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("formula")
    }
}

impl Formula {
    fn at(&self, consumption: f64, output: usize) -> f64 {
        let mut machine = self.machine.lock().unwrap_or_else(PoisonError::into_inner);
        machine.slots[self.action] = [consumption; LANES];
        self.program.run(Level::detect(), &mut machine);
        self.program.outputs(&machine)[output][0]
    }
}

impl SmoothUtility for Formula {
    fn value(&self, consumption: f64) -> f64 {
        self.at(consumption, 0)
    }

    fn marginal(&self, consumption: f64) -> f64 {
        self.at(consumption, 1)
    }

    fn curvature(&self, consumption: f64) -> f64 {
        self.at(consumption, 2)
    }
}
