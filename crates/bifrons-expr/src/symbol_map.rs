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
    /// At least twice as many as entries, a power of two.
    slots: Vec<Slot>,
}

/// Where an entry is, with the hash of its name: other names are passed over unread.
#[derive(Clone, Copy)]
struct Slot {
    hash: u32,
    /// Position in `entries`, or [`NONE`].
    entry: u32,
}

const FREE: Slot = Slot {
    hash: 0,
    entry: NONE,
};

/// Where two recent look-ups in a [`SymbolMap`] ended.
///
/// Equations mostly read what was declared about where they were, so the next symbol is often the
/// neighbour of an earlier one; then no name is hashed or compared.
#[derive(Debug, Clone, Copy, Default)]
pub struct SymbolCursor {
    recent: [usize; 2],
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
            slots: vec![FREE; slots(capacity)],
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
        let found = self.slots[self.slot(name, hash(name))].entry;
        self.entries.get(found as usize).map(|(_, value)| value)
    }

    /// The value of a symbol; the same as [`get`](Self::get) of its name.
    ///
    /// Symbols with the text of a neighbour of recent finds, text shared, are found at once.
    #[must_use]
    pub fn get_near(&self, symbol: &Symbol, cursor: &mut SymbolCursor) -> Option<&V> {
        let [first, second] = cursor.recent;
        for (place, other) in [(first, second), (second, first)] {
            for place in [place + 1, place, place.wrapping_sub(1)] {
                if let Some((own, value)) = self.entries.get(place)
                    && own.shares_text(symbol)
                {
                    cursor.recent = [place, other];
                    return Some(value);
                }
            }
        }
        let name = symbol.name();
        let found = self.slots[self.slot(name, hash(name))].entry as usize;
        let (_, value) = self.entries.get(found)?;
        cursor.recent = [found, first];
        Some(value)
    }

    /// Sets the value of a symbol and returns the one before; the place in the order stays.
    pub fn insert(&mut self, symbol: Symbol, value: V) -> Option<V> {
        let hash = hash(symbol.name());
        let slot = self.slot(symbol.name(), hash);
        if let Some((_, own)) = self.entries.get_mut(self.slots[slot].entry as usize) {
            return Some(std::mem::replace(own, value));
        }
        self.place(slot, hash, symbol, value);
        None
    }

    /// Adds a symbol without an entry yet, or changes nothing and returns `false`. Its place in the
    /// order is the number of entries before.
    pub fn add(&mut self, symbol: &Symbol, value: V) -> bool {
        let hash = hash(symbol.name());
        let slot = self.slot(symbol.name(), hash);
        if self.slots[slot].entry != NONE {
            return false;
        }
        self.place(slot, hash, symbol.clone(), value);
        true
    }

    fn place(&mut self, slot: usize, hash: u32, symbol: Symbol, value: V) {
        self.slots[slot] = Slot {
            hash,
            entry: position(self.entries.len()),
        };
        self.entries.push((symbol, value));
        if 2 * self.entries.len() > self.slots.len() {
            self.grow();
        }
    }

    /// The value at a place in the order.
    pub(crate) fn value_mut(&mut self, place: usize) -> Option<&mut V> {
        self.entries.get_mut(place).map(|(_, value)| value)
    }

    /// Symbols and values in the order of insertion.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Symbol, &V)> + DoubleEndedIterator {
        self.entries.iter().map(|(symbol, value)| (symbol, value))
    }

    /// The slot of a name, or the free one where it belongs.
    fn slot(&self, name: &str, hash: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = hash as usize & mask;
        loop {
            let slot = self.slots[place];
            let Some((own, _)) = self.entries.get(slot.entry as usize) else {
                return place;
            };
            if slot.hash == hash && own.name() == name {
                return place;
            }
            place = (place + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let grown = vec![FREE; 2 * self.slots.len()];
        let mask = grown.len() - 1;
        for slot in std::mem::replace(&mut self.slots, grown) {
            if slot.entry != NONE {
                let mut place = slot.hash as usize & mask;
                while self.slots[place].entry != NONE {
                    place = (place + 1) & mask;
                }
                self.slots[place] = slot;
            }
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
    (2 * entries).next_power_of_two().max(16)
}

/// Eight bytes at a time.
#[expect(clippy::cast_possible_truncation, reason = "a hash may lose bits")]
fn hash(name: &str) -> u32 {
    let (words, rest) = name.as_bytes().as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let all = words.iter().chain([&last]);
    let key = all.fold(name.len() as u64, |key, word| {
        (key.rotate_left(23) ^ u64::from_le_bytes(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    mix(key) as u32
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
