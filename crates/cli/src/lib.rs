//! The binary: configuration, wiring, commands.
