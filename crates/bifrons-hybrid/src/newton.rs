//! Newton's method for small systems, one evaluation at a time.

/// Evaluations of residuals and Jacobian that a system gets.
const ROUNDS: u32 = 100;
/// A step of this relative size ends the iteration; it is taken without another look.
const STEP: f64 = 1e-11;
/// Below this relative size of a step, no improvement means that round-off has taken over.
const FLOOR: f64 = 1e-8;
/// The largest residual of a solution, relative to `1 + |z|`.
const RESIDUAL: f64 = 1e-6;
/// Shortest fraction of a step that is tried.
const SHORTEST: f64 = 1.0 / 1_073_741_824.0;
/// Points near the guess that are tried where the Jacobian is singular.
const NUDGES: u32 = 3;

/// Damped Newton iteration for `F(z) = 0`, driven from outside: evaluate at [`trial`](Self::trial),
/// tell [`observe`](Self::observe), until the [`state`](Self::state) is not `Running`.
///
/// ```text
/// J(z) d = -F(z)      z⁺ = z + λ d      accepted if ‖J(z)⁻¹ F(z⁺)‖ ≤ (1 - λ/4) ‖d‖, else λ is halved
/// ```
///
/// Norms are the largest `|d_i| / (1 + |z_i|)`. The test of the length of the next step in the
/// matrix of this one does not depend on units of the equations.
///
/// # References
///
/// P. Deuflhard (2004), *Newton Methods for Nonlinear Problems*, Springer, section 3.3 (restricted
/// natural monotonicity test), <https://doi.org/10.1007/978-3-642-23899-4>.
#[derive(Debug, Clone)]
pub(crate) struct Newton {
    point: Vec<f64>,
    trial: Vec<f64>,
    step: Vec<f64>,
    next: Vec<f64>,
    /// Factors, row by row.
    factors: Vec<f64>,
    pivots: Vec<usize>,
    fraction: f64,
    length: f64,
    rounds: u32,
    nudges: u32,
    pub(crate) state: NewtonState,
    /// Largest residual at the last accepted point.
    pub(crate) residual: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NewtonState {
    Running,
    Solved,
    /// There is no solution near the guess, or none that was found.
    Failed,
    /// The equations are not finite at the guess.
    NotFinite,
}

impl Newton {
    pub(crate) fn new(count: usize) -> Self {
        Self {
            point: vec![0.0; count],
            trial: vec![0.0; count],
            step: vec![0.0; count],
            next: vec![0.0; count],
            factors: vec![0.0; count * count],
            pivots: vec![0; count],
            fraction: 1.0,
            length: f64::INFINITY,
            rounds: 0,
            nudges: 0,
            state: NewtonState::Running,
            residual: f64::NAN,
        }
    }

    /// Numbers and positions that an iteration for `count` unknowns keeps.
    pub(crate) fn sizes(count: usize) -> (usize, usize) {
        (count * (count + 4), count)
    }

    pub(crate) fn start(&mut self, guess: impl Fn(usize) -> f64) {
        for (i, z) in self.trial.iter_mut().enumerate() {
            *z = guess(i);
        }
        self.fraction = 1.0;
        self.length = f64::INFINITY;
        self.rounds = 0;
        self.nudges = 0;
        self.residual = f64::NAN;
        self.state = NewtonState::Running;
    }

    /// Where residuals and Jacobian are wanted next; the solution once it is there.
    pub(crate) fn trial(&self) -> &[f64] {
        &self.trial
    }

