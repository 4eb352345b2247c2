//! Tests of expressions and tapes through the public interface.
#![expect(clippy::float_cmp, reason = "bits and exact values are compared")]

#[cfg(test)]
mod analysis;
#[cfg(test)]
mod calculus;
#[cfg(test)]
mod depth;
#[cfg(test)]
mod duals;
#[cfg(test)]
mod enclosure;
#[cfg(test)]
mod functions;
#[cfg(test)]
mod generator;
#[cfg(test)]
mod hoist;
#[cfg(test)]
mod structure;
#[cfg(test)]
mod switches;
#[cfg(test)]
mod tape;
#[cfg(test)]
mod text;
#[cfg(test)]
mod units;
#[cfg(test)]
mod values;
