//! Preferences over utility now and the value of the future.

use bifrons_expr::Expr;
use bifrons_lanes::math;

use crate::formula::Formula;

/// How the value `Q` of an action is made of utility `u` and the lottery of next values.
///
/// ```text
/// linear        Q = u + β Σ w V
/// Epstein-Zin   Q = ((1 - β) u^θ + β CE^θ)^(1/θ)      θ = 1 - 1/ψ
///               CE = (Σ w V^(1 - γ))^(1/(1 - γ))
/// ```
///
/// The lottery runs over all targets and all nodes together. Limits are taken exactly: `ψ = 1`
/// and `γ = 1` give geometric means, `β` of 0 or 1 drops the other part. Epstein-Zin values must
/// not be negative.
#[derive(Debug, Clone)]
pub struct Preferences(pub(crate) Kind);

#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Linear {
        discount: Formula,
    },
    EpsteinZin {
        discount: Formula,
        risk_aversion: Formula,
        substitution: Formula,
    },
}

impl Default for Preferences {
    /// Linear with the parameter `discount_factor`.
    fn default() -> Self {
        Self::linear(Expr::symbol("discount_factor"))
    }
}

impl Preferences {
    /// Discounted expected utility.
    #[must_use]
    pub fn linear(discount: impl Into<Formula>) -> Self {
        Self(Kind::Linear {
            discount: discount.into(),
        })
    }

    /// Epstein and Zin (1989): discount factor `β`, relative risk aversion `γ`, elasticity of
    /// intertemporal substitution `ψ`.
    #[must_use]
    pub fn epstein_zin(
        discount: impl Into<Formula>,
        risk_aversion: impl Into<Formula>,
        substitution: impl Into<Formula>,
    ) -> Self {
        Self(Kind::EpsteinZin {
            discount: discount.into(),
            risk_aversion: risk_aversion.into(),
            substitution: substitution.into(),
        })
    }

    pub(crate) fn is_linear(&self) -> bool {
        matches!(self.0, Kind::Linear { .. })
    }

    /// Formulas in a fixed order: discount, then risk aversion and substitution.
    pub(crate) fn formulas(&self) -> Vec<(&'static str, &Formula)> {
        match &self.0 {
            Kind::Linear { discount } => vec![("discount", discount)],
            Kind::EpsteinZin {
                discount,
                risk_aversion,
                substitution,
            } => vec![
                ("discount", discount),
                ("risk_aversion", risk_aversion),
                ("substitution", substitution),
            ],
        }
    }
}

/// Weighted power mean `(Σ w v^p)^(1/p)` of non-negative values whose weights add up to one; the
/// geometric mean for `p = 0`.
///
/// Computed around the largest value (smallest for `p < 0`), so that neither large powers nor
/// `p` near zero lose digits or overflow. Terms of weight zero are left out. A negative value or a
/// NaN gives NaN.
///
/// References: spec of the power mean in Epstein and Zin (1989), "Substitution, risk aversion, and
/// the temporal behavior of consumption and asset returns".
pub(crate) fn power_mean(p: f64, terms: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let used = || terms.clone().filter(|&(w, _)| w != 0.0);
    if p.is_nan() || used().any(|(w, v)| w.is_nan() || !(v >= 0.0)) {
        return f64::NAN;
    }
    let pick = |a: f64, b: f64| if (p >= 0.0) == (b > a) { b } else { a };
    let Some(reference) = used().map(|(_, v)| v).reduce(pick) else {
        return f64::NAN;
    };
    let zero = used().any(|(_, v)| v <= 0.0);
    if zero && p <= 0.0 || reference <= 0.0 {
        return 0.0;
    }
    if reference.is_infinite() {
        return reference;
    }
    let log = |v: f64| math::ln(v / reference);
    if p == 0.0 {
        return reference * math::exp(used().map(|(w, v)| w * log(v)).sum::<f64>());
    }
    let deviation: f64 = used().map(|(w, v)| w * math::exp_m1(p * log(v))).sum();
    let mean = if deviation > -0.5 {
        math::ln_1p(deviation)
    } else {
        math::ln(used().map(|(w, v)| w * math::exp(p * log(v))).sum())
    };
    reference * math::exp(mean / p)
}

