//! Simplification on request.

use crate::cone::Cones;
use crate::expr::Expr;
use crate::graph::Graph;
use crate::normal::{Form, Normaliser};

impl Expr {
    /// A shorter expression with the same value where this one is defined, up to rounding.
    ///
    /// Collects equal terms and factors, cancels quotients, removes choices between equal
    /// branches. This reassociates sums and products, so bits may change, and a quotient that
    /// cancels is defined in more places. Sums are not multiplied out. Cost: close to linear; sums
    /// of more than 32 distinct terms are collected in portions.
    ///
    /// ```
    /// use bifrons_expr::Expr;
    ///
    /// let e = Expr::parse("2*x + y - x*(1 + 1) + 0*z + 3*y*x/x").unwrap();
    /// assert_eq!(e.simplify().to_string(), "4 * y");
    /// ```
    #[must_use]
    pub fn simplify(&self) -> Self {
        let (form, mut normaliser) = normalise(self, false);
        let node = normaliser.node(&form);
        normaliser.graph.export(&[node]).swap_remove(0)
    }
}

/// Normal form of an expression.
pub(crate) fn normalise(expr: &Expr, expand: bool) -> (Form, Normaliser) {
    let mut source = Graph::new();
    let root = source.import([expr.node()])[0];
    let cone = Cones::new(&source).below(&source, root);
    let mut normaliser = Normaliser::new(expand);
    let form = normaliser.form(&source, &cone);
    (form, normaliser)
}

/// The number that an expression is by its structure, products multiplied out.
pub(crate) fn proved_constant(expr: &Expr) -> Option<f64> {
    normalise(expr, true).0.as_constant()
}
