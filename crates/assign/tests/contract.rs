//! The cases that every client shares, in `contract/assignment/`.

#[path = "contract/decisions.rs"]
mod decisions;
#[path = "contract/properties.rs"]
mod properties;
#[path = "contract/random.rs"]
mod random;
