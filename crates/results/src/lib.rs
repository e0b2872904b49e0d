//! Answers questions about experiments: asks the warehouse, and has the answer analysed.
