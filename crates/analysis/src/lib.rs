//! What the numbers of an experiment mean: plan and summaries in, report out.
