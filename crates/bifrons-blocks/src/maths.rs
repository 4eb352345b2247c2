//! Arithmetic of signals.

use bifrons_expr::Expr;
use bifrons_hybrid::{Block, BlockError, BlockSpec, BlockSpecBuilder, Component, Template};

use crate::check::{finite, numbers, shape, symbol};

/// A factor.
///
/// ```text
/// y = k · u
/// ```
///
/// Input `u`; output `y`; parameter `k`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gain {
    k: f64,
}

impl Gain {
    /// The factor `k`, which must be finite.
    #[must_use]
    pub fn new(k: f64) -> Self {
        Self { k }
    }
}

impl Block for Gain {
    fn into_component(self) -> Result<Component, BlockError> {
        let k = finite("Gain", "k", self.k)?;
        let block = BlockSpec::builder("Gain").input("u").parameter("k", k);
        Ok(block.output("y", symbol("k") * symbol("u")).build()?.into())
    }

    fn template(&self) -> Option<Template<'_>> {
        numbers::<Self>(&[self.k])
    }
}

/// A sum with signs.
///
/// ```text
/// y = ± u1 ± u2 … ± un      from left to right
/// ```
///
/// Inputs `u1` … `un`, one per sign; output `y`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sum {
    signs: String,
}

impl Sum {
    /// One input per character of `signs`, each `+` or `-`: `Sum::new("+-")` is `u1 - u2`.
    #[must_use]
    pub fn new(signs: impl Into<String>) -> Self {
        Self {
            signs: signs.into(),
        }
    }
}

impl Block for Sum {
    fn into_component(self) -> Result<Component, BlockError> {
        let refuse = || {
            shape(
                "Sum",
                "signs",
                "one `+` or `-` per input",
                self.signs.clone(),
            )
        };
        let mut y: Option<Expr> = None;
        for (index, sign) in self.signs.chars().enumerate() {
            let u = symbol(&numbered("u", index));
            y = Some(match (y, sign) {
                (None, '+') => u,
                (None, '-') => -u,
                (Some(sum), '+') => sum + u,
                (Some(sum), '-') => sum - u,
                _ => return Err(refuse()),
            });
        }
        let y = y.ok_or_else(refuse)?;
        let count = self.signs.chars().count();
        Ok(with_inputs(BlockSpec::builder("Sum"), count)
            .output("y", y)
            .build()?
            .into())
    }

    fn template(&self) -> Option<Template<'_>> {
        Some(Template::of::<Self>([]).with_text(&self.signs))
    }
}

/// What the blocks with any number of equal inputs have in common.
macro_rules! reduction {
    ($(#[$doc:meta])* $name:ident, $kind:literal, $combine:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $name {
            input_count: usize,
        }

        impl $name {
            /// The block with `input_count` inputs, at least one.
            #[must_use]
            pub fn new(input_count: usize) -> Self {
                Self { input_count }
            }
        }

        impl Block for $name {
            fn into_component(self) -> Result<Component, BlockError> {
                let inputs = (0..self.input_count).map(|index| symbol(&numbered("u", index)));
                let combine: fn(Expr, Expr) -> Expr = $combine;
                let y = inputs.reduce(combine).ok_or_else(|| {
                    shape($kind, "input_count", "at least one input", "none".to_owned())
                })?;
                let block = with_inputs(BlockSpec::builder($kind), self.input_count);
                Ok(block.output("y", y).build()?.into())
            }

            fn template(&self) -> Option<Template<'_>> {
                Some(Template::of::<Self>([]).with_count(self.input_count))
            }
        }
    };
}

reduction! {
    /// A product.
    ///
    /// ```text
    /// y = u1 · u2 … · un      from left to right
    /// ```
    ///
    /// Inputs `u1` … `un`; output `y`.
    Product, "Product", |a, b| a * b
}

reduction! {
    /// The smallest input.
    ///
    /// ```text
    /// y = min(u1, u2, … un)
    /// ```
    ///
    /// Inputs `u1` … `un`; output `y`. NaN if an input is NaN. On a tie the derivative is that of
    /// the first.
    Minimum, "Minimum", |a, b| a.min(b)
}

reduction! {
    /// The largest input.
    ///
    /// ```text
    /// y = max(u1, u2, … un)
    /// ```
    ///
    /// Inputs `u1` … `un`; output `y`. NaN if an input is NaN. On a tie the derivative is that of
    /// the first.
    Maximum, "Maximum", |a, b| a.max(b)
}

