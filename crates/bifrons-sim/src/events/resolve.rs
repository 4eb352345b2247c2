//! How far guards can be followed where no continuous state makes the steps short.

use bifrons_hybrid::HybridSystem;
use bifrons_ode::Step;

use super::EventLanes;

/// Most halvings of a part of a step.
const HALVINGS: u32 = 30;
/// Places within a stretch at which guards are compared with a cubic; no simple fractions, at
/// which an oscillation might look the same.
const PLACES: [f64; 2] = [0.347_296_355, 0.684_040_286];
/// The largest difference, relative to the sizes of the values.
const DIFFERENCE: f64 = 0.05;

impl<S: HybridSystem, const W: usize> EventLanes<'_, S, W> {
    /// The end of the first stretch from `from` on, at most `to`, in which guards are nearly
    /// cubics. A system with continuous states has steps that are short enough.
    pub(super) fn resolved(&mut self, step: &Step<'_, W>, from: f64, to: f64) -> f64 {
        if !self.buffers.state.is_empty() || !self.system.events().has_rates() {
            return to;
        }
        let mut end = to;
        for _ in 0..HALVINGS {
            if self.is_cubic(step, from, end) {
                break;
            }
            end = from + 0.5 * (end - from);
        }
        end
    }

    /// Compares all guards with the cubics through their values and time derivatives at both ends,
    /// those at `from` being in place.
    fn is_cubic(&mut self, step: &Step<'_, W>, from: f64, to: f64) -> bool {
        let (lane, width) = (step.lane(), to - from);
        self.place(step, to);
        let workspace = &mut self.lanes[lane].workspace;
        let buffers = &mut self.buffers;
        self.system
            .guard_rates(workspace, to, &buffers.state, &mut buffers.rates);
        self.system
            .guards(workspace, to, &buffers.state, &mut buffers.values);
        self.system
            .guards(workspace, from, &buffers.state, &mut buffers.found);
        for place in PLACES {
            let t = from + place * width;
            self.system
                .guards(workspace, t, &buffers.state, &mut buffers.probe);
            for guard in 0..buffers.values.len() {
                let (start, end) = (buffers.found[guard], buffers.values[guard]);
                let rates = (buffers.rates_before[guard], buffers.rates[guard]);
                let found = buffers.probe[guard];
                let expected = hermite(place, (start, end), (rates.0 * width, rates.1 * width));
                let size = start.abs() + end.abs() + found.abs();
                if (found - expected).abs() > DIFFERENCE * size {
                    return false;
                }
            }
        }
        true
    }
}

/// The cubic with these values and slopes at 0 and 1.
fn hermite(x: f64, values: (f64, f64), slopes: (f64, f64)) -> f64 {
    let rest = 1.0 - x;
    let chord = values.1 - values.0;
    let bend = rest * (slopes.0 - chord) - x * (slopes.1 - chord);
    values.0 + x * (chord + rest * bend)
}
