//! A number of bytes that people can read and write.

use std::fmt;
use std::str::FromStr;

const BINARY: [(&str, u64); 6] = [
    ("EiB", 1 << 60),
    ("PiB", 1 << 50),
    ("TiB", 1 << 40),
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
];
const DECIMAL: [(&str, u64); 6] = [
    ("EB", 1_000_000_000_000_000_000),
    ("PB", 1_000_000_000_000_000),
    ("TB", 1_000_000_000_000),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("kB", 1_000),
];

/// A number of bytes, printed with binary units and parsed exactly.
///
/// `{}` rounds to one decimal (`12.4 MiB`); `{:#}` is exact and reads back to the same number
/// (`13001 KiB`). Parsing knows `B`, `KiB` … `EiB` (powers of 1024) and `kB` … `EB` (powers of
/// 1000) in any case, with or without a space, and decimal fractions (up to 18 places) whose
/// product is a whole number of bytes. A number without a unit is bytes.
///
/// ```
/// use bifrons_memory::Bytes;
///
/// let limit: Bytes = "64 MiB".parse()?;
/// assert_eq!(limit.get(), 64 << 20);
/// assert_eq!("1.5 GiB".parse::<Bytes>()?.get(), 3 << 29);
/// assert_eq!(Bytes::new(13_001 << 10).to_string(), "12.7 MiB");
/// # Ok::<(), bifrons_memory::ParseBytesError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Bytes(u64);

/// Why a text is not a number of bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseBytesError {
    /// The text holds no number.
    #[error("number of bytes must start with a digit such as `64 MiB`, got `{text}`")]
    Number {
        /// The whole text.
        text: String,
    },
    /// The unit is not known.
    #[error(
        "unit `{unit}` is unknown; use B, KiB, MiB, GiB, TiB, PiB, EiB or kB, MB, GB, TB, PB, EB"
    )]
    Unit {
        /// What follows the number.
        unit: String,
    },
    /// The number times the unit is not whole.
    #[error("`{text}` is not a whole number of bytes; use a smaller unit")]
    NotWhole {
        /// The whole text.
        text: String,
    },
    /// The number does not fit 64 bits.
    #[error("`{text}` is more than 2^64 - 1 bytes")]
    TooLarge {
        /// The whole text.
        text: String,
    },
}

impl Bytes {
    /// So many bytes.
    #[must_use]
    pub const fn new(bytes: u64) -> Self {
        Self(bytes)
    }

    /// The number of bytes.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl From<u64> for Bytes {
    fn from(bytes: u64) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = if f.alternate() {
            exact(self.0)
        } else {
            rounded(self.0)
        };
        f.pad(&text)
    }
}

/// The largest binary unit of which `bytes` is a whole multiple.
fn exact(bytes: u64) -> String {
    BINARY
        .iter()
        .find(|(_, unit)| bytes != 0 && bytes.is_multiple_of(*unit))
        .map_or_else(
            || format!("{bytes} B"),
            |(name, unit)| format!("{} {name}", bytes / unit),
        )
}

/// Tenths of the smallest unit that needs fewer than 1024 of them, rounded half up.
fn rounded(bytes: u64) -> String {
    if bytes < 1_024 {
        return format!("{bytes} B");
    }
    for (at, (name, unit)) in BINARY.iter().enumerate().rev() {
        let tenths = (u128::from(bytes) * 10 + u128::from(unit / 2)) / u128::from(*unit);
        if tenths < 10_240 || at == 0 {
            return if tenths.is_multiple_of(10) {
                format!("{} {name}", tenths / 10)
            } else {
                format!("{}.{} {name}", tenths / 10, tenths % 10)
            };
        }
    }
    format!("{bytes} B")
}

impl FromStr for Bytes {
    type Err = ParseBytesError;

    fn from_str(text: &str) -> Result<Self, ParseBytesError> {
        let trimmed = text.trim();
        let end = trimmed
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(trimmed.len());
        let (number, unit) = trimmed.split_at(end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
        if whole.is_empty() || fraction.is_empty() || fraction.contains('.') {
            return Err(ParseBytesError::Number {
                text: text.to_owned(),
            });
        }
        product(whole, fraction, unit_size(unit.trim())?, text).map(Self)
    }
}

fn unit_size(unit: &str) -> Result<u64, ParseBytesError> {
    if unit.is_empty() || unit.eq_ignore_ascii_case("b") {
        return Ok(1);
    }
    BINARY
        .iter()
        .chain(&DECIMAL)
        .find(|(name, _)| name.eq_ignore_ascii_case(unit))
        .map(|(_, size)| *size)
        .ok_or_else(|| ParseBytesError::Unit {
            unit: unit.to_owned(),
        })
}

/// `whole.fraction * unit` in integers.
fn product(whole: &str, fraction: &str, unit: u64, text: &str) -> Result<u64, ParseBytesError> {
    let too_large = || ParseBytesError::TooLarge {
        text: text.to_owned(),
    };
    let not_whole = || ParseBytesError::NotWhole {
        text: text.to_owned(),
    };
    let whole: u64 = whole.parse().map_err(|_| too_large())?;
    let bytes = whole.checked_mul(unit).ok_or_else(too_large)?;
    // Eighteen decimals keep the product below within 128 bits; longer fractions are refused.
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() {
        return Ok(bytes);
    }
    if fraction.len() > 18 {
        return Err(not_whole());
    }
    let digits: u128 = fraction.parse().map_err(|_| not_whole())?;
    let scale = 10_u128.pow(u32::try_from(fraction.len()).map_err(|_| not_whole())?);
    let scaled = digits * u128::from(unit);
    if !scaled.is_multiple_of(scale) {
        return Err(not_whole());
    }
    let part = u64::try_from(scaled / scale).map_err(|_| too_large())?;
    bytes.checked_add(part).ok_or_else(too_large)
}
