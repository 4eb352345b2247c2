//! Bytes of the matrices.

use bifrons_algebra as algebra;
use bifrons_algebra::differences::Differences;
use bifrons_algebra::{Complex, Lu, Union};
use bifrons_memory::Footprint;

use super::{Matrices, convert, is_singular};
use crate::implicit::initial::Consistent;
use crate::implicit::setup::Setup;
use crate::problem::{Mass, Structure};

impl Matrices {
    /// Bytes of the matrices of a problem, `fill` entries in a sparse factorisation.
    pub(in crate::implicit) fn footprint(
        setup: &Setup<'_>,
        complex: bool,
        fill: usize,
    ) -> Footprint {
        let n = setup.dimension;
        let (Ok(jacobian), Ok(mass)) = (
            convert(n, setup.structure),
            match setup.mass {
                Mass::Identity | Mass::Diagonal(_) => Ok(algebra::Structure::diagonal(n)),
                Mass::Matrix(structure, _) => convert(n, structure),
            },
        ) else {
            return Footprint::ZERO;
        };
        let Ok(union) = Union::new(&mass, &jacobian) else {
            return Footprint::ZERO;
        };
        let count = union.structure().value_count();
        let empty = if matches!(setup.mass, Mass::Identity) {
            0
        } else {
            count
        };
        let diagonal = match setup.mass {
            Mass::Diagonal(values) => values.len(),
            _ => 0,
        };
        let own = Footprint::of::<f64>(jacobian.value_count() + 2 * count + 2 * n + diagonal)
            .beside(Footprint::of::<bool>(empty));
        let pattern = patterns(setup, &union, [&mass, &jacobian]);
        let real = Lu::<f64>::footprint(union.structure(), fill);
        let other = if complex {
            Lu::<Complex>::footprint(union.structure(), fill)
        } else {
            Footprint::ZERO
        };
        let differences = if setup.has_jacobian {
            Footprint::ZERO
        } else {
            Differences::footprint(n, n)
        };
        let consistent = if is_singular(setup, &mass) {
            Consistent::footprint(union.structure(), fill)
        } else {
            Footprint::ZERO
        };
        own.beside(pattern)
            .beside(real)
            .beside(other)
            .beside(differences)
            .beside(consistent)
    }
}

/// Bytes of the patterns, and of the places of both matrices in their union.
fn patterns(
    setup: &Setup<'_>,
    union: &Union,
    [mass, jacobian]: [&algebra::Structure; 2],
) -> Footprint {
    let (n, count) = (setup.dimension, union.structure().value_count());
    let pattern = match setup.structure {
        // The pattern is kept as the problem states it, for the union and for differences.
        Structure::Sparse(pattern) => {
            let copies = if setup.has_jacobian { 1 } else { 2 };
            Footprint::of::<usize>(n + 1 + pattern.value_count())
                .beside(Footprint::of::<u32>(n + 1 + count).times(copies))
        }
        _ => Footprint::ZERO,
    };
    let places = |part: &algebra::Structure| {
        let other = part != union.structure();
        Footprint::of::<(u32, u32)>(if other { part.value_count() } else { 0 })
    };
    pattern.beside(places(mass)).beside(places(jacobian))
}
