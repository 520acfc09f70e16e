//! What one-time links are for.

kernel::choices! {
    pub enum Purpose {
        Password = "password",
        Unlock = "unlock",
        Confirm = "confirm",
    }
}

impl Purpose {
    /// Hours a link works (docs/interface/identity.md 1).
    pub fn hours(self) -> i64 {
        match self {
            Purpose::Password => 48,
            Purpose::Unlock | Purpose::Confirm => 24,
        }
    }

    /// The page it leads to, up to the token.
    pub fn page(self) -> &'static str {
        match self {
            Purpose::Password => "/users/password/edit?reset_password_token=",
            Purpose::Unlock => "/users/unlock?unlock_token=",
            Purpose::Confirm => "/users/confirmation?confirmation_token=",
        }
    }
}
