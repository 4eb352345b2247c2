//! A diagram that runs while a signal is positive.

use std::collections::{BTreeMap, BTreeSet};

use bifrons_expr::{Condition, Expr, Symbol};

use super::inside::{self, Parts, before, held, inner, rename};
use super::strict;
use crate::block::{Block, BlockUpdate, Component, Role};
use crate::diagram::Diagram;
use crate::equations::EquationSystem;
use crate::error::BlockError;
use crate::event::{Direction, Guard, Trigger};
use crate::range::ParameterRange;

const KIND: &str = "Enabled";
const ACTIVE: &str = "active";

/// A diagram that runs while its input `enable` is positive.
///
/// ```text
/// dx/dtime = f while enable > 0, else 0            updates and guards act while enable > 0 only
/// y        = h while enable > 0, else held or `off`
/// ```
///
/// Inputs: `enable` and those that the diagram exports, all without defaults. Outputs: those that
/// it exports. Parameters: those of the diagram, and `off`: what outputs show before they were
/// ever on, and always while off after [`output_off`](Self::output_off). Discrete state `active`.
///
/// Becoming positive and ceasing to be so are events: located, and no step is taken across them.
/// A positive signal at the start of the run counts as becoming positive. States and registers
/// are held while off; after [`reset_states`](Self::reset_states) they begin anew at each
/// switching on, with starts that read `time` as it is then. Time itself does not stop, and clocks
/// of the diagram keep their instants; at an instant of such a clock `enable` is read first, so
/// that a tick at the very instant of switching on counts. A guard inside that has crossed zero
/// while off does not fire.
///
/// # Examples
///
/// ```
/// use bifrons_expr::Expr;
/// use bifrons_hybrid::{BlockSpec, DiagramBuilder, Enabled};
///
/// let s = |name: &str| Expr::symbol(name);
/// let integrator = BlockSpec::builder("Integrator").state("x", 1.0, 0.0).output("y", s("x"));
/// let mut inside = DiagramBuilder::new("stopwatch");
/// let x = inside.add("x", integrator.build()?)?;
/// inside.export_output("elapsed", x.output("y"))?;
///
/// let mut diagram = DiagramBuilder::new("model");
/// let watch = diagram.add("watch", Enabled::new(inside.build()?))?;
/// diagram.constant(watch.input("enable"), 1.0)?;
/// diagram.export_output("elapsed", watch.output("elapsed"))?;
/// let system = diagram.build()?.flatten()?;
/// assert_eq!(system.states()[0].symbol.name(), "watch.x.x");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Enabled {
    diagram: Diagram,
    reset: bool,
    hold: bool,
    off: f64,
}

impl Enabled {
    /// Holds states and outputs while off; outputs are 0 before they were ever on.
    #[must_use]
    pub fn new(diagram: Diagram) -> Self {
        Self {
            diagram,
            reset: false,
            hold: true,
            off: 0.0,
        }
    }

    /// States, registers and samples begin anew at each switching on.
    #[must_use]
    pub fn reset_states(mut self) -> Self {
        self.reset = true;
        self
    }

    /// What outputs show before they were ever on.
    #[must_use]
    pub fn output_before(mut self, value: f64) -> Self {
        (self.off, self.hold) = (value, true);
        self
    }

    /// What outputs show whenever they are off, in place of the last value.
    #[must_use]
    pub fn output_off(mut self, value: f64) -> Self {
        (self.off, self.hold) = (value, false);
        self
    }
}

impl Block for Enabled {
    fn into_component(self) -> Result<Component, BlockError> {
        if self.off.is_nan() {
            return Err(BlockError::Value {
                kind: KIND.to_owned(),
                setting: "off".to_owned(),
                value: self.off,
                requirement: "must be a number",
            });
        }
        let system = inside::flatten(KIND, &self.diagram)?;
        let mut parts = Parts::new(KIND, "enable", &system);
        parts.parameter("off", self.off, ParameterRange::FINITE);
        let active = parts.push(ACTIVE, Role::Discrete { start: 0.0.into() });
        let variables = Variables::new(&system, self.reset);
        let positions = variables.declare(&mut parts);
        parts.equations(&system, |expression| variables.read(expression));
        for guard in system.guards() {
            let value = variables.read(&guard.expression);
            let value = Expr::select(is_active(), value, f64::INFINITY);
            parts.guard(guard.guard.clone(), value);
        }
        let enable = strict(&Expr::symbol("enable"));
        let mismatch = Expr::select(is_active(), -&enable, enable);
        let switch = Guard::new("switches", Direction::Rising).initially_below();
        let switch = parts.guard(switch, mismatch);
        let triggers = (0..system.clocks().len()).map(Trigger::Clock);
        let triggers: Vec<Trigger> = [switch].into_iter().chain(triggers).collect();
        for (order, &trigger) in triggers.iter().enumerate() {
            let on = Expr::symbol("enable").gt(0.0).as_number();
            parts.update(sample(trigger, active, on, position(order)));
        }
        variables.update(&mut parts, &positions, &triggers);
        self.outputs(&mut parts, &system, &variables, &triggers);
        Ok(parts.build(&self.diagram)?.into())
    }
}

