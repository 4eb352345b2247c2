//! Reads of 500 queries on 500 nodes, value and slope: merge, search, memory, regular axis.
//!
//! After criterion's own report a table of medians is printed, measured in rounds in which every
//! contestant runs in turn, so that a busy machine slows all of them alike. Sixteen query vectors
//! take turns: the branch predictor cannot learn one of them by heart.
#![expect(clippy::print_stdout, reason = "a benchmark reports to the terminal")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use bifrons_grids::{
    Extrapolation, Interpolant, Linear, Locator, Method, Multilinear, ProductSpace, SlopeRule,
    estimate_slopes_into, rank, ranks_sorted_into,
};
use criterion::{Criterion, Throughput, criterion_group};

const NODES: usize = 500;
const QUERIES: usize = 500;
const VECTORS: usize = 16;
const ROUNDS: usize = 401;

/// A linear congruential generator is random enough for places of queries.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

struct Data {
    nodes: Vec<f64>,
    values: Vec<f64>,
    slopes: Vec<f64>,
    queries: Vec<Vec<f64>>,
    shuffled: Vec<Vec<f64>>,
}

impl Data {
    /// Nodes that are denser at the low end, with noise, as an endogenous grid has them.
    fn new() -> Self {
        let mut random = Random(20);
        let place = |share: f64| 0.1 + 40.0 * share * share;
        let nodes: Vec<f64> = (0..NODES)
            .map(|i| place((i as f64 + 0.8 * random.next()) / NODES as f64))
            .collect();
        let values: Vec<f64> = nodes
            .iter()
            .map(|x| x.sqrt() + 0.3 * (0.5 * x).sin())
            .collect();
        let mut slopes = vec![0.0; NODES];
        estimate_slopes_into(SlopeRule::Harmonic, &nodes, &values, &mut slopes).unwrap_or_default();
        let shuffled: Vec<Vec<f64>> = (0..VECTORS)
            .map(|_| (0..QUERIES).map(|_| place(random.next())).collect())
            .collect();
        let mut queries = shuffled.clone();
        for vector in &mut queries {
            vector.sort_by(f64::total_cmp);
        }
        Self {
            nodes,
            values,
            slopes,
            queries,
            shuffled,
        }
    }

    fn curve(&self, method: Method) -> Interpolant {
        match Interpolant::new(method, &self.nodes, &self.values, Extrapolation::Clamp) {
            Ok(curve) => curve,
            Err(error) => unreachable!("{error}"),
        }
    }
}

/// What most programs do: a binary search per query and the textbook formula.
fn textbook(data: &Data, queries: &[f64], values: &mut [f64], slopes: &mut [f64]) {
    let (x, y, m) = (&data.nodes, &data.values, &data.slopes);
    for ((&q, value), slope) in queries.iter().zip(values).zip(slopes) {
        let i = x.partition_point(|&node| node <= q).clamp(1, x.len() - 1) - 1;
        let h = x[i + 1] - x[i];
        let t = (q.clamp(x[0], x[x.len() - 1]) - x[i]) / h;
        let secant = (y[i + 1] - y[i]) / h;
        let (c2, c3) = (
            3.0 * secant - 2.0 * m[i] - m[i + 1],
            m[i] + m[i + 1] - 2.0 * secant,
        );
        *value = y[i] + h * t * (m[i] + t * (c2 + t * c3));
        *slope = m[i] + t * (2.0 * c2 + 3.0 * t * c3);
    }
}

fn textbook_linear(data: &Data, queries: &[f64], values: &mut [f64], slopes: &mut [f64]) {
    let (x, y) = (&data.nodes, &data.values);
    for ((&q, value), slope) in queries.iter().zip(values).zip(slopes) {
        let i = x.partition_point(|&node| node <= q).clamp(1, x.len() - 1) - 1;
        *slope = (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
        *value = y[i] + *slope * (q.clamp(x[0], x[x.len() - 1]) - x[i]);
    }
}

type Contestant<'a> = (
    &'static str,
    Box<dyn FnMut(usize, &mut [f64], &mut [f64]) + 'a>,
);

type Textbook = fn(&Data, &[f64], &mut [f64], &mut [f64]);

