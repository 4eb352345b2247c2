//! How each state of a target comes about, and over what the expectation runs.

use std::collections::BTreeMap;

use bifrons_expr::Symbol;
use bifrons_shocks::MarkovChain;

use crate::error::BuildError;
use crate::regime::{Edge, Joint, Law, Regime};
use crate::scope::Definitions;
use crate::space::{Quantity, QuantityKind};

/// An edge whose laws are known to fit source and target.
#[derive(Debug, Clone)]
pub(crate) struct EdgePlan {
    /// Index of the target regime.
    pub(crate) target: usize,
    /// What the expectation runs over, the last axis fastest.
    pub(crate) axes: Vec<MeshAxis>,
    /// How each state of the target is made, in storage order of the target.
    pub(crate) producers: Vec<Producer>,
    /// Laws that are formulas, in the order of the outputs of the program.
    pub(crate) laws: Vec<Symbol>,
}

/// One axis of the expectation.
#[derive(Debug, Clone)]
pub(crate) enum MeshAxis {
    /// A joint shock by its index in the regime.
    Shock(usize),
    /// Categories of a target state with computed probabilities.
    Markov {
        state: String,
        /// Definitions of the probabilities.
        probabilities: Vec<Symbol>,
        /// What formulas see for each category.
        values: Vec<f64>,
    },
    /// Nodes of a process.
    Process {
        state: String,
        chain: MarkovChain,
        /// Storage index of the same process in the source; without one the rows are equal.
        source: Option<usize>,
    },
}

impl MeshAxis {
    pub(crate) fn count(&self, shocks: &[Joint]) -> usize {
        match self {
            Self::Shock(index) => shocks[*index].points.len(),
            Self::Markov { probabilities, .. } => probabilities.len(),
            Self::Process { chain, .. } => chain.node_count(),
        }
    }

    /// Names under which formulas read the axis.
    pub(crate) fn symbols(&self, shocks: &[Joint]) -> Vec<Symbol> {
        match self {
            Self::Shock(index) => shocks[*index].outputs.iter().map(Symbol::new).collect(),
            Self::Markov { state, .. } | Self::Process { state, .. } => vec![next(state)],
        }
    }
}

/// How the next coordinate of a state is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Producer {
    /// Output of the program.
    Law(usize),
    /// Index on an axis of the expectation.
    Axis(usize),
    /// Coordinate of a state of the source.
    Fixed(usize),
}

/// The name by which the next value of a state is read.
pub(crate) fn next(state: &str) -> Symbol {
    Symbol::new(format!("next_{state}"))
}

/// The definition of a law of an edge.
pub(crate) fn law_symbol(edge: Option<usize>, state: &str) -> Symbol {
    match edge {
        None => next(state),
        Some(edge) => Symbol::new(format!("edge {edge}:next_{state}")),
    }
}

/// The definition of a probability of a law.
pub(crate) fn markov_symbol(edge: Option<usize>, state: &str, category: usize) -> Symbol {
    match edge {
        None => Symbol::new(format!("markov:{state}:{category}")),
        Some(edge) => Symbol::new(format!("edge {edge}:markov:{state}:{category}")),
    }
}

/// Everything that is needed to plan an edge.
pub(crate) struct Planner<'a> {
    pub(crate) regime: &'a Regime,
    pub(crate) states: &'a [Quantity],
    pub(crate) index: usize,
    pub(crate) target: usize,
    pub(crate) target_states: &'a [Quantity],
    pub(crate) definitions: &'a Definitions,
    pub(crate) errors: &'a mut Vec<BuildError>,
}

