//! Diodes and switches.

use bifrons_expr::Expr;

use super::one_port;
use crate::library::s;
use crate::range::Range;

component! {
    /// Exponential diode with a limited argument.
    ///
    /// ```text
    /// i = saturation (limexp(v / thermal) - 1) + v / parallel
    /// limexp(x) = exp(x) for x ≤ 40, else exp(40) (x - 39)
    /// ```
    ///
    /// `saturation` in A, `thermal` in V, `parallel` in Ω, all positive.
    Diode(saturation: Range::POSITIVE, thermal: Range::POSITIVE, parallel: Range::POSITIVE)
        {"saturation": "A", "thermal": "V", "parallel": "Ohm"}
        => |spec| {
            let x = s("v") / s("thermal");
            let linear = 40.0_f64.exp() * (&x - 39.0);
            let limited = Expr::select(x.le(40.0), x.min(40.0).exp(), linear).no_event();
            let i = s("saturation") * (limited - 1.0) + s("v") / s("parallel");
            one_port(spec).equation(s("i"), i)
        }
}

component! {
    /// Ideal diode with a knee voltage in V, a resistance `on` in Ω and a conductance `off` in S.
    ///
    /// ```text
    /// blocking (s < 0): v = knee + s,      i = off (knee + s)
    /// conducting:       v = knee + on s,   i = s + off knee
    /// ```
    ///
    /// The parameter `s` of the characteristic is a voltage on one side and a current on the other;
    /// `blocking` is found by mode iteration. `on` and `off` may be zero.
    IdealDiode(knee: Range::NON_NEGATIVE, on: Range::NON_NEGATIVE, off: Range::NON_NEGATIVE)
        {"knee": "V"}
        => |spec| {
            let blocks = || s("blocking").gt(0.5);
            one_port(spec)
                .variable("s")
                .switch("blocking", -s("s"))
                .equation(s("v"), s("knee") + s("s") * Expr::select(blocks(), 1.0, s("on")))
                .equation(
                    s("i"),
                    s("off") * s("knee") + s("s") * Expr::select(blocks(), s("off"), 1.0),
                )
        }
}

component! {
    /// Switch that is closed while the signal `control` is above `threshold`: `v = on i`, else
    /// `i = off v`; `on` in Ω, `off` in S.
    IdealSwitch(on: Range::NON_NEGATIVE, off: Range::NON_NEGATIVE, threshold: Range::ANY)
        => |spec| {
            let closed = || s("closed").gt(0.5);
            one_port(spec)
                .input("control")
                .variable("s")
                .switch("closed", s("control") - s("threshold"))
                .equation(s("v"), s("s") * Expr::select(closed(), s("on"), 1.0))
                .equation(s("i"), s("s") * Expr::select(closed(), 1.0, s("off")))
        }
}
