//! Times as the server tells them: in milliseconds.

use kernel::time::Timestamp;

/// A time.
///
/// # Errors
///
/// That it can be none.
pub fn millis(at: i64) -> Result<Timestamp, String> {
    Timestamp::from_millisecond(at).map_err(|_| format!("It has a time that cannot be: {at}"))
}

/// A time that may be missing, or be none.
pub fn some_millis(at: Option<i64>) -> Option<Timestamp> {
    at.and_then(|at| millis(at).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_bounded() {
        assert!(millis(1_359_075_920_000).is_ok());
        assert!(millis(i64::MAX).is_err() && some_millis(Some(i64::MIN)).is_none());
    }
}
