//! Remembers experiments, hypotheses, goals, projects and keys.