fn contestants(data: &Data) -> Vec<Contestant<'_>> {
    let names = [
        "cubic/merge",
        "cubic/scalar",
        "cubic/textbook",
        "cubic/search+slice",
        "cubic/unsorted",
    ];
    let cubic = data.curve(Method::MonotoneCubic(SlopeRule::Harmonic));
    let mut list = family(data, names, &cubic, textbook);
    let names = [
        "linear/merge",
        "linear/scalar",
        "linear/textbook",
        "linear/search+slice",
        "linear/unsorted",
    ];
    list.extend(family(
        data,
        names,
        &data.curve(Method::Linear),
        textbook_linear,
    ));
    list.extend(locators(data));
    list
}

/// All ways to read one curve.
fn family<'a>(
    data: &'a Data,
    [merge, scalar, book, search, unsorted]: [&'static str; 5],
    curve: &Interpolant,
    textbook: Textbook,
) -> Vec<Contestant<'a>> {
    let [merged, alone, located, hunted] = core::array::from_fn(|_| curve.clone());
    let mut ranks = vec![0; QUERIES];
    let mut locator = Locator::new();
    vec![
        (
            merge,
            Box::new(move |i, v, s| {
                merged
                    .read_sorted(&data.queries[i], v, s)
                    .unwrap_or_default();
            }),
        ),
        (
            scalar,
            Box::new(move |i, v, s| {
                for ((&x, v), s) in data.queries[i].iter().zip(v).zip(s) {
                    if let Ok(reading) = alone.read(x) {
                        (*v, *s) = (reading.value, reading.slope);
                    }
                }
            }),
        ),
        (
            book,
            Box::new(move |i, v, s| textbook(data, &data.queries[i], v, s)),
        ),
        (
            search,
            Box::new(move |i, v, s| {
                for (rank_of, &x) in ranks.iter_mut().zip(&data.queries[i]) {
                    *rank_of = u32::try_from(rank(&data.nodes, x)).unwrap_or(0);
                }
                located
                    .read_located(&ranks, &data.queries[i], v, s)
                    .unwrap_or_default();
            }),
        ),
        (
            unsorted,
            Box::new(move |i, v, s| {
                hunted
                    .read_unsorted(&mut locator, &data.shuffled[i], v, s)
                    .unwrap_or_default();
            }),
        ),
    ]
}

/// The parts of a read, and the reads that need no lookup among irregular nodes.
fn locators(data: &Data) -> Vec<Contestant<'_>> {
    let mut list: Vec<Contestant<'_>> = Vec::new();
    let mut ranks = vec![0; QUERIES];
    list.push((
        "ranks/merge",
        Box::new(move |i, _, _| {
            ranks_sorted_into(&data.nodes, &data.queries[i], &mut ranks).unwrap_or_default();
            black_box(&ranks);
        }),
    ));
    let mut ranks = vec![0; QUERIES];
    list.push((
        "ranks/search",
        Box::new(move |i, _, _| {
            for (rank_of, &x) in ranks.iter_mut().zip(&data.queries[i]) {
                *rank_of = u32::try_from(rank(&data.nodes, x)).unwrap_or(0);
            }
            black_box(&ranks);
        }),
    ));
    let cubic = data.curve(Method::MonotoneCubic(SlopeRule::Harmonic));
    let mut ranks = vec![vec![0; QUERIES]; VECTORS];
    for (ranks, queries) in ranks.iter_mut().zip(&data.queries) {
        ranks_sorted_into(&data.nodes, queries, ranks).unwrap_or_default();
    }
    list.push((
        "cubic/located",
        Box::new(move |i, v, s| {
            cubic
                .read_located(&ranks[i], &data.queries[i], v, s)
                .unwrap_or_default();
        }),
    ));
    if let Ok(axis) = Linear::new(data.nodes[0], data.nodes[NODES - 1], NODES)
        && let Ok(curve) = Interpolant::new(
            Method::MonotoneCubic(SlopeRule::Harmonic),
            &axis,
            &data.values,
            Extrapolation::Clamp,
        )
    {
        list.push((
            "cubic/regular axis",
            Box::new(move |i, v, s| {
                curve
                    .read_on(&axis, &data.shuffled[i], v, s)
                    .unwrap_or_default();
            }),
        ));
    }
    if let Some(plane) = plane(data) {
        list.push(plane);
    }
    list
}

