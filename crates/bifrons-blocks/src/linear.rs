//! Linear systems of any order.

use bifrons_expr::Expr;
use bifrons_hybrid::{Block, BlockError, BlockSpec, Component};

use crate::check::{finite, refuse, shape, symbol};
use crate::maths::{numbered, port};

/// A linear system in state space.
///
/// ```text
/// dx/dtime = A x + B u      x(t0) = x0      A: n × n   B: n × m
/// y        = C x + D u                      C: p × n   D: p × m
/// ```
///
/// Inputs `u1` … `um` and outputs `y1` … `yp` (`u` and `y` if there is one only); states `x1` … `xn`;
/// parameters `a1_1`, `b1_1`, `c1_1`, `d1_1` … (row, column) and the start values `x1_0` … `xn_0`.
///
/// An entry that is exactly zero is structure, not a parameter: it cannot be tuned, and an output
/// whose row of `D` is zero has no feedthrough. Sums run from left to right, states before inputs.
///
/// # Examples
///
/// ```
/// use bifrons_blocks::StateSpace;
///
/// // x1' = x2, x2' = -4 x1 + u, y = x1
/// let oscillator =
///     StateSpace::new(&[[0.0, 1.0], [-4.0, 0.0]], &[[0.0], [1.0]], &[[1.0, 0.0]], &[[0.0]])
///         .start([1.0, 0.0]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct StateSpace {
    state_count: usize,
    input_count: usize,
    output_count: usize,
    a: Vec<f64>,
    b: Vec<f64>,
    c: Vec<f64>,
    d: Vec<f64>,
    /// Zero unless set.
    start: Option<Vec<f64>>,
}

impl StateSpace {
    /// Matrices as arrays of rows, so that the compiler checks the shapes; zero start.
    #[must_use]
    pub fn new<const N: usize, const M: usize, const P: usize>(
        a: &[[f64; N]; N],
        b: &[[f64; M]; N],
        c: &[[f64; N]; P],
        d: &[[f64; M]; P],
    ) -> Self {
        let matrices = [
            a.as_flattened(),
            b.as_flattened(),
            c.as_flattened(),
            d.as_flattened(),
        ];
        Self::from_rows(N, M, P, matrices)
    }

    /// Matrices `[A, B, C, D]` of sizes known at run time, row by row without gaps; zero start.
    ///
    /// Lengths are checked when the block is added.
    #[must_use]
    pub fn from_rows(
        state_count: usize,
        input_count: usize,
        output_count: usize,
        [a, b, c, d]: [&[f64]; 4],
    ) -> Self {
        let [a, b, c, d] = [a, b, c, d].map(<[f64]>::to_vec);
        Self {
            state_count,
            input_count,
            output_count,
            a,
            b,
            c,
            d,
            start: None,
        }
    }

    /// Sets the start values of the states.
    #[must_use]
    pub fn start(mut self, start: impl Into<Vec<f64>>) -> Self {
        self.start = Some(start.into());
        self
    }

    fn check_shapes(&self) -> Result<(), BlockError> {
        let (n, m, p) = (self.state_count, self.input_count, self.output_count);
        let lengths = [
            ("A", self.a.len(), n, n),
            ("B", self.b.len(), n, m),
            ("C", self.c.len(), p, n),
            ("D", self.d.len(), p, m),
            ("start", self.start.as_ref().map_or(n, Vec::len), n, 1),
        ];
        for (setting, found, rows, columns) in lengths {
            if Some(found) != rows.checked_mul(columns) {
                let required = format!("{rows} × {columns} entries");
                return Err(shape(
                    "StateSpace",
                    setting,
                    &required,
                    format!("{found} entries"),
                ));
            }
        }
        Ok(())
    }
}

