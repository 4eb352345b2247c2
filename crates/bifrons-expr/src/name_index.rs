//! Positions of names, looked up by hash.

use crate::node::{NONE, mix, position};
use crate::symbol::Symbol;

/// Positions of different names in a list that somebody else keeps.
///
/// Holds hashes and no names, so that a list with names in it needs no second one. Every call gets
/// a function from a position to the name there, always the same for positions added before.
/// Nothing depends on the hashes but the time of a look-up, which is constant on average.
///
/// ```
/// use bifrons_expr::NameIndex;
///
/// let mut names = vec!["x"];
/// let mut index = NameIndex::with_capacity(2);
/// assert_eq!(index.add("x", |at| names[at]), None);
/// assert_eq!(index.add("x", |at| names[at]), Some(0));
/// names.push("y");
/// assert_eq!(index.add("y", |at| names[at]), None);
/// assert_eq!(index.find("y", |at| names[at]), Some(1));
/// assert_eq!(index.find("z", |at| names[at]), None);
/// ```
#[derive(Debug, Clone)]
pub struct NameIndex {
    /// A power of two, a quarter of them free.
    slots: Vec<Slot>,
    count: usize,
}

/// A position with the hash of its name: other names are passed over unread.
#[derive(Debug, Clone, Copy)]
struct Slot {
    hash: u32,
    /// [`NONE`] if the slot is free.
    entry: u32,
}

const FREE: Slot = Slot {
    hash: 0,
    entry: NONE,
};

/// Where two recent look-ups in a [`NameIndex`] or a [`SymbolMap`](crate::SymbolMap)
/// ended.
///
/// Equations mostly read what was declared about where they were, so the next symbol is often the
/// neighbour of an earlier one; then no name is hashed or compared.
#[derive(Debug, Clone, Copy, Default)]
pub struct SymbolCursor {
    recent: [usize; 2],
}

impl NameIndex {
    /// An empty index with room for `capacity` names.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            slots: vec![FREE; slots(capacity)],
            count: 0,
        }
    }

    /// The position of a name.
    #[must_use]
    pub fn find<'a>(&self, name: &str, names: impl Fn(usize) -> &'a str) -> Option<usize> {
        let found = self.slots[self.slot(name, hash(name), names)].entry;
        (found != NONE).then_some(found as usize)
    }

    /// The position of a symbol; the same as [`find`](Self::find) of its name.
    ///
    /// Symbols with the text of a neighbour of recent finds, text shared, are found at once.
    #[must_use]
    pub fn find_near<'a>(
        &self,
        symbol: &Symbol,
        cursor: &mut SymbolCursor,
        symbols: impl Fn(usize) -> &'a Symbol,
    ) -> Option<usize> {
        // Equations of one kind in a row read from two groups in turn, up or down.
        let [first, second] = cursor.recent;
        let tries = [
            (second + 1, first),
            (second.wrapping_sub(1), first),
            (first + 1, second),
            (first, second),
            (second, first),
            (first.wrapping_sub(1), second),
        ];
        for (place, other) in tries {
            if place < self.count && symbols(place).shares_text(symbol) {
                cursor.recent = [place, other];
                return Some(place);
            }
        }
        let found = self.find(symbol.name(), |place| symbols(place).name())?;
        cursor.recent = [found, first];
        Some(found)
    }

    /// Adds a name at the next position, the number of names before; if it has a position already,
    /// changes nothing and returns that.
    pub fn add<'a>(&mut self, name: &str, names: impl Fn(usize) -> &'a str) -> Option<usize> {
        let hash = hash(name);
        let slot = self.slot(name, hash, names);
        let known = self.slots[slot].entry;
        if known != NONE {
            return Some(known as usize);
        }
        self.slots[slot] = Slot {
            hash,
            entry: position(self.count),
        };
        self.count += 1;
        if slots(self.count) > self.slots.len() {
            self.grow();
        }
        None
    }

    /// The slot of a name, or the free one where it belongs.
    fn slot<'a>(&self, name: &str, hash: u32, names: impl Fn(usize) -> &'a str) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = hash as usize & mask;
        loop {
            let slot = self.slots[place];
            if slot.entry == NONE || (slot.hash == hash && names(slot.entry as usize) == name) {
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

/// The least power of two of which so many entries leave a quarter free.
fn slots(entries: usize) -> usize {
    (entries + entries.div_ceil(3)).next_power_of_two().max(16)
}

/// Eight bytes at a time; the last eight may overlap those before.
#[expect(clippy::cast_possible_truncation, reason = "a hash may lose bits")]
fn hash(name: &str) -> u32 {
    let bytes = name.as_bytes();
    let last = match (bytes.last_chunk(), bytes.first_chunk(), bytes.last_chunk()) {
        (Some(last), ..) => u64::from_le_bytes(*last),
        (None, Some(first), Some(last)) => {
            u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last))
        }
        _ => bytes
            .iter()
            .fold(0, |word, &byte| word << 8 | u64::from(byte)),
    };
    let words = bytes.as_chunks::<8>().0.iter();
    let words = words.map(|word| u64::from_le_bytes(*word));
    let key = words.chain([last]).fold(bytes.len() as u64, |key, word| {
        (key.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    mix(key) as u32
}
