//! Rules that turn a simple model of a process into the gains of a PID controller.

use crate::control::ControlError;

/// A PID controller in standard form.
///
/// ```text
/// u = kp (e + 1/ti ∫ e dt + td de/dt)
/// ```
///
/// `ti` is infinite without integral part, `td` zero without derivative part.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct PidTuning {
    /// Proportional gain.
    pub kp: f64,
    /// Integral time.
    pub ti: f64,
    /// Derivative time.
    pub td: f64,
}

impl PidTuning {
    const fn new(kp: f64, ti: f64, td: f64) -> Self {
        Self { kp, ti, td }
    }

    /// Gains `[kp, ki, kd]` of the parallel form `kp e + ki ∫ e dt + kd de/dt`.
    #[must_use]
    pub fn gains(self) -> [f64; 3] {
        [self.kp, self.kp / self.ti, self.kp * self.td]
    }

    /// The controller `kp (1 + 1/(ti s)) (1 + td s)` in series form, brought to standard form.
    fn from_series(kp: f64, ti: f64, td: f64) -> Self {
        let factor = 1.0 + td / ti;
        Self::new(kp * factor, ti * factor, td / factor)
    }
}

/// A process of first order with dead time.
///
/// ```text
/// G(s) = gain e^(-delay s) / (time s + 1)
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeadTimeModel {
    gain: f64,
    time: f64,
    delay: f64,
}

impl DeadTimeModel {
    /// Gain (not zero), time constant and delay (both positive), all finite.
    ///
    /// # Errors
    ///
    /// [`ControlError::Value`].
    pub fn new(gain: f64, time: f64, delay: f64) -> Result<Self, ControlError> {
        if !gain.is_finite() || gain.abs() <= 0.0 {
            return Err(ControlError::Value {
                setting: "gain",
                value: gain,
                requirement: "must be finite and not zero",
            });
        }
        positive("time", time)?;
        positive("delay", delay)?;
        Ok(Self { gain, time, delay })
    }

    /// Ziegler and Nichols, step response: `[P, PI, PID]`.
    ///
    /// With `a = gain · delay / time`: `kp = 1/a`; `0.9/a`, `ti = delay/0.3`; `1.2/a`, `ti = 2 delay`, `td = delay/2`. Aims at
    /// a quarter amplitude decay: lively, little robust.
    ///
    /// Ziegler, J. G., Nichols, N. B. (1942): Optimum settings for automatic controllers.
    /// Transactions of the ASME 64, 759–768.
    #[must_use]
    pub fn ziegler_nichols(self) -> [PidTuning; 3] {
        let (kp, l) = (self.time / (self.gain * self.delay), self.delay);
        [
            PidTuning::new(kp, f64::INFINITY, 0.0),
            PidTuning::new(0.9 * kp, l / 0.3, 0.0),
            PidTuning::new(1.2 * kp, 2.0 * l, 0.5 * l),
        ]
    }

    /// Cohen and Coon: `[P, PI, PID]`.
    ///
    /// With `r = delay/time`: `kp = (1 + r/3)/(gain r)`; `(9/10 + r/12)/(gain r)`, `ti = delay (30 + 3r)/(9 + 20r)`;
    /// `(4/3 + r/4)/(gain r)`, `ti = delay (32 + 6r)/(13 + 8r)`, `td = 4 delay/(11 + 2r)`.
    ///
    /// Cohen, G. H., Coon, G. A. (1953): Theoretical consideration of retarded control.
    /// Transactions of the ASME 75, 827–834.
    #[must_use]
    pub fn cohen_coon(self) -> [PidTuning; 3] {
        let (r, l) = (self.delay / self.time, self.delay);
        let scale = 1.0 / (self.gain * r);
        let ti = l * (30.0 + 3.0 * r) / (9.0 + 20.0 * r);
        let (long, td) = (
            l * (32.0 + 6.0 * r) / (13.0 + 8.0 * r),
            4.0 * l / (11.0 + 2.0 * r),
        );
        [
            PidTuning::new(scale * (1.0 + r / 3.0), f64::INFINITY, 0.0),
            PidTuning::new(scale * (0.9 + r / 12.0), ti, 0.0),
            PidTuning::new(scale * (4.0 / 3.0 + r / 4.0), long, td),
        ]
    }

    /// Skogestad's SIMC rule for a PI controller with closed-loop time constant `closed`.
    ///
    /// ```text
    /// kp = time / (gain (closed + delay))      ti = min(time, 4 (closed + delay))
    /// ```
    ///
    /// `closed = delay` is the recommended compromise of speed and robustness.
    ///
    /// Skogestad, S. (2003): Simple analytic rules for model reduction and PID controller tuning.
    /// Journal of Process Control 13, 291–309.
    ///
    /// # Errors
    ///
    /// [`ControlError::Value`] for a time constant that is negative or not finite.
    pub fn simc(self, closed: f64) -> Result<PidTuning, ControlError> {
        let sum = self.delay + not_negative("closed", closed)?;
        let kp = self.time / (self.gain * sum);
        Ok(PidTuning::new(kp, self.time.min(4.0 * sum), 0.0))
    }