impl Block for StateSpace {
    fn into_component(self) -> Result<Component, BlockError> {
        self.check_shapes()?;
        let (n, m, p) = (self.state_count, self.input_count, self.output_count);
        let inputs: Vec<String> = (0..m).map(|index| port("u", index, m)).collect();
        let states: Vec<String> = (0..n).map(|index| numbered("x", index)).collect();
        let mut rows = Rows {
            inputs: &inputs,
            states: &states,
            parameters: Vec::new(),
        };
        let mut equations = Vec::with_capacity(n + p);
        for row in 0..n {
            equations.push(rows.add(row, ["a", "b"], &self.a[row * n..], &self.b[row * m..])?);
        }
        for row in 0..p {
            equations.push(rows.add(row, ["c", "d"], &self.c[row * n..], &self.d[row * m..])?);
        }
        let mut block = BlockSpec::builder("StateSpace");
        for input in &inputs {
            block = block.input(input);
        }
        for (name, value) in rows.parameters {
            block = block.parameter(name, value);
        }
        let start = self.start.unwrap_or_else(|| vec![0.0; n]);
        for (state, value) in states.iter().zip(start) {
            let name = format!("{state}_0");
            block = block.parameter(&name, finite("StateSpace", &name, value)?);
        }
        let mut equations = equations.into_iter();
        for (state, derivative) in states.iter().zip(equations.by_ref()) {
            block = block.state(state, derivative, symbol(&format!("{state}_0")));
        }
        for (row, equation) in equations.enumerate() {
            block = block.output(port("y", row, p), equation);
        }
        Ok(block.build()?.into())
    }
}

/// Collects the parameters while the rows of the matrices become sums.
struct Rows<'a> {
    inputs: &'a [String],
    states: &'a [String],
    parameters: Vec<(String, f64)>,
}

impl Rows<'_> {
    /// The sum of a row of two matrices beside each other, starting at the row in both.
    fn add(
        &mut self,
        row: usize,
        names: [&str; 2],
        of_states: &[f64],
        of_inputs: &[f64],
    ) -> Result<Expr, BlockError> {
        let mut sum: Option<Expr> = None;
        for (name, values, signals) in [
            (names[0], of_states, self.states),
            (names[1], of_inputs, self.inputs),
        ] {
            for (column, (&value, signal)) in values.iter().zip(signals).enumerate() {
                if value == 0.0 {
                    continue;
                }
                let name = format!("{name}{}_{}", row + 1, column + 1);
                let value = finite("StateSpace", &name, value)?;
                let term = symbol(&name) * symbol(signal);
                self.parameters.push((name, value));
                sum = Some(match sum {
                    Some(sum) => sum + term,
                    None => term,
                });
            }
        }
        Ok(sum.unwrap_or_else(|| Expr::constant(0.0)))
    }
}

/// A rational transfer function.
///
/// ```text
///        b_n sⁿ + … + b1 s + b0
/// Y(s) = ---------------------- U(s)
///        a_n sⁿ + … + a1 s + a0
/// ```
///
/// in controllable canonical form:
///
/// ```text
/// dx_i/dtime = x_(i+1)                            i = 1 … n-1
/// dx_n/dtime = (u - a0 x1 - … - a_(n-1) x_n) / a_n
/// y = Σ (b_i - b_n a_i / a_n) x_(i+1) + (b_n / a_n) u
/// ```
///
/// Input `u`; output `y`, with feedthrough if the numerator has the degree of the denominator;
/// states `x1` … `xn`, zero at the start unless the parameters `x1_0` … are set; parameters `a0` … `an`,
/// `b0` … `bn` by power of `s`. A coefficient that is exactly zero is structure, not a parameter.
///
/// # Examples
///
/// ```
/// use bifrons_blocks::TransferFunction;
///
/// // 1 / (s² + 0.2 s + 1), coefficients by descending power
/// let filter = TransferFunction::new([1.0], [1.0, 0.2, 1.0]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TransferFunction {
    /// By descending power.
    numerator: Vec<f64>,
    denominator: Vec<f64>,
}

