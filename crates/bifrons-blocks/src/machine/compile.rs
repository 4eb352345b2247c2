//! From states and transitions to updates of a mode.

use bifrons_expr::{Condition, Expr};
use bifrons_hybrid::{BlockError, BlockSpec, BlockSpecBuilder, Component, Direction, Guard};

use super::{StateMachine, Transition, When};
use crate::check::{finite, symbol};

const KIND: &str = "StateMachine";

/// States by number, with what the equations ask about them.
struct Chart<'m> {
    machine: &'m StateMachine,
    parents: Vec<Option<usize>>,
    /// Number of each leaf among the leaves.
    leaves: Vec<Option<usize>>,
    /// Transitions in the order in which they are looked at, with source and target.
    order: Vec<(&'m Transition, usize, usize)>,
}

pub(super) fn component(machine: &StateMachine) -> Result<Component, BlockError> {
    let chart = Chart::new(machine)?;
    let mut block = BlockSpec::builder(KIND);
    for name in &machine.inputs {
        block = block.input(name);
    }
    for (name, default) in &machine.parameters {
        block = block.parameter(name, *default);
    }
    let first = chart.initial_leaf(0);
    block = block.discrete("active", number(first));
    for (name, initial) in &machine.variables {
        let initial = finite(KIND, name, *initial)?;
        block = block.discrete(format!("{name}_held"), initial);
    }
    for state in chart.with_history() {
        block = block.discrete(chart.memory(state), number(chart.initial_leaf(state)));
    }
    let block = match machine.rate {
        Some(rate) => {
            let block = block.clock(rate.clock(KIND)?);
            let next = chart.clocked_next();
            chart.updates(block, "tick", &next, true)
        }
        None => chart.events(block),
    };
    let mut block = block.output("mode", symbol("active"));
    for (name, _) in &machine.variables {
        block = block.output(name, symbol(&format!("{name}_held")));
    }
    Ok(block.build()?.into())
}

/// A transition that is taken: whether, and to which leaf.
struct Next {
    taken: Condition,
    leaf: Expr,
}

impl<'m> Chart<'m> {
    fn new(machine: &'m StateMachine) -> Result<Self, BlockError> {
        if machine.states.is_empty() {
            return Err(refuse("it needs at least one state".to_owned()));
        }
        let find = |name: &str, below: usize| {
            let states = machine.states[..below].iter();
            let found = states.enumerate().find(|(_, state)| state.name == name);
            found.map(|(index, _)| index).ok_or_else(|| {
                refuse(format!(
                    "there is no state `{name}` (declared before its use)"
                ))
            })
        };
        let all = machine.states.len();
        let mut parents = Vec::with_capacity(all);
        for (index, state) in machine.states.iter().enumerate() {
            if find(&state.name, index).is_ok() {
                return Err(refuse(format!("state `{}` is declared twice", state.name)));
            }
            let parent = state.parent.as_deref();
            parents.push(parent.map(|parent| find(parent, index)).transpose()?);
        }
        let mut count = 0;
        let leaves = (0..all).map(|state| {
            let is_leaf = !parents.contains(&Some(state));
            is_leaf.then(|| {
                count += 1;
                count - 1
            })
        });
        let leaves = leaves.collect();
        let mut order = Vec::with_capacity(machine.transitions.len());
        for transition in &machine.transitions {
            let (from, to) = (find(&transition.from, all)?, find(&transition.to, all)?);
            order.push((transition, from, to));
        }
        for action in &machine.actions {
            find(&action.state, all)?;
            let known = machine
                .variables
                .iter()
                .any(|(name, _)| *name == action.variable);
            if !known {
                return Err(refuse(format!(
                    "there is no variable `{}`",
                    action.variable
                )));
            }
        }
        let mut chart = Self {
            machine,
            parents,
            leaves,
            order,
        };
        chart.sort()?;
        chart.check_reachable()?;
        Ok(chart)
    }

