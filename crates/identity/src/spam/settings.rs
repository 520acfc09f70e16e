//! What administrators may change about spam: the built-in rules, the
//! external checker, and the challenge.

use super::captcha;
use crate::domains;
use kernel::error::{Error, Result};

kernel::setting! {
    /// What is looked at, and who looks.
    pub struct Spam = "identity.spam" {
        pub links: i64 = 20,
        pub per_minute: i64 = 300,
        pub blocked_domains: Vec<String> = Vec::new(),
        pub check_enabled: bool = false,
        pub check_url: String = String::new(),
        /// Its key, sealed.
        pub check_key: Option<String> = None,
        pub fail_open: bool = true,
    }
}

impl Spam {
    fn validate(&self) -> Result<()> {
        at_least_none("spam_link_limit", self.links)?;
        at_least_none("spam_rate_limit_per_minute", self.per_minute)?;
        domains::check("spam_blocked_domains", &self.blocked_domains)?;
        if self.check_enabled || !self.check_url.is_empty() {
            is_address("spam_check_endpoint_url", &self.check_url)?;
        }
        Ok(())
    }
}

fn at_least_none(key: &str, value: i64) -> Result<()> {
    match (0..=1_000_000).contains(&value) {
        true => Ok(()),
        false => Err(Error::invalid(key, "must be between 0 and 1000000")),
    }
}

pub(super) fn is_address(key: &str, text: &str) -> Result<url::Url> {
    url::Url::parse(text)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
        .filter(|_| text.len() <= 2_000)
        .ok_or_else(|| Error::invalid(key, "must be a valid http or https URL"))
}

pub(crate) mod check {
    use super::Spam;

    crate::settings_part! {
        Spam {
            /// Links in one text past which it is challenged; 0 for any number.
            spam_link_limit: i64 => links,
            /// Things made in a minute by one user, and from one address, past
            /// which more are challenged; 0 for any number.
            spam_rate_limit_per_minute: i64 => per_minute,
            /// Domains that no text may name, with all below them.
            spam_blocked_domains: Vec<String> => blocked_domains,
            /// Whether an external checker is asked.
            spam_check_endpoint_enabled: bool => check_enabled,
            /// Its address.
            spam_check_endpoint_url: String => check_url,
            /// Whether things pass when it does not answer.
            spam_check_fail_open: bool => fail_open,
        } sealed {
            /// Its key, sent as a bearer token; never shown again.
            spam_check_api_key => check_key,
        }
    }
}

pub(crate) mod challenge {
    use super::captcha::Captcha;

    crate::settings_part! {
        Captcha {
            /// Whether people solve a challenge to sign up, and to go on with
            /// what was taken for spam.
            captcha_enabled: bool => enabled,
            /// The challenge's public key.
            captcha_site_key: String => site_key,
            /// Where a solution is verified.
            captcha_verify_url: String => verify_url,
            /// The script that shows the challenge on pages.
            captcha_script_url: String => script_url,
            /// Further origins that script loads from.
            captcha_origins: Vec<String> => origins,
            /// The class of the element that the script fills.
            captcha_widget_class: String => widget_class,
            /// The form field the script puts the solution into.
            captcha_response_field: String => response_field,
        } sealed {
            /// The challenge's private key; never shown again.
            captcha_private_key => private_key,
        }
    }
}
