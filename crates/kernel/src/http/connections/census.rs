//! How many connections there are, in all and of each address.

use crate::limits::network;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

/// Counts the connections that are open.
pub struct Census {
    total: usize,
    per_address: usize,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    all: usize,
    of: HashMap<IpAddr, usize>,
}

/// One connection's place among the others, given back when dropped.
pub struct Place {
    census: Arc<Census>,
    /// Nothing for trusted proxies.
    network: Option<IpAddr>,
}

/// Why a connection is not taken.
#[derive(Debug, PartialEq, Eq)]
pub enum Refused {
    /// There are as many as there may be.
    Full,
    /// There are as many of this address.
    TooManyOfAddress,
}

impl Refused {
    /// The answer to whatever was asked.
    pub(super) fn text(&self) -> String {
        let (status, text) = match self {
            Refused::Full => ("503 Service Unavailable", "The server is full.\n"),
            Refused::TooManyOfAddress => {
                ("429 Too Many Requests", "There are too many connections from this address.\n")
            }
        };
        format!(
            "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\n\
             content-length: {}\r\nretry-after: 5\r\nconnection: close\r\n\r\n{text}",
            text.len()
        )
    }
}

impl Census {
    /// Nobody yet. One address never gets more than half of all.
    pub fn new(total: usize, per_address: usize) -> Arc<Census> {
        let total = total.max(2);
        Arc::new(Census {
            total,
            per_address: per_address.clamp(1, total / 2),
            open: Mutex::default(),
        })
    }

    /// Takes a place for a connection.
    pub fn enter(self: &Arc<Census>, peer: IpAddr, is_proxy: bool) -> Result<Place, Refused> {
        let network = (!is_proxy).then(|| network(peer));
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.all >= self.total {
            return Err(Refused::Full);
        }
        if let Some(network) = network {
            let count = open.of.entry(network).or_default();
            if *count >= self.per_address {
                return Err(Refused::TooManyOfAddress);
            }
            *count += 1;
        }
        open.all += 1;
        Ok(Place { census: self.clone(), network })
    }
}

impl Place {
    /// Whether the server, or this one's address, has more than half of the
    /// connections it may have.
    pub fn is_crowded(&self) -> bool {
        let open = &self.census.open;
        let open = open.lock().unwrap_or_else(PoisonError::into_inner);
        let of_address = self.network.and_then(|network| open.of.get(&network));
        open.all > self.census.total / 2
            || of_address.is_some_and(|count| *count > self.census.per_address / 2)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let open = &self.census.open;
        let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
        open.all -= 1;
        if let Some(network) = self.network
            && let Some(count) = open.of.get_mut(&network)
        {
            *count -= 1;
            if *count == 0 {
                open.of.remove(&network);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn an_address_has_its_share_and_all_have_theirs() {
        let census = Census::new(4, 2);
        let enter = |from: &str| census.enter(address(from), false);
        let first = enter("10.0.0.1").ok().unwrap();
        assert!(!first.is_crowded());
        let second = enter("10.0.0.1").ok().unwrap();
        assert!(first.is_crowded(), "its address is");
        assert_eq!(enter("10.0.0.1").err(), Some(Refused::TooManyOfAddress));
        let others = [enter("10.0.0.2"), enter("10.0.0.3")];
        assert!(others.iter().all(Result::is_ok));
        assert_eq!(enter("10.0.0.4").err(), Some(Refused::Full));

        drop(second);
        assert!(enter("10.0.0.1").is_ok(), "a place given back is free");
        drop((first, others));
        assert!(census.open.lock().unwrap().of.is_empty());
    }

    #[test]
    fn a_trusted_proxy_is_bounded_by_the_whole_only() {
        let census = Census::new(4, 1);
        let enter = || census.enter(address("10.0.0.1"), true);
        let places: Vec<_> = (0..4).map(|_| enter()).collect();
        assert!(places.iter().all(Result::is_ok));
        assert_eq!(enter().err(), Some(Refused::Full));
    }

    #[test]
    fn a_network_of_ipv6_is_one_address() {
        let census = Census::new(8, 1);
        let _place = census.enter(address("2001:db8::1"), false);
        let other = census.enter(address("2001:db8::2"), false);
        assert_eq!(other.err(), Some(Refused::TooManyOfAddress));
    }
}
