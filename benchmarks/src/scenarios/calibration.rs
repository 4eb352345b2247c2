//! `calibration/block`: a need for memory that is known to the byte, to calibrate the meters.

use bifrons_memory::profiler::Scope;
use bifrons_memory::{Footprint, Part};

use crate::case::{Case, Parameter};
use crate::run::Run;
use crate::scenario::{Axis, CaseSpec, Outcome, Scenario};

static FILL: Scope = Scope::new("fill");

/// Fills a block of numbers and adds them up.
///
/// The block is allocated in `first`, filled with `1/2 + i/2` for index `i`, and filled again in
/// `steady`. The sum of `n` such numbers is `n (n + 1) / 4`, exact in double precision here.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block;

impl Scenario for Block {
    fn name(&self) -> &'static str {
        "calibration/block"
    }

    fn version(&self) -> u32 {
        1
    }

    fn parameters(&self) -> Vec<Parameter> {
        vec![Parameter::count(
            "kib",
            1..=1 << 20,
            8192,
            "KiB of the block",
        )]
    }

    fn cases(&self) -> Vec<CaseSpec> {
        vec![CaseSpec::quick("kib=8192"), CaseSpec::full("kib=65536")]
    }

    fn axes(&self) -> Vec<Axis> {
        vec![Axis::new("kib", [1024, 2048, 4096, 8192, 16_384], "KiB")]
    }

    fn run(&self, case: &Case, run: &mut Run<'_>) -> anyhow::Result<Outcome> {
        let count = case.size("kib")? * 1024 / size_of::<f64>();
        run.config("precision", "double")?;
        run.plan(&Part::new("block", Footprint::of::<f64>(count)));
        run.assembled()?;
        let mut block = run.first(|| {
            let _guard = FILL.enter();
            let mut block = vec![0.0; count];
            fill(&mut block);
            anyhow::Ok(block)
        })?;
        let sum = run.steady(|| {
            fill(&mut block);
            anyhow::Ok(block.iter().sum::<f64>())
        })?;
        #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
        let n = count as f64;
        let error = (sum / (n * (n + 1.0) / 4.0) - 1.0).abs();
        run.accuracy_within(
            "sum",
            error,
            0.0,
            "relative error of the sum against n (n + 1) / 4",
        )?;
        Ok(Outcome::of(&block))
    }
}

fn fill(block: &mut [f64]) {
    let mut value = 0.0;
    for slot in block {
        value += 0.5;
        *slot = value;
    }
}
