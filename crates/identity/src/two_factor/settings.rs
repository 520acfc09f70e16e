//! Whether the instance requires second factors.

use kernel::error::{Error, Result};

/// Most hours of a grace period: ten years.
pub const MAX_GRACE: i64 = 87_600;

kernel::setting! {
    pub struct TwoFactor = "identity.two_factor" {
        pub required: bool = false,
        pub grace_hours: i64 = 48,
    }
}

impl TwoFactor {
    fn validate(&self) -> Result<()> {
        check_grace(self.grace_hours)
    }
}

crate::settings_part! {
    TwoFactor {
        /// Everyone needs a second factor.
        require_two_factor_authentication: bool => required,
        /// Hours they have to set one up.
        two_factor_grace_period: i64 => grace_hours,
    } sealed {}
}

/// Refuses hours no period can have.
pub fn check_grace(hours: i64) -> Result<()> {
    match (0..=MAX_GRACE).contains(&hours) {
        true => Ok(()),
        false => Err(Error::invalid(
            "two_factor_grace_period",
            format!("must be between 0 and {MAX_GRACE} hours"),
        )),
    }
}