/// A bilinear read with gradient; the second gradient component is dropped into a buffer.
fn plane(data: &Data) -> Option<Contestant<'_>> {
    let axis = Linear::new(data.nodes[0], data.nodes[NODES - 1], 50).ok()?;
    let space = ProductSpace::new([axis.clone().into(), axis.into()]).ok()?;
    let table: Vec<f64> = (0..space.len()).map(|i| (i as f64).sqrt()).collect();
    let reader = Multilinear::new(space, &[Extrapolation::Clamp; 2]).ok()?;
    let mut other = vec![0.0; QUERIES];
    Some((
        "bilinear/gradient",
        Box::new(move |i, v, s| {
            let points = [&data.shuffled[i][..], &data.shuffled[(i + 1) % VECTORS][..]];
            let gradients: &mut [&mut [f64]] = &mut [s, &mut other];
            reader
                .read_gradients_into(&table, &points, v, gradients)
                .unwrap_or_default();
        }),
    ))
}

fn interp(criterion: &mut Criterion) {
    let data = Data::new();
    let mut group = criterion.benchmark_group("interp");
    group.throughput(Throughput::Elements(QUERIES as u64));
    group
        .sample_size(30)
        .warm_up_time(Duration::from_millis(300));
    group.measurement_time(Duration::from_secs(1));
    let (mut values, mut slopes) = (vec![0.0; QUERIES], vec![0.0; QUERIES]);
    for (name, mut run) in contestants(&data) {
        let mut turn = 0;
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                turn = (turn + 1) % VECTORS;
                run(
                    black_box(turn),
                    black_box(&mut values),
                    black_box(&mut slopes),
                );
            });
        });
    }
    group.finish();
}

/// Median and minimum over interleaved rounds, nanoseconds per query.
fn measure(list: &mut [Contestant<'_>]) -> Vec<[f64; 2]> {
    let (mut values, mut slopes) = (vec![0.0; QUERIES], vec![0.0; QUERIES]);
    let mut times = vec![Vec::with_capacity(ROUNDS); list.len()];
    for _ in 0..ROUNDS {
        for ((_, run), times) in list.iter_mut().zip(&mut times) {
            let start = Instant::now();
            for turn in 0..VECTORS {
                run(
                    black_box(turn),
                    black_box(&mut values),
                    black_box(&mut slopes),
                );
            }
            let count = (VECTORS * QUERIES) as f64;
            times.push(start.elapsed().as_secs_f64() * 1e9 / count);
        }
    }
    times
        .into_iter()
        .map(|mut times| {
            times.sort_by(f64::total_cmp);
            [times[ROUNDS / 2], times[0]]
        })
        .collect()
}

fn report() {
    let data = Data::new();
    let mut list = contestants(&data);
    let times = measure(&mut list);
    let linear = data.curve(Method::Linear);
    let mut values = vec![0.0; QUERIES];
    let sum: f64 = data
        .queries
        .iter()
        .map(|queries| {
            linear
                .values_sorted(queries, &mut values)
                .unwrap_or_default();
            values.iter().sum::<f64>()
        })
        .sum();
    println!("\nsum of the linear values (the same as in the NumPy script): {sum:.9}");
    let merge_of = |family: &str| {
        let merge = format!("{family}/merge");
        list.iter()
            .zip(&times)
            .find(|((own, _), _)| *own == merge)
            .map(|(_, &time)| time)
    };
    println!("{QUERIES} queries on {NODES} nodes, {ROUNDS} interleaved rounds, ns per query:");
    println!(
        "{:<20} {:>8} {:>8}   slower than the merge (median)",
        "", "median", "minimum"
    );
    for ((name, _), &[median, minimum]) in list.iter().zip(&times) {
        let family = name.split('/').next().unwrap_or(name);
        let ratio =
            merge_of(family).map_or(String::new(), |[merge, _]| format!("{:.2}", median / merge));
        println!("{name:<20} {median:>8.2} {minimum:>8.2}   {ratio}");
    }
}

criterion_group!(benches, interp);

fn main() {
    benches();
    Criterion::default().configure_from_args().final_summary();
    report();
}