    /// Takes residuals and the entries `(row, column, value)` of the Jacobian at the trial point.
    pub(crate) fn observe(
        &mut self,
        residual: impl Fn(usize) -> f64,
        jacobian: impl Iterator<Item = (usize, usize, f64)>,
    ) {
        self.rounds += 1;
        let first = self.length.is_infinite();
        if first && !(0..self.point.len()).all(|i| residual(i).is_finite()) {
            self.state = NewtonState::NotFinite;
            return;
        }
        if !first && !self.shortens(&residual) {
            self.reject();
            return;
        }
        self.point.copy_from_slice(&self.trial);
        let sizes = (0..self.point.len()).map(|i| residual(i).abs());
        self.residual = sizes.fold(0.0, f64::max);
        self.factors.fill(0.0);
        let count = self.point.len();
        for (row, column, value) in jacobian {
            self.factors[row * count + column] = value;
        }
        if !self.factorise() {
            self.nudge();
            return;
        }
        for (i, d) in self.step.iter_mut().enumerate() {
            *d = -residual(i);
        }
        back_substitute(&self.factors, &self.pivots, &mut self.step);
        self.length = length(&self.step, &self.point);
        let solved = self.length <= STEP && self.is_small(residual);
        if solved || (self.rounds < ROUNDS && self.length.is_finite()) {
            // A damped iteration grows back to full steps.
            self.fraction = if solved {
                1.0
            } else {
                (2.0 * self.fraction).min(1.0)
            };
            self.advance();
            if solved {
                self.state = NewtonState::Solved;
            }
        } else {
            self.state = NewtonState::Failed;
        }
    }

    /// Whether the step from the trial point, in the matrix of the last point, is shorter.
    fn shortens(&mut self, residual: &impl Fn(usize) -> f64) -> bool {
        for (i, d) in self.next.iter_mut().enumerate() {
            *d = -residual(i);
        }
        back_substitute(&self.factors, &self.pivots, &mut self.next);
        let next = length(&self.next, &self.point);
        next <= (1.0 - 0.25 * self.fraction) * self.length
    }

    fn reject(&mut self) {
        if self.length <= FLOOR && self.residual <= RESIDUAL {
            self.trial.copy_from_slice(&self.point);
            self.state = NewtonState::Solved;
            return;
        }
        self.fraction *= 0.5;
        if self.fraction < SHORTEST || self.rounds >= ROUNDS {
            self.state = NewtonState::Failed;
        } else {
            self.advance();
        }
    }

    fn advance(&mut self) {
        for ((z, point), d) in self.trial.iter_mut().zip(&self.point).zip(&self.step) {
            *z = point + self.fraction * d;
        }
    }

    /// Leaves a point with a singular matrix.
    fn nudge(&mut self) {
        if self.residual == 0.0 {
            self.state = NewtonState::Solved;
            return;
        }
        self.nudges += 1;
        if self.nudges > NUDGES || self.rounds >= ROUNDS {
            self.state = NewtonState::Failed;
            return;
        }
        let size = 1e-2 * f64::from(self.nudges);
        for (i, z) in self.trial.iter_mut().enumerate() {
            let share = size / (i + 1) as f64;
            *z = self.point[i] + share * (1.0 + self.point[i].abs());
        }
        self.fraction = 1.0;
        self.length = f64::INFINITY;
    }

    fn is_small(&self, residual: impl Fn(usize) -> f64) -> bool {
        let mut points = self.point.iter().enumerate();
        points.all(|(i, z)| residual(i).abs() <= RESIDUAL * (1.0 + z.abs()))
    }

