//! The crate from outside, in one binary.
//!
//! `vectors` and `simulation` hold what they share with the examples of those names, and their tests next to it.

mod edges;
mod laws;
mod simulation;
mod special;
mod vectors;
