//! Right-hand sides of the reference problems, and their values.

use bifrons_ode::{Closure, closure};
use serde_json::Value;

/// Names of the files.
pub(crate) const ALL: [&str; 10] = [
    "exponential_decay",
    "harmonic_oscillator",
    "lotka_volterra",
    "brusselator",
    "vdp1",
    "kepler_e09",
    "threebody_figure8",
    "lorenz",
    "arenstorf",
    "pleiades",
];

type Rhs = fn(f64, &[f64], &mut [f64]);

pub(crate) struct Reference {
    pub(crate) initial: Vec<f64>,
    pub(crate) points: Vec<(f64, Vec<f64>)>,
    rhs: Rhs,
}

/// A number that is text in the file, so that no JSON reader rounds it.
fn number(value: &Value) -> f64 {
    let text = value.as_str().expect("numbers are text");
    text.parse().expect("a number")
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().expect("a list");
    list.iter().map(number).collect()
}

impl Reference {
    pub(crate) fn read(name: &str) -> Self {
        let path = format!("{}/tests/data/{name}.json", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("data file");
        let data: Value = serde_json::from_str(&text).expect("JSON");
        let points = data["reference"].as_array().expect("a list");
        Self {
            initial: numbers(&data["y0"]),
            points: points
                .iter()
                .map(|point| (number(&point["t"]), numbers(&point["y"])))
                .collect(),
            rhs: rhs(name),
        }
    }

    pub(crate) fn problem(&self) -> Closure<Rhs> {
        closure(self.initial.len(), self.rhs)
    }
}

fn rhs(name: &str) -> Rhs {
    match name {
        "exponential_decay" => |_t, y, dy| dy[0] = -y[0],
        "harmonic_oscillator" => |_t, y, dy| {
            dy[0] = y[1];
            dy[1] = -y[0];
        },
        "lotka_volterra" => |_t, y, dy| {
            dy[0] = 1.5 * y[0] - y[0] * y[1];
            dy[1] = y[0] * y[1] - 3.0 * y[1];
        },
        "brusselator" => |_t, y, dy| {
            dy[0] = 1.0 + y[0] * y[0] * y[1] - 4.0 * y[0];
            dy[1] = 3.0 * y[0] - y[0] * y[0] * y[1];
        },
        "vdp1" => |_t, y, dy| {
            dy[0] = y[1];
            dy[1] = (1.0 - y[0] * y[0]) * y[1] - y[0];
        },
        "lorenz" => |_t, y, dy| {
            dy[0] = 10.0 * (y[1] - y[0]);
            dy[1] = y[0] * (28.0 - y[2]) - y[1];
            dy[2] = y[0] * y[1] - 8.0 / 3.0 * y[2];
        },
        "kepler_e09" => |_t, y, dy| {
            let cube = (y[0] * y[0] + y[1] * y[1]).powf(1.5);
            (dy[0], dy[1]) = (y[2], y[3]);
            (dy[2], dy[3]) = (-y[0] / cube, -y[1] / cube);
        },
        "arenstorf" => arenstorf,
        "threebody_figure8" => three_bodies,
        "pleiades" => pleiades,
        other => panic!("no problem is called {other}"),
    }
}

fn arenstorf(_t: f64, y: &[f64], dy: &mut [f64]) {
    let moon = 0.012_277_471;
    let earth = 1.0 - moon;
    let (a, b) = (y[0] + moon, y[0] - earth);
    let near = (a * a + y[1] * y[1]).powf(1.5);
    let far = (b * b + y[1] * y[1]).powf(1.5);
    (dy[0], dy[1]) = (y[2], y[3]);
    dy[2] = y[0] + 2.0 * y[3] - earth * a / near - moon * b / far;
    dy[3] = y[1] - 2.0 * y[2] - earth * y[1] / near - moon * y[1] / far;
}

/// Three bodies of mass one, `x` and `y` by turns.
fn three_bodies(_t: f64, y: &[f64], dy: &mut [f64]) {
    let (place, velocity) = y.split_at(6);
    dy[..6].copy_from_slice(velocity);
    for i in 0..3 {
        let (mut fx, mut fy) = (0.0, 0.0);
        for j in (0..3).filter(|&j| j != i) {
            let (x, y) = (
                place[2 * j] - place[2 * i],
                place[2 * j + 1] - place[2 * i + 1],
            );
            let cube = (x * x + y * y).powf(1.5);
            fx += x / cube;
            fy += y / cube;
        }
        (dy[6 + 2 * i], dy[7 + 2 * i]) = (fx, fy);
    }
}

/// Seven bodies of masses one to seven.
fn pleiades(_t: f64, y: &[f64], dy: &mut [f64]) {
    let (place, velocity) = y.split_at(14);
    dy[..14].copy_from_slice(velocity);
    for i in 0..7 {
        let (mut fx, mut fy) = (0.0, 0.0);
        for j in (0..7).filter(|&j| j != i) {
            let (x, y) = (place[j] - place[i], place[7 + j] - place[7 + i]);
            let cube = (x * x + y * y).powf(1.5);
            let mass = (j + 1) as f64;
            fx += mass * x / cube;
            fy += mass * y / cube;
        }
        (dy[14 + i], dy[21 + i]) = (fx, fy);
    }
}
