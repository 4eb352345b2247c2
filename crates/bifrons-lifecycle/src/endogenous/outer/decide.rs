//! What is chosen at any state: by subjects, and by those who ask a solution.

use bifrons_egm::Reading;

use super::OuterBank;
use super::bank::{Face, Faces};
use super::read::refined;
use crate::kernel::Kernel;

/// A choice of both margins and the discrete actions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Decision {
    pub(crate) branch: usize,
    /// The action that leads to the stock after the choice.
    pub(crate) action: f64,
    /// Consumption.
    pub(crate) policy: f64,
    /// Value of what is chosen, without the fixed cost.
    pub(crate) value: f64,
}

/// Reads choices at states off the grid: resources and costs by their formulas, rows of keeping
/// blended between the nodes of the stock.
#[derive(Debug)]
pub(crate) struct Decider<'a> {
    kernel: &'a Kernel<'a>,
    bank: &'a OuterBank,
    faces: Faces<'a>,
    costs: Vec<f64>,
}

/// The best of one kind.
#[derive(Debug, Clone, Copy)]
struct Best {
    branch: usize,
    stock: f64,
    value: f64,
    policy: f64,
}

impl<'a> Decider<'a> {
    /// `None` unless the regime of the kernel is nested.
    pub(crate) fn new(kernel: &'a Kernel<'a>, bank: &'a OuterBank) -> Option<Self> {
        let margin = kernel.stage.margin.as_ref()?;
        let outer = margin.outer.as_ref()?;
        Some(Self {
            kernel,
            bank,
            faces: Faces::new(kernel, margin, outer),
            costs: vec![0.0; bank.choices.len()],
        })
    }

    /// The choice at a state; `None` where nothing is feasible.
    ///
    /// `uniform` in `[0, 1]` is the draw of the fixed cost; without one the more likely of
    /// keeping and adjusting is chosen.
    pub(crate) fn decide(&mut self, point: &[f64], uniform: Option<f64>) -> Option<Decision> {
        let (&liquid, rest) = point.split_last()?;
        let (&stock, discrete) = rest.split_last()?;
        let cell = self.kernel.period.space.discrete_cell(discrete, 2)?;
        let weights = self.bank.weights(stock)?;
        let (mut keep, mut best): (Option<Best>, Option<Best>) = (None, None);
        for branch in 0..self.bank.branches {
            self.faces.load(point, branch);
            let face = self.faces.face().ok().filter(|own| own.feasible);
            let Some(face) = face else {
                continue;
            };
            let place = (cell, branch, weights);
            if let Some(own) = self.keep(place, &face, liquid) {
                replace(&mut keep, own);
            }
            if let Some(own) = self.adjust(place, &face, liquid) {
                replace(&mut best, own);
            }
        }
        self.faces.load(point, 0);
        let fixed = self.faces.fixed().ok()?;
        let lowest = f64::NEG_INFINITY;
        let values = [keep, best].map(|own| own.map_or(lowest, |own| own.value));
        let odds = fixed.aggregate(values[0], values[1]);
        // Adjusting is chosen where the shock is below the share of it that adjusts.
        let adjusts = odds.probability > uniform.unwrap_or(0.5);
        let chosen = if adjusts { best } else { keep }?;
        self.faces.load(point, chosen.branch);
        Some(Decision {
            branch: chosen.branch,
            action: self.faces.action(chosen.stock),
            policy: chosen.policy,
            value: chosen.value,
        })
    }

    /// The faces beside a stock that count.
    fn faces_of(
        &self,
        (cell, branch, weights): (usize, usize, [(usize, f64); 2]),
    ) -> impl Iterator<Item = usize> {
        let bank = self.bank;
        let some = weights.into_iter().filter(|(_, weight)| *weight != 0.0);
        some.map(move |(node, _)| bank.face(cell, branch, node))
    }

