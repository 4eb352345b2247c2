//! Every block, flattened to equations, compiled and evaluated.

#[cfg(test)]
mod bench;
#[cfg(test)]
mod continuous;
#[cfg(test)]
mod control;
#[cfg(test)]
mod expression;
#[cfg(test)]
mod linear;
#[cfg(test)]
mod maths;
#[cfg(test)]
mod nonlinear;
#[cfg(test)]
mod rates;
#[cfg(test)]
mod runs;
#[cfg(test)]
mod source;
#[cfg(test)]
mod template;
#[cfg(test)]
mod vector;
#[cfg(test)]
mod zoh;
