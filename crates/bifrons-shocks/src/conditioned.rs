//! Shocks whose parameters depend on a category.

use crate::{Discretisation, MarkovChain, ShockError};

/// A discrete shock with nodes: [`Discretisation`] or [`MarkovChain`].
///
/// The trait is sealed.
pub trait Nodes: sealed::Sealed {
    /// Values of the shock, strictly ascending.
    fn nodes(&self) -> &[f64];
}

mod sealed {
    /// Keeps [`Nodes`](super::Nodes) to this crate.
    #[expect(unnameable_types, reason = "a sealed trait cannot be named by design")]
    pub trait Sealed {}
    impl Sealed for crate::Discretisation {}
    impl Sealed for crate::MarkovChain {}
}

impl Nodes for Discretisation {
    fn nodes(&self) -> &[f64] {
        Self::nodes(self)
    }
}

impl Nodes for MarkovChain {
    fn nodes(&self) -> &[f64] {
        Self::nodes(self)
    }
}

/// One discrete shock per category of another state (education, health, regime).
///
/// All categories have the same number of nodes, so that the shock is one axis of a table; the
/// values may differ. A chain moves within its category; for a category that may change, compute
/// [`Ar1::kernel`](crate::Ar1::kernel) from the nodes of the old to the nodes of the new one.
///
/// ```
/// use bifrons_shocks::{Ar1, Conditioned, ShockError};
///
/// let sigma = [0.1, 0.2];
/// let income = Conditioned::by_category(2, |k| Ar1::gaussian(0.9, sigma[k])?.rouwenhorst(5))?;
/// assert_eq!((income.category_count(), income.node_count()), (2, 5));
/// assert!(!income.has_common_nodes());
///
/// let error = Conditioned::by_category(2, |k| Ar1::gaussian(0.9 + 0.1 * k as f64, 0.1)?.tauchen(5, 3.0));
/// assert!(matches!(error, Err(ShockError::Category { category: 1, .. })));
/// # Ok::<(), ShockError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Conditioned<S> {
    shocks: Vec<S>,
}

impl<S: Nodes> Conditioned<S> {
    /// One shock per category `0..count`, from a function of the category.
    ///
    /// # Errors
    ///
    /// [`ShockError::Category`] with the error of the first category that is refused,
    /// [`ShockError::CategoryNodes`] for different numbers of nodes or no category.
    pub fn by_category(
        count: usize,
        mut shock: impl FnMut(usize) -> Result<S, ShockError>,
    ) -> Result<Self, ShockError> {
        let named = |category| {
            shock(category).map_err(|source| ShockError::Category {
                category,
                source: Box::new(source),
            })
        };
        Self::new((0..count).map(named).collect::<Result<_, _>>()?)
    }

    /// One shock per category, in order.
    ///
    /// # Errors
    ///
    /// [`ShockError::CategoryNodes`] for different numbers of nodes or no category.
    pub fn new(shocks: Vec<S>) -> Result<Self, ShockError> {
        let required = shocks.first().map_or(0, |shock| shock.nodes().len());
        let differs = |shock: &S| shock.nodes().len() != required;
        let wrong = shocks
            .iter()
            .position(differs)
            .or(shocks.is_empty().then_some(0));
        if let Some(category) = wrong {
            let found = shocks.get(category).map_or(0, |shock| shock.nodes().len());
            return Err(ShockError::CategoryNodes {
                category,
                found,
                required,
            });
        }
        Ok(Self { shocks })
    }

    /// The shock of a category; `None` beyond the last.
    #[must_use]
    pub fn get(&self, category: usize) -> Option<&S> {
        self.shocks.get(category)
    }

    /// Shocks in order of the categories.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &S> {
        self.shocks.iter()
    }

    /// Number of categories, at least one.
    #[must_use]
    pub fn category_count(&self) -> usize {
        self.shocks.len()
    }

    /// Number of nodes in every category.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.shocks[0].nodes().len()
    }

    /// Whether all categories have the same nodes, to the bit.
    #[must_use]
    pub fn has_common_nodes(&self) -> bool {
        let bits = |shock: &S| -> Vec<u64> { shock.nodes().iter().map(|x| x.to_bits()).collect() };
        self.shocks
            .windows(2)
            .all(|pair| bits(&pair[0]) == bits(&pair[1]))
    }
}
