//! Integration tests of the crate, in one binary.
//!
//! `vectors` and `simulation` contain the code that they share with the examples of the same names, and their tests.

mod edges;
mod laws;
mod simulation;
mod special;
mod vectors;