/// `((1 - β) u^θ + β CE^θ)^(1/θ)` with `θ = 1 - 1/ψ`.
pub(crate) fn ces(discount: f64, substitution: f64, utility: f64, certainty: f64) -> f64 {
    let terms = [(1.0 - discount, utility), (discount, certainty)];
    power_mean(1.0 - 1.0 / substitution, terms.into_iter())
}

/// `λ ln Σ exp(v/λ)` around the largest value; the largest value for `λ = 0`, `-inf` if all are.
pub(crate) fn log_sum(scale: f64, values: &[f64]) -> f64 {
    let largest = values.iter().fold(
        f64::NEG_INFINITY,
        |a, &b| {
            if b.is_nan() || b > a { b } else { a }
        },
    );
    if !largest.is_finite() || scale == 0.0 {
        return largest;
    }
    let mut best = true;
    let mut rest = 0.0;
    for &value in values {
        if best && value >= largest {
            // The largest term is exactly one and goes into the logarithm as such.
            best = false;
        } else {
            rest += math::exp((value - largest) / scale);
        }
    }
    largest + scale * math::ln_1p(rest)
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "limits are taken exactly")]
mod tests {
    use super::{ces, log_sum, power_mean};

    fn close(a: f64, b: f64, relative: f64) {
        assert!((a - b).abs() <= relative * b.abs(), "{a} is not {b}");
    }

    #[test]
    fn power_means_of_all_powers() {
        let terms = [(0.2, 1.0), (0.5, 2.0), (0.3, 4.0)];
        let expected = [
            (1.0, 2.4),
            (1e-9, 2.143_546_925_324_905),
            (0.0, 2.143_546_925_072_586_3),
            (-1e-9, 2.143_546_924_820_267),
            (-1.0, 1.904_761_904_761_904_8),
            (-9.0, 1.195_165_402_037_886_3),
            (-49.0, 1.033_391_045_432_878),
            (-500.0, 1.003_224_061_968_681),
        ];
        for (p, mean) in expected {
            close(power_mean(p, terms.into_iter()), mean, 4e-16);
            // The same far away from one, where plain powers overflow.
            let small = terms.map(|(w, v)| (w, v * 2.0_f64.powi(-700)));
            let scaled = power_mean(p, small.into_iter()) * 2.0_f64.powi(700);
            close(scaled, power_mean(p, terms.into_iter()), 4e-16);
        }
    }

    #[test]
    fn edges_of_power_means() {
        let zero = [(0.5, 0.0), (0.5, 2.0)];
        assert_eq!(power_mean(-1.0, zero.into_iter()), 0.0);
        assert_eq!(power_mean(0.0, zero.into_iter()), 0.0);
        close(power_mean(2.0, zero.into_iter()), 2.0_f64.sqrt(), 1e-15);
        let unreached = [(0.0, f64::NEG_INFINITY), (1.0, 3.0)];
        assert_eq!(power_mean(-4.0, unreached.into_iter()), 3.0);
        assert!(power_mean(0.5, [(1.0, -1.0)].into_iter()).is_nan());
        // Discount factors of 0 and 1 drop the other part, whatever it is.
        assert_eq!(ces(0.0, 2.0, 3.0, f64::INFINITY), 3.0);
        assert_eq!(ces(1.0, 2.0, f64::NAN, 3.0), 3.0);
        close(ces(0.25, 1.0, 16.0, 1.0), 8.0, 1e-15);
    }

    #[test]
    fn sums_of_exponentials() {
        let values = [1.0, 1.000_000_1, 0.0];
        close(log_sum(1.0, &values), 1.861_994_846_290_132_1, 4e-16);
        close(log_sum(1e-3, &values), 1.000_693_197_181_809_9, 4e-16);
        close(log_sum(1e-8, &values), 1.000_000_100_000_454, 4e-16);
        assert!(log_sum(1.0, &[1.0, f64::NAN, 2.0]).is_nan());
        assert_eq!(log_sum(1.0, &[f64::INFINITY, 0.0]), f64::INFINITY);
    }
}
