//! Multilinear interpolation on a product of axes.

mod corners;
mod place;

use bifrons_lanes::{Kernel, LANES, Level};

use corners::Corners;

use crate::axis::Grid;
use crate::error::{LengthError, ReadError, SpaceError};
use crate::extrapolation::Extrapolation;
use crate::space::ProductSpace;

/// Axes that one read takes; a read visits up to `2^axes` points.
const MOST_AXES: usize = 12;

/// Reads tables on a [`ProductSpace`] between the nodes.
///
/// ```text
/// value = Σ over the corners of the cell  Π over the axes  (1 - w or w) · table[corner]
/// ```
///
/// with the weights of [`Grid::bracket`]: they are not negative and add up to 1 inside the range.
/// One reader serves any number of tables; `table` has the length of the space, row-major.
///
/// - At a node the stored value comes back to the bit. A corner of weight zero is not read.
/// - An infinite corner of another weight makes the value that infinity; with infinite corners of
///   both signs, or a NaN corner, it is NaN. Gradient components across such a cell are 0 (NaN
///   with a NaN corner).
/// - Gradient components are the right derivative at interior nodes, the left one at the last
///   node, zero on categorical and one-point axes and on clamped axes outside their range.
/// - Each axis has its own [`Extrapolation`]. A categorical axis takes its codes only, whatever
///   the policy; an infinite query under linear extrapolation is moved to the largest finite
///   number. A NaN query gives NaN.
///
/// ```
/// use bifrons_grids::{Extrapolation, Irregular, Linear, Multilinear, ProductSpace};
///
/// let axes = [Irregular::new([2.0])?.into(), Linear::new(0.0, 2.0, 3)?.into()];
/// let reader = Multilinear::new(ProductSpace::new(axes)?, &[Extrapolation::Clamp; 2])?;
/// let mut gradient = [0.0; 2];
/// let value = reader.read_gradient(&[10.0, 20.0, 40.0], &[3.0, 1.5], &mut gradient)?;
/// assert_eq!((value, gradient), (30.0, [0.0, 20.0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Multilinear {
    space: ProductSpace,
    policies: Vec<Extrapolation>,
}

impl Multilinear {
    /// A reader with one policy per axis.
    ///
    /// # Errors
    ///
    /// [`SpaceError::Length`], [`SpaceError::TooManyAxes`] beyond 12 axes.
    pub fn new(space: ProductSpace, policies: &[Extrapolation]) -> Result<Self, SpaceError> {
        let axes = space.axes().len();
        LengthError::check("policies", policies.len(), axes)?;
        if axes > MOST_AXES {
            return Err(SpaceError::TooManyAxes {
                axes,
                most: MOST_AXES,
            });
        }
        let policies = policies
            .iter()
            .zip(space.shape())
            .map(|(policy, &count)| policy.on(count))
            .collect();
        Ok(Self { space, policies })
    }

    /// The space that the tables live on.
    #[must_use]
    pub const fn space(&self) -> &ProductSpace {
        &self.space
    }

    /// Value at one point.
    ///
    /// # Errors
    ///
    /// [`ReadError::Length`], [`ReadError::Outside`], [`ReadError::NotACode`].
    pub fn read(&self, table: &[f64], point: &[f64]) -> Result<f64, ReadError> {
        self.check(table, point.len())?;
        let corners = self.locate::<1>(0, 1, |axis, _| point[axis])?;
        Ok(corners.value(table)[0])
    }

    /// Value and gradient at one point.
    ///
    /// # Errors
    ///
    /// As [`Multilinear::read`].
    pub fn read_gradient(
        &self,
        table: &[f64],
        point: &[f64],
        gradient: &mut [f64],
    ) -> Result<f64, ReadError> {
        self.check(table, point.len())?;
        LengthError::check("gradient", gradient.len(), point.len())?;
        let corners = self.locate::<1>(0, 1, |axis, _| point[axis])?;
        for (axis, component) in gradient.iter_mut().enumerate() {
            *component = corners.derivative(table, axis)[0];
        }
        Ok(corners.value(table)[0])
    }

    /// Values at many points; `points` has one slice of queries per axis.
    ///
    /// Without allocation; bit-identical to [`Multilinear::read`].
    ///
    /// # Errors
    ///
    /// As [`Multilinear::read`], for the first bad query; all other answers are written, bad ones
    /// are NaN.
    pub fn read_into(
        &self,
        table: &[f64],
        points: &[&[f64]],
        values: &mut [f64],
    ) -> Result<(), ReadError> {
        self.pass(table, points, values, &mut [])
    }

    /// Values and gradients at many points; `gradients` has one slice per axis.
    ///
    /// # Errors
    ///
    /// As [`Multilinear::read_into`].
    pub fn read_gradients_into(
        &self,
        table: &[f64],
        points: &[&[f64]],
        values: &mut [f64],
        gradients: &mut [&mut [f64]],
    ) -> Result<(), ReadError> {
        LengthError::check("gradients", gradients.len(), points.len())?;
        for gradient in &*gradients {
            LengthError::check("gradients[axis]", gradient.len(), values.len())?;
        }
        self.pass(table, points, values, gradients)
    }

