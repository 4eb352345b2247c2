//! Known values, kept as text so that no reader of numbers rounds them twice.

/// The contents of a data file: lines of a word and numbers.
///
/// ```text
/// initial Y…                   the state at time zero
/// slope Y'…                    the derivative there
/// at T Y…                      the state at time T
/// event T                      time of an event
/// rebound V                    speed after an event
/// crossing NAME T SIGN Y…      time, direction and state of a crossing
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Known {
    /// The state at time zero.
    pub initial: Vec<f64>,
    /// The derivative there, if stated.
    pub slope: Vec<f64>,
    /// States at times, ascending.
    pub states: Vec<(f64, Vec<f64>)>,
    /// Times of events, ascending.
    pub events: Vec<f64>,
    /// Speeds after the events.
    pub rebounds: Vec<f64>,
    /// Crossings.
    pub crossings: Vec<Crossed>,
}

/// Where a component of a solution passes a level.
#[derive(Debug, Clone, PartialEq)]
pub struct Crossed {
    /// `PROBLEM_COMPONENT_eq_LEVEL`.
    pub name: String,
    /// The time.
    pub t: f64,
    /// Whether the component rises.
    pub rising: bool,
    /// The state.
    pub state: Vec<f64>,
}

impl Known {
    /// Reads a data file; what is no number becomes NaN, which every test of a value rejects.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut known = Self::default();
        for line in text.lines() {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            if word == "crossing" {
                let (name, rest) = rest.split_once(' ').unwrap_or((rest, ""));
                let numbers = numbers(rest);
                known.crossings.push(Crossed {
                    name: name.to_owned(),
                    t: first(&numbers),
                    rising: numbers.get(1).is_some_and(|sign| *sign > 0.0),
                    state: numbers.get(2..).unwrap_or_default().to_vec(),
                });
                continue;
            }
            let numbers = numbers(rest);
            match word {
                "initial" => known.initial = numbers,
                "slope" => known.slope = numbers,
                "event" => known.events.extend(numbers),
                "rebound" => known.rebounds.extend(numbers),
                _ => {
                    let state = numbers.get(1..).unwrap_or_default().to_vec();
                    known.states.push((first(&numbers), state));
                }
            }
        }
        known
    }

    /// Where solutions of stiff problems pass a level, located in 113-bit arithmetic.
    #[must_use]
    pub fn crossings() -> Vec<Crossed> {
        Self::parse(include_str!("../../data/ode/crossings.txt")).crossings
    }
}

fn numbers(text: &str) -> Vec<f64> {
    let words = text.split_ascii_whitespace();
    words.map(|word| word.parse().unwrap_or(f64::NAN)).collect()
}

fn first(numbers: &[f64]) -> f64 {
    numbers.first().copied().unwrap_or(f64::NAN)
}