    /// Innermost sources first, then by priority.
    fn sort(&mut self) -> Result<(), BlockError> {
        let depths: Vec<usize> = (0..self.parents.len())
            .map(|s| self.path(s).len())
            .collect();
        self.order.sort_by_key(|(transition, from, _)| {
            (
                core::cmp::Reverse(depths[*from]),
                *from,
                transition.priority,
            )
        });
        let twice = self
            .order
            .windows(2)
            .find(|pair| pair[0].1 == pair[1].1 && pair[0].0.priority == pair[1].0.priority);
        match twice {
            None => Ok(()),
            Some(pair) => Err(refuse(format!(
                "transitions of state `{}` to `{}` and `{}` have the same priority {}",
                pair[0].0.from, pair[0].0.to, pair[1].0.to, pair[0].0.priority
            ))),
        }
    }

    fn check_reachable(&self) -> Result<(), BlockError> {
        let mut reached = vec![false; self.parents.len()];
        let mut open = vec![0];
        while let Some(state) = open.pop() {
            // Entering a state enters those around it and its first leaf.
            for state in self
                .path(state)
                .into_iter()
                .chain(self.path(self.first_leaf(state)))
            {
                if core::mem::replace(&mut reached[state], true) {
                    continue;
                }
                let outgoing = self.order.iter().filter(|(_, from, _)| *from == state);
                open.extend(outgoing.map(|(_, _, to)| *to));
            }
        }
        match reached.iter().position(|reached| !reached) {
            None => Ok(()),
            Some(state) => {
                let name = &self.machine.states[state].name;
                Err(refuse(format!("state `{name}` is never reached")))
            }
        }
    }

    /// The state and all around it, from the inside.
    fn path(&self, state: usize) -> Vec<usize> {
        let mut path = vec![state];
        let mut current = state;
        while let Some(parent) = self.parents[current] {
            path.push(parent);
            current = parent;
        }
        path
    }

    fn first_leaf(&self, state: usize) -> usize {
        let mut current = state;
        while let Some(child) = self.parents.iter().position(|p| *p == Some(current)) {
            current = child;
        }
        current
    }

    fn initial_leaf(&self, state: usize) -> usize {
        self.leaves[self.first_leaf(state)].unwrap_or(0)
    }

    fn with_history(&self) -> impl Iterator<Item = usize> {
        let states = self.machine.states.iter().enumerate();
        states
            .filter(|(_, state)| state.history)
            .map(|(index, _)| index)
    }

    fn memory(&self, state: usize) -> String {
        format!("{}_last", self.machine.states[state].name)
    }

    /// Whether `mode` is a leaf within a state.
    fn within(&self, state: usize, mode: &Expr) -> Condition {
        let leaves = (0..self.parents.len()).filter_map(|inner| {
            let leaf = self.leaves[inner]?;
            self.path(inner)
                .contains(&state)
                .then(|| mode.eq(number(leaf)))
        });
        leaves
            .reduce(|any, one| any.or(&one))
            .unwrap_or_else(|| Condition::constant(false))
    }

    /// The leaf that a transition to a state enters.
    fn target(&self, state: usize) -> Expr {
        if self.machine.states[state].history {
            symbol(&self.memory(state))
        } else {
            Expr::constant(number(self.initial_leaf(state)))
        }
    }

    /// At a tick: the first transition whose source is active and whose margin is positive.
    fn clocked_next(&self) -> Next {
        let active = symbol("active");
        let mut taken = Condition::constant(false);
        let mut leaf = active.clone();
        for (transition, from, to) in self.order.iter().rev() {
            let source = self.within(*from, &active);
            let fires = source.and(&self.local(&transition.margin).gt(0.0));
            leaf = Expr::select(fires.clone(), self.target(*to), leaf);
            taken = taken.or(&fires);
        }
        Next { taken, leaf }
    }

