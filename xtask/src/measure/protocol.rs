//! The lines of a sample, schema `bifrons-sample/1`, as this side reads them.
//!
//! The reader is strict about what it uses and ignores members that it does not know, so that
//! the protocol can grow within one major version.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The schema that every line must carry.
pub const SCHEMA: &str = "bifrons-sample/1";

/// Phases, in order.
pub const PHASES: [&str; 4] = ["ready", "assembled", "first", "steady"];

/// One line of standard output.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Line {
    /// A case that can be run (`list`, `describe`).
    Case(CaseLine),
    /// The end of a phase.
    Phase(PhaseLine),
    /// The result, the last line of a sample.
    Result(Box<ResultLine>),
}

/// A case and what is known of it before it runs.
#[derive(Clone, Debug, Deserialize)]
pub struct CaseLine {
    /// Canonical name.
    pub case: String,
    /// Scenario of the case.
    pub scenario: String,
    /// Version of the scenario.
    pub version: u32,
    /// `quick` or `full`; absent when the case is not listed.
    #[serde(default)]
    pub tier: Option<String>,
    /// Values of the parameters.
    #[serde(default)]
    pub configuration: BTreeMap<String, String>,
    /// Sizes along which the scenario scales.
    #[serde(default)]
    pub axes: Vec<AxisLine>,
}

impl CaseLine {
    /// Number of threads that the case uses; 1 when it has no such parameter.
    #[must_use]
    pub fn threads(&self) -> u64 {
        self.configuration
            .get("threads")
            .and_then(|text| text.parse().ok())
            .unwrap_or(1)
    }
}

/// A size along which a scenario scales.
#[derive(Clone, Debug, Deserialize)]
pub struct AxisLine {
    /// The parameter that varies.
    pub parameter: String,
    /// What one more of it is called.
    pub unit: String,
    /// Its values, ascending, with their cases.
    pub points: Vec<AxisPoint>,
}

/// One value on an axis.
#[derive(Clone, Debug, Deserialize)]
pub struct AxisPoint {
    /// Value of the parameter.
    pub value: u64,
    /// Canonical name of the case with that value.
    pub case: String,
}

/// The end of a phase.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct PhaseLine {
    /// Its name.
    pub phase: String,
    /// Nanoseconds since the child's `main` began.
    pub elapsed_ns: u64,
    /// Largest resident set within the phase, where the kernel can reset the peak.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_bytes: Option<u64>,
}

/// The result of a sample.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ResultLine {
    /// Canonical name of the case that ran.
    pub case: String,
    /// Version of its scenario.
    pub version: u32,
    /// Bits of a checksum of the numerical result, in decimal.
    pub check: String,
    /// What was computed; records that differ here are never compared.
    pub configuration: BTreeMap<String, String>,
    /// How this machine did it.
    #[serde(default)]
    pub facts: BTreeMap<String, String>,
    /// Named whole numbers; absent means not measured.
    pub metrics: BTreeMap<String, u64>,
    /// Durations of the timed repetitions.
    #[serde(default)]
    pub warm_ns: Vec<u64>,
    /// Errors against what is known of the result.
    #[serde(default)]
    pub accuracy: Vec<AccuracyLine>,
    /// The plan as a tree, parents before children.
    #[serde(default)]
    pub plan: Vec<PlanLine>,
    /// What named scopes allocated.
    #[serde(default)]
    pub scopes: Vec<ScopeLine>,
}

/// A named error of the result.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct AccuracyLine {
    /// Its name.
    pub name: String,
    /// Its value, finite and not negative.
    pub value: f64,
    /// How it is defined.
    pub definition: String,
}

/// One part of a plan.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct PlanLine {
    /// Name within its parent.
    pub name: String,
    /// Number of ancestors.
    pub depth: u64,
    /// Copies at the same time, those of the ancestors included.
    pub copies: u64,
    /// Bytes that stay, children and copies included.
    pub persistent: u64,
    /// Bytes that are free again afterwards, children and copies included.
    pub scratch: u64,
}

impl PlanLine {
    /// Largest number of bytes at one time.
    #[must_use]
    pub fn peak(&self) -> u64 {
        self.persistent.saturating_add(self.scratch)
    }
}

/// What a named scope allocated.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ScopeLine {
    /// Its name.
    pub name: String,
    /// Entries.
    pub entries: u64,
    /// Bytes asked for.
    pub bytes: u64,
    /// Blocks asked for.
    pub blocks: u64,
    /// Largest number of live bytes above those at entry.
    pub peak: u64,
}

/// A line that does not follow the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineError {
    /// Not a JSON object with a schema.
    Garbage {
        /// The beginning of the line.
        text: String,
        /// What the parser objects to.
        reason: String,
    },
    /// Another schema, or another major version of it.
    Schema {
        /// The schema found.
        found: String,
    },
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Garbage { text, reason } => write!(f, "`{text}` is not a sample line: {reason}"),
            Self::Schema { found } => write!(f, "schema `{found}` is not `{SCHEMA}`"),
        }
    }
}

impl std::error::Error for LineError {}

#[derive(Deserialize)]
struct Header {
    schema: String,
}

/// Reads one line.
///
/// # Errors
///
/// When it is not JSON, lacks a member or carries another schema.
pub fn parse(text: &str) -> Result<Line, LineError> {
    let garbage = |error: serde_json::Error| LineError::Garbage {
        text: text.chars().take(80).collect(),
        reason: error.to_string(),
    };
    let header: Header = serde_json::from_str(text).map_err(garbage)?;
    if header.schema != SCHEMA {
        return Err(LineError::Schema {
            found: header.schema,
        });
    }
    serde_json::from_str(text).map_err(garbage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_unknown_members_ignored() {
        let line = parse(
            r#"{"schema":"bifrons-sample/1","event":"phase","phase":"first","elapsed_ns":7,"x":1}"#,
        );
        let Ok(Line::Phase(phase)) = line else {
            panic!("{line:?}")
        };
        assert_eq!(
            (phase.phase.as_str(), phase.elapsed_ns),
            ("first", 7),
            "a phase"
        );
        assert_eq!(phase.peak_bytes, None, "absent, not zero");
    }

    #[test]
    fn garbage_is_named() {
        for text in [
            "",
            "ready",
            "[1]",
            "{}",
            r#"{"schema":"bifrons-sample/1","event":"nap"}"#,
        ] {
            assert!(
                matches!(parse(text), Err(LineError::Garbage { .. })),
                "{text}"
            );
        }
        let negative =
            r#"{"schema":"bifrons-sample/1","event":"phase","phase":"first","elapsed_ns":-7}"#;
        assert!(
            matches!(parse(negative), Err(LineError::Garbage { .. })),
            "a negative time"
        );
        let newer = r#"{"schema":"bifrons-sample/2","event":"phase"}"#;
        let expected = LineError::Schema {
            found: "bifrons-sample/2".to_owned(),
        };
        assert_eq!(parse(newer).err(), Some(expected), "another major version");
    }
}
