//! Rows: solved functions of one number, as sorted records.

use bifrons_memory::Footprint;

/// The constrained region below the first record of a row, where `savings` is at its bound.
///
/// ```text
/// c(q) = q - savings,   v(q) = u(c(q)) + continuation,   v'(q) = u'(c(q))
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Corner {
    /// Lowest savings.
    pub savings: f64,
    /// Discounted value of these savings, `β EV(savings)`.
    pub continuation: f64,
}

/// A value function with its policy, as records with weakly ascending abscissae.
///
/// | channel | meaning |
/// |---|---|
/// | `x` | resources or liquid state |
/// | `value` | value there |
/// | `policy` | consumption |
/// | `marginal` | derivative of the value |
/// | `equivalent` | consumption whose marginal utility is `marginal`; empty when it is `policy` |
/// | `owner` | tag of the material between this record and the next one |
///
/// Two records at one abscissa are the limits from the left and from the right; a read at the
/// abscissa gives the right one. Material owned by its right end lies up to the next larger
/// number: a pair there, not another rule of reading. Between records whose owner is
/// [`Row::GAP`] there is nothing, reads give NaN.
///
/// The arrays are exactly as long as needed and are reused: clearing keeps their memory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Row {
    pub(crate) x: Vec<f64>,
    pub(crate) value: Vec<f64>,
    pub(crate) policy: Vec<f64>,
    pub(crate) marginal: Vec<f64>,
    pub(crate) equivalent: Vec<f64>,
    pub(crate) owner: Vec<u32>,
    pub(crate) marks: Vec<f64>,
    /// The constrained region, if there is one.
    pub corner: Option<Corner>,
}

/// One record of a [`Row`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Record {
    /// Resources or liquid state.
    pub x: f64,
    /// Value there.
    pub value: f64,
    /// Consumption.
    pub policy: f64,
    /// Derivative of the value.
    pub marginal: f64,
    /// Tag of the material up to the next record.
    pub owner: u32,
}

/// The channels of a row, borrowed: from a [`Row`] or from memory of your own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowView<'a> {
    /// Abscissae, weakly ascending, equal at most twice.
    pub x: &'a [f64],
    /// Values.
    pub value: &'a [f64],
    /// Consumption.
    pub policy: &'a [f64],
    /// Derivatives of the value.
    pub marginal: &'a [f64],
    /// Consumption whose marginal utility is `marginal`; empty when it is `policy`.
    pub equivalent: &'a [f64],
    /// Tags of the brackets; empty when there is one owner and no gap.
    pub owner: &'a [u32],
    /// Where the policy bends without a pair, see [`Row::marks`].
    pub marks: &'a [f64],
    /// The constrained region, if there is one.
    pub corner: Option<Corner>,
}

impl Row {
    /// Owner of a bracket without material.
    pub const GAP: u32 = u32::MAX;

    /// An empty row.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty row with memory for `count` records.
    #[must_use]
    pub fn with_capacity(count: usize) -> Self {
        let mut row = Self::new();
        row.reserve(count);
        row
    }

    /// Memory of a row with `count` records, without the optional channel.
    #[must_use]
    pub const fn footprint(count: usize) -> Footprint {
        Footprint::of::<[f64; 4]>(count).beside(Footprint::of::<u32>(count))
    }

    /// Makes room for `count` records.
    pub fn reserve(&mut self, count: usize) {
        for channel in [
            &mut self.x,
            &mut self.value,
            &mut self.policy,
            &mut self.marginal,
        ] {
            channel.reserve_exact(count.saturating_sub(channel.len()));
        }
        self.owner
            .reserve_exact(count.saturating_sub(self.owner.len()));
    }

    /// Removes all records and the corner; keeps the memory.
    pub fn clear(&mut self) {
        for channel in [
            &mut self.x,
            &mut self.value,
            &mut self.policy,
            &mut self.marginal,
            &mut self.equivalent,
        ] {
            channel.clear();
        }
        self.owner.clear();
        self.marks.clear();
        self.corner = None;
    }

    /// Appends a record; its abscissa must not be below the last one.
    pub fn push(&mut self, record: Record) {
        self.x.push(record.x);
        self.value.push(record.value);
        self.policy.push(record.policy);
        self.marginal.push(record.marginal);
        self.owner.push(record.owner);
    }

    /// Appends a record whose marginal is not the marginal utility of its policy.
    ///
    /// Either all records of a row carry the equivalent consumption or none does.
    pub fn push_with_equivalent(&mut self, record: Record, equivalent: f64) {
        self.push(record);
        self.equivalent.push(equivalent);
    }

    /// Record `i`, if there is one.
    #[must_use]
    pub fn get(&self, i: usize) -> Option<Record> {
        Some(Record {
            x: *self.x.get(i)?,
            value: *self.value.get(i)?,
            policy: *self.policy.get(i)?,
            marginal: *self.marginal.get(i)?,
            owner: *self.owner.get(i)?,
        })
    }

    /// The records in order.
    pub fn records(&self) -> impl DoubleEndedIterator<Item = Record> + ExactSizeIterator + '_ {
        (0..self.len()).map(|i| Record {
            x: self.x[i],
            value: self.value[i],
            policy: self.policy[i],
            marginal: self.marginal[i],
            owner: self.owner[i],
        })
    }

    /// Abscissae at which the policy bends although the value is smooth: the ends of a constrained
    /// or bunching region. A step of the period before that has savings nodes there is accurate
    /// to a higher order; see [`SavingsNodes`](crate::SavingsNodes).
    #[must_use]
    pub fn marks(&self) -> &[f64] {
        &self.marks
    }

    /// Number of records.
    #[must_use]
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether there is no record.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// The channels, borrowed.
    #[must_use]
    pub fn view(&self) -> RowView<'_> {
        RowView {
            x: &self.x,
            value: &self.value,
            policy: &self.policy,
            marginal: &self.marginal,
            equivalent: &self.equivalent,
            owner: &self.owner,
            marks: &self.marks,
            corner: self.corner,
        }
    }

    /// Removes the first records of a row without equivalent consumption.
    pub(crate) fn remove_leading(&mut self, count: usize) {
        for channel in [
            &mut self.x,
            &mut self.value,
            &mut self.policy,
            &mut self.marginal,
        ] {
            channel.drain(..count);
        }
        self.owner.drain(..count);
    }

    /// Gives every bracket that is not a gap one owner.
    pub fn set_owner(&mut self, owner: u32) {
        for slot in &mut self.owner {
            if *slot != Self::GAP {
                *slot = owner;
            }
        }
    }

    /// Takes over the records of a view.
    pub fn copy_from(&mut self, view: RowView<'_>) {
        self.clear();
        self.x.extend_from_slice(view.x);
        self.value.extend_from_slice(view.value);
        self.policy.extend_from_slice(view.policy);
        self.marginal.extend_from_slice(view.marginal);
        self.equivalent.extend_from_slice(view.equivalent);
        if view.owner.is_empty() {
            self.owner.resize(view.x.len(), 0);
        } else {
            self.owner.extend_from_slice(view.owner);
        }
        self.marks.extend_from_slice(view.marks);
        self.corner = view.corner;
    }
}
