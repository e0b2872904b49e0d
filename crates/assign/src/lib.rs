//! Who gets what, and why.

pub mod page;
