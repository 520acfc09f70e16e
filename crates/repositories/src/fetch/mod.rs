//! Fetches: what refs there are is told out of the database ([`refs`]); only for
//! objects git itself runs ([`objects`]), over the copy of this node.

pub mod objects;
pub mod refs;

/// The version of git's protocol that a client speaks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Version {
    #[default]
    Zero,
    One,
    Two,
}

impl Version {
    /// The highest of those that a client names: `version=2:other=1`.
    pub fn of(header: &str) -> Version {
        let named = header.split(':').filter_map(|part| part.strip_prefix("version="));
        let known = named.filter_map(|number| match number {
            "2" => Some(Version::Two),
            "1" => Some(Version::One),
            _ => None,
        });
        let mut best = Version::Zero;
        for version in known {
            if version == Version::Two || best == Version::Zero {
                best = version;
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::Version;

    #[test]
    fn the_highest_version_counts() {
        for (header, version) in [
            ("", Version::Zero),
            ("version=2", Version::Two),
            ("version=1:version=2", Version::Two),
            ("version=2:version=1", Version::Two),
            ("version=1", Version::One),
            ("version=7:x", Version::Zero),
        ] {
            assert_eq!(Version::of(header), version, "{header}");
        }
    }
}