    /// Keeping: rows at the nodes beside the stock, blended.
    fn keep(
        &self,
        (cell, branch, weights): (usize, usize, [(usize, f64); 2]),
        face: &Face,
        liquid: f64,
    ) -> Option<Best> {
        if !face.may_keep {
            return None;
        }
        let resources = face.resources(liquid);
        let read = |node: usize| {
            let (reader, utility) = self.bank.keeper(self.bank.face(cell, branch, node))?;
            reader.read(utility.as_dyn(), resources).ok()
        };
        let own = blend(weights, read)?;
        let faces = self.faces_of((cell, branch, weights));
        let sizes = (liquid.abs() + resources.abs(), resources);
        Some(Best {
            branch,
            stock: face.keep,
            value: own.value,
            policy: self.bank.settle(faces, None, sizes, own.policy),
        })
    }

    /// Adjusting: every choice at what is left after its cost.
    fn adjust(
        &mut self,
        (cell, branch, weights): (usize, usize, [(usize, f64); 2]),
        face: &Face,
        liquid: f64,
    ) -> Option<Best> {
        self.faces.costs(&self.bank.choices, 1.0, &mut self.costs);
        let (bank, resources) = (self.bank, face.resources(liquid));
        let near = usize::from(weights[1].1 > weights[0].1);
        let read = |choice: usize| {
            let left = resources - self.costs[choice];
            blend(weights, |node| {
                let (reader, utility) = bank.adjuster(bank.face(cell, branch, node), choice)?;
                reader.read(utility.as_dyn(), left).ok()
            })
        };
        let (mut best, top) = best_choice(branch, &bank.choices, |choice| {
            read(choice).filter(|_| !self.costs[choice].is_nan())
        })?;
        let mut cost = self.costs[top];
        let row = |choice: usize| {
            let row = bank.adjuster(bank.face(cell, branch, weights[near].0), choice)?;
            Some((row, resources - self.costs[choice]))
        };
        let better = bank
            .golden
            .and_then(|iterations| refined(&bank.choices, top, iterations, row));
        if let Some((stock, reading)) = better {
            let mut own = [f64::NAN];
            self.faces.costs(&[stock], 1.0, &mut own);
            let margin = self.kernel.stage.margin.as_ref()?;
            let lowest = margin.savings.first().copied().unwrap_or(0.0);
            // The policy is read between choices; savings stay at their limit or above.
            let most = resources - own[0] - lowest;
            if most > 0.0 {
                cost = own[0];
                let policy = reading.policy.min(most);
                best = Best {
                    stock,
                    value: reading.value,
                    policy,
                    ..best
                };
            }
        }
        let sizes = liquid.abs() + resources.abs() + cost.abs();
        let faces = self.faces_of((cell, branch, weights));
        let place = (sizes, resources - cost);
        best.policy = bank.settle(faces, Some(top), place, best.policy);
        Some(best)
    }
}

/// The first of the best choices and its index.
fn best_choice(
    branch: usize,
    choices: &[f64],
    read: impl Fn(usize) -> Option<Reading>,
) -> Option<(Best, usize)> {
    let mut best: Option<(Best, usize)> = None;
    for (choice, &stock) in choices.iter().enumerate() {
        let Some(own) = read(choice) else {
            continue;
        };
        if best.is_none_or(|(old, _)| own.value > old.value) {
            let (value, policy) = (own.value, own.policy);
            let found = Best {
                branch,
                stock,
                value,
                policy,
            };
            best = Some((found, choice));
        }
    }
    best
}

fn replace(best: &mut Option<Best>, own: Best) {
    if best.is_none_or(|old| own.value > old.value) {
        *best = Some(own);
    }
}

/// Readings at two nodes by their weights; nothing if one of them is missing or infeasible.
fn blend(weights: [(usize, f64); 2], read: impl Fn(usize) -> Option<Reading>) -> Option<Reading> {
    let mut sum = Reading {
        value: 0.0,
        policy: 0.0,
        marginal: 0.0,
    };
    for (node, weight) in weights {
        if weight == 0.0 {
            continue;
        }
        let own = read(node).filter(|own| own.value.is_finite())?;
        if weight.to_bits() == 1.0_f64.to_bits() {
            return Some(own);
        }
        sum.value += weight * own.value;
        sum.policy += weight * own.policy;
        sum.marginal += weight * own.marginal;
    }
    Some(sum)
}
