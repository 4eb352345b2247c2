//! Blocks with kinks and jumps.

use bifrons_expr::Expr;
use bifrons_hybrid::{Block, BlockError, BlockSpec, Component, Template};

use crate::check::{finite, limited, refuse, symbol};

/// An absolute value.
///
/// ```text
/// y = |u|
/// ```
///
/// Input `u`; output `y`. At the kink the derivative is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Abs;

impl Block for Abs {
    fn into_component(self) -> Result<Component, BlockError> {
        Ok(BlockSpec::builder("Abs")
            .input("u")
            .output("y", symbol("u").abs())
            .build()?
            .into())
    }

    fn template(&self) -> Option<Template<'_>> {
        Some(Template::of::<Self>([]))
    }
}

/// A sign.
///
/// ```text
/// y = -1 if u < 0,  0 if u = 0,  1 if u > 0
/// ```
///
/// Input `u`; output `y`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sign;

impl Block for Sign {
    fn into_component(self) -> Result<Component, BlockError> {
        Ok(BlockSpec::builder("Sign")
            .input("u")
            .output("y", symbol("u").sign())
            .build()?
            .into())
    }

    fn template(&self) -> Option<Template<'_>> {
        Some(Template::of::<Self>([]))
    }
}

/// Limits.
///
/// ```text
/// y = min(max(u, lower), upper)
/// ```
///
/// Input `u`; output `y`; parameters `lower` and `upper`, where finite; a run may set them to
/// infinity. On a limit the derivative is that of the
/// input. A run that sets `lower > upper` gets `upper`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Saturation {
    lower: f64,
    upper: f64,
}

impl Saturation {
    /// Limits with `lower <= upper`; infinity stands for no limit.
    #[must_use]
    pub fn new(lower: f64, upper: f64) -> Self {
        Self { lower, upper }
    }
}

impl Block for Saturation {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "Saturation";
        let block = BlockSpec::builder(KIND).input("u");
        let limits = (self.lower, self.upper);
        let (block, y) = limited(block, KIND, &symbol("u"), limits)?;
        Ok(block.output("y", y).build()?.into())
    }
}

/// A range without effect.
///
/// ```text
/// y = u - start   if u < start
///     0           if start <= u <= end
///     u - end     if u > end
/// ```
///
/// Input `u`; output `y`; parameters `start` and `end`. At both kinks the derivative is 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeadZone {
    start: f64,
    end: f64,
}

impl DeadZone {
    /// The range from `start` to `end` with `start <= end`, both finite.
    #[must_use]
    pub fn new(start: f64, end: f64) -> Self {
        Self { start, end }
    }

    /// The range from `-half_width` to `half_width`.
    #[must_use]
    pub fn symmetric(half_width: f64) -> Self {
        Self::new(-half_width, half_width)
    }
}

impl Block for DeadZone {
    fn into_component(self) -> Result<Component, BlockError> {
        let start = finite("DeadZone", "start", self.start)?;
        let end = finite("DeadZone", "end", self.end)?;
        if start > end {
            return Err(refuse("DeadZone", "start", start, "must not exceed `end`"));
        }
        let zero = Expr::constant(0.0);
        let above = zero.max(symbol("u") - symbol("end"));
        let below = zero.min(symbol("u") - symbol("start"));
        let block = BlockSpec::builder("DeadZone")
            .input("u")
            .parameter("start", start)
            .parameter("end", end);
        Ok(block.output("y", below + above).build()?.into())
    }
}
