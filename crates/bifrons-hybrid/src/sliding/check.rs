//! Guards along whose surface a system can slide.

use bifrons_expr::{Expr, Symbol};

use super::Slide;
use crate::equations::{EquationSystem, Meaning};
use crate::error::{SlideError, UnknownName};
use crate::event::{Direction, Trigger};
use crate::name::{TIME, nearest};

/// A surface with what its rates need.
pub(super) struct Surface {
    pub(super) slide: Slide,
    /// Position of the guard.
    pub(super) guard: usize,
    pub(super) side: Symbol,
    /// The function whose zero it is, with definitions inserted.
    pub(super) value: Expr,
    /// Its derivatives by states.
    pub(super) slopes: Vec<(usize, Expr)>,
    /// Its derivative by time.
    pub(super) by_time: Expr,
}

pub(super) fn surfaces(
    system: &EquationSystem,
    slides: &[Slide],
) -> Result<Vec<Surface>, SlideError> {
    let found = slides.iter().map(|slide| surface(system, slide));
    let found: Vec<Surface> = found.collect::<Result<_, _>>()?;
    for own in &found {
        let rates = own.slopes.iter();
        let rates = rates.map(|(state, _)| system.states()[*state].derivative.clone());
        let rates = system.inserted(rates.collect());
        for other in found.iter().filter(|other| other.guard != own.guard) {
            let reads = |rate: &Expr| rate.dependencies().contains(&other.side);
            if other.side == own.side || rates.iter().any(reads) {
                return Err(SlideError::Coupled {
                    guard: own.slide.guard.clone(),
                    other: other.slide.guard.clone(),
                });
            }
        }
    }
    Ok(found)
}

fn surface(system: &EquationSystem, slide: &Slide) -> Result<Surface, SlideError> {
    let guard = find(system, slide)?;
    let side = Symbol::new(&slide.side);
    let equation = &system.guards()[guard];
    let plain = equation.guard.direction == Direction::Either
        && !equation.guard.terminal
        && !equation.guard.observe
        && !equation.guard.initially_below;
    if !plain {
        return Err(SlideError::Kind {
            guard: slide.guard.clone(),
        });
    }
    if !(slide.pull >= 0.0 && slide.pull.is_finite()) {
        return Err(SlideError::Pull {
            guard: slide.guard.clone(),
            value: slide.pull,
        });
    }
    let value = system.inserted(vec![equation.expression.clone()]).remove(0);
    let slopes = slopes(system, slide, &value)?;
    check_updates(system, guard, &side, &slopes)?;
    check_loops(system, &side)?;
    Ok(Surface {
        slide: slide.clone(),
        guard,
        side,
        by_time: value.derivative(&Symbol::new(TIME)),
        value,
        slopes,
    })
}

/// Position of the guard; the side must be there, too.
fn find(system: &EquationSystem, slide: &Slide) -> Result<usize, SlideError> {
    let unknown = |what, name: &str, known: Vec<&str>| {
        SlideError::UnknownName(UnknownName {
            what,
            name: name.to_owned(),
            owner: system.name().to_owned(),
            nearest: nearest(name, known).map(str::to_owned),
        })
    };
    let guards: Vec<&str> = system.guards().iter().map(|own| &*own.guard.name).collect();
    let taken = |name: &str| format!("{}.{name}", slide.guard);
    let new = ["rises", "falls", "leaves", "begins"].map(taken);
    if let Some(name) = new.into_iter().find(|name| guards.contains(&&**name)) {
        return Err(SlideError::Taken { name });
    }
    let Some(guard) = guards.iter().position(|name| **name == *slide.guard) else {
        return Err(unknown("guard", &slide.guard, guards));
    };
    let discretes = system.discretes().iter().map(|own| own.symbol.name());
    let discretes: Vec<&str> = discretes.collect();
    if !discretes.contains(&&*slide.side) {
        return Err(unknown("discrete state", &slide.side, discretes));
    }
    Ok(guard)
}

/// Derivatives by the states of a function of states, parameters and time.
fn slopes(
    system: &EquationSystem,
    slide: &Slide,
    value: &Expr,
) -> Result<Vec<(usize, Expr)>, SlideError> {
    let mut slopes = Vec::new();
    for symbol in value.dependencies() {
        match system.meaning(&symbol) {
            Some(Meaning::State(index)) => slopes.push((index, value.derivative(&symbol))),
            Some(Meaning::Time | Meaning::Parameter(_)) => {}
            _ => {
                return Err(SlideError::Reads {
                    guard: slide.guard.clone(),
                    symbol: symbol.name().to_owned(),
                });
            }
        }
    }
    if slopes.is_empty() {
        return Err(SlideError::TimeOnly {
            guard: slide.guard.clone(),
        });
    }
    Ok(slopes)
}

/// The guard writes its side alone, and nothing else moves either.
fn check_updates(
    system: &EquationSystem,
    guard: usize,
    side: &Symbol,
    slopes: &[(usize, Expr)],
) -> Result<(), SlideError> {
    for update in system.updates() {
        let own = update.trigger == Trigger::Guard(guard);
        let is_side = update.target == *side;
        let moves = match system.meaning(&update.target) {
            Some(Meaning::State(index)) => slopes.iter().any(|(state, _)| *state == index),
            _ => false,
        };
        if own != is_side || moves || (is_side && update.sample) {
            return Err(SlideError::Update {
                guard: system.guards()[guard].guard.name.to_string(),
                variable: update.target.name().to_owned(),
                trigger: system.trigger_name(update.trigger).to_owned(),
            });
        }
    }
    Ok(())
}

fn check_loops(system: &EquationSystem, side: &Symbol) -> Result<(), SlideError> {
    for equations in system.loops() {
        let all = equations.residuals.iter().chain(&equations.guesses);
        let inserted = system.inserted(all.cloned().collect());
        if inserted.iter().any(|own| own.dependencies().contains(side)) {
            return Err(SlideError::Loop {
                side: side.name().to_owned(),
                variables: equations.names(),
            });
        }
    }
    Ok(())
}
