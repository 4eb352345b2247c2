//! Tearing: few unknowns of a block from which all others follow one by one.

use std::collections::BinaryHeap;

use super::matching::NONE;

/// A block in the order in which it is computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Torn {
    /// Unknowns that are iterated.
    pub(crate) tears: Vec<usize>,
    /// Equation and the unknown that it is solved for, in order.
    pub(crate) assignments: Vec<(usize, usize)>,
    /// Equations that are left for the iterated unknowns, as many as there are.
    pub(crate) residuals: Vec<usize>,
}

struct Work<'a> {
    /// Local unknowns of each local equation, with whether it may be solved for it.
    rows: &'a [Vec<(usize, bool)>],
    users: Vec<Vec<usize>>,
    known: Vec<bool>,
    used: Vec<bool>,
    /// Unknowns of each equation that are not known.
    open: Vec<usize>,
    ready: Vec<usize>,
    torn: Torn,
}

/// Tears a block of as many equations as unknowns, numbered from zero.
///
/// Repeatedly solves an equation with one open unknown that it may be solved for; where there is
/// none, the unknown with the most open equations is torn (after Ollero and Amselem, 1983).
/// Cost: entries times the logarithm.
pub(crate) fn tear(rows: &[Vec<(usize, bool)>]) -> Torn {
    let count = rows.len();
    let mut users = vec![Vec::new(); count];
    for (equation, row) in rows.iter().enumerate() {
        for &(unknown, _) in row {
            users[unknown].push(equation);
        }
    }
    let mut work = Work {
        rows,
        users,
        known: vec![false; count],
        used: vec![false; count],
        open: rows.iter().map(Vec::len).collect(),
        ready: (0..count).rev().filter(|e| rows[*e].len() == 1).collect(),
        torn: Torn {
            tears: Vec::new(),
            assignments: Vec::new(),
            residuals: Vec::new(),
        },
    };
    let weight = |work: &Work<'_>, unknown: usize| {
        let open = work.users[unknown].iter().filter(|e| !work.used[**e]);
        open.count()
    };
    let mut heap: BinaryHeap<(usize, std::cmp::Reverse<usize>)> = (0..count)
        .map(|unknown| (work.users[unknown].len(), std::cmp::Reverse(unknown)))
        .collect();
    loop {
        work.solve_ready();
        let Some((claimed, std::cmp::Reverse(unknown))) = heap.pop() else {
            break;
        };
        if work.known[unknown] {
            continue;
        }
        let now = weight(&work, unknown);
        if now < claimed {
            heap.push((now, std::cmp::Reverse(unknown)));
            continue;
        }
        work.torn.tears.push(unknown);
        work.learn(unknown);
    }
    let left = (0..count).filter(|e| !work.used[*e]);
    work.torn.residuals = left.collect();
    work.torn
}

impl Work<'_> {
    fn solve_ready(&mut self) {
        while let Some(equation) = self.ready.pop() {
            if self.used[equation] || self.open[equation] != 1 {
                continue;
            }
            let last = self.rows[equation].iter().find(|(u, _)| !self.known[*u]);
            if let Some(&(unknown, true)) = last {
                self.used[equation] = true;
                self.torn.assignments.push((equation, unknown));
                self.learn(unknown);
            }
        }
    }

    fn learn(&mut self, unknown: usize) {
        self.known[unknown] = true;
        for &equation in &self.users[unknown] {
            self.open[equation] -= 1;
            if self.open[equation] == 1 && !self.used[equation] {
                self.ready.push(equation);
            }
        }
    }
}

/// Local numbers of the members of a block: position of each in `members`, else [`NONE`].
pub(crate) fn localise(local: &mut [usize], members: &[usize]) {
    for (position, &member) in members.iter().enumerate() {
        local[member] = position;
    }
}

/// Forgets the numbers that [`localise`] gave.
pub(crate) fn forget(local: &mut [usize], members: &[usize]) {
    for &member in members {
        local[member] = NONE;
    }
}

#[cfg(test)]
mod tests {
    use super::tear;

    #[test]
    fn a_ring_needs_one_tear() {
        let n = 50;
        let rows: Vec<Vec<(usize, bool)>> = (0..n)
            .map(|i| vec![(i, true), ((i + 1) % n, true)])
            .collect();
        let torn = tear(&rows);
        assert_eq!(torn.tears.len(), 1, "one unknown opens the ring");
        assert_eq!(torn.residuals.len(), 1, "one equation closes it");
        assert_eq!(torn.assignments.len(), n - 1, "the others follow");
    }

    #[test]
    fn an_equation_is_not_solved_for_what_it_may_not() {
        let rows = vec![vec![(0, false), (1, false)], vec![(0, false), (1, false)]];
        let torn = tear(&rows);
        assert_eq!(
            (torn.tears.len(), torn.residuals.len()),
            (2, 2),
            "both are iterated"
        );
    }
}
