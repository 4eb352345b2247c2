//! Consistent values of a member at its start.

use std::collections::BTreeMap;

use bifrons_expr::{CompileError, Expr, Registers, Symbol, Tape, TapeBuilder};
use bifrons_hybrid::TIME;
use bifrons_lanes::Level;
use bifrons_memory::Footprint;

use super::{NetworkSystem, NetworkWorkspace};
use crate::initial::{FullSystem, InitialReport, Start};
use crate::reduced::ReducedModel;

/// Conditions of the start as programs.
#[derive(Debug)]
pub(super) struct StartPlan {
    /// Value of every condition, over parameters and the start time.
    values: Tape,
    /// Unknowns with a first value: position, condition, slope and offset of its quantity.
    known: Vec<Known>,
    /// Quantities of the hard conditions, over all unknowns.
    quantities: Tape,
    /// The hard conditions.
    hard: Vec<usize>,
}

#[derive(Debug)]
struct Known {
    unknown: usize,
    condition: usize,
    slope: f64,
    offset: f64,
    fixed: bool,
}

/// Registers of a [`StartPlan`] and the start of the member that was asked for last.
#[derive(Debug)]
pub(super) struct StartWorkspace {
    values: Registers<1>,
    quantities: Registers<1>,
    conditions: Vec<f64>,
    found: Vec<f64>,
    unknowns: Vec<f64>,
    time: f64,
    parameters: Vec<f64>,
    pub(super) state: Vec<f64>,
    pub(super) discrete: Vec<f64>,
    /// Whether the states did not decide the last start.
    pub(super) was_thorough: bool,
}

impl StartPlan {
    /// `Err` with the text of a condition over something that is no unknown.
    pub(super) fn new(model: &ReducedModel) -> Result<Result<Self, String>, CompileError> {
        let numbers: BTreeMap<&Symbol, usize> = model
            .unknowns
            .iter()
            .enumerate()
            .map(|(number, unknown)| (&unknown.symbol, number))
            .collect();
        let mut known: Vec<Known> = Vec::new();
        for (condition, start) in model.starts.iter().enumerate() {
            let symbols = start.quantity.dependencies();
            if symbols.iter().any(|s| !numbers.contains_key(s)) {
                return Ok(Err(crate::name::plain(&start.quantity)));
            }
            let (1, Some(symbol)) = (symbols.len(), symbols.first()) else {
                continue;
            };
            let affine = start.quantity.affine_in(symbol);
            let constants = affine.map(|a| (a.slope.as_constant(), a.offset.as_constant()));
            if let Some((Some(slope), Some(offset))) = constants {
                let own = Known {
                    unknown: numbers[symbol],
                    condition,
                    slope,
                    offset,
                    fixed: start.fixed,
                };
                // Hard conditions beat guesses, later ones earlier ones of their kind.
                let earlier = known.iter_mut().find(|k| k.unknown == own.unknown);
                match earlier {
                    Some(earlier) if own.fixed >= earlier.fixed => *earlier = own,
                    Some(_) => {}
                    None => known.push(own),
                }
            }
        }
        let hard = (0..model.starts.len()).filter(|k| model.starts[*k].fixed);
        let hard: Vec<usize> = hard.collect();
        let quantity = |k: &usize| model.starts[*k].quantity.clone();
        let symbols = model.unknowns.iter().map(|u| u.symbol.clone());
        let quantities = TapeBuilder::new()
            .variables(symbols)
            .outputs(hard.iter().map(quantity));
        let values: Vec<Expr> = model.starts.iter().map(|s| s.value.clone()).collect();
        let parameters = model.parameters.iter().map(|p| p.symbol.clone());
        let switches = model.switches.iter().map(|s| s.symbol.clone());
        let values = TapeBuilder::new()
            .parameters(parameters.chain(switches))
            .variables([Symbol::new(TIME)])
            .outputs(values);
        Ok(Ok(Self {
            values: values.build()?,
            quantities: quantities.build()?,
            known,
            hard,
        }))
    }
}

impl StartWorkspace {
    pub(super) fn new(system: &NetworkSystem) -> Self {
        let (plan, layout) = (&system.start, &system.layout);
        let discretes = system.table.discretes().len();
        Self {
            values: plan.values.registers(),
            quantities: plan.quantities.registers(),
            conditions: vec![0.0; plan.values.output_count()],
            found: vec![0.0; plan.hard.len()],
            unknowns: vec![0.0; system.unknown_count()],
            time: f64::NAN,
            parameters: vec![0.0; system.schema.parameter_count()],
            state: vec![0.0; layout.states],
            discrete: vec![0.0; discretes],
            was_thorough: false,
        }
    }

    pub(super) fn footprint(system: &NetworkSystem) -> Footprint {
        let plan = &system.start;
        let discretes = system.table.discretes().len();
        let conditions = plan.values.output_count() + plan.hard.len();
        let numbers = conditions + system.unknown_count() + system.schema.parameter_count();
        plan.values
            .footprint(1)
            .beside(plan.quantities.footprint(1))
            .beside(Footprint::of::<f64>(
                numbers + system.layout.states + discretes,
            ))
    }
}

