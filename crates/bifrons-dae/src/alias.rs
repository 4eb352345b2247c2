//! Alias elimination: `a = b`, `a = -b`, `a + b = 0` and `a = constant`, to a fixed point.
//!
//! Works on the equations whose terms are constants times variables. Each elimination substitutes
//! one variable in the equations that contain it; the shorter list of equations is moved, so the
//! whole costs `O(n log n)`.

use std::collections::VecDeque;

/// An equation `Σ factor · variable + constant = 0`.
#[derive(Debug, Clone)]
pub(crate) struct Linear {
    pub(crate) terms: Vec<(usize, f64)>,
    pub(crate) constant: f64,
}

/// What became of a variable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Fate {
    /// It stays an unknown.
    Kept,
    /// It is `sign · other`, where the other is kept.
    Alias { of: usize, negated: bool },
    /// It is a number.
    Constant(f64),
}

/// What became of an equation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Verdict {
    /// It is left; linear ones with their remaining terms.
    Left(Option<Linear>),
    /// It was used to eliminate a variable.
    Used,
    /// It says nothing new.
    Redundant,
    /// It says that this number is zero.
    Contradiction(f64),
}

impl PartialEq for Linear {
    fn eq(&self, other: &Self) -> bool {
        self.terms == other.terms && self.constant == other.constant
    }
}

pub(crate) struct Aliases {
    pub(crate) fates: Vec<Fate>,
    pub(crate) verdicts: Vec<Verdict>,
}

struct Work<'a> {
    equations: &'a [Option<Linear>],
    /// Link of an eliminated variable: other variable and factor, or a number.
    links: Vec<Option<(Option<usize>, f64)>>,
    /// Linear equations of each variable that is not eliminated.
    users: Vec<Vec<usize>>,
    queue: VecDeque<usize>,
    queued: Vec<bool>,
    verdicts: Vec<Verdict>,
}

/// Eliminates aliases; among equal variables the one with the highest rank is kept.
///
/// `frozen` variables are never set to a number by an equation alone: they stay visible.
pub(crate) fn eliminate(equations: &[Option<Linear>], ranks: &[u64]) -> Aliases {
    let mut work = Work {
        equations,
        links: vec![None; ranks.len()],
        users: vec![Vec::new(); ranks.len()],
        queue: (0..equations.len()).collect(),
        queued: vec![true; equations.len()],
        verdicts: vec![Verdict::Left(None); equations.len()],
    };
    for (equation, linear) in equations.iter().enumerate() {
        for (variable, _) in linear.iter().flat_map(|l| &l.terms) {
            work.users[*variable].push(equation);
        }
    }
    while let Some(equation) = work.queue.pop_front() {
        work.queued[equation] = false;
        work.visit(equation);
    }
    let verdicts = std::mem::take(&mut work.verdicts);
    let fates = work.fates(ranks);
    // The remaining terms in names that are kept.
    let rename = |terms: Vec<(usize, f64)>| -> Vec<(usize, f64)> {
        let renamed = terms
            .into_iter()
            .map(|(variable, factor)| match fates[variable] {
                Fate::Alias { of, negated: true } => (of, -factor),
                Fate::Alias { of, negated: false } => (of, factor),
                _ => (variable, factor),
            });
        renamed.collect()
    };
    let verdicts = verdicts.into_iter().map(|verdict| match verdict {
        Verdict::Left(Some(linear)) => Verdict::Left(Some(Linear {
            terms: rename(linear.terms),
            constant: linear.constant,
        })),
        other => other,
    });
    Aliases {
        verdicts: verdicts.collect(),
        fates: fates.clone(),
    }
}

impl Work<'_> {
    /// Root of a variable: the variable that stands for it with a factor, or a number.
    fn resolve(&mut self, variable: usize) -> (Option<usize>, f64) {
        let mut path = Vec::new();
        let mut at = variable;
        let mut end = (Some(at), 1.0);
        while let Some(link) = self.links[at] {
            path.push(at);
            match link {
                (Some(next), _) => at = next,
                number => {
                    end = number;
                    break;
                }
            }
            end = (Some(at), 1.0);
        }
        // Compress: from the end back, every node points to the root.
        for &node in path.iter().rev() {
            let link = match self.links[node] {
                Some((Some(_), factor)) => (end.0, end.1 * factor),
                _ => end,
            };
            self.links[node] = Some(link);
            end = link;
        }
        end
    }

    fn visit(&mut self, equation: usize) {
        if matches!(self.verdicts[equation], Verdict::Used) {
            return;
        }
        let Some(linear) = &self.equations[equation] else {
            return;
        };
        let mut terms: Vec<(usize, f64)> = Vec::with_capacity(linear.terms.len());
        let mut constant = linear.constant;
        for &(variable, factor) in &linear.terms {
            match self.resolve(variable) {
                (Some(root), sign) => terms.push((root, sign * factor)),
                (None, number) => constant += factor * number,
            }
        }
        terms.sort_by_key(|(variable, _)| *variable);
        let mut merged: Vec<(usize, f64)> = Vec::with_capacity(terms.len());
        for (variable, factor) in terms {
            match merged.last_mut() {
                Some(last) if last.0 == variable => last.1 += factor,
                _ => merged.push((variable, factor)),
            }
        }
        merged.retain(|(_, factor)| *factor != 0.0);
        self.verdicts[equation] = match merged[..] {
            [] if constant == 0.0 => Verdict::Redundant,
            [] => Verdict::Contradiction(constant),
            [(variable, factor)] => {
                self.link(variable, (None, -constant / factor), equation);
                Verdict::Used
            }
            [(a, fa), (b, fb)] if constant == 0.0 && fa.abs().to_bits() == fb.abs().to_bits() => {
                let factor = -fb / fa;
                let (from, to) = if self.users[a].len() > self.users[b].len() {
                    (b, a)
                } else {
                    (a, b)
                };
                self.link(from, (Some(to), factor), equation);
                Verdict::Used
            }
            _ => Verdict::Left(Some(Linear {
                terms: merged,
                constant,
            })),
        };
    }

    fn link(&mut self, variable: usize, link: (Option<usize>, f64), by: usize) {
        self.links[variable] = Some(link);
        for user in std::mem::take(&mut self.users[variable]) {
            if user != by && !self.queued[user] {
                self.queued[user] = true;
                self.queue.push_back(user);
            }
            if let (Some(to), _) = link {
                self.users[to].push(user);
            }
        }
    }

    /// Chooses the variable that is kept of each set of equal ones.
    fn fates(mut self, ranks: &[u64]) -> Vec<Fate> {
        let roots: Vec<(Option<usize>, f64)> = (0..ranks.len())
            .map(|variable| self.resolve(variable))
            .collect();
        let mut kept: Vec<usize> = (0..ranks.len()).collect();
        for (variable, (root, _)) in roots.iter().enumerate() {
            if let Some(root) = *root {
                let best = (ranks[kept[root]], std::cmp::Reverse(kept[root]));
                if (ranks[variable], std::cmp::Reverse(variable)) > best {
                    kept[root] = variable;
                }
            }
        }
        let fate = |(variable, &(root, value)): (usize, &(Option<usize>, f64))| match root {
            None => Fate::Constant(value),
            Some(root) if kept[root] == variable => Fate::Kept,
            Some(root) => Fate::Alias {
                of: kept[root],
                negated: (value < 0.0) != (roots[kept[root]].1 < 0.0),
            },
        };
        roots.iter().enumerate().map(fate).collect()
    }
}