    fn factorise(&mut self) -> bool {
        factorise(&mut self.factors, &mut self.pivots)
    }
}

fn length(step: &[f64], point: &[f64]) -> f64 {
    let parts = step
        .iter()
        .zip(point)
        .map(|(d, z)| d.abs() / (1.0 + z.abs()));
    // NaN must not get lost.
    parts.fold(0.0, |a, b| if b > a || b.is_nan() { b } else { a })
}

/// LU factors with row exchanges in place; false if a pivot is zero or not finite.
pub(crate) fn factorise(matrix: &mut [f64], pivots: &mut [usize]) -> bool {
    let count = pivots.len();
    for k in 0..count {
        let mut best = k;
        for row in k + 1..count {
            if matrix[row * count + k].abs() > matrix[best * count + k].abs() {
                best = row;
            }
        }
        pivots[k] = best;
        let pivot = matrix[best * count + k];
        if pivot == 0.0 || !pivot.is_finite() {
            return false;
        }
        if best != k {
            for column in 0..count {
                matrix.swap(k * count + column, best * count + column);
            }
        }
        let (upper, lower) = matrix.split_at_mut((k + 1) * count);
        let own = &upper[k * count..];
        for row in lower.chunks_exact_mut(count) {
            let factor = row[k] / pivot;
            row[k] = factor;
            for (value, above) in row[k + 1..].iter_mut().zip(&own[k + 1..]) {
                *value -= factor * above;
            }
        }
    }
    true
}

/// Solves with the factors of [`factorise`].
pub(crate) fn back_substitute(factors: &[f64], pivots: &[usize], right: &mut [f64]) {
    let count = pivots.len();
    for (k, &pivot) in pivots.iter().enumerate() {
        right.swap(k, pivot);
    }
    for row in 0..count {
        let (done, rest) = right.split_at_mut(row);
        let factors = &factors[row * count..row * count + row];
        for (factor, value) in factors.iter().zip(&*done) {
            rest[0] -= factor * value;
        }
    }
    for row in (0..count).rev() {
        let (own, done) = right.split_at_mut(row + 1);
        let line = &factors[row * count..(row + 1) * count];
        for (factor, value) in line[row + 1..].iter().zip(&*done) {
            own[row] -= factor * value;
        }
        own[row] /= line[row];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Drives an iteration with dense functions.
    fn solve<const N: usize>(
        guess: [f64; N],
        f: impl Fn(&[f64]) -> [f64; N],
        j: impl Fn(&[f64]) -> [[f64; N]; N],
    ) -> (NewtonState, Vec<f64>, u32) {
        let mut newton = Newton::new(N);
        newton.start(|i| guess[i]);
        while newton.state == NewtonState::Running {
            let (f, j) = (f(newton.trial()), j(newton.trial()));
            let entries = (0..N * N).map(|k| (k / N, k % N, j[k / N][k % N]));
            newton.observe(|i| f[i], entries);
        }
        (newton.state, newton.trial().to_vec(), newton.rounds)
    }

    #[test]
    fn a_circle_and_a_line_meet() {
        let (state, z, rounds) = solve(
            [3.0, 0.1],
            |z| [z[0] * z[0] + z[1] * z[1] - 25.0, z[0] - 0.75 * z[1]],
            |z| [[2.0 * z[0], 2.0 * z[1]], [1.0, -0.75]],
        );
        assert_eq!(state, NewtonState::Solved);
        assert!(
            (z[0] - 3.0).abs() < 1e-14 && (z[1] - 4.0).abs() < 1e-14,
            "{z:?}"
        );
        assert!(rounds < 12, "{rounds}");
    }

    #[test]
    fn damping_finds_what_full_steps_miss() {
        // Newton's method for atan diverges beyond 1.39.
        let (state, z, _) = solve([50.0], |z| [z[0].atan()], |z| [[1.0 / (1.0 + z[0] * z[0])]]);
        assert_eq!(state, NewtonState::Solved);
        assert!(z[0].abs() < 1e-14, "{z:?}");
    }

    #[test]
    fn a_singular_guess_is_left() {
        let (state, z, _) = solve([0.0], |z| [z[0] * z[0] - 4.0], |z| [[2.0 * z[0]]]);
        assert_eq!(state, NewtonState::Solved);
        assert!((z[0].abs() - 2.0).abs() < 1e-14, "{z:?}");
    }

    #[test]
    fn what_has_no_solution_fails() {
        let (state, ..) = solve([0.5], |z| [z[0] * z[0] + 1.0], |z| [[2.0 * z[0]]]);
        assert_eq!(state, NewtonState::Failed);
        let (state, ..) = solve([0.5], |_| [f64::NAN], |_| [[1.0]]);
        assert_eq!(state, NewtonState::NotFinite);
    }

    #[test]
    fn rows_are_exchanged() {
        let mut matrix = [0.0, 2.0, 1.0, 1.0, 1.0, 0.0, 3.0, 0.0, 1.0];
        let mut pivots = [0; 3];
        assert!(factorise(&mut matrix, &mut pivots), "regular");
        let mut right = [7.0, 3.0, 6.0];
        back_substitute(&matrix, &pivots, &mut right);
        for (found, expected) in right.iter().zip([1.0, 2.0, 3.0]) {
            assert!((found - expected).abs() < 1e-14, "{right:?}");
        }
    }
}