/// A quotient.
///
/// ```text
/// y = u1 / u2
/// ```
///
/// Inputs `u1`, `u2`; output `y`. Division by zero gives infinity or NaN, which ends a run with
/// an error that names the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Divide;

impl Block for Divide {
    fn into_component(self) -> Result<Component, BlockError> {
        let block = with_inputs(BlockSpec::builder("Divide"), 2);
        Ok(block
            .output("y", symbol("u1") / symbol("u2"))
            .build()?
            .into())
    }

    fn template(&self) -> Option<Template<'_>> {
        Some(Template::of::<Self>([]))
    }
}

/// A power.
///
/// ```text
/// Power::new(p)      y = u^p, parameter `exponent`; NaN for u < 0 unless p is an integer
/// Power::integer(n)  y = u^n by repeated squaring; n is fixed when the diagram is built
/// Power::of_inputs() y = u1^u2
/// ```
///
/// Input `u` (or `u1` and `u2`); output `y`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Power(Exponent);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Exponent {
    Parameter(f64),
    Integer(i32),
    Input,
}

impl Power {
    /// A real exponent that is a parameter; it must be finite.
    #[must_use]
    pub fn new(exponent: f64) -> Self {
        Self(Exponent::Parameter(exponent))
    }

    /// A fixed integer exponent.
    #[must_use]
    pub fn integer(exponent: i32) -> Self {
        Self(Exponent::Integer(exponent))
    }

    /// The second input is the exponent.
    #[must_use]
    pub fn of_inputs() -> Self {
        Self(Exponent::Input)
    }
}

impl Block for Power {
    fn into_component(self) -> Result<Component, BlockError> {
        let block = BlockSpec::builder("Power");
        let block = match self.0 {
            Exponent::Parameter(exponent) => block
                .input("u")
                .parameter("exponent", finite("Power", "exponent", exponent)?)
                .output("y", symbol("u").pow(symbol("exponent"))),
            Exponent::Integer(exponent) => block.input("u").output("y", symbol("u").powi(exponent)),
            Exponent::Input => with_inputs(block, 2).output("y", symbol("u1").pow(symbol("u2"))),
        };
        Ok(block.build()?.into())
    }
}

/// A polynomial.
///
/// ```text
/// y = c0 + c1·u + c2·u² … + cn·uⁿ      evaluated as c0 + u·(c1 + u·(c2 + …))
/// ```
///
/// Input `u`; output `y`; parameters `c0` … `cn`.
#[derive(Debug, Clone, PartialEq)]
pub struct Polynomial {
    coefficients: Vec<f64>,
}

impl Polynomial {
    /// Coefficients by ascending power, at least one, all finite.
    #[must_use]
    pub fn new(coefficients: impl Into<Vec<f64>>) -> Self {
        Self {
            coefficients: coefficients.into(),
        }
    }
}

impl Block for Polynomial {
    fn into_component(self) -> Result<Component, BlockError> {
        let mut block = BlockSpec::builder("Polynomial").input("u");
        for (power, &value) in self.coefficients.iter().enumerate() {
            let name = format!("c{power}");
            block = block.parameter(&name, finite("Polynomial", &name, value)?);
        }
        let coefficients = (0..self.coefficients.len()).map(|power| symbol(&format!("c{power}")));
        let y = coefficients
            .rev()
            .reduce(|sum, c| c + symbol("u") * sum)
            .ok_or_else(|| {
                shape(
                    "Polynomial",
                    "coefficients",
                    "at least one entry",
                    "none".to_owned(),
                )
            })?;
        Ok(block.output("y", y).build()?.into())
    }
}

/// `u1`, `u2`, … for the indices 0, 1, …
pub(crate) fn numbered(prefix: &str, index: usize) -> String {
    format!("{prefix}{}", index + 1)
}

/// Adds the inputs `u1` … `un`.
pub(crate) fn with_inputs(mut block: BlockSpecBuilder, count: usize) -> BlockSpecBuilder {
    for index in 0..count {
        block = block.input(numbered("u", index));
    }
    block
}

/// `u` if there is one port only, else `u1`, `u2`, …
pub(crate) fn port(prefix: &str, index: usize, count: usize) -> String {
    if count == 1 {
        prefix.to_owned()
    } else {
        numbered(prefix, index)
    }
}