impl Planner<'_> {
    pub(crate) fn plan(mut self) -> EdgePlan {
        let edge = &self.regime.edges[self.index];
        let mut plan = EdgePlan {
            target: self.target,
            axes: Vec::new(),
            producers: Vec::new(),
            laws: Vec::new(),
        };
        // Processes and categories first: laws may read what they become.
        let mut made: BTreeMap<usize, Producer> = BTreeMap::new();
        for (place, state) in self.target_states.iter().enumerate() {
            if let Some(producer) = self.producer(edge, state, &mut plan) {
                made.insert(place, producer);
            }
        }
        self.add_strangers(&mut plan);
        self.add_shocks(&mut plan, &mut made);
        plan.producers = (0..self.target_states.len())
            .map(|place| made.get(&place).copied().unwrap_or(Producer::Fixed(0)))
            .collect();
        plan
    }

    /// The law of a state: that of the edge, else that of the regime, else its own process.
    fn producer(&mut self, edge: &Edge, state: &Quantity, plan: &mut EdgePlan) -> Option<Producer> {
        let find = |laws: &[(String, Law)]| {
            laws.iter()
                .find(|(name, _)| *name == state.name)
                .map(|(_, law)| law.clone())
        };
        let (law, own) = match find(&edge.laws) {
            Some(law) => (Some(law), Some(self.index)),
            None => (find(&self.regime.laws), None),
        };
        match law {
            Some(Law::Value(_)) => {
                if let QuantityKind::Process(_) = state.kind {
                    return self.refuse(
                        "E-LAW-PROCESS",
                        &state.name,
                        "the next value of a process must be one of its nodes",
                        "give probabilities of the nodes, or let the process move by its own law",
                    );
                }
                plan.laws.push(law_symbol(own, &state.name));
                Some(Producer::Law(plan.laws.len() - 1))
            }
            Some(Law::Markov(formulas)) => self.markov(state, formulas.len(), own, plan),
            Some(Law::Fixed) => self.fixed(state),
            None => self.process(state, plan),
        }
    }

    fn markov(
        &mut self,
        state: &Quantity,
        count: usize,
        own: Option<usize>,
        plan: &mut EdgePlan,
    ) -> Option<Producer> {
        let values: Vec<f64> = match &state.kind {
            QuantityKind::Categorical(labels) => {
                (0..labels.len()).map(|code| code as f64).collect()
            }
            QuantityKind::Process(chain) => chain.nodes().to_vec(),
            _ => {
                return self.refuse(
                    "E-LAW-MARKOV",
                    &state.name,
                    "probabilities of categories are given for a continuous state",
                    "give a law of its value, with a shock if it is random",
                );
            }
        };
        if values.len() != count {
            return self.refuse(
                "E-LAW-MARKOV",
                &state.name,
                format!("{count} probabilities for {} categories", values.len()),
                "give one probability for each category of the target",
            );
        }
        let probabilities = (0..count)
            .map(|category| markov_symbol(own, &state.name, category))
            .collect();
        plan.axes.push(MeshAxis::Markov {
            state: state.name.clone(),
            probabilities,
            values,
        });
        Some(Producer::Axis(plan.axes.len() - 1))
    }

    fn fixed(&mut self, state: &Quantity) -> Option<Producer> {
        let place = self.states.iter().position(|own| own.name == state.name);
        let same = place.filter(|&place| same_kind(&self.states[place].kind, &state.kind));
        if same.is_none() {
            return self.refuse(
                "E-LAW-FIXED",
                &state.name,
                "the state is fixed, but this regime has no such state of the same kind",
                "give a law for it",
            );
        }
        same.map(Producer::Fixed)
    }

    fn process(&mut self, state: &Quantity, plan: &mut EdgePlan) -> Option<Producer> {
        let QuantityKind::Process(chain) = &state.kind else {
            return self.refuse(
                "E-LAW-MISSING",
                &state.name,
                "no law says what the state becomes",
                "declare `law`, `markov` or `fixed` for it on the regime or on the edge",
            );
        };
        let source = self
            .states
            .iter()
            .position(|own| own.name == state.name && same_kind(&own.kind, &state.kind));
        let first = chain.row(0);
        let memoryless = (0..chain.node_count()).all(|node| chain.row(node) == first);
        if source.is_none() && !memoryless {
            return self.refuse(
                "E-LAW-MISSING",
                &state.name,
                "the process starts here, as this regime does not have it",
                "give probabilities of its nodes by `markov` on the edge",
            );
        }
        plan.axes.push(MeshAxis::Process {
            state: state.name.clone(),
            chain: chain.clone(),
            source,
        });
        Some(Producer::Axis(plan.axes.len() - 1))
    }

    /// Next categories and nodes that laws read although the target does not have the state.
    fn add_strangers(&mut self, plan: &mut EdgePlan) {
        let reads = self.definitions.ancestors(plan.laws.iter().cloned());
        for name in reads
            .iter()
            .filter(|name| self.definitions.get(name).is_none())
        {
            let state = name.name().strip_prefix("next_");
            // Names with a colon are parameters of laws.
            let Some(state) = state.filter(|state| !state.contains(':')) else {
                continue;
            };
            let axes = plan.axes.iter();
            let known = axes.flat_map(|axis| axis.symbols(&self.regime.shocks));
            if known.into_iter().any(|known| known == *name) {
                continue;
            }
            let law = self.regime.laws.iter().find(|(own, _)| own == state);
            let process = self.states.iter().position(|own| own.name == state);
            let kind = process.map(|place| &self.states[place].kind);
            if let Some((_, Law::Markov(formulas))) = law {
                let count = formulas.len();
                plan.axes.push(MeshAxis::Markov {
                    state: state.to_owned(),
                    probabilities: (0..count).map(|k| markov_symbol(None, state, k)).collect(),
                    values: (0..count).map(|code| code as f64).collect(),
                });
            } else if let Some(QuantityKind::Process(chain)) = kind {
                plan.axes.push(MeshAxis::Process {
                    state: state.to_owned(),
                    chain: chain.clone(),
                    source: process,
                });
            } else {
                self.refuse(
                    "E-NAME-NEXT",
                    state,
                    format!("`{name}` is read on this edge, where nothing gives it"),
                    "give the edge its own law",
                );
            }
        }
    }

    /// Shocks that the laws read, before the other axes.
    fn add_shocks(&self, plan: &mut EdgePlan, made: &mut BTreeMap<usize, Producer>) {
        let reads = self.definitions.ancestors(plan.laws.iter().cloned());
        let used: Vec<MeshAxis> = (0..self.regime.shocks.len())
            .filter(|&index| {
                let outputs = self.regime.shocks[index].outputs.iter();
                outputs.map(Symbol::new).any(|name| reads.contains(&name))
            })
            .map(MeshAxis::Shock)
            .collect();
        for producer in made.values_mut() {
            if let Producer::Axis(axis) = producer {
                *axis += used.len();
            }
        }
        plan.axes.splice(0..0, used);
    }

    fn refuse(
        &mut self,
        code: &'static str,
        state: &str,
        message: impl Into<String>,
        remedy: &str,
    ) -> Option<Producer> {
        let target = &self.regime.edges[self.index].target;
        let item = format!("edge to `{target}`, state `{state}`");
        self.errors.push(BuildError::new(
            code,
            &self.regime.name,
            item,
            message,
            remedy,
        ));
        None
    }
}

