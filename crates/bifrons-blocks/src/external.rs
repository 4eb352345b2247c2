//! Blocks that call a function: closures and look-up tables.

use bifrons_expr::{Function, FunctionError};
use bifrons_grids::{
    Axis, Extrapolation, Interpolant, Irregular, Knots, Method, ProductSpace, SlopeRule,
};
use bifrons_hybrid::{Block, BlockError, BlockSpec, Component};

use crate::check::{shape, symbol, time};
use crate::maths::port;

/// A function of your own: a closure or a table.
///
/// ```text
/// y = f(u1, …, un)
/// ```
///
/// Input `u`, or `u1` … `un` for several arguments; output `y`. The function is pure, so it holds no
/// state; see [`Function`] for derivatives and switching places.
///
/// # Examples
///
/// ```
/// use bifrons_blocks::External;
/// use bifrons_expr::Function;
/// use bifrons_hybrid::DiagramBuilder;
///
/// let drag = Function::builder("drag", 1, |v| 0.3 * v[0] * v[0].abs()).build()?;
/// let mut builder = DiagramBuilder::new("car");
/// let block = builder.add("drag", External::new(drag))?;
/// builder.export_input("v", block.input("u"))?;
/// builder.export_output("force", block.output("y"))?;
/// let system = builder.build()?.flatten()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct External(Function);

impl External {
    /// The block of a function.
    #[must_use]
    pub fn new(function: Function) -> Self {
        Self(function)
    }
}

impl Block for External {
    fn into_component(self) -> Result<Component, BlockError> {
        component("External", self.0)
    }
}

fn component(kind: &str, function: Function) -> Result<Component, BlockError> {
    let count = function.arity();
    let names: Vec<String> = (0..count).map(|index| port("u", index, count)).collect();
    let y = function.call(names.iter().map(|name| symbol(name)));
    let y = y.map_err(|error| data(kind, &error))?;
    let mut block = BlockSpec::builder(kind);
    for name in names {
        block = block.input(name);
    }
    Ok(block.output("y", y).build()?.into())
}

fn data(kind: &str, error: &dyn std::error::Error) -> BlockError {
    shape(kind, "table", "data that fit together", error.to_string())
}

/// How a table is read between its nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Reading {
    /// Straight lines.
    #[default]
    Linear,
    /// Monotone cubic pieces with a continuous slope.
    Cubic,
    /// The value of the last node that is not above the input.
    Previous,
    /// The value of the nearest node; half way between two nodes the upper one.
    Nearest,
}

/// A table of one input.
///
/// ```text
/// y = table(u)
/// ```
///
/// Input `u`; output `y`. Straight lines, clamped at the ends unless set; outside under
/// [`Extrapolation::Error`] the output is NaN. The table is structure. Where slope or value jumps
/// is known to the expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Lookup1d {
    nodes: Vec<f64>,
    values: Vec<f64>,
    reading: Reading,
    outside: Extrapolation,
}

impl Lookup1d {
    /// Strictly increasing nodes and a value for each.
    #[must_use]
    pub fn new(nodes: impl Into<Vec<f64>>, values: impl Into<Vec<f64>>) -> Self {
        Self {
            nodes: nodes.into(),
            values: values.into(),
            reading: Reading::Linear,
            outside: Extrapolation::Clamp,
        }
    }

    /// Sets how the table is read between nodes.
    #[must_use]
    pub fn reading(mut self, reading: Reading) -> Self {
        self.reading = reading;
        self
    }

    /// Sets what happens outside; stairs ([`Reading::Previous`], [`Reading::Nearest`]) always
    /// clamp.
    #[must_use]
    pub fn outside(mut self, policy: Extrapolation) -> Self {
        self.outside = policy;
        self
    }

