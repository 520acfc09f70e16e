//! Rate limits, counted in memory of this node.
//!
//! A limit counts in fixed windows that start at multiples of its period, as
//! the headers of docs/interface/identity.md 8.2 describe. Limits that must
//! hold across nodes (failed sign-ins of an account) belong in the database.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};

use crate::time::Timestamp;

/// Keys counted one by one in one window; a flood of further ones shares
/// [`SHARED`] counters, so memory is bounded and a flood cannot evict anyone.
const MAX_KEYS: usize = 50_000;
/// Counters the keys beyond [`MAX_KEYS`] share.
const SHARED: u64 = 4096;

/// The network that an address is counted as: of IPv6 its first 64 bits, of
/// which everybody has as many addresses as they like.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let mask = u128::MAX << 64;
            Ipv6Addr::from(u128::from(address) & mask).into()
        }
        address => address,
    }
}

/// Limits that administrators set, by name, counted on each server. A limit counts anew
/// once it is set to something else.
#[derive(Default)]
pub struct SetLimits(Mutex<HashMap<&'static str, (i64, i64, Arc<Limiter>)>>);

impl SetLimits {
    /// Counts one request of `key`, of which `most` are allowed in so many seconds;
    /// seconds until the next may come, if this one may not.
    pub fn exceeded(
        &self, name: &'static str, (most, seconds): (i64, i64), key: &str, now: Timestamp,
    ) -> Option<u64> {
        let decision = self.limiter(name, most, seconds).check(key, now);
        (!decision.allowed).then_some(decision.retry_after)
    }

    fn limiter(&self, name: &'static str, most: i64, seconds: i64) -> Arc<Limiter> {
        let fresh = || {
            let limiter = Limiter::new(name, most.unsigned_abs(), seconds.unsigned_abs());
            (most, seconds, Arc::new(limiter))
        };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.entry(name).or_insert_with(fresh);
        if (found.0, found.1) != (most, seconds) {
            *found = fresh();
        }
        found.2.clone()
    }
}

/// The key under which attempts from an address are counted.
pub fn address_key(address: IpAddr) -> String {
    match network(address) {
        IpAddr::V6(network) => format!("{network}/64"),
        address => address.to_string(),
    }
}

/// The same for an address as text; what is no address stays as it is.
pub fn counted_as(address: &str) -> String {
    match address.parse() {
        Ok(address) => address_key(address),
        Err(_) => address.to_owned(),
    }
}

/// One limit for many keys (addresses, users).
pub struct Limiter {
    name: &'static str,
    limit: u64,
    period: i64,
    hasher: RandomState,
    window: Mutex<Window>,
}

#[derive(Default)]
struct Window {
    /// Which period since 1970.
    number: i64,
    counts: HashMap<Box<str>, u64>,
    shared: HashMap<u64, u64>,
}

/// What one counted request is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The limit's name, for `RateLimit-Name`.
    pub name: &'static str,
    /// Requests allowed in one period.
    pub limit: u64,
    /// The limit rounded up to one minute, for `RateLimit-Limit`.
    pub limit_per_minute: u64,
    /// Requests counted in this window, this one included.
    pub observed: u64,
    /// Requests left in this window.
    pub remaining: u64,
    /// When the next window starts.
    pub reset_at: Timestamp,
    /// Whether this request may go on.
    pub allowed: bool,
    /// Whole seconds until then, at least 1, for `Retry-After`.
    pub retry_after: u64,
}

impl Limiter {
    /// Allows `limit` requests of each key in every `period_seconds` (at least 1).
    pub fn new(name: &'static str, limit: u64, period_seconds: u64) -> Limiter {
        let period = i64::try_from(period_seconds.max(1)).unwrap_or(i64::MAX);
        Limiter {
            name,
            limit,
            period,
            hasher: RandomState::new(),
            window: Mutex::default(),
        }
    }

    /// Counts one request of `key`, refused ones too, and decides on it.
    pub fn check(&self, key: &str, now: Timestamp) -> Decision {
        let observed = self.count(key, now.as_second().div_euclid(self.period));
        self.decide(observed, now)
    }

