//! One diagram for each element of a vector.

use crate::block::{Block, Component, Part};
use crate::diagram::{Diagram, DiagramBuilder};
use crate::error::{BlockError, DiagramError};

const KIND: &str = "ForEach";

/// A block or diagram for each element of a vector.
///
/// ```text
/// y_i = h(x_i, u_i, s)      i = 1 … n
/// ```
///
/// Element `i` is called `each_i`. An input `u` of the elements becomes the inputs `u_1` … `u_n`,
/// or stays `u` and feeds all of them if it is [`shared`](Self::shared); an output `y` becomes
/// `y_1` … `y_n`. Every element has states and parameters of its own, `each_3.gain.k`.
/// The whole is a [`Diagram`](crate::Diagram), so nothing is lost by it.
///
/// # Examples
///
/// ```
/// use bifrons_expr::Expr;
/// use bifrons_hybrid::{BlockSpec, DiagramBuilder, ForEach};
///
/// let gain = |k: f64| {
///     let y = Expr::symbol("k") * Expr::symbol("u");
///     BlockSpec::builder("Gain").input("u").parameter("k", k).output("y", y).build()
/// };
/// let mut diagram = DiagramBuilder::new("model");
/// let gains = ForEach::new(3, |i| Ok(gain(i as f64)?.into()))?.shared("u");
/// let gains = diagram.add("gains", gains)?;
/// diagram.constant(gains.input("u"), 2.0)?;
/// diagram.export_output("third", gains.output("y_3"))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct ForEach {
    elements: Vec<Component>,
    shared: Vec<String>,
}

impl ForEach {
    /// Makes element `i` for `i` from 1 to `count`; none is a valid count.
    ///
    /// # Errors
    ///
    /// What `element` returns; [`BlockError::Ports`] if an element has other ports than the first.
    pub fn new(
        count: usize,
        element: impl FnMut(usize) -> Result<Component, BlockError>,
    ) -> Result<Self, BlockError> {
        let elements: Vec<Component> = (1..=count).map(element).collect::<Result<_, _>>()?;
        for (index, other) in elements.iter().enumerate().skip(1) {
            if ports(&other.0) != ports(&elements[0].0) {
                return Err(BlockError::Ports {
                    kind: KIND.to_owned(),
                    element: index + 1,
                    found: other.0.kind().to_owned(),
                });
            }
        }
        Ok(Self {
            elements,
            shared: Vec::new(),
        })
    }

    /// One input of this name feeds all elements.
    #[must_use]
    pub fn shared(mut self, input: impl Into<String>) -> Self {
        self.shared.push(input.into());
        self
    }

    fn compose(self) -> Result<Diagram, DiagramError> {
        let mut builder = DiagramBuilder::new(KIND);
        for (index, element) in self.elements.into_iter().enumerate() {
            let (number, part) = (index + 1, element.0.clone());
            let id = builder.add(format!("each_{number}"), element)?;
            for input in 0..part.input_count() {
                let name = part.input_name(input);
                let outer = if self.shared.iter().any(|shared| shared == name) {
                    name.to_owned()
                } else {
                    format!("{name}_{number}")
                };
                builder.export_input(outer.as_str(), id.input(name))?;
                if let Part::Diagram(diagram) = &part
                    && let Some(default) = diagram.0.inputs[input].default
                {
                    builder.default_input(&outer, default)?;
                }
            }
            for output in 0..part.output_count() {
                let name = part.output_name(output);
                builder.export_output(format!("{name}_{number}"), id.output(name))?;
            }
        }
        builder.build()
    }
}

/// Names of the inputs, then of the outputs.
fn ports(part: &Part) -> (Vec<&str>, Vec<&str>) {
    let inputs = (0..part.input_count()).map(|input| part.input_name(input));
    let outputs = (0..part.output_count()).map(|output| part.output_name(output));
    (inputs.collect(), outputs.collect())
}

impl Block for ForEach {
    fn into_component(self) -> Result<Component, BlockError> {
        if let Some(first) = self.elements.first() {
            let (inputs, _) = ports(&first.0);
            let known = inputs.iter().copied();
            if let Some(unknown) = self.shared.iter().find(|s| !inputs.contains(&s.as_str())) {
                return Err(BlockError::UnknownSymbol {
                    kind: KIND.to_owned(),
                    equation: "shared".to_owned(),
                    symbol: unknown.clone(),
                    nearest: crate::name::nearest(unknown, known).map(str::to_owned),
                });
            }
        }
        let diagram = self.compose().map_err(|source| BlockError::Elements {
            kind: KIND.to_owned(),
            source: Box::new(source),
        })?;
        Ok(diagram.into())
    }
}
