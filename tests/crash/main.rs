//! Kills the server under load.

fn main() {}
