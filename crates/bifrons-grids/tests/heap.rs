//! Reads and refits allocate nothing; a fit allocates its footprint.

use bifrons_grids::{
    Extrapolation, Grid, Interpolant, Linear, Locator, Logarithmic, Method, Multilinear,
    ProductSpace, SlopeRule, ranks_sorted_into,
};
use bifrons_memory::profiler::{CountingAllocator, Scope};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

static FIT: Scope = Scope::new("fit");
static READ: Scope = Scope::new("read");

const COUNT: usize = 700;

const METHODS: [Method; 4] = [
    Method::Linear,
    Method::MonotoneCubic(SlopeRule::Harmonic),
    Method::MonotoneCubic(SlopeRule::Parabola),
    Method::InverseUtility { risk_aversion: 2.0 },
];

#[test]
fn a_fit_allocates_its_footprint_and_a_refit_nothing() {
    let axis = Logarithmic::new(0.1, 50.0, COUNT).unwrap();
    let values: Vec<f64> = axis.nodes().iter().map(|x| -1.0 / x).collect();
    for method in METHODS {
        let guard = FIT.enter();
        let mut curve = Interpolant::new(method, &axis, &values, Extrapolation::Clamp).unwrap();
        let allocated = guard.so_far().bytes;
        drop(guard);
        let footprint = Interpolant::footprint(method, COUNT, 1).peak();
        assert_eq!(allocated, footprint, "{method:?}");
        let guard = FIT.enter();
        curve.refit(&axis, &values).unwrap();
        assert_eq!(guard.so_far().blocks, 0, "{method:?} again");
    }
}

#[test]
fn reads_allocate_nothing() {
    let axis = Linear::new(0.0, 10.0, COUNT).unwrap();
    let table: Vec<f64> = axis.nodes().iter().map(|x| -1.0 / (1.0 + x)).collect();
    let queries: Vec<f64> = (0..COUNT).map(|i| 0.015 * i as f64).collect();
    let (mut values, mut slopes) = (vec![0.0; COUNT], vec![0.0; COUNT]);
    let mut ranks = vec![0; COUNT];
    let mut locator = Locator::new();
    for method in METHODS {
        let curve = Interpolant::new(method, &axis, &table, Extrapolation::Clamp).unwrap();
        let guard = READ.enter();
        curve
            .read_sorted(&queries, &mut values, &mut slopes)
            .unwrap();
        curve.values_sorted(&queries, &mut values).unwrap();
        curve
            .read_unsorted(&mut locator, &queries, &mut values, &mut slopes)
            .unwrap();
        curve
            .read_on(&axis, &queries, &mut values, &mut slopes)
            .unwrap();
        ranks_sorted_into(axis.nodes(), &queries, &mut ranks).unwrap();
        curve
            .read_located(&ranks, &queries, &mut values, &mut slopes)
            .unwrap();
        axis.coordinates_into(&queries, &mut values).unwrap();
        assert_eq!(guard.so_far().blocks, 0, "{method:?}");
    }
    let axes = [Linear::new(0.0, 10.0, 2).unwrap().into(), axis.into()];
    let reader =
        Multilinear::new(ProductSpace::new(axes).unwrap(), &[Extrapolation::Clamp; 2]).unwrap();
    let table = [table.clone(), table].concat();
    let guard = READ.enter();
    let gradients: &mut [&mut [f64]] = &mut [&mut slopes, &mut values];
    let mut answers = [0.0; COUNT];
    reader
        .read_gradients_into(&table, &[&queries, &queries], &mut answers, gradients)
        .unwrap();
    assert_eq!(guard.so_far().blocks, 0, "multilinear");
}
