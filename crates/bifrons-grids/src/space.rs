//! Products of axes and their row-major numbering.

use std::sync::Arc;

use crate::axis::{Axis, Grid};
use crate::error::{LengthError, SpaceError};

/// The points of several axes, numbered row-major: the last axis is contiguous.
///
/// ```text
/// flat = Σ index[a] · stride[a],   stride[last] = 1,   stride[a] = stride[a + 1] · count[a + 1]
/// ```
///
/// Without axes there is one point. Cloning is cheap: the axes are shared.
///
/// ```
/// use bifrons_grids::{Categorical, Linear, ProductSpace};
///
/// let wealth = Linear::new(0.0, 10.0, 11)?;
/// let health = Categorical::ordered(["bad", "good"])?;
/// let space = ProductSpace::new([health.into(), wealth.into()])?;
/// assert_eq!((space.len(), space.strides()), (22, &[11, 1][..]));
/// let mut point = [0.0; 2];
/// space.point_into(space.index(&[1, 4])?, &mut point)?;
/// assert_eq!(point, [1.0, 4.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ProductSpace {
    axes: Arc<[Axis]>,
    shape: Arc<[usize]>,
    strides: Arc<[usize]>,
    len: usize,
}

impl ProductSpace {
    /// Numbers the points.
    ///
    /// # Errors
    ///
    /// [`SpaceError::TooLarge`].
    pub fn new(axes: impl Into<Vec<Axis>>) -> Result<Self, SpaceError> {
        let axes = axes.into();
        let shape: Vec<usize> = axes.iter().map(Grid::len).collect();
        let mut strides = vec![0; axes.len()];
        let mut len = 1_usize;
        for (stride, &count) in strides.iter_mut().zip(&shape).rev() {
            *stride = len;
            len = len
                .checked_mul(count)
                .ok_or(SpaceError::TooLarge { axes: axes.len() })?;
        }
        Ok(Self {
            axes: axes.into(),
            shape: shape.into(),
            strides: strides.into(),
            len,
        })
    }

    /// The axes, slowest first.
    #[must_use]
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// Nodes per axis.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Distance in the flat numbering between neighbours on each axis.
    #[must_use]
    pub fn strides(&self) -> &[usize] {
        &self.strides
    }

    /// Number of points, at least 1.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Always false: a space has at least one point.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Flat index of a point given by one index per axis.
    ///
    /// # Errors
    ///
    /// [`SpaceError::Length`], [`SpaceError::Index`].
    pub fn index(&self, indices: &[usize]) -> Result<usize, SpaceError> {
        LengthError::check("indices", indices.len(), self.axes.len())?;
        let mut flat = 0;
        for (axis, (&index, &count)) in indices.iter().zip(&*self.shape).enumerate() {
            if index >= count {
                return Err(SpaceError::Index { axis, index, count });
            }
            flat += index * self.strides[axis];
        }
        Ok(flat)
    }

    /// Index on each axis of the point with a flat index.
    ///
    /// # Errors
    ///
    /// [`SpaceError::Length`], [`SpaceError::FlatIndex`].
    pub fn indices_into(&self, flat: usize, indices: &mut [usize]) -> Result<(), SpaceError> {
        LengthError::check("indices", indices.len(), self.axes.len())?;
        self.check_flat(flat)?;
        let mut rest = flat;
        for (index, &stride) in indices.iter_mut().zip(&*self.strides) {
            *index = rest / stride;
            rest %= stride;
        }
        Ok(())
    }

    /// Value on each axis of the point with a flat index (codes on categorical axes).
    ///
    /// # Errors
    ///
    /// [`SpaceError::Length`], [`SpaceError::FlatIndex`].
    pub fn point_into(&self, flat: usize, point: &mut [f64]) -> Result<(), SpaceError> {
        LengthError::check("point", point.len(), self.axes.len())?;
        self.check_flat(flat)?;
        let mut rest = flat;
        for ((x, axis), &stride) in point.iter_mut().zip(&*self.axes).zip(&*self.strides) {
            *x = axis.nodes()[rest / stride];
            rest %= stride;
        }
        Ok(())
    }

    const fn check_flat(&self, flat: usize) -> Result<(), SpaceError> {
        if flat < self.len {
            Ok(())
        } else {
            Err(SpaceError::FlatIndex {
                index: flat,
                count: self.len,
            })
        }
    }
}
