//! Tests of diagrams, equations and compiled systems through the public interface.

#[cfg(test)]
mod blocks;
#[cfg(test)]
mod decay;
#[cfg(test)]
mod diagram_errors;
#[cfg(test)]
mod equations;
#[cfg(test)]
mod forms;
#[cfg(test)]
mod graph;
#[cfg(test)]
mod linearise;
#[cfg(test)]
mod long_chains;
#[cfg(test)]
mod loops;
#[cfg(test)]
mod nesting;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod scalar;
#[cfg(test)]
mod trim;
#[cfg(test)]
mod units;