    /// Skogestad's SIMC rule for a process with a second, shorter time constant.
    ///
    /// In series form as [`simc`](Self::simc) with `td = second`, brought to standard form.
    ///
    /// # Errors
    ///
    /// [`ControlError::Value`] for a time constant that is negative or not finite.
    pub fn simc_second_order(self, second: f64, closed: f64) -> Result<PidTuning, ControlError> {
        let td = not_negative("second", second)?;
        let PidTuning { kp, ti, .. } = self.simc(closed)?;
        Ok(PidTuning::from_series(kp, ti, td))
    }

    /// The AMIGO rule: `[PI, PID]`, robust (maximum sensitivity about 1.4).
    ///
    /// With `L` the delay and `T` the time constant:
    ///
    /// ```text
    /// PI:  kp = (0.15 + (0.35 - L T/(L+T)²) T/L) / gain
    ///      ti = 0.35 L + 13 L T² / (T² + 12 L T + 7 L²)
    /// PID: kp = (0.2 + 0.45 T/L) / gain
    ///      ti = (0.4 L + 0.8 T) L / (L + 0.1 T)      td = 0.5 L T / (0.3 L + T)
    /// ```
    ///
    /// Åström, K. J., Hägglund, T. (2004): Revisiting the Ziegler–Nichols step response method for
    /// PID control. Journal of Process Control 14, 635–650.
    #[must_use]
    pub fn amigo(self) -> [PidTuning; 2] {
        let Self {
            gain,
            time: t,
            delay: l,
        } = self;
        let weight = 0.35 - l * t / (l + t).powi(2);
        let ti = 0.35 * l + 13.0 * l * t * t / (t * t + 12.0 * l * t + 7.0 * l * l);
        let long = (0.4 * l + 0.8 * t) * l / (l + 0.1 * t);
        [
            PidTuning::new((0.15 + weight * t / l) / gain, ti, 0.0),
            PidTuning::new(
                (0.2 + 0.45 * t / l) / gain,
                long,
                0.5 * l * t / (0.3 * l + t),
            ),
        ]
    }
}

/// Where a proportional controller makes the loop oscillate without end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CriticalPoint {
    gain: f64,
    period: f64,
}

impl CriticalPoint {
    /// Ultimate gain (not zero) and period (positive), both finite.
    ///
    /// # Errors
    ///
    /// [`ControlError::Value`].
    pub fn new(gain: f64, period: f64) -> Result<Self, ControlError> {
        DeadTimeModel::new(gain, period, period)?;
        Ok(Self { gain, period })
    }

    /// Ziegler and Nichols, ultimate sensitivity: `[P, PI, PID]`.
    ///
    /// `kp = ku/2`; `0.45 ku`, `ti = tu/1.2`; `0.6 ku`, `ti = tu/2`, `td = tu/8`. Source as
    /// [`DeadTimeModel::ziegler_nichols`].
    #[must_use]
    pub fn ziegler_nichols(self) -> [PidTuning; 3] {
        let Self { gain, period } = self;
        [
            PidTuning::new(0.5 * gain, f64::INFINITY, 0.0),
            PidTuning::new(0.45 * gain, period / 1.2, 0.0),
            PidTuning::new(0.6 * gain, 0.5 * period, 0.125 * period),
        ]
    }

    /// Tyreus and Luyben: `[PI, PID]`, slower and more robust.
    ///
    /// `kp = ku/3.2`, `ti = 2.2 tu`; `kp = ku/2.2`, `ti = 2.2 tu`, `td = tu/6.3`.
    ///
    /// Tyreus, B. D., Luyben, W. L. (1992): Tuning PI controllers for integrator/dead time
    /// processes. Industrial & Engineering Chemistry Research 31, 2625–2628.
    #[must_use]
    pub fn tyreus_luyben(self) -> [PidTuning; 2] {
        let Self { gain, period } = self;
        [
            PidTuning::new(gain / 3.2, 2.2 * period, 0.0),
            PidTuning::new(gain / 2.2, 2.2 * period, period / 6.3),
        ]
    }
}

fn positive(setting: &'static str, value: f64) -> Result<f64, ControlError> {
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(ControlError::Value {
        setting,
        value,
        requirement: "must be positive and finite",
    })
}

fn not_negative(setting: &'static str, value: f64) -> Result<f64, ControlError> {
    if value >= 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(ControlError::Value {
        setting,
        value,
        requirement: "must be finite and not negative",
    })
}
