//! Cost of a ladder of resistors and capacitors per section: assembly and a run with the sparse
//! Jacobian, for sizes that double, and the exponent of a power law through both.
//!
//! Each number is the least of several repetitions.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::time::Instant;

use bifrons_dae::library::electrical::{Capacitor, Ground, Resistor, VoltageSource};
use bifrons_dae::{Network, NetworkBuilder};
use bifrons_ode::Method;

const SIZES: [usize; 6] = [10, 50, 200, 500, 1000, 2000];

fn ladder(n: usize) -> anyhow::Result<Network> {
    let mut net = NetworkBuilder::new("ladder");
    let source = net.add("source", VoltageSource::new(1.0))?;
    let ground = net.add("ground", Ground::new())?;
    net.connect(source.pin("n"), ground.pin("p"))?;
    let mut last = source.pin("p");
    for k in 0..n {
        let r = net.add(format!("r{k}"), Resistor::new(1.0))?;
        let c = net.add(format!("c{k}"), Capacitor::new(1.0).voltage(0.0))?;
        net.connect(last, r.pin("p"))?;
        net.connect(r.pin("n"), c.pin("p"))?;
        net.connect(c.pin("n"), ground.pin("p"))?;
        last = r.pin("n");
    }
    Ok(net.build())
}

/// Slope of `ln y` over `ln x` by least squares.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let mean = |part: fn(&(f64, f64)) -> f64| logs.iter().map(part).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let above: f64 = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    let below: f64 = logs.iter().map(|p| (p.0 - x).powi(2)).sum();
    above / below
}

fn main() -> anyhow::Result<()> {
    println!("sections | assembly, s | per section, µs | run, s | per step and section, ns");
    let (mut assembly, mut steps) = (Vec::new(), Vec::new());
    for n in SIZES {
        let repeats = (2000 / n).clamp(3, 20);
        let (mut best, mut run) = (f64::INFINITY, f64::INFINITY);
        let mut accepted = 0;
        for _ in 0..repeats {
            let start = Instant::now();
            let model = ladder(n)?.flatten()?.reduce()?;
            let mut prepared = model
                .simulation()
                .span(0.0, 1.0)
                .record(["c0.v"])
                .method(Method::Bdf)
                .prepare()?;
            best = best.min(start.elapsed().as_secs_f64());
            let start = Instant::now();
            accepted = prepared.run()?.statistics.accepted;
            run = run.min(start.elapsed().as_secs_f64());
        }
        let (size, count) = (n as f64, accepted as f64);
        println!(
            "{n:8} | {best:11.6} | {:15.1} | {run:6.4} | {:8.1}",
            1e6 * best / size,
            1e9 * run / (size * count)
        );
        assembly.push((size, best));
        steps.push((size, run / count));
    }
    println!(
        "exponents: assembly {:.3}, step {:.3}",
        exponent(&assembly),
        exponent(&steps)
    );
    Ok(())
}