/// Whether coordinates of one are coordinates of the other.
fn same_kind(a: &QuantityKind, b: &QuantityKind) -> bool {
    match (a, b) {
        (QuantityKind::Continuous, QuantityKind::Continuous) => true,
        (QuantityKind::Categorical(a), QuantityKind::Categorical(b)) => a == b,
        (QuantityKind::Process(a), QuantityKind::Process(b)) => a.nodes() == b.nodes(),
        _ => false,
    }
}

/// What is wrong with the joint shocks of a regime.
pub(crate) fn check_shocks(regime: &Regime, errors: &mut Vec<BuildError>) {
    for shock in &regime.shocks {
        let width = shock.outputs.len();
        let item = shock.outputs.join(", ");
        let mut refuse = |message: String, remedy: &str| {
            errors.push(BuildError::new(
                "E-SHOCK",
                &regime.name,
                format!("shock `{item}`"),
                message,
                remedy,
            ));
        };
        let finite = shock.points.iter().flatten().all(|value| value.is_finite());
        if width == 0 || shock.points.is_empty() || !finite {
            refuse(
                "there is no output, no point or a value that is not finite".to_owned(),
                "give named outputs and finite points",
            );
        }
        if let Some(point) = shock.points.iter().position(|point| point.len() != width) {
            refuse(
                format!(
                    "point {point} has {} values for {width} outputs",
                    shock.points[point].len()
                ),
                "give one value per output",
            );
        }
        let sum: f64 = shock.probabilities.iter().sum();
        let proper = shock.probabilities.iter().all(|p| (0.0..=1.0).contains(p));
        if shock.probabilities.len() != shock.points.len() || !proper || (sum - 1.0).abs() > 1e-12 {
            refuse(
                format!(
                    "{} probabilities for {} points add up to {sum}",
                    shock.probabilities.len(),
                    shock.points.len()
                ),
                "give one probability in [0, 1] per point, adding up to 1",
            );
        }
    }
}
