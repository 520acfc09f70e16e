//! What is asked of us in version 2 of git's protocol (gitprotocol-v2).

use super::packet::Packet;

/// Most prefixes that are looked at; with more, every ref is told.
const MAX_PREFIXES: usize = 512;

/// A request in version 2.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    ListRefs(ListRefs),
    Fetch {
        /// The client has some commits, so nobody else asks the same.
        has_some: bool,
    },
}

/// Which refs are asked for, and what of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ListRefs {
    /// What symbolic refs stand for.
    pub symbolic: bool,
    /// What annotated tags lead to.
    pub peeled: bool,
    /// HEAD even where it leads nowhere yet.
    pub unborn: bool,
    /// How names begin; nothing for all.
    pub prefixes: Vec<String>,
}

impl ListRefs {
    /// Whether a ref of this name is asked for.
    pub fn wants(&self, name: &str) -> bool {
        self.prefixes.is_empty() || self.prefixes.iter().any(|prefix| name.starts_with(prefix))
    }
}

/// What is wrong with a request, in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadRequest(pub &'static str);

/// Reads a request.
pub fn read(packets: &[Packet]) -> Result<Request, BadRequest> {
    let (head, arguments) = match packets.iter().position(|packet| *packet == Packet::Delimiter) {
        Some(at) => (&packets[..at], &packets[at + 1..]),
        None => (packets, &[][..]),
    };
    let mut head = head.iter().filter_map(Packet::text);
    let command = head.next().and_then(|line| line.strip_prefix(b"command="));
    let is_sha256 = |line: &[u8]| line.starts_with(b"object-format=") && !line.ends_with(b"sha1");
    if head.any(is_sha256) {
        return Err(BadRequest("this repository names its objects by SHA-1"));
    }
    let arguments = arguments.iter().filter_map(Packet::text);
    match command {
        Some(b"ls-refs") => Ok(Request::ListRefs(list_refs(arguments))),
        Some(b"fetch") => {
            let has_some = arguments.into_iter().any(|line| line.starts_with(b"have "));
            Ok(Request::Fetch { has_some })
        }
        Some(_) => Err(BadRequest("there is no such command")),
        None => Err(BadRequest("the request names no command")),
    }
}

fn list_refs<'p>(arguments: impl Iterator<Item = &'p [u8]>) -> ListRefs {
    let mut list = ListRefs::default();
    let mut prefixes = Vec::new();
    for line in arguments {
        match line {
            b"symrefs" => list.symbolic = true,
            b"peel" => list.peeled = true,
            b"unborn" => list.unborn = true,
            other => {
                let prefix = other.strip_prefix(b"ref-prefix ");
                prefixes.extend(prefix.map(|text| String::from_utf8_lossy(text).into_owned()));
            }
        }
    }
    if prefixes.len() <= MAX_PREFIXES {
        list.prefixes = prefixes;
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::packet;
    use bytes::Bytes;

    fn request(message: &'static [u8]) -> Result<Request, BadRequest> {
        read(&packet::all(Bytes::from_static(message)).expect("good packets"))
    }

    #[test]
    fn refs_are_asked_for() {
        let asked = b"0014command=ls-refs\n0014agent=git/2.47.30016object-format=sha10001\
                      0009peel\n000csymrefs\n0014ref-prefix HEAD\n001bref-prefix refs/heads/\n0000";
        let Ok(Request::ListRefs(list)) = request(asked) else {
            panic!("a list of refs is asked for");
        };
        assert!(list.peeled && list.symbolic && !list.unborn);
        assert!(list.wants("HEAD") && list.wants("refs/heads/x") && !list.wants("refs/tags/x"));
        assert!(ListRefs::default().wants("refs/tags/x"));
    }

    #[test]
    fn objects_are_asked_for() {
        let all = b"0011command=fetch0001000fno-progress0032want \
                    0123456789012345678901234567890123456789\n0009done\n0000";
        assert_eq!(request(all), Ok(Request::Fetch { has_some: false }));
        let more = b"0011command=fetch00010032have 0123456789012345678901234567890123456789\n0000";
        assert_eq!(request(more), Ok(Request::Fetch { has_some: true }));
    }

    #[test]
    fn other_requests_are_refused() {
        assert!(request(b"0000").is_err());
        assert!(request(b"0010command=push0000").is_err());
        assert!(request(b"0011command=fetch0018object-format=sha2560000").is_err());
    }
}
