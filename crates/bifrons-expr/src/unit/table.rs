//! Looking up the names of units.

use crate::suggest::nearest;
use crate::unit::dimension::{Dimension, Exponent};
use crate::unit::error::{UnitParseError, UnitParseErrorKind};
use crate::unit::tables::{Named, OFFSETS, PREFIXES, UNITS};
use crate::unit::{Unit, parse};
use std::collections::BTreeMap;

/// Names of units: those of the SI and what is used beside them, and your own.
///
/// | | |
/// |---|---|
/// | base | `m` `g` (so `kg`) `s` `A` `K` `mol` `cd` `money` |
/// | derived | `rad sr Hz N Pa J W C V F Ohm Ω S Wb T H lm lx Bq Gy Sv kat` |
/// | with prefixes, too | `l L t bar eV Wh Ah cal` |
/// | time | `min h d wk a yr` (a year has 365.25 days) |
/// | angles and shares | `deg ° rev rpm % ppm` |
/// | others | `ha atm u in ft mi lb lbf kn` |
/// | temperatures | `degC °C degF` with an offset, `degR` without |
///
/// Prefixes from `q` (1e-30) to `Q` (1e30) stand before base and derived units and the second
/// group; micro is `u`, `µ` or `μ`. A name as a whole comes before one with a prefix, so `min` is
/// a minute and `Pa` a pascal.
///
/// ```
/// use bifrons_expr::{Unit, UnitTable};
///
/// let mut table = UnitTable::si();
/// table.define("EUR", Unit::parse("money").unwrap()).unwrap();
/// let wage = table.parse("kEUR/a").unwrap_err(); // own names take no prefix
/// assert_eq!(wage.span(), 0..4);
/// assert_eq!(table.parse("EUR/h").unwrap().to_string(), "EUR/h");
/// ```
#[derive(Debug, Clone, Default)]
pub struct UnitTable {
    own: BTreeMap<String, Unit>,
}

impl UnitTable {
    /// The names in the table above.
    #[must_use]
    pub fn si() -> Self {
        Self::default()
    }

    /// Adds a name for a unit; it hides an older name that is equal.
    ///
    /// Names consist of letters, `_`, `%` and `°`.
    ///
    /// # Errors
    ///
    /// [`UnitParseError`] if the text can't be a name.
    pub fn define(&mut self, name: &str, unit: Unit) -> Result<(), UnitParseError> {
        match name.char_indices().find(|(_, c)| !parse::names(*c)) {
            None if !name.is_empty() => {
                let unit = unit.named(name);
                self.own.insert(name.to_owned(), unit);
                Ok(())
            }
            None => Err(UnitParseError::new(UnitParseErrorKind::Empty, 0..0)),
            Some((at, c)) => {
                let kind = UnitParseErrorKind::UnknownCharacter { found: c };
                Err(UnitParseError::new(kind, at..at + c.len_utf8()))
            }
        }
    }

    /// Reads a unit; the grammar is in the documentation of [`Unit`].
    ///
    /// The empty text and `1` are the unit of pure numbers. Cost: linear in the length of the text times the
    /// number of names.
    ///
    /// # Errors
    ///
    /// [`UnitParseError`] with the span of the offending text and the nearest known name.
    pub fn parse(&self, text: &str) -> Result<Unit, UnitParseError> {
        parse::Reader::new(self, text).read()
    }

    /// The unit of a name, with or without prefix.
    pub(super) fn find(&self, name: &str) -> Option<Unit> {
        if let Some(unit) = self.own.get(name) {
            return Some(unit.clone());
        }
        if let Some(named) = UNITS.iter().find(|named| named.name == name) {
            return Some(plain(named).named(name));
        }
        if let Some((_, difference, zero)) = OFFSETS.iter().find(|(known, ..)| *known == name) {
            let difference = self.find(difference)?;
            return Some(difference.named(name).with_offset(*zero, difference));
        }
        let with_prefix = |(prefix, factor): &(&str, f64)| {
            let rest = name.strip_prefix(prefix)?;
            let named = UNITS.iter().find(|n| n.prefixed && n.name == rest)?;
            let unit = plain(named);
            // The gram is a thousandth of the base unit: keep `kg` exact.
            let scale = match named.name {
                "g" => factor / 1e3,
                _ => factor * named.scale,
            };
            Some(Unit::from_parts(unit.dimension(), scale, vec![]).named(name))
        };
        PREFIXES.iter().find_map(with_prefix)
    }

    /// The known name that is closest in spelling.
    pub(super) fn nearest(&self, name: &str) -> Option<String> {
        let known = UNITS.iter().map(|named| named.name);
        let known = known.chain(OFFSETS.iter().map(|(known, ..)| *known));
        let known = known.chain(["kg"]);
        let known = known.chain(self.own.keys().map(String::as_str));
        nearest(name, known).map(str::to_owned)
    }
}

fn plain(named: &Named) -> Unit {
    let exponents = named
        .powers
        .map(|power| Exponent::new(i32::from(power), 1).unwrap_or(Exponent::ZERO));
    Unit::from_parts(Dimension::new(exponents), named.scale, vec![])
}
