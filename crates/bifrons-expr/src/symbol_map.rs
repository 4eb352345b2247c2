//! A map from symbols to values.

use std::fmt;

use crate::name_index::{NameIndex, SymbolCursor};
use crate::symbol::Symbol;

/// A map from symbols to values, looked up by hash and iterated in the order of insertion.
///
/// Nothing depends on the hashes but the time of a look-up, which is constant on average; so the
/// order of iteration is the same on every machine. Entries are not removed.
///
/// ```
/// use bifrons_expr::{Symbol, SymbolMap};
///
/// let mut map = SymbolMap::new();
/// assert_eq!(map.insert(Symbol::new("x"), 1), None);
/// assert_eq!(map.insert(Symbol::new("x"), 2), Some(1));
/// assert_eq!(map.get("x"), Some(&2));
/// assert_eq!(map.get("y"), None);
/// ```
#[derive(Clone)]
pub struct SymbolMap<V> {
    entries: Vec<(Symbol, V)>,
    index: NameIndex,
}

impl<V> SymbolMap<V> {
    /// An empty map.
    #[must_use]
    pub fn new() -> Self {
        Self::with_capacity(0)
    }

    /// An empty map with room for `capacity` entries.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            entries: Vec::with_capacity(capacity),
            index: NameIndex::with_capacity(capacity),
        }
    }

    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The value of a symbol, by its name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&V> {
        let found = self.index.find(name, |entry| self.entries[entry].0.name());
        found.map(|entry| &self.entries[entry].1)
    }

    /// The value of a symbol; the same as [`get`](Self::get) of its name.
    ///
    /// Symbols with the text of a neighbour of recent finds, text shared, are found at once.
    #[must_use]
    pub fn get_near(&self, symbol: &Symbol, cursor: &mut SymbolCursor) -> Option<&V> {
        let found = (self.index).find_near(symbol, cursor, |entry| &self.entries[entry].0);
        found.map(|entry| &self.entries[entry].1)
    }

    /// Sets the value of a symbol and returns the one before; the place in the order stays.
    pub fn insert(&mut self, symbol: Symbol, value: V) -> Option<V> {
        let names = |entry: usize| self.entries[entry].0.name();
        if let Some(known) = self.index.add(symbol.name(), names) {
            return Some(std::mem::replace(&mut self.entries[known].1, value));
        }
        self.entries.push((symbol, value));
        None
    }

    /// Adds a symbol without an entry yet, or changes nothing and returns `false`. Its place in the
    /// order is the number of entries before.
    pub fn add(&mut self, symbol: &Symbol, value: V) -> bool {
        let names = |entry: usize| self.entries[entry].0.name();
        let is_new = self.index.add(symbol.name(), names).is_none();
        if is_new {
            self.entries.push((symbol.clone(), value));
        }
        is_new
    }

    /// Symbols and values in the order of insertion.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Symbol, &V)> + DoubleEndedIterator {
        self.entries.iter().map(|(symbol, value)| (symbol, value))
    }
}

impl<V> Default for SymbolMap<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V: fmt::Debug> fmt::Debug for SymbolMap<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<V> FromIterator<(Symbol, V)> for SymbolMap<V> {
    fn from_iter<I: IntoIterator<Item = (Symbol, V)>>(pairs: I) -> Self {
        let pairs = pairs.into_iter();
        let mut map = Self::with_capacity(pairs.size_hint().0);
        for (symbol, value) in pairs {
            map.insert(symbol, value);
        }
        map
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_of_many_names_finds_them_in_order() {
        let mut map = SymbolMap::new();
        for k in 0..5000_u32 {
            let name = format!("plant.gain{k}.{}", "k".repeat(k as usize % 17));
            assert_eq!(map.insert(Symbol::from(name), k), None, "{k}");
        }
        assert_eq!((map.len(), map.is_empty()), (5000, false));
        for (k, (symbol, value)) in (0..).zip(map.iter()) {
            assert_eq!((k, map.get(symbol.name())), (*value, Some(&k)), "{symbol}");
        }
        let twice = map.insert(Symbol::new("plant.gain0."), 7);
        assert_eq!((twice, map.get("plant.gain0.")), (Some(0), Some(&7)));
        assert_eq!((map.get("plant.gain"), map.get("")), (None, None));
        let mut cursor = SymbolCursor::default();
        for (symbol, value) in map.iter().chain(map.iter().rev()) {
            let shared = map.get_near(symbol, &mut cursor);
            assert_eq!(shared, Some(value), "{symbol}, text shared");
            let alike = Symbol::new(symbol.name());
            let found = map.get_near(&alike, &mut cursor);
            assert_eq!(found, Some(value), "{symbol}, text copied");
        }
        let unknown = map.get_near(&Symbol::new("plant.gain"), &mut cursor);
        assert_eq!(unknown, None);
        let copy: SymbolMap<u32> = map.iter().map(|(s, v)| (s.clone(), *v)).collect();
        assert_eq!(format!("{copy:?}"), format!("{map:?}"));
    }
}
