//! The measured peak does not depend on how large the measuring process is.
//!
//! A test binary of its own: the ballast stays in the high-water mark of the process.
#![cfg(target_os = "linux")]
#![expect(clippy::expect_used, reason = "functions of a test may fail it")]

use std::path::Path;
use std::time::Duration;

use xtask::measure::child::{self, Finished, Job};
use xtask::measure::procfs;
use xtask::measure::protocol::CaseLine;
use xtask::measure::sample::{self, Meter, Sample};

const CASE: &str = "fake/steady?threads=1";

fn measure() -> (Finished, Sample) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let fake = Path::new(env!("CARGO_BIN_EXE_fake-scenario"));
    let job = Job::new(fake, directory.path(), Duration::from_secs(30)).with(["run", CASE]);
    let finished = child::run(&job).expect("the fixture starts");
    let text = format!(r#"{{"case":"{CASE}","scenario":"fake/steady","version":1}}"#);
    let case: CaseLine = serde_json::from_str(&text).expect("a case");
    let sample = sample::judge(&case, Meter::Plain, &finished);
    assert!(sample.is_usable(), "{:?}", sample.problems);
    (finished, sample)
}

#[test]
fn peak_is_the_childs_own_whatever_its_parent_holds() {
    const BALLAST: usize = 128 << 20;
    let (_, before) = measure();
    let ballast = vec![1_u8; BALLAST];
    let (finished, after) = measure();
    assert_eq!(
        ballast.iter().step_by(4096).count(),
        BALLAST / 4096,
        "the ballast is touched"
    );
    let parent = finished.parent_peak.expect("there is /proc");
    assert!(parent > BALLAST as u64, "the parent holds {parent} bytes");
    let [old, new] = [&before, &after].map(|sample| sample.metrics["rss_peak"]);
    assert!(
        new.abs_diff(old) <= 1 << 20,
        "{old} bytes without ballast, {new} with it"
    );
    assert!(new < 16 << 20, "{new} bytes");
    // Where the kernel reports the parent's mark instead, the sample is still valid; that it
    // does is not promised, so only the bounds are tested.
    let kernel = finished.maxrss.expect("reported by the kernel");
    assert!(
        kernel + (1 << 20) >= new,
        "{kernel} from the kernel, {new} from the child"
    );
    drop(ballast);
    assert!(procfs::own_peak() >= Some(BALLAST as u64), "the mark stays");
}
