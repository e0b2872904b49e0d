//! Black-box stories over HTTP.
