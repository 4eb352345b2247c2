//! Algebraic loops that are solved by iteration before a program runs.

use bifrons_expr::{CompileError, Expr, Jacobian};
use bifrons_lanes::Level;
use bifrons_memory::Footprint;

use crate::equations::EquationSystem;
use crate::newton::{Newton, NewtonState};
use crate::program::{Program, ProgramRegisters};
use crate::system::LoopFailure;

/// Compiles roots; the marks tell which unknowns of loops they read.
pub(crate) type Compile<'c> = dyn Fn(Vec<Expr>) -> Result<(Program, Vec<bool>), CompileError> + 'c;

/// Residuals and Jacobian of one loop, as functions of what comes before it and of its unknowns.
#[derive(Debug, Clone)]
struct LoopProgram {
    /// Position among the loops of the system.
    index: usize,
    /// Position of its first unknown among those of the system.
    first: usize,
    count: usize,
    /// Residuals, then the entries of the Jacobian.
    residuals: Program,
    guesses: Program,
    /// Row and column of each entry.
    entries: Vec<(usize, usize)>,
}

/// All loops that a program needs, in causal order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Loops {
    programs: Vec<LoopProgram>,
    unknowns: usize,
}

/// Working memory of [`Loops`].
#[derive(Debug, Clone)]
pub(crate) struct LoopMemory<const W: usize> {
    /// Values of all unknowns of the system.
    pub(crate) unknowns: Vec<[f64; W]>,
    lanes: Vec<LaneMemory<W>>,
    failures: [Option<LoopFailure>; W],
}

#[derive(Debug, Clone)]
struct LaneMemory<const W: usize> {
    residuals: ProgramRegisters<W>,
    guesses: ProgramRegisters<W>,
    values: Vec<[f64; W]>,
    newtons: Vec<Newton>,
}

impl Loops {
    /// Compiles the roots and, from the last to the first, the loops that they need.
    pub(crate) fn program(
        system: &EquationSystem,
        roots: Vec<Expr>,
        compile: &Compile<'_>,
    ) -> Result<Program, CompileError> {
        let (mut program, mut needed) = compile(roots)?;
        let mut loops = Vec::new();
        let mut first = system.unknown_count();
        for (index, equations) in system.loops().iter().enumerate().rev() {
            let count = equations.variables.len();
            first -= count;
            if !needed[first..first + count].contains(&true) {
                continue;
            }
            let jacobian = Jacobian::new(&equations.residuals, &equations.variables);
            let mut roots = equations.residuals.clone();
            roots.extend_from_slice(jacobian.entries());
            let (residuals, marks) = compile(roots)?;
            let (guesses, more) = compile(equations.guesses.clone())?;
            for (own, marked) in needed.iter_mut().zip(marks.iter().zip(&more)) {
                *own |= marked.0 | marked.1;
            }
            loops.push(LoopProgram {
                index,
                first,
                count,
                residuals,
                guesses,
                entries: jacobian.pattern().entries().collect(),
            });
        }
        loops.reverse();
        program.set_loops(Self {
            programs: loops,
            unknowns: system.unknown_count(),
        });
        Ok(program)
    }

    /// `None` without loops.
    pub(crate) fn memory<const W: usize>(&self) -> Option<Box<LoopMemory<W>>> {
        if self.programs.is_empty() {
            return None;
        }
        let lanes = self.programs.iter().map(|own| LaneMemory {
            residuals: own.residuals.registers(),
            guesses: own.guesses.registers(),
            values: vec![[0.0; W]; own.count + own.entries.len()],
            newtons: vec![Newton::new(own.count); W],
        });
        Some(Box::new(LoopMemory {
            unknowns: vec![[0.0; W]; self.unknowns],
            lanes: lanes.collect(),
            failures: [None; W],
        }))
    }

