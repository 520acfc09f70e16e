//! Commits and annotated tags.

use super::{Kind, Objects, kind, signed};
use crate::formats::object_id::ObjectId;
use gix::objs::{CommitRef, TagRef};
use jiff::tz::{Offset, TimeZone};
use jiff::{Timestamp, Zoned};
use kernel::error::Result;

/// Who wrote or made something, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    pub name: String,
    pub email: String,
    pub at: Timestamp,
    /// Seconds east of Greenwich where they were.
    pub offset: i32,
}

impl Person {
    /// When, as their clock showed it.
    pub fn local_time(&self) -> Zoned {
        let offset = Offset::from_seconds(self.offset).unwrap_or(Offset::UTC);
        self.at.to_zoned(TimeZone::fixed(offset))
    }

    /// Reads `Name <address> seconds offset`; old histories hold what is less than that.
    fn of(line: &[u8]) -> Person {
        let text = String::from_utf8_lossy(line);
        let (name, rest) = text.split_once('<').unwrap_or((&text, ""));
        let (email, when) = rest.rsplit_once('>').unwrap_or((rest, ""));
        let mut words = when.split_ascii_whitespace();
        let seconds = words.next().and_then(|word| word.parse().ok());
        let at = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok());
        Person {
            name: name.trim().to_owned(),
            email: email.trim().to_owned(),
            at: at.unwrap_or(Timestamp::UNIX_EPOCH),
            offset: words.next().and_then(offset).unwrap_or_default(),
        }
    }
}

/// Seconds of `+0130`.
fn offset(text: &str) -> Option<i32> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+')?),
    };
    let number: i32 = digits.parse().ok().filter(|_| digits.len() == 4)?;
    Some(sign * (number / 100 * 3600 + number % 100 * 60))
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    pub id: ObjectId,
    pub tree: ObjectId,
    pub parents: Vec<ObjectId>,
    pub author: Person,
    pub committer: Person,
    pub message: String,
    /// It carries a signature, good or not.
    pub is_signed: bool,
}

impl Commit {
    /// The first line of its message.
    pub fn title(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }

    /// The first digits of its name, as they are shown.
    pub fn short_id(&self) -> String {
        self.id.to_string()[..8].to_owned()
    }

    pub(crate) fn of(id: ObjectId, data: &[u8]) -> Option<Commit> {
        let read = CommitRef::from_bytes(data, gix::hash::Kind::Sha1).ok()?;
        Some(Commit {
            id,
            tree: read.tree().into(),
            parents: read.parents().map(ObjectId::from).collect(),
            author: Person::of(read.author),
            committer: Person::of(read.committer),
            message: text(read.message, read.encoding.map(|name| name.as_ref())),
            is_signed: read.extra_headers().find("gpgsig").is_some(),
        })
    }
}

/// A message in whatever it was written.
fn text(bytes: &[u8], encoding: Option<&[u8]>) -> String {
    let is_latin = |name: &[u8]| {
        name.eq_ignore_ascii_case(b"iso-8859-1") || name.eq_ignore_ascii_case(b"latin1")
    };
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) if encoding.is_some_and(is_latin) => bytes.iter().copied().map(char::from).collect(),
        Err(_) => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// An annotated tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    pub id: ObjectId,
    pub target: ObjectId,
    pub target_kind: Kind,
    pub name: String,
    /// Early tags name nobody.
    pub tagger: Option<Person>,
    /// Without its signature.
    pub message: String,
    pub is_signed: bool,
}

impl Tag {
    pub(crate) fn of(id: ObjectId, data: &[u8]) -> Option<Tag> {
        let read = TagRef::from_bytes(data, gix::hash::Kind::Sha1).ok()?;
        let unsigned =
            signed::in_tag(read.message).map_or(read.message.as_ref(), |end| &read.message[..end]);
        Some(Tag {
            id,
            target: read.target().into(),
            target_kind: kind(read.target_kind),
            name: text(read.name, None),
            tagger: read.tagger.map(|line| Person::of(line)),
            message: text(unsigned, None),
            is_signed: read.signature.is_some() || unsigned.len() < read.message.len(),
        })
    }
}

impl Objects {
    /// A commit; none if there is no such one.
    pub fn commit(&self, id: ObjectId) -> Result<Option<Commit>> {
        let data = self.data(id, Kind::Commit)?;
        Ok(data.and_then(|data| Commit::of(id, &data)))
    }

    /// Commits in the order of their names here; those that are not here are left out.
    pub fn commits(&self, ids: &[ObjectId]) -> Result<Vec<Commit>> {
        let found = ids.iter().map(|id| self.commit(*id));
        found.filter_map(Result::transpose).collect()
    }

    /// An annotated tag; none if there is no such one.
    pub fn tag(&self, id: ObjectId) -> Result<Option<Tag>> {
        let data = self.data(id, Kind::Tag)?;
        Ok(data.and_then(|data| Tag::of(id, &data)))
    }

    /// The commit that a commit or annotated tag leads to.
    pub fn peeled(&self, id: ObjectId) -> Result<Option<Commit>> {
        /// Tags of tags, as many as anybody makes.
        const DEEPEST: usize = 10;
        let mut id = id;
        for _ in 0..DEEPEST {
            match self.header(id)? {
                Some((Kind::Commit, _)) => return self.commit(id),
                Some((Kind::Tag, _)) => match self.tag(id)? {
                    Some(tag) => id = tag.target,
                    None => return Ok(None),
                },
                _ => return Ok(None),
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_of_old_histories_are_read() {
        let ada = Person::of(b"Ada L <ada@example.com> 1700000000 -0130");
        assert_eq!((ada.name.as_str(), ada.email.as_str()), ("Ada L", "ada@example.com"));
        assert_eq!((ada.at.as_second(), ada.offset), (1_700_000_000, -5400));
        assert_eq!(ada.local_time().to_string(), "2023-11-14T20:43:20-01:30[-01:30]");
        let odd = Person::of(b"no address at all");
        assert_eq!(
            (odd.name.as_str(), odd.email.as_str(), odd.offset),
            ("no address at all", "", 0)
        );
        let late = Person::of(b"x <a<b>> 99999999999999999999 +9x99");
        assert_eq!((late.email.as_str(), late.at, late.offset), ("a<b>", Timestamp::UNIX_EPOCH, 0));
    }

    #[test]
    fn messages_in_other_encodings_are_read() {
        assert_eq!(text("für".as_bytes(), None), "für");
        assert_eq!(text(b"f\xfcr", Some(b"ISO-8859-1")), "für");
        assert_eq!(text(b"f\xfcr", None), "f\u{fffd}r");
    }
}
