//! The file format of baselines, `bifrons-baseline` version 1.0.
//!
//! Whole numbers only, keys sorted, two blanks of indent, a newline at the end: differences can
//! be read and merged. A new optional member raises the minor version, a change of meaning the
//! major one. Readers accept every minor version of their major one; writers refuse to replace a
//! file with a newer minor version, since they would drop what they do not know.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::statistics::median;
use crate::measure::machine::{Machine, Tool};

/// Name of the format.
pub const NAME: &str = "bifrons-baseline";
/// Major version that is read and written.
pub const MAJOR: u64 = 1;
/// Minor version that is written.
pub const MINOR: u64 = 0;

/// A baseline file.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Baseline {
    /// Format and version.
    pub schema: Schema,
    /// The tools at the last blessing.
    pub tool: Tool,
    /// The revision at the last blessing.
    pub source: Source,
    /// The machine of the last blessing.
    pub machine: Machine,
    /// How it was measured.
    pub settings: Settings,
    /// Cases by canonical name.
    #[serde(deserialize_with = "unique")]
    pub cases: BTreeMap<String, Case>,
}

/// Format and version.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct Schema {
    /// `bifrons-baseline`.
    pub name: String,
    /// Major version.
    pub major: u64,
    /// Minor version.
    pub minor: u64,
}

impl Schema {
    /// The version that this tool writes.
    #[must_use]
    pub fn current() -> Self {
        Self {
            name: NAME.to_owned(),
            major: MAJOR,
            minor: MINOR,
        }
    }
}

/// A revision of the sources.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct Source {
    /// Commit, or empty outside of a repository.
    pub revision: String,
    /// Whether files differed from it.
    pub dirty: bool,
}

/// How a baseline was measured.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct Settings {
    /// Samples of noisy metrics.
    pub samples: u64,
    /// The environment of the samples.
    pub environment: Vec<String>,
}

/// A case.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct Case {
    /// Version of its scenario.
    pub scenario_version: u32,
    /// Bits of its result, in decimal.
    pub check: String,
    /// What was computed; another configuration is never compared.
    #[serde(default, deserialize_with = "unique")]
    pub configuration: BTreeMap<String, String>,
    /// How the machine did it, the compiler included; instructions and times are compared only
    /// between equal facts.
    #[serde(default, deserialize_with = "unique")]
    pub facts: BTreeMap<String, String>,
    /// Metrics by name.
    #[serde(deserialize_with = "unique")]
    pub metrics: BTreeMap<String, Entry>,
}

/// A metric of a case.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// `byte`, `count` or `nanosecond`.
    pub unit: String,
    /// The accepted value.
    pub median: u64,
    /// The smallest sample.
    pub min: u64,
    /// The largest sample.
    pub max: u64,
    /// All samples.
    pub samples: Vec<u64>,
    /// Where the value comes from, if there are several ways.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

impl Entry {
    /// The entry for these samples; `None` when there are none.
    #[must_use]
    pub fn of(unit: &str, samples: &[u64], source: Option<&str>) -> Option<Self> {
        Some(Self {
            unit: unit.to_owned(),
            median: median(samples)?,
            min: *samples.iter().min()?,
            max: *samples.iter().max()?,
            samples: samples.to_vec(),
            source: source.map(str::to_owned),
        })
    }

    /// Whether median and extremes are those of the samples.
    #[must_use]
    pub fn is_consistent(&self) -> bool {
        Self::of(&self.unit, &self.samples, self.source.as_deref()).as_ref() == Some(self)
    }
}

/// Reads a map and refuses a key that occurs twice: the second value would silently win.
fn unique<'de, D, V>(deserializer: D) -> Result<BTreeMap<String, V>, D::Error>
where
    D: Deserializer<'de>,
    V: Deserialize<'de>,
{
    struct Unique<V>(PhantomData<V>);

    impl<'de, V: Deserialize<'de>> Visitor<'de> for Unique<V> {
        type Value = BTreeMap<String, V>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object without repeated names")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut found = BTreeMap::new();
            while let Some(key) = map.next_key::<String>()? {
                if found.contains_key(&key) {
                    return Err(de::Error::custom(format!("`{key}` occurs twice")));
                }
                let value = map.next_value()?;
                found.insert(key, value);
            }
            Ok(found)
        }
    }

    deserializer.deserialize_map(Unique(PhantomData))
}
