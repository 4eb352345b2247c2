//! Parameters of the members: defaults, values for all, columns.

use bifrons_hybrid::Schema;

use crate::error::BuildError;

/// Parameters of every member of a sweep (or of the only one).
#[derive(Debug, Clone)]
pub(crate) struct Parameters {
    /// Defaults with the values for all members put in.
    base: Vec<f64>,
    /// Position of a parameter and its values, one per member.
    columns: Vec<(usize, Vec<f64>)>,
}

impl Parameters {
    pub(crate) fn new(
        schema: &Schema,
        values: &[(String, f64)],
        columns: Vec<(String, Vec<f64>)>,
        members: usize,
    ) -> Result<Self, BuildError> {
        let mut base = schema.defaults().to_vec();
        let mut given = vec![false; base.len()];
        let mut give = |name: &str| -> Result<usize, BuildError> {
            let position = schema.parameter(name)?;
            if core::mem::replace(&mut given[position], true) {
                return Err(BuildError::GivenTwice {
                    name: name.to_owned(),
                });
            }
            Ok(position)
        };
        for (name, value) in values {
            base[give(name)?] = *value;
        }
        let mut resolved = Vec::with_capacity(columns.len());
        for (name, column) in columns {
            let position = give(&name)?;
            if column.len() != members {
                let found = column.len();
                return Err(BuildError::ColumnLength {
                    name,
                    found,
                    required: members,
                });
            }
            resolved.push((position, column));
        }
        Ok(Self {
            base,
            columns: resolved,
        })
    }

    /// Number of parameters.
    pub(crate) fn count(&self) -> usize {
        self.base.len()
    }

    /// Writes the parameters of a member; returns the first that is not finite.
    #[inline]
    pub(crate) fn fill(&self, member: usize, parameters: &mut [f64]) -> Option<usize> {
        parameters.copy_from_slice(&self.base);
        for (position, column) in &self.columns {
            parameters[*position] = column[member];
        }
        parameters.iter().position(|p| !p.is_finite())
    }
}
