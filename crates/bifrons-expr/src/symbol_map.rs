//! A map from symbols to values.

use std::fmt;

use crate::node::{NONE, mix, position};
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
    /// Positions in `entries`, or [`NONE`]; at least twice as many as entries, a power of two.
    slots: Vec<u32>,
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
            slots: vec![NONE; slots(capacity)],
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
        let found = self.slots[self.slot(name)];
        self.entries.get(found as usize).map(|(_, value)| value)
    }

    /// Sets the value of a symbol and returns the one before; the place in the order stays.
    pub fn insert(&mut self, symbol: Symbol, value: V) -> Option<V> {
        let slot = self.slot(symbol.name());
        if let Some((_, own)) = self.entries.get_mut(self.slots[slot] as usize) {
            return Some(std::mem::replace(own, value));
        }
        self.slots[slot] = position(self.entries.len());
        self.entries.push((symbol, value));
        if 2 * self.entries.len() > self.slots.len() {
            self.grow();
        }
        None
    }

    /// Symbols and values in the order of insertion.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Symbol, &V)> {
        self.entries.iter().map(|(symbol, value)| (symbol, value))
    }

    /// The slot of a name, or the free one where it belongs.
    fn slot(&self, name: &str) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash(name) & mask;
        while let Some((own, _)) = self.entries.get(self.slots[slot] as usize)
            && own.name() != name
        {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        self.slots = vec![NONE; slots(self.entries.len())];
        let mask = self.slots.len() - 1;
        for (index, (symbol, _)) in self.entries.iter().enumerate() {
            let mut slot = hash(symbol.name()) & mask;
            while self.slots[slot] != NONE {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = position(index);
        }
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

fn slots(entries: usize) -> usize {
    (4 * entries).next_power_of_two().max(16)
}

/// Eight bytes at a time.
fn hash(name: &str) -> usize {
    let (words, rest) = name.as_bytes().as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let all = words.iter().chain([&last]);
    let key = all.fold(name.len() as u64, |key, word| {
        (key.rotate_left(23) ^ u64::from_le_bytes(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    mix(key)
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
        let copy: SymbolMap<u32> = map.iter().map(|(s, v)| (s.clone(), *v)).collect();
        assert_eq!(format!("{copy:?}"), format!("{map:?}"));
    }
}