    /// Decides on a further request of `key` without counting one.
    pub fn peek(&self, key: &str, now: Timestamp) -> Decision {
        let number = now.as_second().div_euclid(self.period);
        let observed = {
            let window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
            match window.number == number {
                true => window.counts.get(key).copied().unwrap_or(0),
                false => 0,
            }
        };
        self.decide(observed.saturating_add(1), now)
    }

    fn decide(&self, observed: u64, now: Timestamp) -> Decision {
        let seconds = now.as_second();
        let number = seconds.div_euclid(self.period);
        let reset = number.saturating_add(1).saturating_mul(self.period);
        Decision {
            name: self.name,
            limit: self.limit,
            limit_per_minute: per_minute(self.limit, self.period),
            observed,
            remaining: self.limit.saturating_sub(observed),
            reset_at: Timestamp::from_second(reset).unwrap_or(Timestamp::MAX),
            allowed: observed <= self.limit,
            retry_after: reset.saturating_sub(seconds).max(1).unsigned_abs(),
        }
    }

    fn count(&self, key: &str, number: i64) -> u64 {
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        if window.number != number {
            *window = Window { number, ..Window::default() };
        }
        let full = window.counts.len() >= MAX_KEYS;
        let count = match window.counts.get_mut(key) {
            Some(count) => count,
            None if full => window.shared.entry(self.hasher.hash_one(key) % SHARED).or_default(),
            None => window.counts.entry(key.into()).or_default(),
        };
        *count = count.saturating_add(1);
        *count
    }
}

fn per_minute(limit: u64, period: i64) -> u64 {
    limit.saturating_mul(60).div_ceil(period.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_window_allows_its_limit_and_starts_anew() {
        let limiter = Limiter::new("throttle_api", 2, 60);
        let first = limiter.check("a", at(130));
        let expected = Decision {
            name: "throttle_api",
            limit: 2,
            limit_per_minute: 2,
            observed: 1,
            remaining: 1,
            reset_at: at(180),
            allowed: true,
            retry_after: 50,
        };
        assert_eq!(first, expected);
        assert!(limiter.check("a", at(140)).allowed);
        let refused = limiter.check("a", at(179));
        assert_eq!((refused.allowed, refused.observed, refused.remaining), (false, 3, 0));
        assert_eq!(refused.retry_after, 1);
        assert!(limiter.check("b", at(179)).allowed, "keys are apart");
        assert!(limiter.check("a", at(180)).allowed);
    }

    #[test]
    fn a_network_of_ipv6_counts_as_one_address() {
        for (address, key) in [
            ("192.0.2.7", "192.0.2.7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
            ("2001:db8:1:2:ffff::", "2001:db8:1:2::/64"),
            ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ] {
            assert_eq!(address_key(address.parse().unwrap()), key);
        }
    }

    #[test]
    fn odd_settings_do_no_harm() {
        assert!(!Limiter::new("n", 0, 60).check("a", at(0)).allowed);
        assert!(Limiter::new("n", 1, 0).check("a", at(0)).allowed);
        assert!(Limiter::new("n", u64::MAX, u64::MAX).check("a", at(5)).allowed);
        assert_eq!(Limiter::new("n", 3600, 3600).check("a", at(0)).limit_per_minute, 60);
        assert_eq!(Limiter::new("n", 100, 3600).check("a", at(0)).limit_per_minute, 2);
        assert_eq!(Limiter::new("n", 1, 60).check("a", at(-1)).retry_after, 1);
    }

    #[test]
    fn a_flood_of_keys_is_bounded_and_spares_known_ones() {
        let limiter = Limiter::new("n", 5, 3600);
        limiter.check("known", at(0));
        let mut refused = 0;
        for n in 0..MAX_KEYS * 3 {
            refused += usize::from(!limiter.check(&n.to_string(), at(1)).allowed);
        }
        assert!(refused > MAX_KEYS, "the flood is limited: {refused}");
        assert_eq!(limiter.check("known", at(2)).observed, 2);
        let window = limiter.window.lock().unwrap();
        assert!(window.counts.len() <= MAX_KEYS && window.shared.len() <= SHARED as usize);
    }

    #[test]
    fn parallel_requests_are_counted_exactly() {
        let limiter = Limiter::new("n", 100, 3600);
        let allowed: usize = std::thread::scope(|scope| {
            let count = || (0..50).filter(|_| limiter.check("a", at(0)).allowed).count();
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(count)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(allowed, 100);
    }
}
