//! Instructions and their meaning, defined once for every width.

use crate::external::MOST_ARGUMENTS;
use crate::op::{maximum, minimum, sign, truth};
use crate::tape::compact::{MEMORY, Small};
use crate::tape::program::CallSite;
use std::ops::Range;

/// One step of a tape. `dst` is a register, or an output if [`OUTPUT`] is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Instruction {
    pub(crate) code: Code,
    pub(crate) dst: u32,
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) c: u32,
    pub(crate) d: u32,
}

/// Lanes that are read before any of them is written, so that a register may be overwritten by
/// an instruction that reads it.
const CHUNK: usize = 8;

/// Registers and outputs of one evaluation.
pub(crate) struct Store<'a, const W: usize> {
    /// Registers, then outputs; the bank of a target is the highest bit of `dst`.
    banks: [&'a mut [[f64; W]]; 2],
    calls: &'a [CallSite],
}

/// Set in `dst` for outputs.
pub(crate) const OUTPUT: u32 = 1 << 31;

impl<'a, const W: usize> Store<'a, W> {
    #[inline(always)]
    pub(crate) fn new(
        calls: &'a [CallSite],
        registers: &'a mut [[f64; W]],
        outputs: &'a mut [[f64; W]],
    ) -> Self {
        Self {
            banks: [registers, outputs],
            calls,
        }
    }

    #[inline(always)]
    fn register(&self, index: u32) -> &[f64; W] {
        &self.banks[0][index as usize]
    }

    #[inline(always)]
    fn target(&mut self, dst: u32) -> &mut [f64; W] {
        &mut self.banks[(dst >> 31) as usize][(dst & !OUTPUT) as usize]
    }

    /// Calls a function for some lanes, one after the other.
    #[inline(never)]
    fn call(&mut self, lanes: Range<usize>, dst: u32, site: u32) {
        let CallSite {
            function,
            arguments,
        } = &self.calls[site as usize];
        let mut values = [0.0; MOST_ARGUMENTS];
        for lane in lanes {
            for (value, register) in values.iter_mut().zip(arguments) {
                *value = self.banks[0][*register as usize][lane];
            }
            let result = function.value(&values[..arguments.len()]);
            self.target(dst)[lane] = result;
        }
    }

    /// Applies `f` lane by lane.
    #[inline(always)]
    fn apply<const N: usize>(&mut self, dst: u32, operands: [u32; N], f: impl Fn([f64; N]) -> f64) {
        if W.is_multiple_of(CHUNK) {
            for chunk in 0..W / CHUNK {
                let mut values = [[0.0; CHUNK]; N];
                for k in 0..N {
                    values[k] = self.register(operands[k]).as_chunks::<CHUNK>().0[chunk];
                }
                let mut result = [0.0; CHUNK];
                for lane in 0..CHUNK {
                    let mut value = [0.0; N];
                    for k in 0..N {
                        value[k] = values[k][lane];
                    }
                    result[lane] = f(value);
                }
                self.target(dst).as_chunks_mut::<CHUNK>().0[chunk] = result;
            }
        } else {
            for lane in 0..W {
                self.apply_lane(lane, dst, operands, &f);
            }
        }
    }

    #[inline(always)]
    fn apply_lane<const N: usize>(
        &mut self,
        lane: usize,
        dst: u32,
        operands: [u32; N],
        f: impl Fn([f64; N]) -> f64,
    ) {
        let mut values = [0.0; N];
        for k in 0..N {
            values[k] = self.register(operands[k])[lane];
        }
        self.target(dst)[lane] = f(values);
    }
}

