//! Draws by address.

use crate::{EULER_GAMMA, Philox, Stream, gumbel_quantile, normal_quantile, philox4x64, uniform};

/// Words of one block, which adjacent components share.
const BLOCK: u64 = 4;

/// Which number of a family: element (subject, member), step (period) and component.
///
/// ```
/// use bifrons_random::Address;
///
/// let at = Address::new(5, 2).component(1);
/// assert_eq!((at.element, at.step, at.component), (5, 2, 1));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct Address {
    /// Global number of the element, never its position in a chunk.
    pub element: u64,
    /// Step, period or age.
    pub step: u64,
    /// Component of a vector of draws.
    pub component: u64,
}

impl Address {
    /// Component 0 of an element at a step.
    #[must_use]
    pub const fn new(element: u64, step: u64) -> Self {
        Self {
            element,
            step,
            component: 0,
        }
    }

    /// The same element and step, another component.
    #[must_use]
    pub const fn component(self, component: u64) -> Self {
        Self { component, ..self }
    }
}

/// A family of draws: every [`Address`] has one number, whoever asks and whenever.
///
/// ```text
/// block   = philox4x64(key = [seed, stream], counter = [component / 4 + 1, step, element, 0])
/// 64 bits = block[component mod 4]
/// ```
///
/// All words have 64 bits and the map from addresses to counters is one to one, so no two
/// addresses share a block of bits, for any number of elements and steps. In NumPy components
/// 0, 1, … of an address are `Philox(key=[seed, stream], counter=[0, step, element, 0])
/// .random_raw(n)`, with `stream` from [`Stream::id`].
///
/// Cost: one block (ten rounds of two 64-bit products) per draw, or per four adjacent components
/// in the `fill` functions. No allocation, no state.
///
/// ```
/// use bifrons_random::{Address, Draws, Stream};
///
/// let draws = Draws::new(0, Stream::numbered(1));
/// let far = draws.uniform(Address::new(u64::MAX, 1_000_000));
/// assert!(0.0 < far && far < 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct Draws {
    seed: u64,
    stream: Stream,
}

impl Draws {
    /// Family of a seed and a stream. Every seed is as good as every other, 0 included.
    #[must_use]
    pub const fn new(seed: u64, stream: Stream) -> Self {
        Self { seed, stream }
    }

    /// The 64 bits at an address.
    #[inline]
    #[must_use]
    pub const fn bits(&self, at: Address) -> u64 {
        let block = self.block(at);
        match at.component % BLOCK {
            0 => block[0],
            1 => block[1],
            2 => block[2],
            _ => block[3],
        }
    }

    /// Uniform number in the open interval (0, 1), see [`uniform`].
    #[inline]
    #[must_use]
    pub const fn uniform(&self, at: Address) -> f64 {
        uniform(self.bits(at))
    }

    /// Standard normal number, see [`normal_quantile`].
    #[must_use]
    pub fn normal(&self, at: Address) -> f64 {
        normal(self.bits(at))
    }

    /// Gumbel number with mean zero and scale one: `-ln(-ln u) - γ`, see [`gumbel_quantile`].
    ///
    /// The difference of two has the logistic law, so that the maximum of utilities plus `λ`
    /// times such shocks gives logit probabilities with scale `λ` and mean `λ log Σ exp(v/λ)`.
    #[must_use]
    pub fn gumbel(&self, at: Address) -> f64 {
        gumbel(self.bits(at))
    }

    /// Bits of adjacent components, from `at.component` on.
    ///
    /// The components must not pass `u64::MAX`; beyond it they start again at 0.
    pub fn fill_bits(&self, at: Address, out: &mut [u64]) {
        self.components(at, out, |bits| bits);
    }

    /// Uniform numbers of adjacent components, from `at.component` on.
    pub fn fill_uniform(&self, at: Address, out: &mut [f64]) {
        self.components(at, out, uniform);
    }

    /// Normal numbers of adjacent components, from `at.component` on.
    pub fn fill_normal(&self, at: Address, out: &mut [f64]) {
        self.components(at, out, normal);
    }

    /// Gumbel numbers (mean zero) of adjacent components, from `at.component` on.
    pub fn fill_gumbel(&self, at: Address, out: &mut [f64]) {
        self.components(at, out, gumbel);
    }

    /// Uniform numbers of adjacent *elements*, from `at.element` on, at one step and component.
    pub fn fill_uniform_elements(&self, at: Address, out: &mut [f64]) {
        self.elements(at, out, uniform);
    }

    /// Normal numbers of adjacent *elements*, from `at.element` on, at one step and component.
    pub fn fill_normal_elements(&self, at: Address, out: &mut [f64]) {
        self.elements(at, out, normal);
    }

    /// Gumbel numbers (mean zero) of adjacent *elements*, from `at.element` on.
    pub fn fill_gumbel_elements(&self, at: Address, out: &mut [f64]) {
        self.elements(at, out, gumbel);
    }

    /// Sequential generator that yields the bits of components 0, 1, 2, … of an element at a
    /// step, for code that wants a `rand_core` generator (rejection samplers, shuffles).
    ///
    /// `at.component` is where it starts. After 2⁶⁶ draws it would run into the next step.
    #[must_use]
    pub fn sequence(&self, at: Address) -> Philox {
        let counter = [at.component / BLOCK, at.step, at.element, 0];
        let mut sequence = Philox::new([self.seed, self.stream.id()], counter);
        sequence.skip(at.component % BLOCK);
        sequence
    }

    #[inline]
    const fn block(&self, at: Address) -> [u64; 4] {
        let counter = [at.component / BLOCK + 1, at.step, at.element, 0];
        philox4x64([self.seed, self.stream.id()], counter)
    }

    #[inline]
    fn components<T>(&self, at: Address, out: &mut [T], variate: impl Fn(u64) -> T) {
        let mut at = at;
        let mut words = self.block(at);
        for value in out {
            let word = at.component % BLOCK;
            if word == 0 {
                words = self.block(at);
            }
            let bits = match word {
                0 => words[0],
                1 => words[1],
                2 => words[2],
                _ => words[3],
            };
            *value = variate(bits);
            at.component = at.component.wrapping_add(1);
        }
    }

    #[inline]
    fn elements(&self, at: Address, out: &mut [f64], variate: impl Fn(u64) -> f64) {
        let mut at = at;
        for value in out {
            *value = variate(self.bits(at));
            at.element = at.element.wrapping_add(1);
        }
    }
}

#[inline]
fn normal(bits: u64) -> f64 {
    normal_quantile(uniform(bits))
}

#[inline]
fn gumbel(bits: u64) -> f64 {
    gumbel_quantile(uniform(bits)) - EULER_GAMMA
}
