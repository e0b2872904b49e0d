//! A request arrives.

pub mod error;
pub mod json;
