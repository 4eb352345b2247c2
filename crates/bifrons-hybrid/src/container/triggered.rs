//! A diagram that runs once at each edge of a signal.

use bifrons_expr::Expr;

use super::inside::{self, Parts, held, inner};
use super::strict;
use crate::block::{Block, BlockUpdate, Component, Role};
use crate::diagram::Diagram;
use crate::equations::EquationSystem;
use crate::error::BlockError;
use crate::event::{Direction, Guard};
use crate::range::ParameterRange;

const KIND: &str = "Triggered";

/// A diagram that runs once at each edge of its input `trigger` and holds its outputs in between.
///
/// ```text
/// y := h(d, u), d := g(d, u)      at each edge: `trigger` becomes positive (or stops being so)
/// ```
///
/// Outputs read the registers before the edge, as at an instant of a clock. Inputs: `trigger` and
/// those that the diagram exports, all without defaults. Outputs: those that it exports.
/// Parameters: those of the diagram, and `before`, what outputs show before the first edge.
///
/// Blocks with clocks inside run at the edges in place of their instants, all alike; a diagram
/// with several different clocks, with continuous states or with guards cannot be triggered. A
/// trigger that is positive from the start on is no edge.
///
/// # Examples
///
/// ```
/// use bifrons_expr::Expr;
/// use bifrons_hybrid::{BlockSpec, DiagramBuilder, Direction, Triggered};
///
/// let s = |name: &str| Expr::symbol(name);
/// let square = BlockSpec::builder("Square").input("u").output("y", s("u") * s("u"));
/// let mut inside = DiagramBuilder::new("latch");
/// let square = inside.add("square", square.build()?)?;
/// inside.export_input("u", square.input("u"))?;
/// inside.export_output("y", square.output("y"))?;
/// let latch = Triggered::new(inside.build()?, Direction::Rising);
/// # let _ = latch;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Triggered {
    diagram: Diagram,
    direction: Direction,
    before: f64,
}

impl Triggered {
    /// Runs where the trigger becomes positive (`Rising`), stops being so (`Falling`), or both.
    #[must_use]
    pub fn new(diagram: Diagram, direction: Direction) -> Self {
        Self {
            diagram,
            direction,
            before: 0.0,
        }
    }

    /// What outputs show before the first edge. Default: 0.
    #[must_use]
    pub fn output_before(mut self, value: f64) -> Self {
        self.before = value;
        self
    }
}

impl Block for Triggered {
    fn into_component(self) -> Result<Component, BlockError> {
        if self.before.is_nan() {
            return Err(BlockError::Value {
                kind: KIND.to_owned(),
                setting: "before".to_owned(),
                value: self.before,
                requirement: "must be a number",
            });
        }
        let system = inside::flatten(KIND, &self.diagram)?;
        check(&self.diagram, &system)?;
        let mut parts = Parts::new(KIND, "trigger", &system);
        parts.drop_clocks();
        parts.parameter("before", self.before, ParameterRange::FINITE);
        let edge = Guard::new("edge", self.direction);
        let edge = parts.guard(edge, strict(&Expr::symbol("trigger")));
        for discrete in system.discretes() {
            let start = discrete.start.clone();
            let target = parts.push(&discrete.symbol, Role::Discrete { start });
            let own = system.updates().iter();
            for update in own.filter(|update| update.target == discrete.symbol) {
                parts.update(BlockUpdate {
                    trigger: edge,
                    target,
                    expression: update.expression.clone(),
                    priority: update.priority,
                    sample: update.sample,
                });
            }
        }
        parts.equations(&system, Expr::clone);
        for output in system.outputs() {
            let (value, last) = (inner(&output.name), held(&output.name));
            parts.define(&value, output.expression.clone());
            let start = Expr::symbol("before");
            let target = parts.push(&last, Role::Discrete { start });
            parts.update(BlockUpdate {
                trigger: edge,
                target,
                expression: Expr::symbol(value),
                priority: 0,
                sample: true,
            });
            parts.output(&output.name, Expr::symbol(last));
        }
        Ok(parts.build(&self.diagram)?.into())
    }
}

fn check(diagram: &Diagram, system: &EquationSystem) -> Result<(), BlockError> {
    let refuse = |what, name: &str, fix| BlockError::Content {
        kind: KIND.to_owned(),
        diagram: diagram.name().to_owned(),
        what,
        name: name.to_owned(),
        fix,
    };
    if let Some(state) = system.states().first() {
        let fix = "put it into an Enabled container, or outside";
        return Err(refuse("the continuous state", state.symbol.name(), fix));
    }
    if let Some(guard) = system.guards().first() {
        let fix = "put what it watches outside";
        return Err(refuse("the guard", &guard.guard.name, fix));
    }
    // Equal clocks have been merged.
    if let Some(clock) = system.clocks().get(1) {
        let fix = "its blocks all run at the edges, give them one clock";
        return Err(refuse("a second clock", &clock.name, fix));
    }
    Ok(())
}
