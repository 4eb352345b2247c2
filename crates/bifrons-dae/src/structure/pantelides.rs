//! Pantelides' algorithm: which equations must be differentiated how often.

use super::matching::NONE;

/// Equations and unknowns with their derivatives.
#[derive(Debug, Clone)]
pub(crate) struct Differentiated {
    /// Unknowns of each equation, derivatives of equations included.
    pub(crate) rows: Vec<Vec<usize>>,
    /// The equation that is the derivative of each equation, [`NONE`] if there is none.
    pub(crate) equation_derivative: Vec<usize>,
    /// The equation whose derivative each one is.
    pub(crate) equation_integral: Vec<usize>,
    /// The unknown that is the derivative of each unknown.
    pub(crate) derivative: Vec<usize>,
    /// The unknown whose derivative each one is.
    pub(crate) integral: Vec<usize>,
    /// Equation that each unknown is assigned to.
    assigned: Vec<usize>,
    /// Number of the search that saw an unknown, an equation last.
    seen: [Vec<usize>; 2],
    search: usize,
}

/// Differentiates equations until every one can be assigned to a highest derivative.
///
/// `derivative[v]` is the unknown that is the derivative of unknown `v`. The graph of equations
/// and unknowns, each with all of its derivatives, must have a perfect matching: that is when the
/// algorithm ends (Pantelides 1988, *The consistent initialization of differential-algebraic
/// systems*, SIAM J. Sci. Stat. Comput. 9(2), 213–231, theorem 4.1). No recursion.
pub(crate) fn differentiate(rows: Vec<Vec<usize>>, derivative: Vec<usize>) -> Differentiated {
    let (equations, unknowns) = (rows.len(), derivative.len());
    let mut integral = vec![NONE; unknowns];
    for (unknown, &derivative) in derivative.iter().enumerate() {
        if derivative != NONE {
            integral[derivative] = unknown;
        }
    }
    let mut this = Differentiated {
        rows,
        equation_derivative: vec![NONE; equations],
        equation_integral: vec![NONE; equations],
        derivative,
        integral,
        assigned: vec![NONE; unknowns],
        seen: [vec![0; unknowns], vec![0; equations]],
        search: 0,
    };
    for first in 0..equations {
        let mut equation = first;
        while !this.assign(equation) {
            this.differentiate_seen();
            equation = this.equation_derivative[equation];
        }
    }
    this
}

impl Differentiated {
    fn is_highest(&self, unknown: usize) -> bool {
        self.derivative[unknown] == NONE
    }

    /// Looks for an augmenting path; what was seen stays marked with the number of the search.
    fn assign(&mut self, root: usize) -> bool {
        self.search += 1;
        let mut stack = vec![(root, 0_usize, NONE)];
        self.seen[1][root] = self.search;
        while let Some(&(equation, position, _)) = stack.last() {
            let row = &self.rows[equation];
            if position == 0 {
                let free = |u: &&usize| self.is_highest(**u) && self.assigned[**u] == NONE;
                if let Some(&unknown) = row.iter().find(free) {
                    self.take(&stack, unknown);
                    return true;
                }
            }
            let next = (position..row.len()).find(|&at| {
                let unknown = row[at];
                self.is_highest(unknown) && self.seen[0][unknown] != self.search
            });
            let Some(at) = next else {
                stack.pop();
                continue;
            };
            let unknown = row[at];
            if let Some(top) = stack.last_mut() {
                top.1 = at + 1;
            }
            self.seen[0][unknown] = self.search;
            let other = self.assigned[unknown];
            self.seen[1][other] = self.search;
            stack.push((other, 0, unknown));
        }
        false
    }

    /// Exchanges along the path; each entry of the stack was reached through an unknown.
    fn take(&mut self, stack: &[(usize, usize, usize)], last: usize) {
        let mut unknown = last;
        for &(equation, _, through) in stack.iter().rev() {
            self.assigned[unknown] = equation;
            unknown = through;
        }
    }

    /// Differentiates everything that the last search saw.
    fn differentiate_seen(&mut self) {
        let seen = |marks: &[usize]| -> Vec<usize> {
            (0..marks.len())
                .filter(|i| marks[*i] == self.search)
                .collect()
        };
        let (unknowns, equations) = (seen(&self.seen[0]), seen(&self.seen[1]));
        for &unknown in &unknowns {
            self.derivative_of(unknown);
        }
        for &equation in &equations {
            let mut row = self.rows[equation].clone();
            for &unknown in &self.rows[equation].clone() {
                row.push(self.derivative_of(unknown));
            }
            row.sort_unstable();
            row.dedup();
            self.equation_derivative[equation] = self.rows.len();
            self.rows.push(row);
            self.equation_derivative.push(NONE);
            self.equation_integral.push(equation);
            self.seen[1].push(0);
        }
        for &unknown in &unknowns {
            let equation = self.assigned[unknown];
            let derivative = self.derivative[unknown];
            self.assigned[derivative] = self.equation_derivative[equation];
        }
    }

    /// The derivative of an unknown, made where there is none.
    fn derivative_of(&mut self, unknown: usize) -> usize {
        if self.derivative[unknown] == NONE {
            let new = self.derivative.len();
            self.derivative[unknown] = new;
            self.derivative.push(NONE);
            self.integral.push(unknown);
            self.assigned.push(NONE);
            self.seen[0].push(0);
        }
        self.derivative[unknown]
    }
}

#[cfg(test)]
mod tests {
    use super::{NONE, differentiate};

    #[test]
    fn the_pendulum_has_index_three() {
        // x, y, u, v, λ and derivatives of the first four.
        let [x, y, u, v, lambda, dx, dy, du, dv] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
        let rows = vec![
            vec![u, dx],
            vec![v, dy],
            vec![x, lambda, du],
            vec![y, lambda, dv],
            vec![x, y],
        ];
        let derivative = vec![dx, dy, du, dv, NONE, NONE, NONE, NONE, NONE];
        let result = differentiate(rows, derivative);
        let times = |mut equation: usize| {
            let mut count = 0;
            while result.equation_derivative[equation] != NONE {
                equation = result.equation_derivative[equation];
                count += 1;
            }
            count
        };
        let counts: Vec<usize> = (0..5).map(times).collect();
        assert_eq!(
            counts,
            [1, 1, 0, 0, 2],
            "the constraint twice, the kinematics once"
        );
        let (unknowns, equations) = (result.derivative.len(), result.rows.len());
        assert_eq!(unknowns - equations, 2, "degrees of freedom");
    }
}
