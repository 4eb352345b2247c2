//! States and actions of a regime as numbers: order, grids, coordinates.

use bifrons_expr::Symbol;
use bifrons_grids::{Axis, Categorical, Extrapolation, Grid, Irregular, Multilinear, ProductSpace};
use bifrons_shocks::MarkovChain;

use crate::domain::{Domain, Kind};
use crate::error::BuildError;

/// A state in storage order: categories and processes first, continuous states last.
#[derive(Debug, Clone)]
pub(crate) struct Quantity {
    pub(crate) name: String,
    pub(crate) symbol: Symbol,
    pub(crate) kind: QuantityKind,
    pub(crate) outside: Extrapolation,
    pub(crate) batch_size: usize,
}

#[derive(Debug, Clone)]
pub(crate) enum QuantityKind {
    Continuous,
    /// A continuous action without a grid.
    Free,
    Categorical(Vec<String>),
    Process(MarkovChain),
}

impl Quantity {
    pub(crate) fn is_continuous(&self) -> bool {
        matches!(self.kind, QuantityKind::Continuous | QuantityKind::Free)
    }

    /// The number that formulas see for a coordinate: the node of a process, else the coordinate.
    pub(crate) fn value(&self, coordinate: f64) -> f64 {
        match &self.kind {
            QuantityKind::Process(chain) => chain.nodes()[code(coordinate)],
            _ => coordinate,
        }
    }
}

/// A coordinate that is a code.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "codes are small whole numbers; anything else saturates"
)]
pub(crate) fn code(coordinate: f64) -> usize {
    coordinate as usize
}

/// The grid of a regime at one age.
#[derive(Debug, Clone)]
pub(crate) struct Space {
    /// Coordinates: values of continuous axes, codes of all others.
    pub(crate) reader: Multilinear,
}

impl Space {
    pub(crate) fn len(&self) -> usize {
        self.reader.space().len()
    }

    /// Number of the discrete part of a point and its last coordinate; `None` if the length or a
    /// code is wrong.
    pub(crate) fn cell_of(&self, point: &[f64]) -> Option<(usize, f64)> {
        let axes = self.reader.space().axes();
        let (&liquid, discrete) = point.split_last()?;
        let (_, axes) = axes.split_last().filter(|_| axes.len() == point.len())?;
        let mut cell = 0;
        for (value, axis) in discrete.iter().zip(axes) {
            cell = cell * axis.len()
                + axis
                    .nodes()
                    .iter()
                    .position(|node| node.total_cmp(value).is_eq())?;
        }
        Some((cell, liquid))
    }

    /// Number of the discrete part of a point, in front of so many continuous coordinates.
    pub(crate) fn discrete_cell(&self, discrete: &[f64], continuous: usize) -> Option<usize> {
        let axes = self.reader.space().axes();
        if discrete.len() + continuous != axes.len() {
            return None;
        }
        let mut cell = 0;
        for (value, axis) in discrete.iter().zip(axes) {
            let same = |node: &f64| node.total_cmp(value).is_eq();
            cell = cell * axis.len() + axis.nodes().iter().position(same)?;
        }
        Some(cell)
    }

    /// Coordinates of a cell.
    pub(crate) fn point_into(&self, mut flat: usize, point: &mut [f64]) {
        let space = self.reader.space();
        for ((value, &stride), axis) in point.iter_mut().zip(space.strides()).zip(space.axes()) {
            *value = axis.nodes()[flat / stride];
            flat %= stride;
        }
    }
}

/// Quantities in storage order with the axes of one age, and what is wrong with them.
pub(crate) struct Declared<'a> {
    pub(crate) regime: &'a str,
    pub(crate) entries: &'a [(String, Domain)],
    /// The continuous quantity that comes last.
    pub(crate) last: Option<&'a str>,
    /// Whether a quantity without a grid gets one node.
    pub(crate) free: bool,
}

