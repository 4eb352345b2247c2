//! Linear models at a point, exact from the expressions.

use std::collections::BTreeMap;

use bifrons_expr::{Expr, Jacobian, Symbol};

use crate::algebraic;
use crate::equations::{EquationSystem, LoopEquations, base_name};
use crate::error::{LinearisationError, UnknownName};
use crate::name::{TIME, nearest};
use crate::newton::{NewtonState, back_substitute, factorise};

/// A linear model at a point.
///
/// ```text
/// d(δx)/dtime = A δx + B δu      δy = C δx + D δu
/// A = ∂f/∂x   B = ∂f/∂u   C = ∂h/∂x   D = ∂h/∂u
/// ```
///
/// Matrices are row by row; states, inputs and outputs in the order of the system. At a kink the
/// derivative is that of the branch that owns the point.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LinearModel {
    /// States, inputs, outputs.
    pub sizes: [usize; 3],
    /// `∂f/∂x`, states × states.
    pub a: Vec<f64>,
    /// `∂f/∂u`, states × inputs.
    pub b: Vec<f64>,
    /// `∂h/∂x`, outputs × states.
    pub c: Vec<f64>,
    /// `∂h/∂u`, outputs × inputs.
    pub d: Vec<f64>,
}

impl EquationSystem {
    /// The linear model at a point: values by name for `time`, states, inputs, discrete states and
    /// parameters. What is left out is 0, parameters have their defaults.
    ///
    /// Cost: the derivatives of each equation by the states and inputs that it depends on.
    ///
    /// # Errors
    ///
    /// [`LinearisationError::UnknownName`] for a value that belongs to nothing;
    /// [`LinearisationError::NotFinite`] for a derivative that is not finite there.
    ///
    /// # Examples
    ///
    /// ```
    /// use bifrons_expr::Expr;
    /// use bifrons_hybrid::EquationSystem;
    ///
    /// // A pendulum, hanging: q' = w, w' = -9.81 sin(q).
    /// let s = |name: &str| Expr::symbol(name);
    /// let pendulum = EquationSystem::builder("pendulum")
    ///     .state("q", s("w"), 0.0)
    ///     .state("w", -9.81 * s("q").sin(), 0.0)
    ///     .output("q", s("q"))
    ///     .build()?;
    /// let model = pendulum.linearise([("q", 0.0)])?;
    /// assert_eq!(model.a, [0.0, 1.0, -9.81, 0.0]);
    /// assert_eq!(model.c, [1.0, 0.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn linearise<'v>(
        &self,
        values: impl IntoIterator<Item = (&'v str, f64)>,
    ) -> Result<LinearModel, LinearisationError> {
        let mut point = self.point(values)?;
        let states: Vec<Symbol> = self.states().iter().map(|s| s.symbol.clone()).collect();
        let derivatives = self.states().iter().map(|s| s.derivative.clone()).collect();
        let outputs = self
            .outputs()
            .iter()
            .map(|o| o.expression.clone())
            .collect();
        let (derivatives, outputs) = (self.inlined(derivatives), self.inlined(outputs));
        let inputs = self.inputs();
        let loops = Unknowns::new(self, &mut point, &states)?;
        let matrix = |rows: &[Expr], by: &[Symbol], slopes: &[f64]| {
            let mut matrix = self.matrix(rows, by, &point)?;
            let through = self.matrix(rows, &loops.symbols, &point)?;
            multiply_add(&through, slopes, &mut matrix, by.len());
            Ok::<_, LinearisationError>(matrix)
        };
        Ok(LinearModel {
            sizes: [states.len(), inputs.len(), outputs.len()],
            a: matrix(&derivatives, &states, &loops.by_states)?,
            b: matrix(&derivatives, inputs, &loops.by_inputs)?,
            c: matrix(&outputs, &states, &loops.by_states)?,
            d: matrix(&outputs, inputs, &loops.by_inputs)?,
        })
    }

    fn point<'v>(
        &self,
        values: impl IntoIterator<Item = (&'v str, f64)>,
    ) -> Result<BTreeMap<Symbol, f64>, LinearisationError> {
        let states = self.states().iter().map(|state| &state.symbol);
        let discretes = self.discretes().iter().map(|discrete| &discrete.symbol);
        let all = states.chain(self.inputs()).chain(discretes);
        let mut point: BTreeMap<Symbol, f64> = all.map(|symbol| (symbol.clone(), 0.0)).collect();
        point.insert(Symbol::new(TIME), 0.0);
        for parameter in self.parameters() {
            point.insert(parameter.symbol.clone(), parameter.default);
        }
        for (name, value) in values {
            match point.get_mut(&Symbol::new(name)) {
                Some(own) => *own = value,
                None => {
                    let known = point.keys().map(Symbol::name);
                    return Err(UnknownName {
                        what: "state, input or parameter",
                        name: name.to_owned(),
                        owner: self.name().to_owned(),
                        nearest: nearest(name, known).map(str::to_owned),
                    }
                    .into());
                }
            }
        }
        Ok(point)
    }

