//! Fixtures and helpers of the benches.
