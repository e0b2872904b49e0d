//! The cases that every client shares, in `contract/assignment/`.

#[path = "contract/decisions.rs"]
mod decisions;
#[path = "contract/random.rs"]
mod random;
