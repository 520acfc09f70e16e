//! Where users sign in from, so that they are told of a new place.
//!
//! A place is a kind of browser in a network; `sign_in_places` holds its
//! digest, the last 50 of a user, for half a year after their last use.

use crate::agents;
use crate::author::Author;
use crate::model::User;
use crate::settings::SignIn;
use crate::tasks::NewPlace;
use crate::users;
use kernel::error::Result;
use kernel::secrets;
use serde_json::json;
use std::net::IpAddr;
use store::Tx;

/// Places kept of one user.
const MOST: i64 = 50;
/// Days a place is kept without use.
const KEPT_DAYS: i64 = 180;

/// The network of an address, as providers hand them out: 24 bits of IPv4,
/// 48 of IPv6.
fn network(ip: &str) -> String {
    match ip.parse::<IpAddr>().map(|ip| ip.to_canonical()) {
        Ok(IpAddr::V4(ip)) => {
            let [a, b, c, _] = ip.octets();
            format!("{a}.{b}.{c}")
        }
        Ok(IpAddr::V6(ip)) => {
            let [a, b, c, ..] = ip.segments();
            format!("{a:x}:{b:x}:{c:x}")
        }
        Err(_) => String::new(),
    }
}

/// Notes where a user signs in from; of a new place they are told by mail,
/// unless they have never signed in before.
pub fn note(tx: &mut Tx<'_>, user: &User, ip: &str, agent: &str, first: bool) -> Result<()> {
    let now = tx.now();
    let kind = agents::name(agent);
    let digest = secrets::digest(&format!("{kind}\n{}", network(ip)));
    let known = crate::store::sign_in_locations::touch(tx, user.id, digest.clone(), now)?;
    if known > 0 {
        return Ok(());
    }
    let new = crate::store::sign_in_locations::insert(tx, user.id, digest, now)?;
    crate::store::sign_in_locations::keep_newest(tx, user.id, MOST)?;
    let rules: SignIn = kernel::settings::read(tx)?;
    if new == 0 || first || !rules.notify_new_places {
        return Ok(());
    }
    let by = Author::at(user.id, ip);
    users::record(tx, &by, "user.new_place", user, json!({"browser": kind}))?;
    let told = NewPlace {
        user: user.id,
        at: now.as_microsecond(),
        ip: ip.to_owned(),
        browser: kind,
    };
    kernel::jobs::enqueue_at(tx, &told, now)
}

/// Forgets places that have not been used for long.
pub fn sweep(tx: &mut Tx<'_>) -> Result<u64> {
    let before = tx.now() - jiff::SignedDuration::from_hours(24 * KEPT_DAYS);
    crate::store::sign_in_locations::delete_before(tx, before)
}

#[cfg(test)]
mod tests {
    use super::network;

    #[test]
    fn neighbours_share_a_network() {
        assert_eq!(network("192.0.2.1"), network("192.0.2.254"));
        assert_eq!(network("192.0.2.1"), network("::ffff:192.0.2.7"));
        assert_ne!(network("192.0.2.1"), network("192.0.3.1"));
        assert_eq!(network("2001:db8:1:a::1"), network("2001:db8:1:b::2"));
        assert_ne!(network("2001:db8:1::1"), network("2001:db8:2::1"));
        assert_eq!(network("nonsense"), "");
    }
}