    fn function(&self, kind: &str) -> Result<Function, BlockError> {
        let refused = |error: FunctionError| data(kind, &error);
        let method = match self.reading {
            Reading::Linear => Method::Linear,
            Reading::Cubic => Method::MonotoneCubic(SlopeRule::Parabola),
            Reading::Previous => {
                let steps = Function::steps("lookup", &self.nodes[..], &self.values[..]);
                return steps.map_err(refused);
            }
            Reading::Nearest => {
                let middles = self.nodes.windows(2).map(|pair| 0.5 * (pair[0] + pair[1]));
                let edges = self.nodes.first().copied().into_iter().chain(middles);
                let edges: Vec<f64> = edges.collect();
                return Function::steps("lookup", edges, &self.values[..]).map_err(refused);
            }
        };
        let knots = Knots::strict(&self.nodes);
        let curve = Interpolant::new(method, knots, &self.values, self.outside);
        Function::table("lookup", curve.map_err(|error| data(kind, &error))?).map_err(refused)
    }
}

impl Block for Lookup1d {
    fn into_component(self) -> Result<Component, BlockError> {
        let function = self.function("Lookup1d")?;
        component("Lookup1d", function)
    }
}

/// A table of several inputs.
///
/// ```text
/// y = table(u1, …, un)      multilinear between the nodes
/// ```
///
/// Inputs `u1` … `un` (`u` if there is one), output `y`; clamped at the ends unless set. The values
/// stand row by row, the last axis contiguous.
#[derive(Debug, Clone, PartialEq)]
pub struct Lookup {
    axes: Vec<Vec<f64>>,
    values: Vec<f64>,
    outside: Extrapolation,
}

impl Lookup {
    /// Nodes of every axis, strictly increasing, and one value for each combination.
    #[must_use]
    pub fn new<A: Into<Vec<f64>>>(
        axes: impl IntoIterator<Item = A>,
        values: impl Into<Vec<f64>>,
    ) -> Self {
        Self {
            axes: axes.into_iter().map(Into::into).collect(),
            values: values.into(),
            outside: Extrapolation::Clamp,
        }
    }

    /// Sets what happens outside, on every axis.
    #[must_use]
    pub fn outside(mut self, policy: Extrapolation) -> Self {
        self.outside = policy;
        self
    }
}

impl Block for Lookup {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "Lookup";
        let policies = vec![self.outside; self.axes.len()];
        let axes: Result<Vec<Axis>, BlockError> = self
            .axes
            .into_iter()
            .map(|nodes| match Irregular::new(nodes) {
                Ok(axis) => Ok(axis.into()),
                Err(error) => Err(data(KIND, &error)),
            })
            .collect();
        let space = ProductSpace::new(axes?).map_err(|error| data(KIND, &error))?;
        let function = Function::table_on("lookup", space, &policies, self.values);
        component(KIND, function.map_err(|error| data(KIND, &error))?)
    }
}

/// A signal over time from a table.
///
/// ```text
/// y = table(time)
/// ```
///
/// Output `y`; settings as those of [`Lookup1d`].
#[derive(Debug, Clone, PartialEq)]
pub struct TableSource(Lookup1d);

impl TableSource {
    /// Strictly increasing times and a value for each.
    #[must_use]
    pub fn new(times: impl Into<Vec<f64>>, values: impl Into<Vec<f64>>) -> Self {
        Self(Lookup1d::new(times, values))
    }

    /// Sets how the table is read between times.
    #[must_use]
    pub fn reading(self, reading: Reading) -> Self {
        Self(self.0.reading(reading))
    }

    /// Sets what happens before the first time and after the last one.
    #[must_use]
    pub fn outside(self, policy: Extrapolation) -> Self {
        Self(self.0.outside(policy))
    }
}

impl Block for TableSource {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "TableSource";
        let y = self.0.function(KIND)?.call([time()]);
        let y = y.map_err(|error| data(KIND, &error))?;
        Ok(BlockSpec::builder(KIND).output("y", y).build()?.into())
    }
}
