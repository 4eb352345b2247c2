//! Enclosures that are computed again and again, without allocation.

use bifrons_memory::Footprint;

use super::{Interval, enclose};
use crate::error::EvaluateError;
use crate::expr::Expr;
use crate::external::Function;
use crate::node::{Head, Order};
use crate::op::Op;
use crate::symbol::Symbol;

/// What is known of a value over a box.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Bounds {
    /// Every value is inside.
    pub range: Interval,
    /// Proved: the value has no jump inside the box. `false` means that it may have one.
    pub is_continuous: bool,
}

impl Bounds {
    const fn of(range: Interval) -> Self {
        Self {
            range,
            is_continuous: true,
        }
    }
}

/// Expressions prepared for bounds over many boxes: the compiled form of [`Expr::interval`].
///
/// Beside the bounds it tells whether an expression may jump inside the box: steps, choices and
/// comparisons that are not decided, remainders that wrap, poles. Where one is continuous and the
/// bounds of its derivative leave out zero, it passes each value once at most.
///
/// Cost: one operation on intervals per distinct node, no allocation after the first time.
///
/// # Examples
///
/// ```
/// use bifrons_expr::{Enclosure, Expr, Interval, Symbol};
///
/// let t = Symbol::new("t");
/// let wave = (10.0 * Expr::symbol(&t)).sin();
/// let slope = wave.derivative(&t);
/// let enclosure = Enclosure::new(&[wave, slope], &[t])?;
/// let mut memory = enclosure.memory();
/// enclosure.evaluate(&[Interval::new(-0.1, 0.1)], &mut memory);
/// let [wave, slope] = [0, 1].map(|root| enclosure.bounds(root, &memory));
/// // It rises from below zero to above, continuously: one zero.
/// assert!(wave.is_continuous && wave.range.contains(0.0) && slope.range.low() > 0.0);
/// # Ok::<(), bifrons_expr::EvaluateError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Enclosure {
    steps: Vec<Step>,
    roots: Vec<u32>,
}

/// Working memory of an [`Enclosure`].
#[derive(Debug, Clone, Default)]
pub struct EnclosureMemory(Vec<Bounds>);

#[derive(Debug, Clone)]
enum Step {
    Constant(Interval),
    /// Position among the symbols.
    Symbol(usize),
    /// What a function of the user may give.
    Call(Function),
    Op(Op, [u32; 3]),
}

impl Enclosure {
    /// Prepares the roots, whose symbols are all among `symbols`.
    ///
    /// # Errors
    ///
    /// [`EvaluateError::UnknownSymbol`] for a symbol that is not listed.
    pub fn new(roots: &[Expr], symbols: &[Symbol]) -> Result<Self, EvaluateError> {
        let order = Order::of(roots.iter().map(Expr::node));
        let step = |position: usize| {
            Ok(match &order.nodes[position].head {
                Head::Constant(constant) => Step::Constant(Interval::point(*constant)),
                Head::Symbol(symbol) => {
                    let known = symbols.iter().position(|own| own == symbol);
                    Step::Symbol(known.ok_or_else(|| EvaluateError::UnknownSymbol {
                        symbol: symbol.clone(),
                    })?)
                }
                Head::Function(_) | Head::Op(Op::Arguments) => Step::Constant(Interval::REALS),
                Head::Op(Op::Call) => match order.call(position) {
                    Some((function, _)) => Step::Call(function.clone()),
                    None => Step::Constant(Interval::REALS),
                },
                Head::Op(op) => Step::Op(*op, order.operands[position]),
            })
        };
        let steps = (0..order.nodes.len()).map(step).collect::<Result<_, _>>()?;
        let roots = order.roots;
        Ok(Self { steps, roots })
    }

    /// Whether a function of the user is called, of which nothing but its range is known.
    #[must_use]
    pub fn has_calls(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Call(_)))
    }

    /// Memory for [`evaluate`](Self::evaluate).
    #[must_use]
    pub fn memory(&self) -> EnclosureMemory {
        EnclosureMemory(Vec::with_capacity(self.steps.len()))
    }

    /// Bytes of the memory.
    #[must_use]
    pub fn footprint(&self) -> Footprint {
        Footprint::of::<Bounds>(self.steps.len())
    }

    /// Bounds of every node over the box with one range for each symbol, in their order.
    ///
    /// A symbol without a range may be any number.
    pub fn evaluate(&self, ranges: &[Interval], memory: &mut EnclosureMemory) {
        let values = &mut memory.0;
        values.clear();
        for step in &self.steps {
            let bounds = match step {
                Step::Constant(range) => Bounds::of(*range),
                Step::Symbol(i) => Bounds::of(ranges.get(*i).copied().unwrap_or(Interval::REALS)),
                Step::Call(function) => Bounds {
                    range: function.range(),
                    is_continuous: false,
                },
                Step::Op(op, operands) => {
                    let absent = Bounds::of(Interval::point(0.0));
                    let of = |i: u32| values.get(i as usize).copied().unwrap_or(absent);
                    apply(*op, operands.map(of))
                }
            };
            values.push(bounds);
        }
    }

    /// Bounds of a root in the last box.
    #[must_use]
    pub fn bounds(&self, root: usize, memory: &EnclosureMemory) -> Bounds {
        let at = self.roots.get(root).map(|&root| root as usize);
        let unknown = Bounds {
            range: Interval::REALS,
            is_continuous: false,
        };
        at.and_then(|at| memory.0.get(at).copied())
            .unwrap_or(unknown)
    }
}

fn apply(op: Op, operands: [Bounds; 3]) -> Bounds {
    let range = enclose(op, operands.map(|operand| operand.range));
    Bounds {
        range,
        is_continuous: is_continuous(op, operands, range),
    }
}

/// Whether the operation, with its operands moving in their bounds, has no jump.
fn is_continuous(op: Op, [a, b, c]: [Bounds; 3], result: Interval) -> bool {
    if result.may_be_nan() {
        return false;
    }
    if result.is_point() {
        return true;
    }
    let both = a.is_continuous && b.is_continuous;
    match op {
        // Steps: constant, or not proved.
        Op::Sign | Op::Floor | Op::Ceil | Op::And | Op::Or | Op::Not => false,
        _ if op.is_comparison() => false,
        Op::Select => match a.range.truth() {
            Some(true) => b.is_continuous,
            Some(false) => c.is_continuous,
            None => false,
        },
        Op::Modulo => both && a.range.is_within_a_period(b.range),
        Op::Atan2 => both && a.range.is_off_the_cut(b.range),
        // Poles, and 0⁰.
        Op::Div | Op::Tan | Op::Powi(_) => both && result.is_bounded(),
        Op::Pow => both && result.is_bounded() && a.range.low() > 0.0,
        _ if op.arity() == 1 => a.is_continuous,
        _ => both,
    }
}
