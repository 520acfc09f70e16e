//! From how many addresses one user may come within some time
//! (docs/interface/graphql.md 3): whose token or password is passed around
//! is noticed. Off until an administrator turns it on; counted by each server
//! for itself.

use crate::model::{User, UserId};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::routes::Surface;
use kernel::time::Timestamp;
use serde_json::json;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

/// Users whose addresses are kept; with more, those that were quiet for the
/// whole time are forgotten.
const MAX_USERS: usize = 50_000;
/// Most addresses that a limit may allow: they are kept for every user.
const MAX_ADDRESSES: i64 = 1_000;
/// Longest time, a day, in seconds.
const MAX_SECONDS: i64 = 86_400;

kernel::setting! {
    pub struct Rules = "identity.addresses" {
        pub enabled: bool = false,
        pub per_user: i64 = 10,
        /// Seconds after which an address that was not used no longer counts.
        pub seconds: i64 = 3600,
    }
}

impl Rules {
    fn validate(&self) -> Result<()> {
        let within = |key: &str, value: i64, most: i64| match (1..=most).contains(&value) {
            true => Ok(()),
            false => Err(Error::invalid(key, format!("must be between 1 and {most}"))),
        };
        within("unique_ips_limit_per_user", self.per_user, MAX_ADDRESSES)?;
        within("unique_ips_limit_time_window", self.seconds, MAX_SECONDS)
    }
}

crate::settings_part! {
    Rules {
        /// Whether users may come from so many addresses only.
        unique_ips_limit_enabled: bool => enabled,
        /// How many.
        unique_ips_limit_per_user: i64 => per_user,
        /// Seconds after which an address that was not used no longer counts.
        unique_ips_limit_time_window: i64 => seconds,
    } sealed {
    }
}

/// Where users came from of late.
#[derive(Default)]
pub(crate) struct Addresses(Mutex<HashMap<UserId, Vec<(IpAddr, i64)>>>);

impl Addresses {
    /// Notes where a user comes from, or refuses one address too many.
    pub(crate) async fn check(
        &self, app: &App, surface: Surface, user: &User, peer: IpAddr,
    ) -> Result<()> {
        let rules: Rules = app.settings().get(app).await?;
        if !rules.enabled || self.note(&rules, user.id, peer, app.now()) {
            return Ok(());
        }
        let text = format!(
            "User {} came from more than {} IP addresses within {} seconds; {peer} is one too many",
            user.username, rules.per_user, rules.seconds
        );
        tracing::warn!(user_id = user.id, %peer, limit = rules.per_user, "too many addresses");
        Err(match surface {
            Surface::Graphql => Error::Exact(403, json!({"errors": [{"message": text}]})),
            _ => Error::forbidden(text),
        })
    }

    /// Whether the address is one of those the user may come from; one that is
    /// refused takes nobody's place.
    fn note(&self, rules: &Rules, user: UserId, peer: IpAddr, now: Timestamp) -> bool {
        let (now, oldest) = (now.as_second(), now.as_second() - rules.seconds);
        let mut users = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if users.len() >= MAX_USERS && !users.contains_key(&user) {
            users.retain(|_, known| known.iter().any(|(_, at)| *at > oldest));
        }
        let known = users.entry(user).or_default();
        known.retain(|(_, at)| *at > oldest);
        if let Some((_, at)) = known.iter_mut().find(|(one, _)| *one == peer) {
            *at = now;
            return true;
        }
        let room = known.len() < usize::try_from(rules.per_user).unwrap_or(usize::MAX);
        if room {
            known.push((peer, now));
        }
        room
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_count_while_they_are_used() {
        let rules = Rules { enabled: true, per_user: 2, seconds: 60 };
        let addresses = Addresses::default();
        let at = |second| Timestamp::from_second(second).unwrap();
        let from = |last: u8| IpAddr::from([10, 0, 0, last]);
        let note = |user, last, second| addresses.note(&rules, user, from(last), at(second));
        assert!(note(1, 1, 100) && note(1, 2, 110) && note(1, 1, 120));
        assert!(!note(1, 3, 130), "a third");
        assert!(note(2, 3, 130), "users are apart");
        assert!(note(1, 1, 150));
        assert!(note(1, 3, 170), "the second was not used for a minute");
        assert!(!note(1, 2, 175));
        assert!(note(1, 1, 180), "those who were there go on");
    }
}
