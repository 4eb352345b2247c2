//! Whether a population fits a model.

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
    let length = |column: &str, found: usize| match found == count {
        true => Ok(()),
        false => wrong(column, format!("{found} entries for {count} subjects")),
    };
    length("entries", population.entries.len())?;
    if population.regimes.len() != 1 {
        length("regimes", population.regimes.len())?;
    }
    let model = &solution.problem.model.inner;
    for (name, column) in &population.states {
        if let crate::population::Column::Each(values) = column {
            length(name, values.len())?;
        }
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
    for subject in 0..count {
        check_subject(solution, population, subject)?;
    }
    Ok(())
}

fn check_subject(
    solution: &Solution,
    population: &Population,
    subject: usize,
) -> Result<(), SimulateError> {
    let model = &solution.problem.model.inner;
    let number = population.numbers[subject];
    let wrong = |column: &str, message: String| {
        Err(SimulateError::Population {
            column: column.to_owned(),
            message: format!("subject {number}: {message}"),
        })
    };
    let (name, period) = (population.regime(subject), population.entries[subject]);
    let Some(plan) = model.regimes.iter().find(|plan| plan.name() == name) else {
        return wrong("regimes", format!("there is no regime `{name}`"));
    };
    let Some(Some(own)) = plan.periods.get(period) else {
        return wrong(
            "entries",
            format!("regime `{name}` does not exist in period {period}"),
        );
    };
    let axes = own.space.reader.space().axes();
    for (state, axis) in plan.states.iter().zip(axes) {
        let column = population
            .states
            .iter()
            .find(|(known, _)| *known == state.name);
        let value = column.and_then(|(_, column)| column.get(subject));
        let Some(value) = value else {
            return wrong(&state.name, "no first value is given".to_owned());
        };
        let fits = if state.is_continuous() {
            value.is_finite()
        } else {
            bifrons_grids::Grid::nodes(axis).contains(&value)
        };
        if !fits {
            return wrong(&state.name, format!("{value} is no value of this state"));
        }
    }
    Ok(())
}