impl Declared<'_> {
    /// The entries in storage order.
    pub(crate) fn quantities(&self, age: f64, errors: &mut Vec<BuildError>) -> Vec<Quantity> {
        let mut all: Vec<Quantity> = self
            .entries
            .iter()
            .map(|(name, domain)| Quantity {
                name: name.clone(),
                symbol: Symbol::new(name),
                kind: self.kind(name, domain, age, errors),
                outside: domain.outside,
                batch_size: domain.batch_size,
            })
            .collect();
        all.sort_by_key(|own| (own.is_continuous(), self.last == Some(&*own.name)));
        all
    }

    fn kind(
        &self,
        name: &str,
        domain: &Domain,
        age: f64,
        errors: &mut Vec<BuildError>,
    ) -> QuantityKind {
        match &domain.kind {
            Kind::Free => QuantityKind::Free,
            Kind::Process(chain) => QuantityKind::Process(chain.clone()),
            Kind::Axis(axis) => kind_of(axis),
            Kind::ByAge(of) => match of(age) {
                Ok(axis) => kind_of(&axis),
                Err(error) => {
                    errors.push(BuildError::new(
                        "E-GRID",
                        self.regime,
                        name,
                        format!("the grid at age {age} does not exist: {error}"),
                        "correct the function of age",
                    ));
                    QuantityKind::Continuous
                }
            },
        }
    }

    /// Axes of coordinates at an age, in the order of the quantities.
    pub(crate) fn axes(
        &self,
        quantities: &[Quantity],
        age: f64,
        errors: &mut Vec<BuildError>,
    ) -> Option<Vec<Axis>> {
        let mut axes = Vec::with_capacity(quantities.len());
        for quantity in quantities {
            let (_, domain) = self
                .entries
                .iter()
                .find(|(name, _)| *name == quantity.name)?;
            let axis = match &domain.kind {
                Kind::Axis(axis) => Some(axis.clone()),
                Kind::ByAge(of) => of(age).ok(),
                Kind::Process(chain) => codes(chain.node_count()),
                Kind::Free if self.free => Irregular::new([1.0]).ok().map(Axis::from),
                Kind::Free => None,
            };
            let Some(axis) = axis else {
                errors.push(BuildError::new(
                    "E-GRID",
                    self.regime,
                    &quantity.name,
                    format!("there is no grid at age {age}"),
                    "give a grid, or a solver that chooses the action freely",
                ));
                return None;
            };
            let same = match (&axis, &quantity.kind) {
                (Axis::Categorical(own), QuantityKind::Categorical(labels)) => {
                    own.labels() == labels.as_slice()
                }
                (Axis::Categorical(_), QuantityKind::Process(_)) => true,
                (own, kind) => {
                    own.is_continuous()
                        == matches!(kind, QuantityKind::Continuous | QuantityKind::Free)
                }
            };
            if !same {
                errors.push(BuildError::new(
                    "E-GRID-AGE",
                    self.regime,
                    &quantity.name,
                    format!("the kind of grid at age {age} differs from that at the first age"),
                    "use the same labels, or a continuous grid, at all ages",
                ));
                return None;
            }
            axes.push(axis);
        }
        Some(axes)
    }
}

fn kind_of(axis: &Axis) -> QuantityKind {
    match axis {
        Axis::Categorical(own) => QuantityKind::Categorical(own.labels().to_vec()),
        _ => QuantityKind::Continuous,
    }
}

/// Codes `0..count` as an axis.
fn codes(count: usize) -> Option<Axis> {
    Categorical::unordered((0..count).map(|code| code.to_string()))
        .ok()
        .map(Axis::from)
}

/// The space of some axes with the policies of the states.
pub(crate) fn space(
    regime: &str,
    states: &[Quantity],
    axes: Vec<Axis>,
    errors: &mut Vec<BuildError>,
) -> Option<Space> {
    let policies: Vec<Extrapolation> = states
        .iter()
        .zip(&axes)
        .map(|(state, axis)| match state.outside {
            // A grid of one node is a constant.
            Extrapolation::Linear if axis.len() == 1 => Extrapolation::Clamp,
            policy => policy,
        })
        .collect();
    let reader = ProductSpace::new(axes).and_then(|space| Multilinear::new(space, &policies));
    match reader {
        Ok(reader) => Some(Space { reader }),
        Err(error) => {
            errors.push(BuildError::new(
                "E-GRID-SIZE",
                regime,
                "states",
                error.to_string(),
                "use fewer or coarser states",
            ));
            None
        }
    }
}
