//! All sets of states that the structure allows.

use super::{Cluster, SelectionPlan};
use crate::structure::matching::{NONE, maximum};

/// Choices that are looked at before there are too many.
const MOST_TRIES: usize = 100_000;

impl SelectionPlan {
    /// Every set of states, each ascending, in a fixed order; `None` if there are more than `most`
    /// choices of demoted unknowns.
    ///
    /// Choices that the structure rules out are left out; numbers may rule out more.
    pub(crate) fn sets(&self, most: usize) -> Option<Vec<Vec<usize>>> {
        let mut demoted: Vec<Vec<usize>> = vec![Vec::new()];
        for cluster in &self.clusters {
            let mut next = Vec::new();
            for base in &demoted {
                let open = self.open(cluster, base);
                let mut chosen = Vec::with_capacity(cluster.rows);
                let room = most.saturating_sub(next.len());
                let mut found = Found {
                    cluster,
                    tries: MOST_TRIES,
                    base,
                    open: &open,
                    room,
                    list: Vec::new(),
                };
                if !found.subsets(0, cluster.rows, &mut chosen) {
                    return None;
                }
                next.append(&mut found.list);
            }
            demoted = next;
        }
        let states = |gone: &Vec<usize>| {
            let left = self.candidates.iter().filter(|u| !gone.contains(u));
            left.copied().collect()
        };
        Some(demoted.iter().map(states).collect())
    }

    /// Columns of a cluster that may be demoted after these unknowns.
    fn open(&self, cluster: &Cluster, demoted: &[usize]) -> Vec<usize> {
        let is_open = |column: &usize| {
            let derivative = self.derivatives[*column];
            cluster.level == 0 || derivative != NONE && demoted.contains(&derivative)
        };
        cluster.columns.iter().copied().filter(is_open).collect()
    }
}

struct Found<'f> {
    cluster: &'f Cluster,
    tries: usize,
    base: &'f [usize],
    open: &'f [usize],
    room: usize,
    list: Vec<Vec<usize>>,
}

impl Found<'_> {
    /// Appends all subsets of `size` columns from `first` on; false if there is no room.
    fn subsets(&mut self, first: usize, size: usize, chosen: &mut Vec<usize>) -> bool {
        if size == 0 {
            self.tries -= 1;
            if !self.is_possible(chosen) {
                return self.tries > 0;
            }
            if self.list.len() >= self.room || self.tries == 0 {
                return false;
            }
            let mut all = self.base.to_vec();
            all.extend_from_slice(chosen);
            self.list.push(all);
            return true;
        }
        for k in first..self.open.len().saturating_sub(size - 1) {
            chosen.push(self.open[k]);
            let fits = self.subsets(k + 1, size - 1, chosen);
            chosen.pop();
            if !fits {
                return false;
            }
        }
        true
    }
}

impl Found<'_> {
    /// Whether each row of the cluster can have a column of its own among these unknowns.
    fn is_possible(&self, chosen: &[usize]) -> bool {
        let mut rows: Vec<Vec<usize>> = vec![Vec::new(); self.cluster.rows];
        for &(row, column, _) in &self.cluster.entries {
            let unknown = self.cluster.columns[column];
            if let Some(place) = chosen.iter().position(|c| *c == unknown) {
                rows[row].push(place);
            }
        }
        let matching = maximum(&rows, chosen.len());
        matching.unknown_of.iter().all(|unknown| *unknown != NONE)
    }
}