    /// One guard per transition; the order is that of the priorities of updates.
    fn events(&self, mut block: BlockSpecBuilder) -> BlockSpecBuilder {
        let active = symbol("active");
        for (position, (transition, from, to)) in self.order.iter().enumerate() {
            let name = format!("transition{}", position + 1);
            let source = self.within(*from, &active);
            let margin = Expr::select(source, self.local(&transition.margin), -1.0);
            block = block.guard(Guard::new(name.as_str(), Direction::Rising), margin);
            let next = Next {
                taken: Condition::constant(true),
                leaf: self.target(*to),
            };
            let priority = -i32::try_from(position).unwrap_or(i32::MAX);
            block = self.prioritised(block, &name, &next, priority, false);
        }
        block
    }

    fn updates(
        &self,
        block: BlockSpecBuilder,
        trigger: &str,
        next: &Next,
        during: bool,
    ) -> BlockSpecBuilder {
        self.prioritised(block, trigger, next, 0, during)
    }

    fn prioritised(
        &self,
        mut block: BlockSpecBuilder,
        trigger: &str,
        next: &Next,
        priority: i32,
        during: bool,
    ) -> BlockSpecBuilder {
        block = block.update_with_priority(trigger, "active", next.leaf.clone(), priority);
        for state in self.with_history() {
            let (memory, active) = (self.memory(state), symbol("active"));
            let value = Expr::select(self.leaves_state(state, next), active, symbol(&memory));
            block = block.update_with_priority(trigger, memory, value, priority);
        }
        for (name, _) in &self.machine.variables {
            let held = format!("{name}_held");
            let value = self.value(name, next, during);
            block = block.update_with_priority(trigger, held, value, priority);
        }
        block
    }

    fn leaves_state(&self, state: usize, next: &Next) -> Condition {
        let (before, after) = self.sides(state, next);
        let is_leaf = self.leaves[state].is_some();
        let left = if is_leaf {
            before
        } else {
            before.and(&after.not())
        };
        next.taken.and(&left)
    }

    fn enters_state(&self, state: usize, next: &Next) -> Condition {
        let (before, after) = self.sides(state, next);
        let is_leaf = self.leaves[state].is_some();
        let entered = if is_leaf {
            after
        } else {
            after.and(&before.not())
        };
        next.taken.and(&entered)
    }

    fn sides(&self, state: usize, next: &Next) -> (Condition, Condition) {
        (
            self.within(state, &symbol("active")),
            self.within(state, &next.leaf),
        )
    }

    /// The value of a variable after the instant.
    fn value(&self, variable: &str, next: &Next, during: bool) -> Expr {
        let mut value = symbol(&format!("{variable}_held"));
        let mut apply = |when: When, states: &mut dyn Iterator<Item = usize>| {
            for state in states {
                let own = self.machine.actions.iter().filter(|action| {
                    action.when == when
                        && action.variable == variable
                        && action.state == self.machine.states[state].name
                });
                for action in own {
                    let condition = match when {
                        When::Entry => self.enters_state(state, next),
                        When::Exit => self.leaves_state(state, next),
                        When::During => {
                            let inside = self.within(state, &symbol("active"));
                            inside.and(&next.taken.not())
                        }
                    };
                    value = Expr::select(condition, self.local(&action.value), &value);
                }
            }
        };
        let count = self.parents.len();
        if during {
            apply(When::During, &mut (0..count));
        }
        // Parents are declared before their substates.
        apply(When::Exit, &mut (0..count).rev());
        apply(When::Entry, &mut (0..count));
        value
    }

    /// Variables by their names as the values that are held.
    fn local(&self, expression: &Expr) -> Expr {
        expression.substitute(&mut |symbol| {
            let mut names = self.machine.variables.iter();
            let known = names.any(|(name, _)| name == symbol.name());
            known.then(|| Expr::symbol(format!("{}_held", symbol.name())))
        })
    }
}

fn refuse(problem: String) -> BlockError {
    BlockError::Machine {
        kind: KIND.to_owned(),
        problem,
    }
}

/// A number of a leaf.
fn number(leaf: usize) -> f64 {
    u32::try_from(leaf).map_or(f64::NAN, f64::from)
}