impl TransferFunction {
    /// Coefficients by descending power of `s`, as they are written.
    ///
    /// Both need an entry, the first of the denominator must not be zero, and the degree of the
    /// numerator (leading zeros do not count) must not exceed that of the denominator; this is
    /// checked when the block is added.
    #[must_use]
    pub fn new(numerator: impl Into<Vec<f64>>, denominator: impl Into<Vec<f64>>) -> Self {
        Self {
            numerator: numerator.into(),
            denominator: denominator.into(),
        }
    }

    /// Coefficients by ascending power, the numerator without leading zeros.
    fn checked(&self) -> Result<(Vec<f64>, Vec<f64>), BlockError> {
        let mut numerator = self.numerator.clone();
        numerator.reverse();
        while numerator.len() > 1 && numerator.last() == Some(&0.0) {
            numerator.pop();
        }
        let mut denominator = self.denominator.clone();
        denominator.reverse();
        for (setting, coefficients) in [("numerator", &numerator), ("denominator", &denominator)] {
            if coefficients.is_empty() {
                let found = "none".to_owned();
                return Err(shape(TRANSFER, setting, "at least one coefficient", found));
            }
            for &value in coefficients {
                finite(TRANSFER, setting, value)?;
            }
        }
        if denominator.last() == Some(&0.0) {
            return Err(refuse(
                TRANSFER,
                "denominator",
                0.0,
                "must not start with zero",
            ));
        }
        if numerator.len() > denominator.len() {
            let required = format!("a degree of at most {}", denominator.len() - 1);
            let found = format!("degree {}", numerator.len() - 1);
            return Err(shape(TRANSFER, "numerator", &required, found));
        }
        Ok((numerator, denominator))
    }
}

const TRANSFER: &str = "TransferFunction";

impl Block for TransferFunction {
    fn into_component(self) -> Result<Component, BlockError> {
        let (b, a) = self.checked()?;
        let order = a.len() - 1;
        let mut block = BlockSpec::builder(TRANSFER).input("u");
        for (prefix, coefficients) in [("a", &a), ("b", &b)] {
            for (power, &value) in coefficients.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                block = block.parameter(format!("{prefix}{power}"), value);
            }
        }
        for index in 0..order {
            block = block.parameter(format!("x{}_0", index + 1), 0.0);
        }
        let coefficient = |prefix: &str, of: &[f64], power: usize| {
            let present = of.get(power).is_some_and(|value| *value != 0.0);
            present.then(|| symbol(&format!("{prefix}{power}")))
        };
        let leading = symbol(&format!("a{order}"));
        let through = coefficient("b", &b, order).map(|b| b / &leading);
        let mut last = symbol("u");
        let mut y: Option<Expr> = None;
        for power in 0..order {
            let state = symbol(&numbered("x", power));
            let a = coefficient("a", &a, power);
            if let Some(a) = &a {
                last -= a * &state;
            }
            let direct = a.and_then(|a| through.as_ref().map(|through| through * a));
            let weight = match (coefficient("b", &b, power), direct) {
                (Some(b), Some(direct)) => b - direct,
                (Some(b), None) => b,
                (None, Some(direct)) => -direct,
                (None, None) => continue,
            };
            y = Some(add(y, weight * state));
        }
        for index in 0..order {
            let derivative = if index + 1 < order {
                symbol(&numbered("x", index + 1))
            } else {
                &last / &leading
            };
            let name = numbered("x", index);
            block = block.state(&name, derivative, symbol(&format!("{name}_0")));
        }
        if let Some(through) = through {
            y = Some(add(y, through * symbol("u")));
        }
        let y = y.unwrap_or_else(|| Expr::constant(0.0));
        Ok(block.output("y", y).build()?.into())
    }
}

fn add(sum: Option<Expr>, term: Expr) -> Expr {
    match sum {
        Some(sum) => sum + term,
        None => term,
    }
}
