//! A request arrives.