macro_rules! codes {
    ($($name:ident($($arg:ident),+) = $value:expr;)*) => {
        /// What an instruction computes from its operands `a`, `b`, `c`, `d`.
        ///
        /// A fused code rounds after each of its operations, in the order of the parentheses.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Code {
            $($name,)*
            /// Integer power; `b` is the exponent and no register.
            Powi,
            /// Call of a function; `a` is the number of the call and no register.
            Call,
        }

        impl<const W: usize> Store<'_, W> {
            /// Runs one instruction on all lanes: one dispatch, then loops of fixed size.
            #[inline(always)]
            pub(crate) fn step(&mut self, instruction: &Instruction) {
                let Instruction { code, dst, a, b, c: _, d: _ } = *instruction;
                match code {
                    $(Code::$name => {
                        self.apply(dst, [$(instruction.$arg),+], |[$($arg),+]| $value);
                    })*
                    Code::Powi => {
                        self.apply(dst, [a], |[a]| far::powi(a, b.cast_signed()));
                    }
                    Code::Call => self.call(0..W, dst, a),
                }
            }

            /// Runs one instruction on a single lane.
            pub(crate) fn step_lane(&mut self, lane: usize, instruction: &Instruction) {
                let Instruction { code, dst, a, b, c: _, d: _ } = *instruction;
                match code {
                    $(Code::$name => {
                        self.apply_lane(lane, dst, [$(instruction.$arg),+], |[$($arg),+]| $value);
                    })*
                    Code::Powi => {
                        self.apply_lane(lane, dst, [a], |[a]| far::powi(a, b.cast_signed()));
                    }
                    Code::Call => self.call(lane..lane + 1, dst, a),
                }
            }
        }

        impl Small {
            /// Runs one instruction of a small tape.
            #[inline(always)]
            pub(crate) fn run(&self, memory: &mut [f64; MEMORY]) {
                let result = match self.code {
                    $(Code::$name => {
                        $(let $arg = memory[self.$arg as usize];)+
                        $value
                    })*
                    Code::Powi => {
                        let exponent = i32::from(self.b.cast_signed());
                        far::powi(memory[self.a as usize], exponent)
                    }
                    // A tape with calls has no compact form.
                    Code::Call => f64::NAN,
                };
                memory[self.dst as usize] = result;
            }
        }
    };
}

/// Functions that are long enough to be calls: inlined, they would cost every other instruction
/// of the loop its registers.
mod far {
    use bifrons_lanes::math;

    macro_rules! calls {
        ($($name:ident($($arg:ident),+);)*) => {$(
            #[inline(never)]
            pub(super) fn $name($($arg: f64),+) -> f64 {
                math::$name($($arg),+)
            }
        )*};
    }

    calls! {
        exp(a); ln(a); exp_m1(a); ln_1p(a);
        sin(a); cos(a); tan(a); asin(a); acos(a); atan(a);
        sinh(a); cosh(a); tanh(a); erf(a);
        pow(a, b); atan2(a, b); hypot(a, b);
    }

    #[inline(never)]
    pub(super) fn powi(a: f64, exponent: i32) -> f64 {
        math::powi(a, exponent)
    }

    #[inline(never)]
    pub(super) fn modulo(a: f64, b: f64) -> f64 {
        crate::op::modulo(a, b)
    }
}

#[inline(always)]
fn number(truth: bool) -> f64 {
    if truth { 1.0 } else { 0.0 }
}

#[inline(always)]
#[expect(clippy::float_cmp, reason = "the operation is equality")]
fn equal(a: f64, b: f64) -> bool {
    a == b
}

