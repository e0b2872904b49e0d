//! Remembers what happened.
