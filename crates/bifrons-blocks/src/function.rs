//! Elementary functions of one or two signals.

use bifrons_expr::Expr;
use bifrons_hybrid::{Block, BlockError, BlockSpec, Component};

use crate::check::symbol;

/// What a function does with its inputs.
enum Rule {
    One(fn(&Expr) -> Expr),
    Two(fn(&Expr, Expr) -> Expr),
}

/// Declares the functions once: variant, name in text, rule, documentation.
macro_rules! functions {
    ($($(#[$doc:meta])* $variant:ident, $rule:expr;)*) => {
        /// An elementary function.
        ///
        /// Functions of one signal have the input `u`, functions of two the inputs `u1` and `u2`;
        /// the output is `y`. Outside its domain a function gives NaN or infinity.
        ///
        /// # Accuracy
        ///
        /// That of the same function of an expression, with the same bits on every machine.
        ///
        /// # Examples
        ///
        /// ```
        /// use bifrons_blocks::Function;
        /// use bifrons_hybrid::DiagramBuilder;
        ///
        /// let mut builder = DiagramBuilder::new("half_wave");
        /// let root = builder.add("root", Function::Sqrt)?;
        /// builder.export_input("u", root.input("u"))?;
        /// builder.export_output("y", root.output("y"))?;
        /// assert!(builder.build()?.feedthrough("u", "y").unwrap());
        /// # Ok::<(), bifrons_hybrid::DiagramError>(())
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Function {
            $($(#[$doc])* $variant,)*
        }

        impl Function {
            /// Every function.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Name of the function, such as `Sqrt`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => stringify!($variant),)*
                }
            }

            fn rule(self) -> Rule {
                match self {
                    $(Self::$variant => $rule,)*
                }
            }
        }
    };
}

functions! {
    /// `y = eᵘ`
    Exp, Rule::One(Expr::exp);
    /// `y = eᵘ - 1`, accurate near zero
    ExpM1, Rule::One(Expr::exp_m1);
    /// Natural logarithm `y = ln u`
    Ln, Rule::One(Expr::ln);
    /// `y = ln(1 + u)`, accurate near zero
    Ln1p, Rule::One(Expr::ln_1p);
    /// `y = √u`
    Sqrt, Rule::One(Expr::sqrt);
    /// `y = u²`
    Square, Rule::One(|u| u * u);
    /// `y = 1 / u`
    Reciprocal, Rule::One(|u| 1.0 / u);
    /// `y = -u`
    Negate, Rule::One(|u| -u);
    /// `y = sin u`, `u` in radians
    Sin, Rule::One(Expr::sin);
    /// `y = cos u`, `u` in radians
    Cos, Rule::One(Expr::cos);
    /// `y = tan u`, `u` in radians
    Tan, Rule::One(Expr::tan);
    /// `y = arcsin u` in `[-π/2, π/2]`
    Asin, Rule::One(Expr::asin);
    /// `y = arccos u` in `[0, π]`
    Acos, Rule::One(Expr::acos);
    /// `y = arctan u` in `[-π/2, π/2]`
    Atan, Rule::One(Expr::atan);
    /// `y = sinh u`
    Sinh, Rule::One(Expr::sinh);
    /// `y = cosh u`
    Cosh, Rule::One(Expr::cosh);
    /// `y = tanh u`
    Tanh, Rule::One(Expr::tanh);
    /// Error function `y = erf u`
    Erf, Rule::One(Expr::erf);
    /// `y = ⌊u⌋`
    Floor, Rule::One(Expr::floor);
    /// `y = ⌈u⌉`
    Ceil, Rule::One(Expr::ceil);
    /// Angle of the point `(u2, u1)` in `[-π, π]`
    Atan2, Rule::Two(|u1, u2| u1.atan2(u2));
    /// `y = √(u1² + u2²)` without overflow on the way
    Hypot, Rule::Two(|u1, u2| u1.hypot(u2));
    /// Remainder of the floored quotient, `y = u1 - u2 ⌊u1/u2⌋`: zero or the sign of `u2`
    Modulo, Rule::Two(|u1, u2| u1.modulo(u2));
}

impl Block for Function {
    fn into_component(self) -> Result<Component, BlockError> {
        let block = BlockSpec::builder(self.name());
        let block = match self.rule() {
            Rule::One(rule) => block.input("u").output("y", rule(&symbol("u"))),
            Rule::Two(rule) => {
                let y = rule(&symbol("u1"), symbol("u2"));
                block.input("u1").input("u2").output("y", y)
            }
        };
        Ok(block.build()?.into())
    }
}