codes! {
    Copy(a) = a;
    Neg(a) = -a;
    Abs(a) = a.abs();
    Sign(a) = sign(a);
    Floor(a) = a.floor();
    Ceil(a) = a.ceil();
    Sqrt(a) = a.sqrt();
    Exp(a) = far::exp(a);
    Ln(a) = far::ln(a);
    ExpM1(a) = far::exp_m1(a);
    Ln1p(a) = far::ln_1p(a);
    Sin(a) = far::sin(a);
    Cos(a) = far::cos(a);
    Tan(a) = far::tan(a);
    Asin(a) = far::asin(a);
    Acos(a) = far::acos(a);
    Atan(a) = far::atan(a);
    Sinh(a) = far::sinh(a);
    Cosh(a) = far::cosh(a);
    Tanh(a) = far::tanh(a);
    Erf(a) = far::erf(a);
    Square(a) = a * a;
    Cube(a) = a * (a * a);
    Fourth(a) = (a * a) * (a * a);
    Reciprocal(a) = 1.0 / a;
    ReciprocalSquare(a) = 1.0 / (a * a);

    Add(a, b) = a + b;
    Sub(a, b) = a - b;
    Mul(a, b) = a * b;
    Div(a, b) = a / b;
    Pow(a, b) = far::pow(a, b);
    Min(a, b) = minimum(a, b);
    Max(a, b) = maximum(a, b);
    Modulo(a, b) = far::modulo(a, b);
    Atan2(a, b) = far::atan2(a, b);
    Hypot(a, b) = far::hypot(a, b);
    Lt(a, b) = number(a < b);
    Le(a, b) = number(a <= b);
    Eq(a, b) = number(equal(a, b));
    Ne(a, b) = number(!equal(a, b));
    And(a, b) = number(truth(a) & truth(b));
    Or(a, b) = number(truth(a) | truth(b));
    Not(a) = number(!truth(a));

    Select(a, b, c) = if truth(a) { b } else { c };
    SelectLt(a, b, c, d) = if a < b { c } else { d };
    SelectLe(a, b, c, d) = if a <= b { c } else { d };
    SelectEq(a, b, c, d) = if equal(a, b) { c } else { d };
    SelectNe(a, b, c, d) = if equal(a, b) { d } else { c };

    AddAdd(a, b, c) = (a + b) + c;
    SubAdd(a, b, c) = (a - b) + c;
    MulAdd(a, b, c) = (a * b) + c;
    DivAdd(a, b, c) = (a / b) + c;
    AddSub(a, b, c) = (a + b) - c;
    SubSub(a, b, c) = (a - b) - c;
    MulSub(a, b, c) = (a * b) - c;
    DivSub(a, b, c) = (a / b) - c;
    FromAdd(a, b, c) = c - (a + b);
    FromSub(a, b, c) = c - (a - b);
    FromMul(a, b, c) = c - (a * b);
    FromDiv(a, b, c) = c - (a / b);
    AddMul(a, b, c) = (a + b) * c;
    SubMul(a, b, c) = (a - b) * c;
    MulMul(a, b, c) = (a * b) * c;
    DivMul(a, b, c) = (a / b) * c;
    AddDiv(a, b, c) = (a + b) / c;
    SubDiv(a, b, c) = (a - b) / c;
    MulDiv(a, b, c) = (a * b) / c;
    OverAdd(a, b, c) = c / (a + b);
    OverSub(a, b, c) = c / (a - b);
    OverMul(a, b, c) = c / (a * b);

    PairAddAddAdd(a, b, c, d) = (a + b) + (c + d);
    PairMulAddMul(a, b, c, d) = (a * b) + (c * d);
    PairAddSubAdd(a, b, c, d) = (a + b) - (c + d);
    PairMulSubMul(a, b, c, d) = (a * b) - (c * d);
    PairAddMulAdd(a, b, c, d) = (a + b) * (c + d);
    PairAddMulSub(a, b, c, d) = (a + b) * (c - d);
    PairSubMulSub(a, b, c, d) = (a - b) * (c - d);
    PairMulDivAdd(a, b, c, d) = (a * b) / (c + d);
    PairMulDivMul(a, b, c, d) = (a * b) / (c * d);
    PairAddDivAdd(a, b, c, d) = (a + b) / (c + d);
    PairSubDivSub(a, b, c, d) = (a - b) / (c - d);

    AddAddAdd(a, b, c, d) = ((a + b) + c) + d;
    MulAddAdd(a, b, c, d) = ((a * b) + c) + d;
    MulSubAdd(a, b, c, d) = ((a * b) - c) + d;
    AddMulAdd(a, b, c, d) = ((a + b) * c) + d;
    SubMulAdd(a, b, c, d) = ((a - b) * c) + d;
    MulMulAdd(a, b, c, d) = ((a * b) * c) + d;
    AddAddSub(a, b, c, d) = ((a + b) + c) - d;
    MulAddSub(a, b, c, d) = ((a * b) + c) - d;
    MulSubSub(a, b, c, d) = ((a * b) - c) - d;
    AddMulSub(a, b, c, d) = ((a + b) * c) - d;
    SubMulSub(a, b, c, d) = ((a - b) * c) - d;
    MulMulSub(a, b, c, d) = ((a * b) * c) - d;
    FromAddMul(a, b, c, d) = d - ((a + b) * c);
    FromSubMul(a, b, c, d) = d - ((a - b) * c);
    FromMulMul(a, b, c, d) = d - ((a * b) * c);
    MulAddMul(a, b, c, d) = ((a * b) + c) * d;
    MulSubMul(a, b, c, d) = ((a * b) - c) * d;
    AddMulMul(a, b, c, d) = ((a + b) * c) * d;
    SubMulMul(a, b, c, d) = ((a - b) * c) * d;
    MulMulMul(a, b, c, d) = ((a * b) * c) * d;
}
