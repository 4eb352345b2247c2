//! Whether a population fits a model.

use std::collections::BTreeMap;

use crate::error::SimulateError;
use crate::population::Population;
use crate::solution::Solution;

/// Whether the columns of the population fit each other and the model.
pub(super) fn check(solution: &Solution, population: &Population) -> Result<(), SimulateError> {
    let count = population.len();
    let wrong = |column: &str, message: String| {
        Err(SimulateError::Population {
            column: column.to_owned(),
            message,
        })
    };
    for (column, found) in population.lengths() {
        if found != count {
            return wrong(column, format!("{found} entries for {count} subjects"));
        }
    }
    let model = &solution.problem.model.inner;
    for (name, _) in &population.states {
        let known = model.regimes.iter().flat_map(|plan| &plan.states);
        if !known.clone().any(|state| state.name == *name) {
            let near = crate::spelling::nearest(name, known.map(|state| &*state.name));
            let hint = near.map(|near| format!(", did you mean `{near}`?"));
            return wrong(
                name,
                format!("no regime has such a state{}", hint.unwrap_or_default()),
            );
        }
    }
    let groups = groups(solution, population)?;
    (0..count).try_for_each(|subject| {
        let group = match &*groups {
            [all] => all,
            each => &each[subject],
        };
        check_subject(solution, population, *group, subject)
    })
}

/// Index of the first regime of all subjects, or of each.
fn groups(solution: &Solution, population: &Population) -> Result<Vec<usize>, SimulateError> {
    let plans = &solution.problem.model.inner.regimes;
    let known: BTreeMap<&str, usize> = (0..plans.len()).map(|i| (plans[i].name(), i)).collect();
    let names = population.regimes.iter().enumerate();
    let found = names.map(|(subject, name)| {
        known.get(&**name).copied().ok_or_else(|| {
            let message = format!("there is no regime `{name}`");
            wrong(population, subject, "regimes", message)
        })
    });
    found.collect()
}

fn wrong(population: &Population, subject: usize, column: &str, message: String) -> SimulateError {
    let number = population.number(subject);
    SimulateError::Population {
        column: column.to_owned(),
        message: format!("subject {number}: {message}"),
    }
}

fn check_subject(
    solution: &Solution,
    population: &Population,
    regime: usize,
    subject: usize,
) -> Result<(), SimulateError> {
    let plan = &solution.problem.model.inner.regimes[regime];
    let period = population.entry(subject);
    let Some(Some(own)) = plan.periods.get(period) else {
        let name = plan.name();
        let message = format!("regime `{name}` does not exist in period {period}");
        return Err(wrong(population, subject, "entries", message));
    };
    let axes = own.space.reader.space().axes();
    for (state, axis) in plan.states.iter().zip(axes) {
        let column = population.column(&state.name);
        let Some(value) = column.and_then(|column| column.get(subject)) else {
            let message = "no first value is given".to_owned();
            return Err(wrong(population, subject, &state.name, message));
        };
        let fits = if state.is_continuous() {
            value.is_finite()
        } else {
            bifrons_grids::Grid::nodes(axis).contains(&value)
        };
        if !fits {
            let message = format!("{value} is no value of this state");
            return Err(wrong(population, subject, &state.name, message));
        }
    }
    Ok(())
}
