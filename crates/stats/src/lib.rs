//! How sure we are: moments, effects, tests, power.
