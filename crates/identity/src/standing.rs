//! What a signed-in user has to do before they may do what they could.

use kernel::time::Timestamp;

/// Whether an administrator has their rights; see [`crate::admin_mode`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AdminMode {
    /// They are no administrator, or administrators need not ask.
    #[default]
    NotNeeded,
    /// An administrator who has not asked for their rights.
    Off,
    /// One who has them until then; tokens have them for good.
    On(Option<Timestamp>),
}

impl AdminMode {
    /// Where it is turned on and off.
    pub const PAGE: &str = "/-/admin_mode";

    /// What a session asked for, however long ago; `settle` looks closer.
    pub(crate) fn asked_for(until: Option<Timestamp>) -> AdminMode {
        until.map_or(AdminMode::NotNeeded, |until| AdminMode::On(Some(until)))
    }
}

/// Whether a second factor is asked of somebody; see [`crate::two_factor::duty`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TwoFactorRequirement {
    /// Nothing, or it is done.
    #[default]
    None,
    /// To set up a second factor until then.
    Grace(Timestamp),
    /// To set one up before anything else.
    Due,
}
