//! One structure for two matrices, with maps for their values.

use crate::error::StructureError;
use crate::structure::{Sparsity, Structure};

/// The union of two structures and the diagonal, and where the values of each go.
///
/// A matrix such as `c M − J` is built in the union by one loop over its values, after
/// [`spread_first`](Self::spread_first) and [`spread_second`](Self::spread_second) have put `M`
/// and `J` there.
///
/// ```
/// use bifrons_algebra::{Structure, Union};
/// let union = Union::new(&Structure::diagonal(3), &Structure::banded(3, 1, 0))?;
/// assert_eq!(*union.structure(), Structure::banded(3, 1, 0));
/// # Ok::<(), bifrons_algebra::StructureError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Union {
    structure: Structure,
    first: Map,
    second: Map,
}

#[derive(Debug, Clone)]
enum Map {
    /// The structure is the union itself.
    Same,
    /// `(from, to)` positions of all entries.
    Places(Vec<(u32, u32)>),
}

impl Union {
    /// The smallest of diagonal, banded, sparse and dense that holds both matrices and the
    /// diagonal. A band and a pattern give a pattern.
    ///
    /// # Errors
    ///
    /// [`StructureError::Dimension`] if the dimensions differ.
    pub fn new(first: &Structure, second: &Structure) -> Result<Self, StructureError> {
        let (n, other) = (first.dimension(), second.dimension());
        if n != other {
            return Err(StructureError::Dimension {
                first: n,
                second: other,
            });
        }
        let structure = Self::join(first, second)?;
        let map = |part: &Structure| Map::between(part, &structure);
        let (first, second) = (map(first)?, map(second)?);
        Ok(Self {
            structure,
            first,
            second,
        })
    }

    fn join(first: &Structure, second: &Structure) -> Result<Structure, StructureError> {
        use Structure::{Banded, Dense, Diagonal, Sparse};
        let n = first.dimension();
        Ok(match (first, second) {
            (Dense { .. }, _) | (_, Dense { .. }) => Structure::dense(n),
            (Diagonal { .. }, Diagonal { .. }) => Structure::diagonal(n),
            (Sparse(_), _) | (_, Sparse(_)) => {
                let mut places: Vec<_> = (0..n).map(|i| (i, i)).collect();
                for part in [first, second] {
                    for column in 0..n {
                        part.for_column(column, |row, _| places.push((row, column)));
                    }
                }
                Sparse(Sparsity::from_places(n, places)?)
            }
            (Banded { .. } | Diagonal { .. }, Banded { .. } | Diagonal { .. }) => {
                let width = |part: &Structure| match part {
                    Banded { lower, upper, .. } => (*lower, *upper),
                    _ => (0, 0),
                };
                let ((l1, u1), (l2, u2)) = (width(first), width(second));
                Structure::banded(n, l1.max(l2), u1.max(u2))
            }
        })
    }

    /// The union.
    #[must_use]
    pub const fn structure(&self) -> &Structure {
        &self.structure
    }

    /// Writes the values of the first matrix to their places in the union, zero elsewhere.
    pub fn spread_first(&self, values: &[f64], union: &mut [f64]) {
        self.first.spread(values, union);
    }

    /// Writes the values of the second matrix to their places in the union, zero elsewhere.
    pub fn spread_second(&self, values: &[f64], union: &mut [f64]) {
        self.second.spread(values, union);
    }
}

impl Map {
    fn between(part: &Structure, union: &Structure) -> Result<Self, StructureError> {
        if part == union {
            return Ok(Self::Same);
        }
        let index = |i: usize| u32::try_from(i).map_err(|_| StructureError::TooLarge);
        let mut places = Vec::with_capacity(part.value_count());
        let mut large = Ok(());
        for column in 0..part.dimension() {
            part.for_column(column, |row, from| {
                // Every entry of a part is an entry of the union.
                if let Some(to) = union.position(row, column) {
                    match (index(from), index(to)) {
                        (Ok(from), Ok(to)) => places.push((from, to)),
                        (Err(e), _) | (_, Err(e)) => large = Err(e),
                    }
                }
            });
        }
        large.map(|()| Self::Places(places))
    }

    fn spread(&self, values: &[f64], union: &mut [f64]) {
        match self {
            Self::Same => union.copy_from_slice(values),
            Self::Places(places) => {
                union.fill(0.0);
                for &(from, to) in places {
                    union[to as usize] = values[from as usize];
                }
            }
        }
    }
}
