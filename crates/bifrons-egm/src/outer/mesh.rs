//! Exact inner solutions at the points of a mesh, nodes and probes between them.

/// Position as 32 bits; meshes are small.
#[expect(
    clippy::cast_possible_truncation,
    reason = "meshes have far fewer points"
)]
pub(crate) const fn narrow(i: usize) -> u32 {
    i as u32
}

/// Points in ascending order with the values of all queries.
#[derive(Debug, Clone, Default)]
pub(super) struct Mesh {
    pub(super) z: Vec<f64>,
    pub(super) is_node: Vec<bool>,
    /// Place of the values of each point.
    place: Vec<u32>,
    values: Vec<f64>,
    queries: usize,
}

impl Mesh {
    pub(super) fn new(queries: usize, most: usize) -> Self {
        let mut mesh = Self {
            queries,
            ..Self::default()
        };
        mesh.z.reserve_exact(most);
        mesh.is_node.reserve_exact(most);
        mesh.place.reserve_exact(most);
        mesh.values.reserve_exact(most * queries);
        mesh
    }

    /// Value of a query at a point.
    pub(super) fn y(&self, point: usize, query: usize) -> f64 {
        self.values[self.place[point] as usize * self.queries + query]
    }

    /// Adds a point in order and has its values written.
    pub(super) fn add(&mut self, z: f64, is_node: bool, solve: impl FnOnce(&mut [f64])) {
        let at = self.z.partition_point(|&other| other < z);
        let place = narrow(self.z.len());
        self.z.insert(at, z);
        self.is_node.insert(at, is_node);
        self.place.insert(at, place);
        let from = self.values.len();
        self.values.resize(from + self.queries, f64::NEG_INFINITY);
        solve(&mut self.values[from..]);
    }

    pub(super) fn node_count(&self) -> usize {
        self.is_node.iter().filter(|&&is_node| is_node).count()
    }

    /// Points with the largest value of a query; the first of equal ones.
    pub(super) fn best(&self, query: usize) -> Option<usize> {
        let mut best: Option<usize> = None;
        for point in 0..self.z.len() {
            let value = self.y(point, query);
            let larger = best.is_none_or(|old| value > self.y(old, query));
            if value > f64::NEG_INFINITY && larger {
                best = Some(point);
            }
        }
        best
    }

    /// Whether a point is not below its neighbours.
    pub(super) fn is_peak(&self, point: usize, query: usize) -> bool {
        let value = self.y(point, query);
        let left = point
            .checked_sub(1)
            .map_or(f64::NEG_INFINITY, |i| self.y(i, query));
        let right = if point + 1 < self.z.len() {
            self.y(point + 1, query)
        } else {
            f64::NEG_INFINITY
        };
        value > f64::NEG_INFINITY && !(left > value) && !(right > value)
    }
}
