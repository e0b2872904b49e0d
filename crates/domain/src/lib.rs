//! What an experiment, a hypothesis and a goal are, and what may happen to them.

pub mod problem;
