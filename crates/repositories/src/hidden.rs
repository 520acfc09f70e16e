//! Refs of merge requests that are not for everybody: of authors who were banned.

use crate::formats::packet::{self, Packet};
use crate::formats::ref_name::RefName;
use bytes::Bytes;

/// Most merge requests that are told apart. Where more are hidden, all of them are.
pub(crate) const MOST: usize = 500;
const PREFIX: &str = "refs/merge-requests/";

/// Merge requests of whose refs somebody is not told.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum HiddenRequests {
    /// Those of these numbers, which ascend.
    Some(Vec<i64>),
    All,
}

impl Default for HiddenRequests {
    fn default() -> HiddenRequests {
        HiddenRequests::Some(Vec::new())
    }
}

impl HiddenRequests {
    /// Those of these numbers, which ascend.
    pub(crate) fn of(numbers: Vec<i64>) -> HiddenRequests {
        match numbers.len() > MOST {
            true => HiddenRequests::All,
            false => HiddenRequests::Some(numbers),
        }
    }

    /// Whether it is a ref of one of them.
    pub fn hides(&self, name: &RefName) -> bool {
        let Some(number) = number(name) else {
            return false;
        };
        match self {
            HiddenRequests::Some(numbers) => numbers.binary_search(&number).is_ok(),
            HiddenRequests::All => true,
        }
    }

    /// How many numbers it names.
    pub(crate) fn count(&self) -> usize {
        match self {
            HiddenRequests::Some(numbers) => numbers.len(),
            HiddenRequests::All => 0,
        }
    }

    /// The refs as git's `transfer.hideRefs` has them.
    pub(crate) fn prefixes(&self) -> Vec<String> {
        match self {
            HiddenRequests::Some(numbers) => {
                numbers.iter().map(|number| format!("{PREFIX}{number}")).collect()
            }
            HiddenRequests::All => vec![PREFIX.to_owned()],
        }
    }

    /// Whether a request for an archive names a ref that is hidden. Git looks for its names
    /// in all refs, whatever it is told to hide.
    pub fn are_named(&self, request: &Bytes) -> bool {
        let Ok(packets) = packet::all(request.clone()) else {
            return false;
        };
        let arguments = packets.iter().filter_map(Packet::text);
        let names = arguments.filter_map(|line| line.strip_prefix(b"argument "));
        names.map(String::from_utf8_lossy).any(|name| self.is_named(&name))
    }

    fn is_named(&self, argument: &str) -> bool {
        let name = argument.split(':').next().unwrap_or_default();
        let whole = [name.to_owned(), format!("refs/{name}")];
        let mut refs = whole.iter().filter_map(|name| name.parse::<RefName>().ok());
        refs.any(|name| name.is_hidden() || self.hides(&name))
    }
}

/// The merge request whose ref it is.
fn number(name: &RefName) -> Option<i64> {
    let rest = name.as_str().strip_prefix(PREFIX)?;
    rest.split('/').next()?.parse().ok()
}

/// Whether it is a ref of a merge request.
pub(crate) fn is_of_request(name: &RefName) -> bool {
    number(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> RefName {
        text.parse().expect("a good name")
    }

    #[test]
    fn refs_are_hidden_by_the_number_of_their_merge_request() {
        let some = HiddenRequests::of(vec![2, 12]);
        for (text, hides) in [
            ("refs/merge-requests/2/head", true),
            ("refs/merge-requests/12/merge", true),
            ("refs/merge-requests/1/head", false),
            ("refs/merge-requests/22/head", false),
            ("refs/heads/merge-requests/2/head", false),
        ] {
            assert_eq!(some.hides(&name(text)), hides, "{text}");
        }
        assert_eq!(some.prefixes(), ["refs/merge-requests/2", "refs/merge-requests/12"]);
        assert!(!HiddenRequests::default().hides(&name("refs/merge-requests/2/head")));
    }

    #[test]
    fn too_many_hide_all() {
        let many = HiddenRequests::of((1..).take(MOST + 1).collect());
        assert_eq!(many, HiddenRequests::All);
        assert!(many.hides(&name("refs/merge-requests/9999/head")));
        assert!(!many.hides(&name("refs/heads/main")));
        assert_eq!(many.prefixes(), ["refs/merge-requests/"]);
    }

    #[test]
    fn archives_name_their_refs_in_several_ways() {
        let hidden = HiddenRequests::of(vec![2]);
        for (argument, named) in [
            ("refs/merge-requests/2/head", true),
            ("merge-requests/2/head", true),
            ("merge-requests/2/merge:src", true),
            ("refs/keep-around/x", true),
            ("keep-around/x", true),
            ("merge-requests/3/head", false),
            ("main", false),
            ("--format=tar", false),
        ] {
            let mut request = Vec::new();
            packet::put(&mut request, &[b"argument ", argument.as_bytes(), b"\n"]);
            request.extend_from_slice(packet::FLUSH);
            assert_eq!(hidden.are_named(&request.into()), named, "{argument}");
        }
    }
}
