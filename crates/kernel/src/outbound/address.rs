//! Which network addresses a call may reach.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// How far away an address is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// The internet.
    Public,
    /// This machine or a private network.
    Local,
    /// Nothing a call has business with: link-local (where clouds serve their
    /// metadata), multicast, unspecified, reserved.
    Never,
}

/// Places an address by the IANA special-purpose registries.
pub(super) fn reach(address: IpAddr) -> Reach {
    match address {
        IpAddr::V4(address) => reach_v4(address),
        IpAddr::V6(address) => reach_v6(address),
    }
}

fn reach_v4(address: Ipv4Addr) -> Reach {
    match address.octets() {
        [127, ..] | [10, ..] | [192, 168, ..] => Reach::Local,
        [172, 16..=31, ..] | [100, 64..=127, ..] => Reach::Local,
        [0, ..] | [169, 254, ..] | [224..=255, ..] => Reach::Never,
        [192, 0, 0, _] | [192, 0, 2, _] | [192, 88, 99, _] => Reach::Never,
        [198, 18..=19, ..] | [198, 51, 100, _] | [203, 0, 113, _] => Reach::Never,
        _ => Reach::Public,
    }
}

fn reach_v6(address: Ipv6Addr) -> Reach {
    if address == Ipv6Addr::LOCALHOST {
        return Reach::Local;
    }
    match address.segments() {
        // IPv4-mapped, NAT64 and 6to4 lead to the IPv4 address they hold.
        [0, 0, 0, 0, 0, 0xffff, a, b] => reach_v4(embedded(a, b)),
        [0x64, 0xff9b, 0, 0, 0, 0, a, b] => reach_v4(embedded(a, b)),
        [0x2002, a, b, ..] => reach_v4(embedded(a, b)),
        // Cloud metadata inside the unique-local range.
        [0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254] => Reach::Never,
        [0xfc00..=0xfdff, ..] => Reach::Local,
        // Teredo, benchmarking, ORCHID and documentation.
        [0x2001, 0 | 2 | 0xdb8, ..] | [0x2001, 0x10..=0x2f, ..] | [0x3fff, ..] => Reach::Never,
        // Everything else outside the one global range: unspecified,
        // IPv4-compatible, local NAT64, discard, link-local, multicast.
        [0x2000..=0x3fff, ..] => Reach::Public,
        _ => Reach::Never,
    }
}

fn embedded(a: u16, b: u16) -> Ipv4Addr {
    let ([a, b], [c, d]) = (a.to_be_bytes(), b.to_be_bytes());
    Ipv4Addr::new(a, b, c, d)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_placed() {
        let cases = [
            (Reach::Public, "8.8.8.8 1.1.1.1 172.32.0.1 100.128.0.1 2606:4700::1111"),
            (Reach::Public, "::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::1"),
            (Reach::Local, "127.0.0.1 127.9.9.9 10.0.0.1 172.16.0.1 172.31.255.255"),
            (Reach::Local, "192.168.1.1 100.64.0.1 ::1 fc00::1 fd12:3456::1"),
            (Reach::Local, "::ffff:127.0.0.1 64:ff9b::a00:1 2002:7f00:1::"),
            (Reach::Never, "0.0.0.0 0.1.2.3 169.254.169.254 224.0.0.1 255.255.255.255"),
            (Reach::Never, "192.0.2.1 198.18.0.1 240.0.0.1 :: fe80::1 ff02::1 fec0::1"),
            (Reach::Never, "::7f00:1 ::ffff:169.254.169.254 64:ff9b:1::1 2001::1 2001:db8::1"),
            (Reach::Never, "fd00:ec2::254 100::1 2002:a9fe:a9fe::1"),
        ];
        for (expected, addresses) in cases {
            for address in addresses.split(' ') {
                assert_eq!(reach(address.parse().unwrap()), expected, "{address}");
            }
        }
    }
}