    /// Expressions with the definitions that they need inserted, as they are between instants;
    /// unknowns of loops stay.
    pub(crate) fn inlined(&self, roots: Vec<Expr>) -> Vec<Expr> {
        let current = |expression: &Expr| {
            expression.substitute(&mut |symbol| {
                let base = base_name(symbol.name());
                (base != symbol.name()).then(|| Expr::symbol(base))
            })
        };
        self.inserted(roots).iter().map(current).collect()
    }

    /// Expressions with the definitions that they need inserted.
    pub(crate) fn inserted(&self, roots: Vec<Expr>) -> Vec<Expr> {
        let needed = self.needed(&roots);
        let mut inserted: BTreeMap<Symbol, Expr> = BTreeMap::new();
        let insert = |expression: &Expr, inserted: &BTreeMap<Symbol, Expr>| {
            expression.substitute(&mut |symbol| inserted.get(symbol).cloned())
        };
        for (definition, needed) in self.definitions().iter().zip(needed.definitions) {
            if needed {
                let expression = insert(&definition.expression, &inserted);
                inserted.insert(definition.symbol.clone(), expression);
            }
        }
        roots.iter().map(|root| insert(root, &inserted)).collect()
    }

    /// Derivatives of the rows by the columns at a point.
    fn matrix(
        &self,
        rows: &[Expr],
        columns: &[Symbol],
        point: &BTreeMap<Symbol, f64>,
    ) -> Result<Vec<f64>, LinearisationError> {
        let jacobian = Jacobian::new(rows, columns);
        let mut matrix = vec![0.0; rows.len() * columns.len()];
        for ((row, column), entry) in jacobian.pattern().entries().zip(jacobian.entries()) {
            let value = entry.evaluate(&mut |symbol| point.get(symbol).copied());
            let value = value.unwrap_or(f64::NAN);
            if !value.is_finite() {
                return Err(LinearisationError::NotFinite {
                    system: self.name().to_owned(),
                    row,
                    by: columns[column].name().to_owned(),
                    value,
                });
            }
            matrix[row * columns.len() + column] = value;
        }
        Ok(matrix)
    }
}

/// Unknowns of algebraic loops at a point, and how they follow states and inputs:
/// `∂z/∂x = -(∂r/∂z)⁻¹ ∂r/∂x`.
struct Unknowns {
    symbols: Vec<Symbol>,
    by_states: Vec<f64>,
    by_inputs: Vec<f64>,
}

impl Unknowns {
    /// Solves the loops at the point, which gets the values of the unknowns.
    fn new(
        system: &EquationSystem,
        point: &mut BTreeMap<Symbol, f64>,
        states: &[Symbol],
    ) -> Result<Self, LinearisationError> {
        let symbols: Vec<Symbol> = system.unknowns().cloned().collect();
        let mut residuals = Vec::new();
        for own in system.loops() {
            let inlined = LoopEquations {
                residuals: system.inlined(own.residuals.clone()),
                ..own.clone()
            };
            let newton = algebraic::solve_at(&inlined, &|symbol| point.get(symbol).copied());
            let solved = newton.filter(|newton| newton.state == NewtonState::Solved);
            let newton = solved.ok_or_else(|| LinearisationError::Loop {
                system: system.name().to_owned(),
                variables: own.names(),
            })?;
            for (symbol, &z) in own.variables.iter().zip(newton.trial()) {
                point.insert(symbol.clone(), z);
            }
            residuals.extend(inlined.residuals);
        }
        let mut factors = system.matrix(&residuals, &symbols, point)?;
        let mut pivots = vec![0; symbols.len()];
        if !factorise(&mut factors, &mut pivots) {
            return Err(LinearisationError::Loop {
                system: system.name().to_owned(),
                variables: system.loops().iter().map(LoopEquations::names).collect(),
            });
        }
        let slopes = |by: &[Symbol]| {
            let mut slopes = system.matrix(&residuals, by, point)?;
            let mut column = vec![0.0; symbols.len()];
            for k in 0..by.len() {
                for (row, value) in column.iter_mut().enumerate() {
                    *value = -slopes[row * by.len() + k];
                }
                back_substitute(&factors, &pivots, &mut column);
                for (row, value) in column.iter().enumerate() {
                    slopes[row * by.len() + k] = *value;
                }
            }
            Ok::<_, LinearisationError>(slopes)
        };
        Ok(Self {
            by_states: slopes(states)?,
            by_inputs: slopes(system.inputs())?,
            symbols,
        })
    }
}

/// `c += a b` for `b` with `columns` columns.
fn multiply_add(a: &[f64], b: &[f64], c: &mut [f64], columns: usize) {
    let inner = b.len().checked_div(columns).unwrap_or(0);
    if inner == 0 {
        return;
    }
    for (a, c) in a.chunks_exact(inner).zip(c.chunks_exact_mut(columns)) {
        for (a, b) in a.iter().zip(b.chunks_exact(columns)) {
            for (c, b) in c.iter_mut().zip(b) {
                *c += a * b;
            }
        }
    }
}
