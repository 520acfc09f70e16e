//! What the program was told of mail that comes in, and the address that answers to
//! its own mails come to. Reading it is the work of the room `incoming`.

use crate::error::{Error, Result};
use lettre::Address;
use std::str::FromStr;

/// Stands in the address for the key.
const PLACE: &str = "KEY";
/// Behind a key, it asks for no more mail of a thread.
const UNSUBSCRIBE: &str = "-unsubscribe";
/// Characters of the longest key with what may stand behind it.
const KEY: usize = 32 + UNSUBSCRIBE.len();

/// How mail comes in; nothing of it means that none does.
#[derive(Clone, Default)]
pub struct IncomingMail {
    /// Where answers come to.
    pub address: Option<ReplyAddress>,
    /// What a mail server shows that hands mails over.
    pub token: Option<String>,
    /// A mailbox that is looked into: `imaps://USER:PASSWORD@HOST/MAILBOX`.
    pub mailbox: Option<url::Url>,
}

// The token and the password of the mailbox are not for logs.
impl std::fmt::Debug for IncomingMail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IncomingMail")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

/// An address of which each mail has its own: `reply+KEY@example.com`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyAddress {
    before: String,
    after: String,
}

/// What the address of a mail asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addressed {
    /// In small letters.
    pub key: String,
    /// To be told no more, rather than to say something.
    pub unsubscribes: bool,
}

impl FromStr for ReplyAddress {
    type Err = Error;

    fn from_str(text: &str) -> Result<ReplyAddress> {
        let unusable = || {
            let text = "the address of incoming mail must have KEY once before its @, \
                        as reply+KEY@example.com";
            Error::BadRequest(text.into())
        };
        let (before, after) = text.trim().split_once(PLACE).ok_or_else(unusable)?;
        let longest = format!("{before}{}{after}", "k".repeat(KEY));
        match longest.parse::<Address>().is_ok() && after.contains('@') && !before.is_empty() {
            true if !after.contains(PLACE) => {
                Ok(ReplyAddress { before: before.to_lowercase(), after: after.to_lowercase() })
            }
            _ => Err(unusable()),
        }
    }
}

impl ReplyAddress {
    /// Where answers to the mail with this key go.
    pub fn of(&self, key: &str) -> String {
        format!("{}{key}{}", self.before, self.after)
    }

    /// Where who wants no more of its thread writes to.
    pub fn unsubscribing(&self, key: &str) -> String {
        self.of(&format!("{key}{UNSUBSCRIBE}"))
    }

    /// What a mail to this address asks for; none if it is another address.
    pub fn read(&self, address: &str) -> Option<Addressed> {
        let address = address.trim().to_lowercase();
        let key = address.strip_prefix(&self.before)?.strip_suffix(&self.after)?;
        let (key, unsubscribes) = match key.strip_suffix(UNSUBSCRIBE) {
            Some(key) => (key, true),
            None => (key, false),
        };
        let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_key.then(|| Addressed { key: key.to_owned(), unsubscribes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_hold_keys() {
        let address: ReplyAddress = "Reply+KEY@Example.com".parse().expect("an address");
        assert_eq!(address.of("0a1b"), "reply+0a1b@example.com");
        assert_eq!(address.unsubscribing("0a1b"), "reply+0a1b-unsubscribe@example.com");
        let asks = |key: &str, unsubscribes| Some(Addressed { key: key.into(), unsubscribes });
        assert_eq!(address.read("REPLY+0A1B@example.com"), asks("0a1b", false));
        assert_eq!(address.read("reply+0a1b-unsubscribe@example.com"), asks("0a1b", true));
        for other in ["reply+@example.com", "reply@example.com", "x", "reply+a.b@example.com"] {
            assert_eq!(address.read(other), None, "{other}");
        }
    }

    #[test]
    fn addresses_without_a_place_for_a_key_are_refused() {
        let long = format!("{}+KEY@example.com", "a".repeat(30));
        for text in ["reply@example.com", "reply@KEY.com", "KEY+KEY@example.com", "", &long] {
            assert!(text.parse::<ReplyAddress>().is_err(), "{text}");
        }
    }
}
