//! Baselines: accepted values of gated metrics, kept in files, compared with care.

pub mod compare;
pub mod overrides;
pub mod schema;
pub mod statistics;
pub mod store;
