//! Black-box stories over HTTP.

mod answers;
