//! What a run changes while a stage is evaluated.

use bifrons_algebra::{FactorError, Lu, Newton, NewtonError, NewtonOptions};
use bifrons_expr::Registers;
use bifrons_lanes::Level;
use bifrons_memory::Footprint;

use super::{Stage, TearSlopes};

/// Registers and buffers of one stage. Nothing here allocates after it was made, except for the
/// first sparse factorisation.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub(super) level: Level,
    pub(super) rates: Registers<1>,
    pub(super) residuals: Registers<1>,
    values: Registers<1>,
    slopes: Option<SlopeRegisters>,
    /// The iterated unknowns, kept from one evaluation to the next as the guess.
    pub(crate) tears: Vec<f64>,
    saved: Vec<f64>,
    residual: Vec<f64>,
    weights: Vec<f64>,
    /// Newton iterations and factorisations so far.
    pub(crate) iterations: u64,
}

#[derive(Debug)]
struct SlopeRegisters {
    registers: Registers<1>,
    entries: Vec<f64>,
    values: Vec<f64>,
    /// Whether the factors belong to the present parameters and switches.
    current: bool,
    solver: Solver,
}

#[derive(Debug)]
enum Solver {
    /// For residuals that are affine in the tears.
    Linear(Lu<f64>),
    Nonlinear(Newton),
}

/// Why the tears could not be found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Fault {
    /// The equations of the tears are singular; the tear whose column has no pivot.
    Singular { tear: usize },
    /// A slope or residual is not a number; position of the residual.
    NotFinite { residual: usize },
    /// Newton's method does not converge; position and value of the worst residual.
    NotConverged { residual: usize, value: f64 },
}

/// Correction of a tear relative to its size that is small enough: the last one is still applied.
const RELATIVE: f64 = 1e-10;
/// The same, relative to the largest tear.
const ABSOLUTE: f64 = 1e-13;

impl Stage {
    /// Bytes of a [`Workspace`] whose sparse factors, if there are any, have `fill` entries.
    pub(crate) fn footprint(&self, fill: usize) -> Footprint {
        let count = self.order.tears.len();
        let tapes = self.rates.footprint(1).beside(self.residuals.footprint(1));
        let tapes = tapes.beside(self.values.footprint(1));
        let own = Footprint::of::<f64>(4 * count);
        let slopes = self.slopes.as_ref().map_or(Footprint::ZERO, |slopes| {
            let (entries, values) = (slopes.positions.len(), slopes.structure.value_count());
            // Newton's method has values of its own, and five vectors.
            let newton = if slopes.linear { 0 } else { values + 5 * count };
            slopes
                .tape
                .footprint(1)
                .beside(Footprint::of::<f64>(entries + values + newton))
                .beside(Lu::<f64>::footprint(&slopes.structure, fill))
        });
        tapes.beside(own).beside(slopes)
    }

    pub(crate) fn workspace(&self) -> Workspace {
        self.workspace_at(Level::detect())
    }

    /// A workspace whose loops run at `level`.
    pub(crate) fn workspace_at(&self, level: Level) -> Workspace {
        let count = self.order.tears.len();
        let slopes = self.slopes.as_ref().map(|slopes| SlopeRegisters {
            registers: slopes.tape.registers(),
            entries: vec![0.0; slopes.positions.len()],
            values: vec![0.0; slopes.structure.value_count()],
            current: false,
            solver: if slopes.linear {
                Solver::Linear(Lu::analyse(&slopes.structure))
            } else {
                Solver::Nonlinear(Newton::new(&slopes.structure))
            },
        });
        Workspace {
            level,
            rates: self.rates.registers(),
            residuals: self.residuals.registers(),
            values: self.values.registers(),
            slopes,
            tears: vec![0.0; count],
            saved: vec![0.0; count],
            residual: vec![0.0; count],
            weights: vec![0.0; count],
            iterations: 0,
        }
    }

    /// Takes over parameters and the positions of switches.
    pub(crate) fn set_parameters(&self, w: &mut Workspace, parameters: &[f64]) {
        self.rates.set_parameters(&mut w.rates, 0, parameters);
        self.residuals
            .set_parameters(&mut w.residuals, 0, parameters);
        self.values.set_parameters(&mut w.values, 0, parameters);
        if let (Some(slopes), Some(registers)) = (&self.slopes, &mut w.slopes) {
            slopes
                .tape
                .set_parameters(&mut registers.registers, 0, parameters);
            registers.current = false;
        }
    }

    /// Solves for the tears, starting from those of the last call.
    pub(crate) fn solve_tears(&self, w: &mut Workspace, t: f64, x: &[f64]) -> Result<(), Fault> {
        let Some(slopes) = &self.slopes else {
            return Ok(());
        };
        w.saved.copy_from_slice(&w.tears);
        let result = match w.slopes.as_ref().map(|slopes| &slopes.solver) {
            None => Ok(()),
            Some(Solver::Linear(_)) => self.solve_linear(slopes, w, t, x),
            Some(Solver::Nonlinear(_)) => self.solve_nonlinear(slopes, w, t, x),
        };
        if result.is_err() {
            w.tears.copy_from_slice(&w.saved);
        }
        result
    }

