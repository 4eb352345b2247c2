//! Values of the next period averaged over what no law reads, once per period.
//!
//! ```text
//! W(…, i, …) = Σ_j p_ij V(…, j, …)
//! ```
//!
//! A process moves by its own law, and some categories are drawn whatever state and action are.
//! Where the laws of an edge do not read what is drawn, its average does not depend on the pair, and
//! reading the average is averaging what is read, as reading is linear. Axes whose rows are equal
//! leave one node; others leave one for each node that the process can be in now.

use bifrons_grids::{Axis, Categorical};
use bifrons_memory::Footprint;

use crate::edge::{MeshAxis, Producer};
use crate::kernel::{Kernel, Next};
use crate::model::{PeriodPlan, RegimePlan};
use crate::problem::Problem;
use crate::space::{Space, space};
use crate::stage::{EdgeStage, Stage};

/// Values of a target with some axes averaged out.
#[derive(Debug)]
pub(crate) struct Averaged {
    space: Space,
    values: Vec<f64>,
    producers: Vec<Producer>,
    /// Axes of the expectation that are averaged out.
    axes: u32,
}

/// An axis of an edge and the state of the target that it gives.
struct Drawn<'a> {
    axis: usize,
    state: usize,
    kind: &'a MeshAxis,
}

impl Drawn<'_> {
    /// Whether all rows are the same one.
    fn is_memoryless(&self) -> bool {
        match self.kind {
            MeshAxis::Process { chain, source, .. } => {
                let first = chain.row(0);
                source.is_none() || (0..chain.node_count()).all(|node| chain.row(node) == first)
            }
            _ => true,
        }
    }
}

/// The axes that can be averaged out, in the order of the states that they give.
fn drawn<'a>(plan: &RegimePlan, edge: &'a EdgeStage) -> Vec<Drawn<'a>> {
    if !plan.declaration.preferences.is_linear() {
        return Vec::new();
    }
    let states = edge.plan.producers.iter().enumerate();
    let axes = states.filter_map(|(state, producer)| match *producer {
        Producer::Axis(axis) if edge.apart >> axis & 1 == 1 => Some(Drawn {
            axis,
            state,
            kind: &edge.plan.axes[axis],
        }),
        _ => None,
    });
    axes.collect()
}

/// Averages what the live edges of a regime lead to, in the order of `kernel.next`.
pub(crate) fn average(problem: &Problem, kernel: &Kernel<'_>) -> Vec<Option<Averaged>> {
    let next = kernel.next.iter();
    next.map(|next| one(problem, kernel, next)).collect()
}

fn one(problem: &Problem, kernel: &Kernel<'_>, next: &Next<'_>) -> Option<Averaged> {
    let edge = &kernel.stage.edges[next.edge];
    let all = drawn(kernel.plan, edge);
    if all.is_empty() {
        return None;
    }
    let target = &problem.model.inner.regimes[edge.plan.target];
    let mut axes = next.reader.space().axes().to_vec();
    let mut producers = edge.plan.producers.clone();
    let mut values: Option<Vec<f64>> = None;
    for drawn in all.iter().filter(|drawn| drawn.is_memoryless()) {
        let weights = weights(kernel, drawn)?;
        let shape: Vec<usize> = axes.iter().map(bifrons_grids::Grid::len).collect();
        let source = values.as_deref().unwrap_or(next.values);
        values = Some(averaged(source, &shape, drawn.state, &weights));
        axes[drawn.state] = Axis::from(Categorical::unordered(["drawn"]).ok()?);
    }
    let shape: Vec<usize> = axes.iter().map(bifrons_grids::Grid::len).collect();
    let mut values = values.unwrap_or_else(|| next.values.to_vec());
    for drawn in all.iter().filter(|drawn| !drawn.is_memoryless()) {
        if let MeshAxis::Process {
            chain,
            source: Some(source),
            ..
        } = drawn.kind
        {
            let rows = |row: usize| chain.row(row);
            average_rows(&mut values, &shape, drawn.state, rows);
            producers[drawn.state] = Producer::Fixed(*source);
        }
    }
    Some(Averaged {
        space: space(target.name(), &target.states, axes, &mut Vec::new())?,
        values,
        producers,
        axes: all.iter().fold(0, |axes, drawn| axes | 1 << drawn.axis),
    })
}

