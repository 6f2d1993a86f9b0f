//! Work for the places of the CPU that the hashing leaves idle.

/// What is done between the steps of the hashing.
pub(super) trait Meanwhile {
    /// Called after each step.
    fn after<const STEP: usize>(&mut self);
}

/// Nothing.
pub(super) struct Idle;

impl Meanwhile for Idle {
    #[inline(always)]
    fn after<const STEP: usize>(&mut self) {}
}
