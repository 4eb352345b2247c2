//! The table of measured memory, from the committed baselines.

use std::path::Path;

use crate::baseline::schema::{Baseline, Case};
use crate::baseline::store::Store;
use crate::render::units::{bytes, time};

/// Where the baselines are, relative to the root.
const BASELINES: &str = "benchmarks/baselines";

/// The memory baseline, and the times that were measured on the same machine.
#[derive(Debug)]
pub(super) struct Measured {
    memory: Baseline,
    times: Option<Baseline>,
}

impl Measured {
    /// Reads the baselines; `None` when there is none for memory.
    ///
    /// # Errors
    ///
    /// When a file is no baseline of a supported version.
    pub(super) fn load(root: &Path) -> anyhow::Result<Option<Self>> {
        let store = Store::new(root.join(BASELINES));
        let Some(memory) = store.load("memory.json")? else {
            return Ok(None);
        };
        let times = store.load(&format!("time/{}.json", memory.machine.id))?;
        Ok(Some(Self { memory, times }))
    }

    /// The table of the cases with `part` in their names.
    ///
    /// # Errors
    ///
    /// When there is no such case, as a lowercase fragment.
    pub(super) fn table(&self, part: &str) -> Result<String, String> {
        let mut table =
            "| case | heap, peak | resident, peak | planned / measured | first result |\n\
                         |---|---:|---:|---:|---:|\n"
                .to_owned();
        let mut count = 0;
        for (name, case) in self
            .memory
            .cases
            .iter()
            .filter(|(name, _)| name.contains(part))
        {
            count += 1;
            table.push_str(&format!(
                "| `{name}` | {} | {} | {} | {} |\n",
                shown(median(case, "heap_peak"), bytes),
                shown(median(case, "rss_peak"), bytes),
                ratio(median(case, "planned_heap"), median(case, "heap_peak_run")),
                shown(self.first(name), time),
            ));
        }
        if count == 0 {
            return Err(format!("no measured case has `{part}` in its name"));
        }
        Ok(format!("{table}\n{}", self.origin()))
    }

    /// The time to the first result of a case.
    fn first(&self, case: &str) -> Option<u64> {
        median(self.times.as_ref()?.cases.get(case)?, "first")
    }

    /// Which machine the numbers come from.
    fn origin(&self) -> String {
        let Baseline { tool, machine, .. } = &self.memory;
        format!(
            "Measured on {} with {} cores, {}, profile `{}`.",
            machine.cpu, machine.cores, tool.rustc, tool.profile
        )
    }
}

fn median(case: &Case, metric: &str) -> Option<u64> {
    case.metrics.get(metric).map(|entry| entry.median)
}

fn shown(value: Option<u64>, format: impl Fn(u64) -> String) -> String {
    value.map_or_else(|| "–".to_owned(), format)
}

/// `1.04`, rounded to the nearest hundredth.
fn ratio(planned: Option<u64>, measured: Option<u64>) -> String {
    match (planned, measured) {
        (Some(planned), Some(measured)) if measured > 0 => {
            let (planned, measured) = (u128::from(planned), u128::from(measured));
            let hundredths = (planned * 100 + measured / 2) / measured;
            format!("{}.{:02}", hundredths / 100, hundredths % 100)
        }
        _ => "–".to_owned(),
    }
}
