//! Phase `environment`: from nothing compiled to a finished build.
//!
//! Every variant is built once in an empty target directory, offline, after the sources were
//! fetched, without incremental compilation. A case is called `build/PACKAGE?jobs=N`.

use std::collections::BTreeMap;

use super::Args;
use crate::baseline::compare::Kind;
use crate::commands::bench::{Bench, Request};
use crate::measure::cgroup::Hierarchy;
use crate::measure::cold::{self, Variant};
use crate::measure::session::{Counts, Measured, Measurement};
use crate::render::progress::Progress;
use crate::render::{table, units};
use crate::report::{Failure, Report, answer};
use crate::workspace::Workspace;

/// Packages that are built unless the arguments name others: light and heavy ends of the
/// library, the whole of it, the measured binary. Those that do not exist are left out.
const PACKAGES: [&str; 5] = [
    "bifrons-grids",
    "bifrons-egm",
    "bifrons-ode",
    "bifrons",
    "benchmarks",
];

const METRICS: [&str; 6] = [
    "build_wall",
    "build_cpu",
    "build_rss_peak",
    "cgroup_peak",
    "packages",
    "disk",
];

/// Measures cold builds.
pub(super) fn run(args: &Args, workspace: &Workspace) -> anyhow::Result<Report> {
    let variants = variants(args, workspace)?;
    if args.common.list {
        let rows: Vec<Vec<String>> = variants
            .iter()
            .map(|variant| vec![variant.case(), "-".into()])
            .collect();
        for line in table::aligned(&["case", "tier"], &rows, &[]) {
            answer(line);
        }
        return Ok(Report::ok());
    }
    let mut bench = Bench::without_binaries(&args.common, workspace)?;
    let hierarchy = match Hierarchy::find() {
        Ok(hierarchy) => Some(hierarchy),
        Err(reason) => {
            bench.skip(format!("peak of the process tree: {reason}"))?;
            None
        }
    };
    let mut tried: Vec<&'static str> = METRICS.into();
    tried.retain(|name| hierarchy.is_some() || *name != "cgroup_peak");
    let request = Request {
        command: "bench-time --phase environment",
        kinds: &[Kind::Time],
        tried: &tried,
        counts: Counts {
            plain: 1,
            heap: 0,
            instructions: 0,
        },
        plans: false,
        compared: true,
    };
    let loaded = bench.load(request.kinds)?;
    cold::fetch(workspace)?;
    let progress = Progress::new(variants.len(), args.common.quiet);
    let mut measurements = Vec::new();
    for variant in &variants {
        progress.step(variant.case());
        let built = cold::build(workspace, variant, hierarchy.as_ref())?;
        measurements.push(measurement(variant, &built));
        if !args.common.quiet {
            heaviest(&bench, variant, &built);
        }
    }
    progress.finish();
    bench.conclude(&request, &measurements, &loaded)
}

fn variants(args: &Args, workspace: &Workspace) -> anyhow::Result<Vec<Variant>> {
    let metadata = workspace.metadata(true)?;
    let exists = |name: &str| {
        metadata
            .packages
            .iter()
            .any(|package| *package.name == name)
    };
    let mut packages = args.package.clone();
    packages.extend(args.common.case.iter().map(|case| package_of(case)));
    packages.dedup();
    if let Some(unknown) = packages.iter().find(|name| !exists(name)) {
        return Err(Failure::usage(format!("there is no package `{unknown}`")).into());
    }
    if packages.is_empty() {
        packages = PACKAGES
            .into_iter()
            .filter(|name| exists(name))
            .map(str::to_owned)
            .collect();
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut variants: Vec<Variant> = Vec::new();
    for package in packages {
        for jobs in if cores > 1 { vec![1, cores] } else { vec![1] } {
            // The façade only re-exports; it is built as its users build it, with everything.
            let all_features = package == "bifrons";
            variants.push(Variant {
                package: package.clone(),
                jobs,
                all_features,
            });
        }
    }
    let common = &args.common;
    variants.retain(|variant| {
        let case = variant.case();
        let named = common.case.is_empty() || common.case.contains(&case);
        named
            && common
                .filter
                .as_ref()
                .is_none_or(|filter| case.contains(filter.as_str()))
    });
    if variants.is_empty() {
        let message = "no build is selected; `--phase environment --list` shows what there is";
        return Err(Failure::usage(message).into());
    }
    Ok(variants)
}

/// `build/bifrons?jobs=2` is a case of `bifrons`.
fn package_of(case: &str) -> String {
    let name = case.split_once('?').map_or(case, |(name, _)| name);
    name.strip_prefix("build/").unwrap_or(name).to_owned()
}

fn measurement(variant: &Variant, built: &cold::Built) -> Measurement {
    let metrics = built.metrics.iter().map(|(name, value)| {
        (
            (*name).to_owned(),
            Measured {
                median: *value,
                samples: vec![*value],
            },
        )
    });
    Measurement {
        case: variant.case(),
        scenario_version: 1,
        threads: 1,
        // A build has no numerical result.
        check: Some("0".to_owned()),
        configuration: variant.configuration(),
        facts: BTreeMap::new(),
        metrics: metrics.collect(),
        accuracy: Vec::new(),
        plan: Vec::new(),
        scopes: Vec::new(),
        problems: built.problem.iter().cloned().collect(),
        noisy_samples: 0,
        peak_source: "ru_maxrss",
        samples: Vec::new(),
    }
}

/// The crates that cost most, as a table.
fn heaviest(bench: &Bench<'_>, variant: &Variant, built: &cold::Built) {
    let mut units_built = built.units.clone();
    units_built.sort_by_key(|unit| std::cmp::Reverse(unit.cpu_ns));
    let rows: Vec<Vec<String>> = units_built
        .iter()
        .take(8)
        .map(|unit| {
            vec![
                unit.name.clone(),
                units::time(unit.wall_ns),
                units::time(unit.cpu_ns),
                units::bytes(unit.maxrss),
            ]
        })
        .collect();
    bench.say(format_args!(
        "{}, heaviest of {} units:",
        variant.case(),
        built.units.len()
    ));
    for line in table::aligned(&["crate", "wall", "cpu", "peak"], &rows, &[1, 2, 3]) {
        bench.say(format_args!("  {line}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_name_their_package() {
        assert_eq!(
            package_of("build/bifrons-ode?jobs=2"),
            "bifrons-ode",
            "a full name"
        );
        assert_eq!(package_of("build/bifrons"), "bifrons", "without jobs");
        assert_eq!(
            package_of("ode/decay"),
            "ode/decay",
            "no build, and so no package"
        );
    }
}
