//! A footprint with names: which part of a run needs how much.

use std::fmt;

use crate::footprint::Footprint;

/// How the children of a [`Part`] compose.
///
/// Deliberately closed: the footprint algebra has these two compositions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Composition {
    /// All at the same time: persistent and scratch add.
    #[default]
    Beside,
    /// One after the other: persistent adds, the largest scratch counts.
    Then,
}

/// A named footprint with children: the explanation of a plan.
///
/// ```text
/// total = (own beside (children composed)) × copies
/// ```
///
/// ```
/// use bifrons_memory::{Footprint, Part};
///
/// let run = Part::beside("run", [
///     Part::new("grid", Footprint::of::<f64>(1_000)),
///     Part::then("periods", [
///         Part::new("first", Footprint::scratch(512)),
///         Part::new("second", Footprint::scratch(2_048)),
///     ]),
/// ]);
/// assert_eq!(run.total().peak(), 8_000 + 2_048);
/// assert_eq!(run.largest().0, "run/grid");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Part {
    name: String,
    own: Footprint,
    copies: u64,
    composition: Composition,
    children: Vec<Part>,
}

impl Part {
    /// A part without children.
    #[must_use]
    pub fn new(name: impl Into<String>, own: Footprint) -> Self {
        Self {
            name: name.into(),
            own,
            copies: 1,
            composition: Composition::Beside,
            children: Vec::new(),
        }
    }

    /// A part whose children exist at the same time.
    #[must_use]
    pub fn beside(name: impl Into<String>, children: impl IntoIterator<Item = Self>) -> Self {
        Self {
            children: children.into_iter().collect(),
            ..Self::new(name, Footprint::ZERO)
        }
    }

    /// A part whose children come one after the other.
    #[must_use]
    pub fn then(name: impl Into<String>, children: impl IntoIterator<Item = Self>) -> Self {
        Self {
            composition: Composition::Then,
            ..Self::beside(name, children)
        }
    }

    /// The same part with `own` bytes beside its children.
    #[must_use]
    pub fn with_own(self, own: Footprint) -> Self {
        Self { own, ..self }
    }

    /// The same part, `copies` of it at the same time.
    #[must_use]
    pub fn times(self, copies: u64) -> Self {
        Self {
            copies: self.copies.saturating_mul(copies),
            ..self
        }
    }

    /// The same part with one more child at the end.
    #[must_use]
    pub fn with(mut self, child: Self) -> Self {
        self.children.push(child);
        self
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The footprint of one copy without the children.
    #[must_use]
    pub fn own(&self) -> Footprint {
        self.own
    }

    /// Number of copies at the same time.
    #[must_use]
    pub fn copies(&self) -> u64 {
        self.copies
    }

    /// How the children compose.
    #[must_use]
    pub fn composition(&self) -> Composition {
        self.composition
    }

    /// The children, in order.
    #[must_use]
    pub fn children(&self) -> &[Self] {
        &self.children
    }

    /// The footprint of all copies with all children.
    #[must_use]
    pub fn total(&self) -> Footprint {
        let children = self.children.iter().map(Self::total);
        let inner = match self.composition {
            Composition::Beside => children.fold(Footprint::ZERO, Footprint::beside),
            Composition::Then => children.fold(Footprint::ZERO, Footprint::then),
        };
        self.own.beside(inner).times(self.copies)
    }

    /// This part and everything below it, parents before children, in order.
    pub fn entries(&self) -> impl Iterator<Item = PartEntry<'_>> {
        let mut stack = vec![PartEntry {
            part: self,
            depth: 0,
            outer: 1,
        }];
        std::iter::from_fn(move || {
            let entry = stack.pop()?;
            let outer = entry.copies();
            let depth = entry.depth + 1;
            let children = entry.part.children.iter().rev();
            stack.extend(children.map(|part| PartEntry { part, depth, outer }));
            Some(entry)
        })
    }

    /// Path (`run/members/stages`) and own footprint, over all copies, of the part whose own
    /// footprint has the largest peak; the first one among equals.
    #[must_use]
    pub fn largest(&self) -> (String, Footprint) {
        let mut path: Vec<&str> = Vec::new();
        let mut best: Option<(String, Footprint)> = None;
        for entry in self.entries() {
            path.truncate(entry.depth);
            path.push(&entry.part.name);
            let own = entry.own();
            if best
                .as_ref()
                .is_none_or(|(_, footprint)| own.peak() > footprint.peak())
            {
                best = Some((path.join("/"), own));
            }
        }
        best.unwrap_or_else(|| (self.name.clone(), Footprint::ZERO))
    }
}

/// One part met on the way through a tree, with the copies of all its ancestors.
#[derive(Clone, Copy, Debug)]
pub struct PartEntry<'a> {
    part: &'a Part,
    depth: usize,
    outer: u64,
}

impl<'a> PartEntry<'a> {
    /// The part.
    #[must_use]
    pub fn part(&self) -> &'a Part {
        self.part
    }

    /// Number of ancestors.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Copies in the whole tree: those of the part times those of its ancestors.
    #[must_use]
    pub fn copies(&self) -> u64 {
        self.outer.saturating_mul(self.part.copies)
    }

    /// Own footprint over all copies.
    #[must_use]
    pub fn own(&self) -> Footprint {
        self.part.own.times(self.copies())
    }

    /// Total footprint over all copies of the ancestors.
    #[must_use]
    pub fn total(&self) -> Footprint {
        self.part.total().times(self.outer)
    }
}

impl fmt::Display for Part {
    /// One line per part, indented by depth: name, copies, total with human units.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let label = |entry: &PartEntry<'_>| {
            let indent = "  ".repeat(entry.depth);
            let copies = match entry.part.copies {
                1 => String::new(),
                n => format!(" × {n}"),
            };
            format!("{indent}{}{copies}", entry.part.name)
        };
        let width = self
            .entries()
            .map(|e| label(&e).chars().count())
            .max()
            .unwrap_or(0);
        for (line, entry) in self.entries().enumerate() {
            if line > 0 {
                writeln!(f)?;
            }
            write!(f, "{:<width$}  {}", label(&entry), entry.total())?;
        }
        Ok(())
    }
}
