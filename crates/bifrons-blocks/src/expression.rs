//! A block from text.

use bifrons_expr::{Parser, Symbol};
use bifrons_hybrid::{Block, BlockError, BlockSpec, Component, TIME};

/// An expression as it is written.
///
/// ```text
/// y = text      over the inputs, the parameters and `time`
/// ```
///
/// Inputs and parameters have the names that are declared; the output is `y`. The language is that
/// of [`bifrons_expr::Parser`].
///
/// # Examples
///
/// ```
/// use bifrons_blocks::Expression;
/// use bifrons_hybrid::DiagramBuilder;
///
/// let drag = Expression::new("-c * v * abs(v)").input("v").parameter("c", 0.3);
/// let mut builder = DiagramBuilder::new("car");
/// let drag = builder.add("drag", drag)?;
/// builder.export_input("speed", drag.input("v"))?;
/// builder.export_output("force", drag.output("y"))?;
/// let equations = builder.build()?.flatten()?;
/// assert!(equations.to_string().contains("drag.y := -drag.c * speed * abs(speed)"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    text: String,
    declarations: Vec<Declaration>,
}

#[derive(Debug, Clone, PartialEq)]
enum Declaration {
    Input(String),
    Parameter(String, f64),
}

impl Expression {
    /// The expression of the output; it is read when the block is added.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            declarations: Vec::new(),
        }
    }

    /// Declares an input.
    #[must_use]
    pub fn input(mut self, name: impl Into<String>) -> Self {
        self.declarations.push(Declaration::Input(name.into()));
        self
    }

    /// Declares a parameter with its default, which must not be NaN.
    #[must_use]
    pub fn parameter(mut self, name: impl Into<String>, default: f64) -> Self {
        self.declarations
            .push(Declaration::Parameter(name.into(), default));
        self
    }
}

impl Block for Expression {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "Expression";
        let names = self
            .declarations
            .iter()
            .map(|declaration| match declaration {
                Declaration::Input(name) | Declaration::Parameter(name, _) => Symbol::new(name),
            });
        let parser = Parser::new().symbols(names.chain([Symbol::new(TIME)]));
        let y = parser
            .parse(&self.text)
            .map_err(|source| BlockError::Text {
                kind: KIND.to_owned(),
                setting: "text".to_owned(),
                text: self.text.clone(),
                source: Box::new(source),
            })?;
        let mut block = BlockSpec::builder(KIND);
        for declaration in self.declarations {
            block = match declaration {
                Declaration::Input(name) => block.input(name),
                Declaration::Parameter(name, default) => block.parameter(name, default),
            };
        }
        Ok(block.output("y", y).build()?.into())
    }
}