    /// Value at a point given by coordinates (fractional indices), see [`Grid::coordinate`].
    ///
    /// Linear in the coordinate in each cell; outside the outermost cell is continued, whatever
    /// the policy. An infinite or NaN coordinate gives NaN.
    ///
    /// # Errors
    ///
    /// [`ReadError::Length`], [`ReadError::NotACode`].
    pub fn read_at_coordinates(
        &self,
        table: &[f64],
        coordinates: &[f64],
    ) -> Result<f64, ReadError> {
        self.check(table, coordinates.len())?;
        if coordinates.iter().any(|coordinate| !coordinate.is_finite()) {
            return Ok(f64::NAN);
        }
        let mut corners = Corners::<1>::new();
        for (axis, &query) in coordinates.iter().enumerate() {
            let (count, stride) = (self.space.shape()[axis], self.space.strides()[axis]);
            if !self.space.axes()[axis].is_continuous() {
                let code = corners::whole(query, count);
                let code = code.ok_or(ReadError::NotACode {
                    index: 0,
                    axis,
                    query,
                    count,
                })?;
                corners.fix(axis, [code * stride]);
            } else if count < 2 {
                corners.fix(axis, [0]);
            } else {
                let cell = corners::cell_of(query, count);
                let weight = query - cell as f64;
                corners.span(axis, stride, [cell * stride], [weight], [1.0]);
            }
        }
        Ok(corners.value(table)[0])
    }

    /// Cells of sixteen points, to be read in several tables or at several codes of categorical
    /// axes: see [`Cells::value`]. `points` has one slice of [`LANES`] queries per axis.
    ///
    /// # Errors
    ///
    /// As [`Multilinear::read_into`].
    pub fn cells(&self, points: &[&[f64]]) -> Result<Cells, ReadError> {
        LengthError::check("point", points.len(), self.space.axes().len())?;
        for queries in points {
            LengthError::check("points[axis]", queries.len(), LANES)?;
        }
        Level::detect().dispatch(Locate {
            reader: self,
            points,
        })
    }

    fn check(&self, table: &[f64], axes: usize) -> Result<(), LengthError> {
        LengthError::check("table", table.len(), self.space.len())?;
        LengthError::check("point", axes, self.space.axes().len())
    }

    fn pass(
        &self,
        table: &[f64],
        points: &[&[f64]],
        values: &mut [f64],
        gradients: &mut [&mut [f64]],
    ) -> Result<(), ReadError> {
        self.check(table, points.len())?;
        for queries in points {
            LengthError::check("points[axis]", queries.len(), values.len())?;
        }
        Level::detect().dispatch(Pass {
            reader: self,
            table,
            points,
            values,
            gradients,
        })
    }
}

/// Where sixteen points are, see [`Multilinear::cells`].
#[derive(Debug)]
pub struct Cells {
    corners: Corners<LANES>,
    /// Entries of a table.
    count: usize,
}

impl Cells {
    /// Values in a table, `offset` entries behind the cells: a code times the stride of its axis,
    /// for an axis on which the points were located at code zero. The bits of
    /// [`Multilinear::read_into`] at these codes.
    ///
    /// Without allocation. An offset beyond the table is an error.
    ///
    /// # Errors
    ///
    /// [`ReadError::Length`].
    pub fn value(&self, table: &[f64], offset: usize) -> Result<[f64; LANES], ReadError> {
        LengthError::check("table", table.len(), self.count)?;
        let furthest = self.corners.furthest() + offset;
        LengthError::check("offset", furthest.min(self.count - 1), furthest)?;
        let table = &table[offset..];
        Ok(Level::detect().dispatch(ValueOf {
            corners: &self.corners,
            table,
        }))
    }
}

struct Locate<'a> {
    reader: &'a Multilinear,
    points: &'a [&'a [f64]],
}

impl Kernel for Locate<'_> {
    type Output = Result<Cells, ReadError>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        let points = self.points;
        let corners = self
            .reader
            .locate::<LANES>(0, LANES, |axis, lane| points[axis][lane])?;
        Ok(Cells {
            corners,
            count: self.reader.space.len(),
        })
    }
}

struct ValueOf<'a> {
    corners: &'a Corners<LANES>,
    table: &'a [f64],
}

impl Kernel for ValueOf<'_> {
    type Output = [f64; LANES];

    #[inline(always)]
    fn run(self) -> [f64; LANES] {
        self.corners.value(self.table)
    }
}

/// Blocks of lanes, read alike.
struct Pass<'a, 'g> {
    reader: &'a Multilinear,
    table: &'a [f64],
    points: &'a [&'a [f64]],
    values: &'a mut [f64],
    gradients: &'a mut [&'g mut [f64]],
}

impl Kernel for Pass<'_, '_> {
    type Output = Result<(), ReadError>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        let Self {
            reader,
            table,
            points,
            values,
            gradients,
        } = self;
        let mut outcome = Ok(());
        let mut from = 0;
        while from < values.len() {
            let width = LANES.min(values.len() - from);
            // Lanes beyond the last query repeat it; their results are dropped.
            let query = |axis: usize, lane: usize| points[axis][from + lane.min(width - 1)];
            match reader.locate::<LANES>(from, width, query) {
                Ok(corners) => {
                    let block = corners.value(table);
                    values[from..from + width].copy_from_slice(&block[..width]);
                    for (axis, gradient) in gradients.iter_mut().enumerate() {
                        let block = corners.derivative(table, axis);
                        gradient[from..from + width].copy_from_slice(&block[..width]);
                    }
                }
                Err(error) => {
                    outcome = outcome.and(Err(error));
                    for lane in 0..width {
                        let alone = reader.locate::<1>(from + lane, 1, |axis, _| query(axis, lane));
                        let corners = alone.ok();
                        let read =
                            |f: &dyn Fn(&Corners<1>) -> f64| corners.as_ref().map_or(f64::NAN, f);
                        values[from + lane] = read(&|c| c.value(table)[0]);
                        for (axis, gradient) in gradients.iter_mut().enumerate() {
                            gradient[from + lane] = read(&|c| c.derivative(table, axis)[0]);
                        }
                    }
                }
            }
            from += width;
        }
        outcome
    }
}