/// The one row of a memoryless axis.
fn weights(kernel: &Kernel<'_>, drawn: &Drawn<'_>) -> Option<Vec<f64>> {
    match drawn.kind {
        MeshAxis::Process { chain, .. } => Some(chain.row(0).to_vec()),
        MeshAxis::Markov { probabilities, .. } => {
            let values = probabilities.iter();
            let values = values.map(|own| kernel.stage.constant(own, &kernel.parameters));
            values.collect()
        }
        MeshAxis::Shock(_) => None,
    }
}

/// Adds a term; what cannot happen does not matter, be it infinite.
fn add(sum: &mut f64, weight: f64, value: f64) {
    if weight != 0.0 {
        *sum += weight * value;
    }
}

/// Averages one axis out, in ascending order of its nodes.
fn averaged(values: &[f64], shape: &[usize], state: usize, weights: &[f64]) -> Vec<f64> {
    let count = shape[state];
    let inner: usize = shape[state + 1..].iter().product();
    let mut all = vec![0.0; values.len() / count];
    let groups = all.chunks_exact_mut(inner);
    for (group, from) in groups.zip(values.chunks_exact(inner * count)) {
        for (part, &weight) in from.chunks_exact(inner).zip(weights) {
            for (sum, &value) in group.iter_mut().zip(part) {
                add(sum, weight, value);
            }
        }
    }
    all
}

/// Replaces each column along an axis by its averages with the rows.
fn average_rows<'a>(
    values: &mut [f64],
    shape: &[usize],
    state: usize,
    row: impl Fn(usize) -> &'a [f64],
) {
    let count = shape[state];
    let inner: usize = shape[state + 1..].iter().product();
    let mut column = vec![0.0; count];
    for group in values.chunks_exact_mut(inner * count) {
        for offset in 0..inner {
            for (index, own) in column.iter_mut().enumerate() {
                *own = group[index * inner + offset];
            }
            for index in 0..count {
                let mut sum = 0.0;
                for (&weight, &value) in row(index).iter().zip(&column) {
                    add(&mut sum, weight, value);
                }
                group[index * inner + offset] = sum;
            }
        }
    }
}

/// Lets the kernel read averages where there are some.
pub(crate) fn read<'a>(kernel: &mut Kernel<'a>, all: &'a [Option<Averaged>]) {
    for (next, own) in kernel.next.iter_mut().zip(all) {
        if let Some(own) = own {
            next.reader = &own.space.reader;
            next.values = &own.values;
            next.producers = &own.producers;
            next.averaged = own.axes;
        }
    }
}

/// Bytes of the averages of a regime in a period; `after` gives the plan of a regime in the next
/// one.
pub(crate) fn footprint<'a>(
    plan: &RegimePlan,
    period: &PeriodPlan,
    stage: &Stage,
    after: impl Fn(usize) -> Option<&'a PeriodPlan>,
) -> Footprint {
    let mut all = Footprint::of::<Option<Averaged>>(period.live.len());
    for &edge in &period.live {
        let edge = &stage.edges[edge];
        let Some(target) = after(edge.plan.target) else {
            continue;
        };
        let drawn = drawn(plan, edge);
        if drawn.is_empty() {
            continue;
        }
        let shape = target.space.reader.space().shape();
        let mut len = target.space.len();
        // Two tables exist while one is made from the other.
        let mut peak = 0;
        let mut before = 0;
        for own in drawn.iter().filter(|own| own.is_memoryless()) {
            len /= shape[own.state];
            peak = peak.max(before + len);
            before = len;
        }
        all = all.beside(
            Footprint::of::<f64>(len)
                .beside(Footprint::of::<f64>(peak.saturating_sub(len)).into_scratch()),
        );
    }
    all
}
