//! A panel of wealth with income and taste shocks, in two cuts that give the same numbers.
//!
//! Run with `cargo run -p bifrons-random --example panel`.
#![expect(clippy::print_stdout, reason = "an example shows its results")]

use bifrons_random::{Address, Draws, Stream};

const SEED: u64 = 7;
const PERIODS: u64 = 5;

/// Final wealth and number of risky choices of subjects `first..first + count`.
fn simulate(first: u64, count: u64) -> Vec<(f64, u32)> {
    let income = Draws::new(SEED, Stream::named("income"));
    let taste = Draws::new(SEED, Stream::named("taste"));
    (first..first + count)
        .map(|subject| {
            let (mut wealth, mut risky) = (1.0_f64, 0);
            for period in 0..PERIODS {
                let at = Address::new(subject, period);
                let mut noise = [0.0; 2];
                taste.fill_gumbel(at, &mut noise);
                let choose_risk = 0.1 * wealth + 0.2 * noise[1] > 0.2 * noise[0];
                let scale = if choose_risk { 0.3 } else { 0.1 };
                risky += u32::from(choose_risk);
                wealth *= (scale * income.normal(at) - 0.5 * scale * scale).exp();
            }
            (wealth, risky)
        })
        .collect()
}

fn main() {
    let whole = simulate(0, 10_000);
    let pieces: Vec<_> = (0..100)
        .flat_map(|chunk| simulate(chunk * 100, 100))
        .collect();
    println!(
        "same numbers in one piece and in a hundred: {}",
        whole == pieces
    );
    let mean = whole.iter().map(|(wealth, _)| wealth).sum::<f64>() / 1e4;
    let risky: u32 = whole.iter().map(|(_, risky)| risky).sum();
    println!(
        "mean wealth {mean:.4}, risky choices {:.4}",
        f64::from(risky) / 5e4
    );
    println!("subject 4711: wealth {:.15}", simulate(4_711, 1)[0].0);
}
