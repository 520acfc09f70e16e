//! What administrators may change about sign-in, sessions and tokens.

mod part;

pub use part::Part;

use kernel::error::{Error, Result};

kernel::setting! {
    /// How people sign in.
    pub struct SignIn = "identity.sign_in" {
        pub max_attempts: i64 = 10,
        pub unlock_minutes: i64 = 10,
        pub per_minute: i64 = 10,
        pub new_users_external: bool = false,
        pub new_users_private: bool = false,
        pub projects_limit: i64 = 100_000,
        pub can_create_group: bool = true,
        pub notify_new_places: bool = true,
    }
}

impl SignIn {
    /// Refuses values that would lock everyone out or switch protection off.
    pub fn validate(&self) -> Result<()> {
        within("max_login_attempts", self.max_attempts, 1, 1_000)?;
        within(
            "failed_login_attempts_unlock_period_in_minutes",
            self.unlock_minutes,
            1,
            100_000,
        )?;
        within("sign_in_limit_per_minute", self.per_minute, 1, 100_000)?;
        within("default_projects_limit", self.projects_limit, 0, i64::from(i32::MAX))
    }
}

kernel::setting! {
    /// How long sessions last.
    pub struct Sessions = "identity.sessions" {
        pub expire_minutes: i64 = 10_080,
        pub remember_me: bool = true,
        /// Days without use that end a remembered session.
        pub remember_days: i64 = 14,
    }
}

impl Sessions {
    /// Refuses values no session could live with.
    pub fn validate(&self) -> Result<()> {
        within("session_expire_delay", self.expire_minutes, 1, 5_256_000)
    }

    /// How long a session lives without use.
    pub fn lifetime(&self, remembered: bool) -> jiff::SignedDuration {
        let minutes = match remembered && self.remember_me {
            true => self.expire_minutes.max(self.remember_days * 24 * 60),
            false => self.expire_minutes,
        };
        jiff::SignedDuration::from_mins(minutes)
    }
}

kernel::setting! {
    /// What access tokens may be.
    pub struct TokenRules = "identity.tokens" {
        pub prefix: String = "svpat-".into(),
        pub require_expiry: bool = true,
        pub max_days: i64 = 365,
        pub impersonation: bool = true,
    }
}

impl TokenRules {
    /// Refuses a prefix that would not survive a header and absurd limits.
    pub fn validate(&self) -> Result<()> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+');
        if self.prefix.chars().count() > 20 {
            let message = "is too long (maximum is 20 characters)";
            return Err(Error::invalid("personal_access_token_prefix", message));
        }
        if !self.prefix.chars().all(allowed) {
            return Err(Error::invalid("personal_access_token_prefix", "is invalid"));
        }
        within("max_personal_access_token_lifetime", self.max_days, 1, 365)
    }
}

/// Refuses a number out of bounds.
pub(crate) fn within(key: &str, value: i64, least: i64, most: i64) -> Result<()> {
    if value < least {
        let message = format!("must be greater than or equal to {least}");
        return Err(Error::invalid(key, message));
    }
    if value > most {
        return Err(Error::invalid(key, format!("must be less than or equal to {most}")));
    }
    Ok(())
}

/// How sign-in is limited.
pub(crate) mod attempts {
    crate::settings_part! {
        super::SignIn {
            /// Failed sign-ins that lock an account.
            max_login_attempts: i64 => max_attempts,
            /// Minutes it stays locked.
            failed_login_attempts_unlock_period_in_minutes: i64 => unlock_minutes,
            /// Sign-ins a minute from one address.
            sign_in_limit_per_minute: i64 => per_minute,
        } sealed {}
    }
}

/// What new users get.
pub(crate) mod new_users {
    crate::settings_part! {
        super::SignIn {
            /// New users are external.
            user_default_external: bool => new_users_external,
            /// New users have a private profile.
            user_defaults_to_private_profile: bool => new_users_private,
            /// Projects a new user may have.
            default_projects_limit: i64 => projects_limit,
            /// Whether new users may create groups.
            can_create_group: bool => can_create_group,
            /// Whether users get a mail when somebody signs in from a new place.
            notify_on_unknown_sign_in: bool => notify_new_places,
        } sealed {}
    }
}

pub(crate) mod sessions {
    crate::settings_part! {
        super::Sessions {
            /// Minutes without use that end a session.
            session_expire_delay: i64 => expire_minutes,
            /// Whether «remember me» is offered.
            remember_me_enabled: bool => remember_me,
        } sealed {}
    }
}

pub(crate) mod tokens {
    crate::settings_part! {
        super::TokenRules {
            /// What access tokens begin with.
            personal_access_token_prefix: String => prefix,
            /// Whether every token must have a last day.
            require_personal_access_token_expiry: bool => require_expiry,
            /// Most days until then.
            max_personal_access_token_lifetime: i64 => max_days,
            /// Whether impersonation tokens work.
            impersonation_enabled: bool => impersonation,
        } sealed {}
    }
}
