//! Which places calls may go to, as administrators set it.

use super::address::{Reach, reach};
use crate::error::{Error, Result};
use std::net::IpAddr;

/// Most entries of the list of allowed places.
const MAX_ENTRIES: usize = 1_000;
/// Longest entry, in characters.
const MAX_ENTRY: usize = 255;

kernel::setting! {
    /// Which places calls may go to besides the internet.
    #[derive(PartialEq, Eq)]
    pub struct Policy = "outbound" {
        /// This machine and private networks are allowed.
        pub allow_local: bool = false,
        /// What is allowed wherever it is: names, addresses and networks
        /// (`10.0.0.0/8`); names and addresses may end in `:PORT`.
        pub allowed_hosts: Vec<String> = Vec::new(),
        /// Nothing else is allowed, not even the internet.
        pub only_allowed: bool = false,
    }
}

/// One entry of the list, taken apart.
#[derive(Debug, PartialEq, Eq)]
struct Entry<'p> {
    host: &'p str,
    /// Length of a network's prefix.
    bits: Option<u32>,
    port: Option<u16>,
}

impl Policy {
    /// Refuses a list that cannot be meant.
    pub fn validate(&self) -> Result<()> {
        let refused = |text: &str| Err(Error::invalid("outbound_local_requests_allowlist", text));
        if self.allowed_hosts.len() > MAX_ENTRIES {
            return refused("is too long (maximum is 1000 entries)");
        }
        let fits = |text: &String| text.chars().count() <= MAX_ENTRY && entry(text).is_some();
        match self.allowed_hosts.iter().all(fits) {
            true => Ok(()),
            false => refused("must hold names, addresses and networks"),
        }
    }

    /// Whether some entry holds for one port only.
    pub(super) fn names_ports(&self) -> bool {
        self.entries().any(|entry| entry.port.is_some())
    }

    /// Whether the list names this host; without a port, for any port.
    pub(super) fn names(&self, host: &str, port: Option<u16>) -> bool {
        let host = bare(host);
        self.entries().any(|entry| {
            let fits = entry.port.is_none() || port.is_none() || entry.port == port;
            fits && entry.bits.is_none() && bare(entry.host).eq_ignore_ascii_case(host)
        })
    }

    /// Whether a call may go to this address.
    pub(super) fn allows(&self, address: IpAddr, port: Option<u16>) -> bool {
        let open = match reach(address) {
            Reach::Public => true,
            Reach::Local => self.allow_local,
            Reach::Never => false,
        };
        (open && !self.only_allowed) || self.lists(address, port)
    }

    fn lists(&self, address: IpAddr, port: Option<u16>) -> bool {
        let within = |entry: Entry<'_>| {
            let network = entry.host.parse().ok().zip(entry.bits);
            network.is_some_and(|(network, bits)| holds(network, bits, address))
        };
        self.names(&address.to_string(), port) || self.entries().any(within)
    }

    fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        self.allowed_hosts.iter().filter_map(|text| entry(text))
    }
}

fn entry(text: &str) -> Option<Entry<'_>> {
    let plain = |host, port| Entry { host, bits: None, port };
    if text.is_empty() || text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return None;
    }
    if let Some((network, bits)) = text.split_once('/') {
        let most = match network.parse().ok()? {
            IpAddr::V4(_) => 32,
            IpAddr::V6(_) => 128,
        };
        let bits = bits.parse().ok().filter(|bits| *bits <= most)?;
        return Some(Entry { host: network, bits: Some(bits), port: None });
    }
    if text.parse::<IpAddr>().is_ok() {
        return Some(plain(text, None));
    }
    match text.rsplit_once(':') {
        Some((host, "")) if host.ends_with(']') => None,
        Some((host, port)) if !bare(host).is_empty() && !text.ends_with(']') => {
            Some(plain(host, Some(port.parse().ok()?)))
        }
        _ => Some(plain(text, None)),
    }
}

/// A host without the brackets of an IPv6 address or the dot of the root.
fn bare(host: &str) -> &str {
    host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.')
}

/// Whether the network of that prefix holds the address.
fn holds(network: IpAddr, bits: u32, address: IpAddr) -> bool {
    match (network, address) {
        (IpAddr::V4(network), IpAddr::V4(address)) => {
            let (a, b) = (network.to_bits(), address.to_bits());
            (a ^ b).checked_shr(32 - bits).unwrap_or(0) == 0
        }
        (IpAddr::V6(network), IpAddr::V6(address)) => {
            let (a, b) = (network.to_bits(), address.to_bits());
            (a ^ b).checked_shr(128 - bits).unwrap_or(0) == 0
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(list: &[&str]) -> Policy {
        Policy {
            allowed_hosts: list.iter().map(|text| (*text).to_owned()).collect(),
            ..Policy::default()
        }
    }

    #[test]
    fn an_entry_is_a_name_an_address_or_a_network() {
        let policy =
            policy(&["mirror.example", "10.1.0.0/16", "127.0.0.1:8080", "[::1]:443", "fc00::/7"]);
        assert!(policy.validate().is_ok());
        for (address, port, allowed) in [
            ("10.1.2.3", 80, true),
            ("10.2.0.1", 80, false),
            ("127.0.0.1", 8080, true),
            ("127.0.0.1", 80, false),
            ("::1", 443, true),
            ("::1", 80, false),
            ("fd00::1", 80, true),
            ("169.254.169.254", 80, false),
            ("8.8.8.8", 80, true),
        ] {
            let asked = address.parse().unwrap();
            assert_eq!(policy.allows(asked, Some(port)), allowed, "{address} {port}");
        }
        assert!(policy.names("MIRROR.example.", Some(1)));
        assert!(!policy.names("example", Some(1)));
    }

    #[test]
    fn a_list_may_be_all_there_is() {
        let only = Policy {
            allow_local: true,
            only_allowed: true,
            ..policy(&["8.8.8.8", "0.0.0.0/0"])
        };
        assert!(only.allows("8.8.8.8".parse().unwrap(), None));
        assert!(only.allows("1.1.1.1".parse().unwrap(), None));
        assert!(!only.allows("::1".parse().unwrap(), None));
    }

    #[test]
    fn nonsense_is_no_entry() {
        for bad in ["", "a b", "10.0.0.0/33", "::/129", "host/8", "a:b", "[::1]:", "a:99999"] {
            assert!(policy(&[bad]).validate().is_err(), "{bad}");
        }
        assert!(policy(&["x"; 1_001]).validate().is_err());
    }
}
