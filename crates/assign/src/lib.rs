//! Who gets what, and why.
