//! Arithmetic of several signals at once.

use bifrons_expr::Expr;
use bifrons_hybrid::{Block, BlockError, BlockSpec, Component, Template};

use crate::check::{finite, numbers, shape, symbol};
use crate::maths::{numbered, with_inputs};

/// A constant added.
///
/// ```text
/// y = u + bias
/// ```
///
/// Input `u`; output `y`; parameter `bias`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bias {
    bias: f64,
}

impl Bias {
    /// The constant, which must be finite.
    #[must_use]
    pub fn new(bias: f64) -> Self {
        Self { bias }
    }
}

impl Block for Bias {
    fn into_component(self) -> Result<Component, BlockError> {
        let bias = finite("Bias", "bias", self.bias)?;
        let block = BlockSpec::builder("Bias")
            .input("u")
            .parameter("bias", bias);
        Ok(block
            .output("y", symbol("u") + symbol("bias"))
            .build()?
            .into())
    }

    fn template(&self) -> Option<Template<'_>> {
        numbers::<Self>(&[self.bias])
    }
}

/// A matrix times the vector of inputs.
///
/// ```text
/// y_i = Σ_j k_ij u_j      from left to right
/// ```
///
/// Inputs `u1` … `um`; outputs `y1` … `yp`; parameters `k1_1` … (row, column). An entry that is exactly
/// zero is structure.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixGain {
    columns: usize,
    entries: Vec<f64>,
}

impl MatrixGain {
    /// Entries row by row with `columns` entries in each.
    #[must_use]
    pub fn from_rows(columns: usize, entries: impl Into<Vec<f64>>) -> Self {
        Self {
            columns,
            entries: entries.into(),
        }
    }
}

impl Block for MatrixGain {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "MatrixGain";
        let (m, found) = (self.columns, self.entries.len());
        if m == 0 || found == 0 || found % m != 0 {
            let required = format!("full rows of {m} entries");
            return Err(shape(
                KIND,
                "entries",
                &required,
                format!("{found} entries"),
            ));
        }
        let mut block = with_inputs(BlockSpec::builder(KIND), m);
        let mut rows = Vec::with_capacity(found / m);
        for (i, row) in self.entries.chunks_exact(m).enumerate() {
            let mut terms = Vec::with_capacity(m);
            for (j, value) in row.iter().enumerate() {
                let name = format!("k{}_{}", i + 1, j + 1);
                let value = finite(KIND, &name, *value)?;
                if value.abs() > 0.0 {
                    terms.push(symbol(&name) * symbol(&numbered("u", j)));
                    block = block.parameter(name, value);
                }
            }
            rows.push(terms.into_iter().sum::<Expr>());
        }
        for (i, row) in rows.into_iter().enumerate() {
            block = block.output(numbered("y", i), row);
        }
        Ok(block.build()?.into())
    }
}

/// A product of two vectors.
///
/// ```text
/// Dot(n):   y = u1 v1 + u2 v2 + … + un vn
/// Cross:    y1 = u2 v3 - u3 v2,  y2 = u3 v1 - u1 v3,  y3 = u1 v2 - u2 v1
/// ```
///
/// Inputs `u1` … `un`, `v1` … `vn`; output `y`, or `y1`, `y2`, `y3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum VectorProduct {
    /// Scalar product of vectors of this length, at least one.
    Dot(usize),
    /// Vector product in three dimensions.
    Cross,
}

impl Block for VectorProduct {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "VectorProduct";
        let count = match self {
            Self::Dot(count) => count,
            Self::Cross => 3,
        };
        if count == 0 {
            return Err(shape(KIND, "length", "at least one", "none".to_owned()));
        }
        let mut block = BlockSpec::builder(KIND);
        for prefix in ["u", "v"] {
            for i in 0..count {
                block = block.input(numbered(prefix, i));
            }
        }
        let [u, v] = ["u", "v"].map(|prefix| move |i: usize| symbol(&numbered(prefix, i)));
        let block = match self {
            Self::Dot(_) => block.output("y", (0..count).map(|i| u(i) * v(i)).sum::<Expr>()),
            Self::Cross => {
                let part = |i: usize| {
                    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                    u(j) * v(k) - u(k) * v(j)
                };
                (0..3).fold(block, |block, i| block.output(numbered("y", i), part(i)))
            }
        };
        Ok(block.build()?.into())
    }
}

/// The length of a vector.
///
/// ```text
/// y = √(u1² + u2² + … + un²)      without overflow on the way
/// ```
///
/// Inputs `u1` … `un`; output `y`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Norm {
    input_count: usize,
}

impl Norm {
    /// The length of a vector of `input_count` components, at least one.
    #[must_use]
    pub fn new(input_count: usize) -> Self {
        Self { input_count }
    }
}

impl Block for Norm {
    fn into_component(self) -> Result<Component, BlockError> {
        let inputs = (0..self.input_count).map(|i| symbol(&numbered("u", i)));
        let norm = inputs.reduce(|norm, u| norm.hypot(u));
        let norm =
            norm.ok_or_else(|| shape("Norm", "input_count", "at least one", "none".to_owned()))?;
        let y = if self.input_count == 1 {
            norm.abs()
        } else {
            norm
        };
        let block = with_inputs(BlockSpec::builder("Norm"), self.input_count);
        Ok(block.output("y", y).build()?.into())
    }
}