    pub(crate) fn footprint(&self, lanes: usize) -> Footprint {
        if self.programs.is_empty() {
            return Footprint::ZERO;
        }
        // With 16 lanes as with one: the part beside the numbers is a few words per lane.
        let mut all = Footprint::of::<f64>(self.unknowns * lanes)
            .beside(Footprint::of::<LoopMemory<1>>(1))
            .beside(Footprint::of::<Option<LoopFailure>>(lanes - 1));
        for own in &self.programs {
            let (numbers, pivots) = Newton::sizes(own.count);
            let newton = Footprint::of::<f64>(numbers)
                .beside(Footprint::of::<usize>(pivots))
                .beside(Footprint::of::<Newton>(1));
            all = all
                .beside(Footprint::of::<LaneMemory<1>>(1))
                .beside(own.residuals.footprint(lanes))
                .beside(own.guesses.footprint(lanes))
                .beside(Footprint::of::<f64>(
                    (own.count + own.entries.len()) * lanes,
                ))
                .beside(newton.times(lanes as u64));
        }
        all
    }

    pub(crate) fn set_values<const W: usize>(
        &self,
        memory: &mut LoopMemory<W>,
        lane: usize,
        values: &[f64],
        discrete: &[f64],
    ) {
        memory.failures[lane] = None;
        for (own, registers) in self.programs.iter().zip(&mut memory.lanes) {
            let LaneMemory {
                residuals, guesses, ..
            } = registers;
            own.residuals.set_values(residuals, lane, values, discrete);
            own.guesses.set_values(guesses, lane, values, discrete);
        }
    }

    /// Solves all loops of all lanes at `time` and the states; a loop without solution is NaN.
    pub(crate) fn solve<const W: usize>(
        &self,
        level: Level,
        memory: &mut LoopMemory<W>,
        [time, states]: &[&[[f64; W]]; 2],
    ) {
        let LoopMemory {
            unknowns,
            lanes,
            failures,
        } = memory;
        for (own, registers) in self.programs.iter().zip(lanes) {
            let inputs = [*time, *states];
            own.solve(level, registers, unknowns, &inputs);
            for (lane, newton) in registers.newtons.iter().enumerate() {
                let solved = newton.state == NewtonState::Solved;
                for (k, &z) in newton.trial().iter().enumerate() {
                    unknowns[own.first + k][lane] = if solved { z } else { f64::NAN };
                }
                if newton.state == NewtonState::Failed {
                    failures[lane] = Some(LoopFailure {
                        index: own.index,
                        residual: newton.residual,
                        t: time[0][lane],
                    });
                }
            }
        }
    }
}

impl<const W: usize> LoopMemory<W> {
    /// The last loop without solution since the values of the lane were set.
    pub(crate) fn failure(&self, lane: usize) -> Option<LoopFailure> {
        self.failures[lane]
    }
}

impl LoopProgram {
    /// Each lane iterates on its own; one that is done keeps its solution.
    fn solve<const W: usize>(
        &self,
        level: Level,
        memory: &mut LaneMemory<W>,
        unknowns: &mut [[f64; W]],
        [time, states]: &[&[[f64; W]]; 2],
    ) {
        let LaneMemory {
            residuals,
            guesses,
            values,
            newtons,
        } = memory;
        let (count, first) = (self.count, self.first);
        let own = &mut values[..count];
        let inputs = [*time, *states, &*unknowns];
        self.guesses.evaluate_solved(level, guesses, &inputs, own);
        for (lane, newton) in newtons.iter_mut().enumerate() {
            newton.start(|i| values[i][lane]);
        }
        while newtons.iter().any(|n| n.state == NewtonState::Running) {
            for (lane, newton) in newtons.iter().enumerate() {
                for (k, &z) in newton.trial().iter().enumerate() {
                    unknowns[first + k][lane] = z;
                }
            }
            let inputs = [*time, *states, &*unknowns];
            self.residuals
                .evaluate_solved(level, residuals, &inputs, values);
            for (lane, newton) in newtons.iter_mut().enumerate() {
                if newton.state == NewtonState::Running {
                    let entries = self.entries.iter().zip(&values[count..]);
                    let entries = entries.map(|(&(row, column), v)| (row, column, v[lane]));
                    newton.observe(|i| values[i][lane], entries);
                }
            }
        }
    }
}