    fn solve_linear(
        &self,
        slopes: &TearSlopes,
        w: &mut Workspace,
        t: f64,
        x: &[f64],
    ) -> Result<(), Fault> {
        let Some(s) = &mut w.slopes else {
            return Ok(());
        };
        let is_stale = !(slopes.constant && s.current);
        if is_stale {
            evaluate_slopes(slopes, s, w.level, t, x, &w.tears);
            w.iterations += 1;
            s.current = false;
        }
        let Solver::Linear(lu) = &mut s.solver else {
            return Ok(());
        };
        if is_stale {
            lu.refactor(&s.values).map_err(|error| match error {
                FactorError::Singular { column } => Fault::Singular { tear: column },
                _ => Fault::NotFinite { residual: 0 },
            })?;
        }
        s.current = true;
        // A second pass removes the round-off of the first; it is cheap.
        for _ in 0..2 {
            let inputs = [&[[t]][..], lanes(x), lanes(&w.tears)];
            let out = w.residual.as_mut_slice();
            self.residuals
                .evaluate(w.level, &mut w.residuals, &inputs, lanes_mut(out));
            if let Some(residual) = w.residual.iter().position(|r| !r.is_finite()) {
                return Err(Fault::NotFinite { residual });
            }
            lu.solve(&mut w.residual);
            for (tear, correction) in w.tears.iter_mut().zip(&w.residual) {
                *tear -= correction;
            }
        }
        Ok(())
    }

    fn solve_nonlinear(
        &self,
        slopes: &TearSlopes,
        w: &mut Workspace,
        t: f64,
        x: &[f64],
    ) -> Result<(), Fault> {
        let Some(s) = &mut w.slopes else {
            return Ok(());
        };
        let largest = w.tears.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
        for (weight, tear) in w.weights.iter_mut().zip(&w.tears) {
            *weight = 1.0 / (RELATIVE * tear.abs() + ABSOLUTE * largest);
        }
        let mut options = NewtonOptions::default();
        options.tolerance = 1.0;
        let SlopeRegisters {
            registers,
            entries,
            solver: Solver::Nonlinear(newton),
            ..
        } = s
        else {
            return Ok(());
        };
        let (level, residuals) = (w.level, &mut w.residuals);
        let residual = |y: &[f64], out: &mut [f64]| {
            let inputs = [&[[t]][..], lanes(x), lanes(y)];
            self.residuals
                .evaluate(level, residuals, &inputs, lanes_mut(out));
            true
        };
        let jacobian = |y: &[f64], _: &[f64], values: &mut [f64]| {
            let inputs = [&[[t]][..], lanes(x), lanes(y)];
            slopes
                .tape
                .evaluate(level, registers, &inputs, lanes_mut(entries));
            values.fill(0.0);
            for (&position, &entry) in slopes.positions.iter().zip(&*entries) {
                values[position] = entry;
            }
            true
        };
        let solved = newton.solve(&mut w.tears, &w.weights, &options, residual, jacobian);
        let report = solved.map_err(newton_fault)?;
        w.iterations += report.iterations as u64;
        Ok(())
    }

    /// Derivatives of the states, with the tears of the last solution.
    pub(crate) fn rates(&self, w: &mut Workspace, t: f64, x: &[f64], out: &mut [f64]) {
        let inputs = [&[[t]][..], lanes(x), lanes(&w.tears)];
        self.rates
            .evaluate(w.level, &mut w.rates, &inputs, lanes_mut(out));
    }

    /// All unknowns, surfaces and new values of events, with the tears of the last solution.
    pub(crate) fn values(&self, w: &mut Workspace, t: f64, x: &[f64], out: &mut [f64]) {
        let inputs = [&[[t]][..], lanes(x), lanes(&w.tears)];
        self.values
            .evaluate(w.level, &mut w.values, &inputs, lanes_mut(out));
    }

    /// Entries of the factors, known after the first solution.
    pub(crate) fn fill(w: &Workspace) -> usize {
        match w.slopes.as_ref().map(|slopes| &slopes.solver) {
            None => 0,
            Some(Solver::Linear(lu)) => lu.fill(),
            Some(Solver::Nonlinear(newton)) => newton.fill(),
        }
    }

    /// Length of the result of [`Stage::values`].
    pub(crate) fn value_count(&self) -> usize {
        self.values.output_count()
    }
}

fn newton_fault(error: NewtonError) -> Fault {
    match error {
        NewtonError::Guess { equation } => Fault::NotFinite { residual: equation },
        NewtonError::Factor {
            source: FactorError::Singular { column },
            ..
        } => Fault::Singular { tear: column },
        NewtonError::Stuck {
            equation, residual, ..
        }
        | NewtonError::Iterations {
            equation, residual, ..
        } => Fault::NotConverged {
            residual: equation,
            value: residual,
        },
        _ => Fault::NotFinite { residual: 0 },
    }
}

fn evaluate_slopes(
    slopes: &TearSlopes,
    s: &mut SlopeRegisters,
    level: Level,
    t: f64,
    x: &[f64],
    tears: &[f64],
) {
    let inputs = [&[[t]][..], lanes(x), lanes(tears)];
    let out = lanes_mut(&mut s.entries);
    slopes.tape.evaluate(level, &mut s.registers, &inputs, out);
    s.values.fill(0.0);
    for (&position, &entry) in slopes.positions.iter().zip(&s.entries) {
        s.values[position] = entry;
    }
}

pub(super) fn lanes(values: &[f64]) -> &[[f64; 1]] {
    values.as_chunks().0
}

pub(super) fn lanes_mut(values: &mut [f64]) -> &mut [[f64; 1]] {
    values.as_chunks_mut().0
}
