//! Largest bodies of requests, in bytes.

/// Maximum size of an API body, in bytes.
pub const BODY_LIMIT: usize = 2 << 20;
/// Maximum size of a compressed body of events after expansion, in bytes.
pub const EXPANDED_LIMIT: usize = 4 << 20;
/// Maximum size of a compressed batch after expansion, in bytes.
pub const BATCH_EXPANDED_LIMIT: usize = 64 << 20;