impl NetworkSystem {
    /// Consistent values for these parameters; NaN where there are none.
    pub(super) fn find_start<const W: usize>(
        &self,
        w: &mut NetworkWorkspace<W>,
        t0: f64,
        parameters: &[f64],
    ) {
        let same = |a: &f64, b: &f64| a.to_bits() == b.to_bits();
        let pairs = w.start.parameters.iter().zip(parameters);
        if same(&w.start.time, &t0) && pairs.fold(true, |all, (a, b)| all & same(a, b)) {
            return;
        }
        w.start.time = t0;
        w.start.parameters.copy_from_slice(parameters);
        let mut ranges = self.model.parameters.iter().zip(parameters);
        let allowed = ranges.all(|(parameter, value)| parameter.range.contains(*value));
        if allowed && self.settle_start(w, t0).is_some() {
            w.spare.arm(&self.layout, &w.values);
            let (state, discrete) = (&w.start.state, &mut w.start.discrete);
            w.spare.store(&self.layout, t0, state, discrete);
        } else {
            w.start.state.fill(f64::NAN);
            w.start.discrete.fill(f64::NAN);
        }
        // The positions that were tried are no default of another member.
        self.plan
            .set_parameters(&mut w.selection, &w.lanes[0].parameters);
    }

    /// Tries positions of switches until all agree with their surfaces.
    fn settle_start<const W: usize>(&self, w: &mut NetworkWorkspace<W>, t0: f64) -> Option<()> {
        let first = self.schema.parameter_count();
        w.spare.parameters[..first].copy_from_slice(&w.start.parameters);
        w.spare.parameters[first..].fill(0.0);
        w.spare.counts.fill(0.0);
        w.seen.clear();
        w.start.was_thorough = false;
        loop {
            if self.direct_start(w, t0).is_none() {
                w.start.was_thorough = true;
                self.thorough_start(w, t0)?;
            }
            let NetworkWorkspace {
                spare,
                values,
                seen,
                ..
            } = &mut *w;
            let wrong = |lane: &super::lane::Lane, k: usize| {
                self.layout.distance(lane, k, values) < -super::instant::ON_SURFACE
            };
            if !spare.flip_all(&self.layout, seen, wrong)? {
                return Some(());
            }
        }
    }

    /// States from their conditions, the rest from the equations.
    fn direct_start<const W: usize>(&self, w: &mut NetworkWorkspace<W>, t0: f64) -> Option<()> {
        let start = &mut w.start;
        let plan = &self.start;
        plan.values
            .set_parameters(&mut start.values, 0, &w.spare.parameters);
        let out = start.conditions.as_chunks_mut().0;
        plan.values
            .evaluate(Level::detect(), &mut start.values, &[&[[t0]]], out);
        start.unknowns.fill(0.0);
        for known in &plan.known {
            let value = start.conditions[known.condition];
            start.unknowns[known.unknown] = (value - known.offset) / known.slope;
        }
        self.enter_best(w, t0)?;
        self.check_hard(w)
    }

    /// Enters the best set of states at the unknowns of the start, and solves for the rest.
    fn enter_best<const W: usize>(&self, w: &mut NetworkWorkspace<W>, t0: f64) -> Option<()> {
        let start = &mut w.start;
        self.plan
            .set_parameters(&mut w.selection, &w.spare.parameters);
        let states = self.plan.choose(&mut w.selection, t0, &start.unknowns);
        let stage = self.stage_of(states?)?;
        w.spare
            .enter(self, stage, &start.unknowns, &mut start.state);
        if !w.spare.evaluate_on(self, t0, &start.state, &mut w.values) {
            return None;
        }
        let unknowns = &w.values[..self.unknown_count()];
        unknowns.iter().all(|v| v.is_finite()).then_some(())
    }

    /// Whether the hard conditions hold.
    fn check_hard<const W: usize>(&self, w: &mut NetworkWorkspace<W>) -> Option<()> {
        let start = &mut w.start;
        let unknowns = &w.values[..self.unknown_count()];
        let inputs = [unknowns.as_chunks().0];
        let out = start.found.as_chunks_mut().0;
        let registers = &mut start.quantities;
        self.start.quantities.set_parameters(registers, 0, &[]);
        self.start
            .quantities
            .evaluate(Level::detect(), registers, &inputs, out);
        let mut pairs = self.start.hard.iter().zip(&start.found);
        let holds = pairs.all(|(condition, found)| {
            let value = start.conditions[*condition];
            (found - value).abs() <= 1e-8 * (1.0 + value.abs())
        });
        holds.then_some(())
    }

    /// All equations and hard conditions at once; allocates for a while.
    fn thorough_start<const W: usize>(&self, w: &mut NetworkWorkspace<W>, t0: f64) -> Option<()> {
        let model = &*self.model;
        let symbols = model.parameters.iter().map(|p| p.symbol.clone());
        let switches = model.switches.iter().map(|s| s.symbol.clone());
        let values = w.spare.parameters.iter().copied();
        let parameters = symbols.chain(switches).zip(values).collect();
        let start = Start::new(model, t0, &parameters).ok()?;
        let hard: Vec<Expr> = start.hard.iter().map(|h| h.quantity.clone()).collect();
        let mut full = FullSystem::new(model, &hard).ok()?;
        full.set_parameters(&w.spare.parameters);
        w.start.unknowns.copy_from_slice(&start.values);
        let mut report = InitialReport::default();
        full.solve(model, &start, t0, &mut w.start.unknowns, &mut report)
            .ok()?;
        self.enter_best(w, t0)
    }
}
