//! The equations of a consistent state, in one structure.

use bifrons_algebra::{Sparsity, Structure};
use bifrons_memory::Footprint;

use super::split::Row;

/// Entries of dense systems that are not worth a pattern.
const SMALL: usize = 64;

/// A value that goes into the matrix of the system.
#[derive(Debug, Clone, Copy)]
struct Term {
    to: u32,
    from: u32,
    factor: f64,
}

/// The matrix whose row `i` is `M_i` for a differential equation and `−(E J)_i` for an algebraic
/// one, where `E` combines rows.
#[derive(Debug, Clone)]
pub(super) struct System {
    structure: Structure,
    mass: Vec<Term>,
    jacobian: Vec<Term>,
}

impl System {
    /// The structure of the system, given that of Jacobian and mass matrix together; `None` if it
    /// has more entries than 32-bit indices can count.
    pub(super) fn new(union: &Structure, rows: &[Row]) -> Option<Self> {
        let n = union.dimension();
        // Where each original row goes: (equation, factor, algebraic).
        let mut goes: Vec<Vec<(usize, f64, bool)>> = vec![Vec::new(); n];
        for (equation, row) in rows.iter().enumerate() {
            for &(from, factor) in &row.terms {
                goes[from].push((equation, factor, row.algebraic));
            }
        }
        let mut places = Vec::new();
        for column in 0..n {
            union.for_column(column, |row, _| {
                places.extend(goes[row].iter().map(|&(equation, ..)| (equation, column)));
            });
        }
        let dense = matches!(union, Structure::Dense { .. }) || n * n <= SMALL;
        let structure = if dense {
            Structure::dense(n)
        } else {
            Structure::Sparse(Sparsity::from_places(n, places).ok()?)
        };
        let (mut mass, mut jacobian) = (Vec::new(), Vec::new());
        let mut complete = true;
        for column in 0..n {
            union.for_column(column, |row, from| {
                for &(equation, factor, algebraic) in &goes[row] {
                    let to = structure.position(equation, column);
                    let (Some(Ok(to)), Ok(from)) = (to.map(u32::try_from), u32::try_from(from))
                    else {
                        complete = false;
                        continue;
                    };
                    let list = if algebraic { &mut jacobian } else { &mut mass };
                    let factor = if algebraic { -factor } else { factor };
                    list.push(Term { to, from, factor });
                }
            });
        }
        mass.shrink_to_fit();
        jacobian.shrink_to_fit();
        complete.then_some(Self {
            structure,
            mass,
            jacobian,
        })
    }

    /// Bytes of the terms for a union of mass matrix and Jacobian with `count` entries, and the
    /// structure of the system.
    pub(super) fn sizes(union: &Structure) -> (Footprint, Structure) {
        let (n, count) = (union.dimension(), union.value_count());
        let terms = Footprint::of::<Term>(count);
        if matches!(union, Structure::Dense { .. }) || n * n <= SMALL {
            return (terms, Structure::dense(n));
        }
        let mut places = Vec::with_capacity(count);
        for column in 0..n {
            union.for_column(column, |row, _| places.push((row, column)));
        }
        let pattern = Sparsity::from_places(n, places).map(Structure::Sparse);
        let bytes = Footprint::of::<u32>(n + 1 + count);
        let structure = pattern.unwrap_or_else(|_| union.clone());
        (terms.beside(bytes), structure)
    }

    pub(super) const fn structure(&self) -> &Structure {
        &self.structure
    }

    /// Writes the matrix.
    pub(super) fn fill(&self, mass: &[f64], jacobian: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (terms, values) in [(&self.mass, mass), (&self.jacobian, jacobian)] {
            for term in terms {
                out[term.to as usize] += term.factor * values[term.from as usize];
            }
        }
    }
}

/// `Σ factor · v` over the terms of a row.
pub(super) fn combine(row: &Row, v: &[f64]) -> f64 {
    row.terms.iter().map(|&(i, factor)| factor * v[i]).sum()
}
