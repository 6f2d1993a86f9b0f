//! Keeps a panic on this side of the C edge.

use std::panic::{UnwindSafe, catch_unwind};

/// What `work` gives, or `otherwise` if it panics.
pub(crate) fn caught<T>(otherwise: T, work: impl FnOnce() -> T + UnwindSafe) -> T {
    catch_unwind(work).unwrap_or(otherwise)
}

#[cfg(test)]
mod tests {
    use super::caught;

    #[test]
    fn a_panic_gives_the_other_value() {
        assert_eq!(caught(1, || 2), 2);
        assert_eq!(caught(1, || panic!("on purpose")), 1);
    }
}
