//! What every implicit method answers in the same way.

/// The parts of a [`Stepper`](crate::stepper::Stepper) that read the same fields in every implicit
/// method: its start, consistent states, the times and states at which it stands.
///
/// `is_high` of the method says whether some component has an index above one.
macro_rules! standing {
    () => {
        fn start(
            &mut self,
            problem: &mut P,
            start: &$crate::stepper::Start<'_>,
        ) -> Result<(), $crate::error::Failure> {
            self.direction = start.direction;
            self.max_step = start.max_step;
            let first = (start.initial_step, 0.0);
            self.begin(problem, start.t, start.y, start.limit, first)
        }

        fn make_consistent(
            &mut self,
            problem: &mut P,
            t: f64,
            y: &mut [f64],
            first: bool,
        ) -> Result<(), $crate::error::Failure> {
            if self.is_high() {
                return Ok(());
            }
            let how = (self.initialisation, first);
            let statistics = &mut self.statistics;
            self.matrices
                .make_consistent(problem, (t, y), how, statistics)
        }

        fn t_old(&self) -> f64 {
            self.t_old
        }

        fn t(&self) -> f64 {
            self.t
        }

        fn state(&self) -> &[f64] {
            &self.y
        }
    };
}
pub(super) use standing;