impl Enabled {
    fn outputs(
        &self,
        parts: &mut Parts,
        system: &EquationSystem,
        variables: &Variables<'_>,
        triggers: &[Trigger],
    ) {
        for output in system.outputs() {
            let value = inner(&output.name);
            parts.define(&value, variables.read(&output.expression));
            let value = Expr::symbol(value);
            if !self.hold {
                let shown = Expr::select(is_active(), value, Expr::symbol("off"));
                parts.output(&output.name, shown);
                continue;
            }
            let last = held(&output.name);
            let start = Expr::symbol("off");
            let target = parts.push(&last, Role::Discrete { start });
            let last = Expr::symbol(last);
            let leaves = was_active().and(&is_active().not());
            for (order, &trigger) in triggers.iter().enumerate() {
                let kept = Expr::select(leaves.clone(), &value, &last);
                parts.update(BlockUpdate {
                    sample: false,
                    ..sample(trigger, target, kept, position(order))
                });
            }
            let on = is_active().or(&was_active());
            parts.output(&output.name, Expr::select(on, value, last));
        }
    }
}

fn sample(trigger: Trigger, target: usize, expression: Expr, priority: i32) -> BlockUpdate {
    BlockUpdate {
        trigger,
        target,
        expression,
        priority,
        sample: true,
    }
}

/// Priorities of updates that several triggers make alike.
fn position(order: usize) -> i32 {
    i32::try_from(order).unwrap_or(i32::MAX)
}

fn is_active() -> Condition {
    Expr::symbol(ACTIVE).gt(0.5)
}

fn was_active() -> Condition {
    before(&Symbol::new(ACTIVE)).gt(0.5)
}

/// States, registers and samples of the diagram.
struct Variables<'s> {
    system: &'s EquationSystem,
    reset: bool,
    /// Per discrete state: whether it is a sample.
    samples: Vec<bool>,
    /// Position of each variable, states first, and whether it is a sample.
    table: BTreeMap<&'s str, (usize, bool)>,
}

impl<'s> Variables<'s> {
    fn new(system: &'s EquationSystem, reset: bool) -> Self {
        let mut variables = Self {
            system,
            reset,
            samples: system.sample_marks(),
            table: BTreeMap::new(),
        };
        let all = variables.all().enumerate();
        let table = all.map(|(i, (symbol, _, sample))| (symbol.name(), (i, sample)));
        variables.table = table.collect();
        variables
    }

    /// Every variable with its start and whether it is a sample, states first.
    fn all(&self) -> impl Iterator<Item = (&'s Symbol, &'s Expr, bool)> {
        let states = self.system.states().iter();
        let states = states.map(|state| (&state.symbol, &state.start, false));
        let discretes = self.system.discretes().iter().zip(self.samples.clone());
        states.chain(discretes.map(|(d, sample)| (&d.symbol, &d.start, sample)))
    }

    /// Declares them and, where they begin anew, what equations read in place of them.
    fn declare(&self, parts: &mut Parts) -> Vec<usize> {
        let mut positions = Vec::new();
        for state in self.system.states() {
            let derivative = self.read(&state.derivative);
            let role = Role::State {
                derivative: Expr::select(is_active(), derivative, 0.0),
                start: state.start.clone(),
            };
            positions.push(parts.push(&state.symbol, role));
        }
        for discrete in self.system.discretes() {
            let start = discrete.start.clone();
            positions.push(parts.push(&discrete.symbol, Role::Discrete { start }));
        }
        if self.reset {
            let starting = is_active().and(&was_active().not());
            parts.define("starting", starting.as_number());
            for (symbol, start, sample) in self.all() {
                let old = if sample {
                    before(symbol)
                } else {
                    Expr::symbol(symbol)
                };
                let starting = Expr::symbol("starting").gt(0.5);
                parts.define(present(symbol.name()), Expr::select(starting, start, old));
            }
        }
        positions
    }

    /// An expression of the diagram over the variables as they are when it begins anew.
    fn read(&self, expression: &Expr) -> Expr {
        if !self.reset {
            return expression.clone();
        }
        rename(expression, |name, is_before| {
            let &(_, sample) = self.table.get(name)?;
            (is_before || !sample).then(|| present(name))
        })
    }

    /// The updates of the diagram, and those that begin anew.
    fn update(&self, parts: &mut Parts, positions: &[usize], triggers: &[Trigger]) {
        for update in self.system.updates() {
            let Some(&(variable, _)) = self.table.get(update.target.name()) else {
                continue;
            };
            let mut expression = self.read(&update.expression);
            if matches!(update.trigger, Trigger::Clock(_)) {
                let old = if update.sample {
                    before(&update.target)
                } else {
                    Expr::symbol(&update.target)
                };
                expression = Expr::select(is_active(), expression, old);
            }
            parts.update(BlockUpdate {
                trigger: update.trigger,
                target: positions[variable],
                expression,
                priority: update.priority,
                sample: update.sample,
            });
        }
        if self.reset {
            self.begin_anew(parts, positions, triggers);
        }
    }

    /// What the triggers do to variables that they do not update otherwise.
    fn begin_anew(&self, parts: &mut Parts, positions: &[usize], triggers: &[Trigger]) {
        for (order, &trigger) in triggers.iter().enumerate() {
            let own = self.system.updates().iter();
            // The first trigger is that of the container.
            let own: BTreeSet<&Symbol> = own
                .filter(|update| update.trigger == trigger && order > 0)
                .map(|update| &update.target)
                .collect();
            for ((symbol, _, is_sample), &target) in self.all().zip(positions) {
                if !own.contains(symbol) {
                    let value = Expr::symbol(present(symbol.name()));
                    parts.update(BlockUpdate {
                        sample: is_sample,
                        ..sample(
                            trigger,
                            target,
                            value,
                            i32::MIN.saturating_add(position(order)),
                        )
                    });
                }
            }
        }
    }
}

/// What equations read in place of a variable that may begin anew at this instant.
fn present(name: &str) -> Symbol {
    Symbol::from(format!("present({name})"))
}
