//! Equations as text.

use std::fmt;

use super::EquationSystem;
use crate::event::Direction;

impl fmt::Display for EquationSystem {
    /// One equation per line, grouped under a heading; empty groups are left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "system {}", self.name())?;
        heading(f, "parameters", self.parameters().len())?;
        for parameter in self.parameters() {
            writeln!(f, "  {} = {}", parameter.symbol, parameter.default)?;
        }
        heading(f, "inputs", self.inputs().len())?;
        for input in self.inputs() {
            writeln!(f, "  {input}")?;
        }
        heading(f, "definitions", self.definitions().len())?;
        for definition in self.definitions() {
            writeln!(f, "  {} := {}", definition.symbol, definition.expression)?;
        }
        heading(f, "loops", self.loops().len())?;
        for equations in self.loops() {
            let unknowns = equations.variables.iter().zip(&equations.residuals);
            for ((unknown, residual), guess) in unknowns.zip(&equations.guesses) {
                writeln!(f, "  {unknown}: 0 = {residual}, guess {guess}")?;
            }
        }
        heading(f, "states", self.states().len())?;
        for state in self.states() {
            writeln!(
                f,
                "  der({}) = {}, start {}",
                state.symbol, state.derivative, state.start
            )?;
        }
        self.fmt_events(f)?;
        heading(f, "outputs", self.outputs().len())?;
        for output in self.outputs() {
            writeln!(f, "  {} = {}", output.name, output.expression)?;
        }
        Ok(())
    }
}

impl EquationSystem {
    fn fmt_events(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        heading(f, "discrete states", self.discretes().len())?;
        for discrete in self.discretes() {
            writeln!(f, "  {}, start {}", discrete.symbol, discrete.start)?;
        }
        heading(f, "clocks", self.clocks().len())?;
        for clock in self.clocks() {
            let (period, offset) = (clock.period, clock.offset);
            writeln!(f, "  {}: {offset} + k * {period}", clock.name)?;
        }
        heading(f, "guards", self.guards().len())?;
        for equation in self.guards() {
            let guard = &equation.guard;
            let way = match guard.direction {
                Direction::Either => "crosses",
                Direction::Rising => "rises through",
                Direction::Falling => "falls through",
            };
            let then = if guard.terminal { ", ends the run" } else { "" };
            writeln!(f, "  {}: {} {way} 0{then}", guard.name, equation.expression)?;
        }
        heading(f, "updates", self.updates().len())?;
        for update in self.updates() {
            let trigger = self.trigger_name(update.trigger);
            let sign = if update.sample { ":=" } else { "<-" };
            writeln!(
                f,
                "  at {trigger}: {} {sign} {}",
                update.target, update.expression
            )?;
        }
        Ok(())
    }
}

fn heading(f: &mut fmt::Formatter<'_>, text: &str, count: usize) -> fmt::Result {
    if count == 0 {
        Ok(())
    } else {
        writeln!(f, "{text}")
    }
}
