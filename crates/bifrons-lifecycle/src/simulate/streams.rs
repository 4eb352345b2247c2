//! Which draw is which: one stream per source of randomness.

use bifrons_random::{Draws, Stream};

use crate::edge::MeshAxis;
use crate::model::RegimePlan;

/// Draws of a regime. Streams are named, so adding a shock never moves the draws of another.
///
/// | stream | component |
/// |---|---|
/// | `taste_shocks` | combination of discrete actions |
/// | `regime` | 0 |
/// | `adjustment_cost` | 0 |
/// | `shock:` and the outputs joined by `,` | 0 |
/// | `markov:` and the state | 0 |
/// | `process:` and the state | 0 |
#[derive(Debug, Clone)]
pub(super) struct Streams {
    pub(super) taste: Draws,
    pub(super) regime: Draws,
    /// The fixed cost of an outer margin.
    pub(super) adjustment: Draws,
    /// For each edge, one for each axis.
    pub(super) axes: Vec<Vec<Draws>>,
}

impl Streams {
    pub(super) fn new(seed: u64, plan: &RegimePlan, stage: usize) -> Self {
        let draws = |name: &str| Draws::new(seed, Stream::named(name));
        let edges = &plan.stages[stage].edges;
        let of_axis = |axis: &MeshAxis| match axis {
            MeshAxis::Shock(index) => {
                let outputs = plan.declaration.shocks[*index].outputs.join(",");
                draws(&format!("shock:{outputs}"))
            }
            MeshAxis::Markov { state, .. } => draws(&format!("markov:{state}")),
            MeshAxis::Process { state, .. } => draws(&format!("process:{state}")),
        };
        Self {
            taste: draws("taste_shocks"),
            regime: draws("regime"),
            adjustment: draws("adjustment_cost"),
            axes: edges
                .iter()
                .map(|edge| edge.plan.axes.iter().map(of_axis).collect())
                .collect(),
        }
    }
}
