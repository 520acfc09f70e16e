//! What administrators may change about applications.

use super::scopes;
use kernel::error::{Error, Result};
use std::ops::Not;

kernel::setting! {
    /// How applications may act for users.
    pub struct OAuth = "identity.oauth" {
        pub allow_http_redirects: bool = false,
        /// Days after its last rotation that a refresh token works; 0 is for ever.
        pub refresh_days: i64 = 180,
        pub password_grant: bool = true,
        /// Whether the password grant needs an application's credentials.
        pub password_grant_needs_client: bool = false,
        /// Whether a password opens anything but the sign-in page: Git over HTTPS
        /// and with it the password grant.
        pub password_for_git: bool = true,
        /// Whether administrators may give powerful scopes to applications that
        /// no administrator trusts.
        pub admins_may_authorize: bool = true,
        pub dynamic_registration: bool = false,
        pub dynamic_scopes: Vec<String> = vec!["mcp".into()],
        pub user_applications: bool = true,
    }
}

impl OAuth {
    /// Refuses values that no token could live with.
    pub fn validate(&self) -> Result<()> {
        if !(0..=3_650).contains(&self.refresh_days) {
            return Err(Error::invalid(
                "oauth_refresh_token_lifetime",
                "must be between 0 and 3650 days",
            ));
        }
        match scopes::problem(&self.dynamic_scopes) {
            Some(problem) => Err(Error::invalid("dynamic_registration_scopes", problem)),
            None => Ok(()),
        }
    }
}

crate::settings_part! {
    OAuth {
        /// Redirect addresses may be plain HTTP on any host; for development.
        oauth_allow_http_redirects: bool => allow_http_redirects,
        /// Days a refresh token works after its last rotation; 0 is for ever.
        oauth_refresh_token_lifetime: i64 => refresh_days,
        /// Whether the password grant works at all.
        oauth_password_grant_enabled: bool => password_grant,
        /// Whether the password grant needs an application's credentials.
        ropc_without_client_credentials: bool => password_grant_needs_client by Not::not,
        /// Whether passwords work for Git over HTTPS, and so in the password grant.
        password_authentication_enabled_for_git: bool => password_for_git,
        /// Whether administrators may give powerful scopes to untrusted applications.
        disable_admin_oauth_scopes: bool => admins_may_authorize by Not::not,
        /// Whether anyone may register an application by POST /oauth/register.
        dynamic_client_registration_enabled: bool => dynamic_registration,
        /// The scopes such applications get.
        dynamic_client_registration_scopes: Vec<String> => dynamic_scopes,
        /// Whether users may register applications.
        user_oauth_applications: bool => user_applications,
    } sealed {}
}
