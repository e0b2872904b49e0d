//! Largest bodies of requests, in bytes.

/// Maximum size of a compressed body of events after expansion, in bytes.
pub(crate) const EXPANDED_LIMIT: usize = 4 << 20;
/// Maximum size of a compressed batch after expansion, in bytes.
pub(crate) const BATCH_EXPANDED_LIMIT: usize = 64 << 20;
