//! Maximum matching of equations and unknowns by augmenting paths, without recursion.

/// Marks that an equation or unknown has no partner.
pub(crate) const NONE: usize = usize::MAX;

/// Partners of equations and unknowns; [`NONE`] without one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Matching {
    pub(crate) unknown_of: Vec<usize>,
    pub(crate) equation_of: Vec<usize>,
}

/// Scratch of the search for an augmenting path.
struct Search<'r> {
    rows: &'r [Vec<usize>],
    /// Number of the search that saw an equation last.
    seen: Vec<usize>,
    /// Position in its row up to which an equation has no free unknown.
    looked: Vec<usize>,
    stack: Vec<(usize, usize)>,
}

/// A maximum matching; `rows[e]` are the unknowns of equation `e`.
///
/// Depth-first search with a look for free unknowns first (Duff 1981, *On algorithms for obtaining
/// a maximum transversal*). Cost: close to linear in practice, equations times entries at worst.
pub(crate) fn maximum(rows: &[Vec<usize>], unknown_count: usize) -> Matching {
    let mut matching = Matching {
        unknown_of: vec![NONE; rows.len()],
        equation_of: vec![NONE; unknown_count],
    };
    // Unknowns of few equations first, so that most searches end at once.
    let mut uses = vec![0_usize; unknown_count];
    for unknown in rows.iter().flatten() {
        uses[*unknown] += 1;
    }
    for (equation, row) in rows.iter().enumerate() {
        let free = row.iter().filter(|u| matching.equation_of[**u] == NONE);
        if let Some(&unknown) = free.min_by_key(|u| uses[**u]) {
            matching.unknown_of[equation] = unknown;
            matching.equation_of[unknown] = equation;
        }
    }
    let mut search = Search {
        rows,
        seen: vec![NONE; rows.len()],
        looked: vec![0; rows.len()],
        stack: Vec::new(),
    };
    for equation in 0..rows.len() {
        if matching.unknown_of[equation] == NONE {
            search.augment(&mut matching, equation);
        }
    }
    matching
}

impl Search<'_> {
    fn augment(&mut self, matching: &mut Matching, root: usize) {
        self.stack.clear();
        self.stack.push((root, 0));
        self.seen[root] = root;
        while let Some(&(equation, position)) = self.stack.last() {
            let row = &self.rows[equation];
            while let Some(&unknown) = row.get(self.looked[equation]) {
                if matching.equation_of[unknown] == NONE {
                    return self.take(matching, unknown);
                }
                self.looked[equation] += 1;
            }
            let next = row[position..].iter().position(|unknown| {
                let other = matching.equation_of[*unknown];
                self.seen[other] != root
            });
            match next {
                Some(offset) => {
                    let at = position + offset;
                    if let Some(top) = self.stack.last_mut() {
                        top.1 = at + 1;
                    }
                    let other = matching.equation_of[row[at]];
                    self.seen[other] = root;
                    self.stack.push((other, 0));
                }
                None => {
                    self.stack.pop();
                }
            }
        }
    }

    /// Exchanges the partners along the path on the stack, which ends at a free unknown.
    fn take(&mut self, matching: &mut Matching, mut unknown: usize) {
        while let Some((equation, _)) = self.stack.pop() {
            let before = matching.unknown_of[equation];
            matching.unknown_of[equation] = unknown;
            matching.equation_of[unknown] = equation;
            unknown = before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NONE, maximum};

    /// Largest matching by trying everything.
    fn naive(rows: &[Vec<usize>], equation: usize, taken: &mut Vec<bool>) -> usize {
        let Some(row) = rows.get(equation) else {
            return 0;
        };
        let mut best = naive(rows, equation + 1, taken);
        for &unknown in row {
            if !taken[unknown] {
                taken[unknown] = true;
                best = best.max(1 + naive(rows, equation + 1, taken));
                taken[unknown] = false;
            }
        }
        best
    }

    #[test]
    fn finds_as_many_pairs_as_trying_everything() {
        let mut state = 12345_u64;
        let mut draw = |n: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            usize::try_from((state >> 33) % n).unwrap()
        };
        for _ in 0..500 {
            let (equations, unknowns) = (1 + draw(7), 1 + draw(7));
            let mut rows = vec![Vec::new(); equations];
            for row in &mut rows {
                *row = (0..unknowns).filter(|_| draw(3) == 0).collect();
            }
            let matching = maximum(&rows, unknowns);
            let pairs = matching.unknown_of.iter().filter(|u| **u != NONE).count();
            assert_eq!(
                pairs,
                naive(&rows, 0, &mut vec![false; unknowns]),
                "{rows:?}"
            );
            for (equation, &unknown) in matching.unknown_of.iter().enumerate() {
                if unknown != NONE {
                    assert!(rows[equation].contains(&unknown), "a pair is an entry");
                    assert_eq!(matching.equation_of[unknown], equation, "both ways");
                }
            }
        }
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let n = 100_000;
        let rows: Vec<Vec<usize>> = (0..n).map(|i| vec![i, (i + 1) % n]).collect();
        let matching = maximum(&rows, n);
        assert!(
            matching.unknown_of.iter().all(|u| *u != NONE),
            "all have a partner"
        );
    }
}
