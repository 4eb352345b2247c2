//! The outer choice on a mesh that is refined where a maximum is near.

use bifrons_egm::{AdaptiveOptions, OuterProblem, search_adaptive};

use super::bank::{Faces, Nest};
use super::solve::Nesting;
use crate::endogenous::rows::Trouble;

/// The inner problem as a function of the stock after the choice.
pub(super) struct Mesh<'a> {
    nesting: &'a Nesting<'a>,
    solved: Vec<(f64, Nest)>,
    trouble: Option<Trouble>,
}

impl<'a> Mesh<'a> {
    /// All stocks at which the inner problem was solved, ascending, with their rows.
    pub(super) fn find(
        nesting: &'a Nesting<'a>,
        options: &AdaptiveOptions,
    ) -> Result<(Vec<f64>, Vec<Nest>), Trouble> {
        let mut mesh = Self {
            nesting,
            solved: Vec::new(),
            trouble: None,
        };
        let found = search_adaptive(&mut mesh, options);
        if let Some(trouble) = mesh.trouble {
            return Err(trouble);
        }
        found.map_err(|error| nesting.trouble(error))?;
        mesh.solved.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        Ok(mesh.solved.into_iter().unzip())
    }

    /// The best branch of each state at a stock.
    fn read(&self, stock: f64, nest: &Nest, values: &mut [f64]) {
        let nesting = self.nesting;
        let count = nesting.liquid.len();
        let mut faces = Faces::new(nesting.rows.kernel, nesting.rows.margin, nesting.outer);
        values.fill(f64::NEG_INFINITY);
        for (at, face) in nesting.faces.iter().enumerate() {
            let rest = at / nesting.stocks.len();
            let row = if nesting.outer.by_state { at } else { rest };
            nesting.load(&mut faces, at);
            let mut cost = [f64::NAN];
            faces.costs(&[stock], 1.0, &mut cost);
            let Some((reader, utility)) = nest.row(row).filter(|_| face.feasible) else {
                continue;
            };
            let state = rest / nesting.branches * nesting.stocks.len() + at % nesting.stocks.len();
            let own = &mut values[state * count..(state + 1) * count];
            for (value, &liquid) in own.iter_mut().zip(&nesting.liquid) {
                let resources = face.resources(liquid) - cost[0];
                let reading = reader.read(utility.as_dyn(), resources);
                let found = reading.map_or(f64::NEG_INFINITY, |own| own.value);
                if found > *value {
                    *value = found;
                }
            }
        }
    }
}

impl OuterProblem for Mesh<'_> {
    fn query_count(&self) -> usize {
        self.nesting.cells * self.nesting.stocks.len() * self.nesting.liquid.len()
    }

    fn solve(&mut self, choice: f64, values: &mut [f64]) {
        if self.trouble.is_some() {
            return values.fill(f64::NEG_INFINITY);
        }
        match self.nesting.adjusters(&[choice]) {
            Ok(mut nests) => {
                if let Some(nest) = nests.pop() {
                    self.read(choice, &nest, values);
                    self.solved.push((choice, nest));
                }
            }
            Err(trouble) => {
                values.fill(f64::NEG_INFINITY);
                self.trouble = Some(trouble);
            }
        }
    }
}
