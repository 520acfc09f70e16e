//! What lists of tags have in common.

use crate::names::Named;
use kernel::error::Result;
use repositories::objects::{Commit, Objects, Person, Tag};
use std::cmp::Ordering;

kernel::choices! {
    /// By what tags are sorted.
    pub enum TagOrder {
        Updated = "updated",
        Name = "name",
        Version = "version",
    }
}

/// A tag with what it leads to.
#[derive(Debug, Clone)]
pub struct Loaded {
    pub named: Named,
    pub annotated: Option<Tag>,
    pub commit: Option<Commit>,
}

impl Loaded {
    pub fn read(objects: &Objects, named: &Named) -> Result<Loaded> {
        let annotated = match named.is_annotated() {
            true => objects.tag(named.object_id)?,
            false => None,
        };
        let commit = objects.peeled(named.peeled())?;
        Ok(Loaded { named: named.clone(), annotated, commit })
    }

    /// Who made it, else who made the commit.
    pub fn person(&self) -> Option<&Person> {
        let tagger = self.annotated.as_ref().and_then(|tag| tag.tagger.as_ref());
        tagger.or(self.commit.as_ref().map(|commit| &commit.committer))
    }

    /// When it was made.
    fn at(&self) -> i64 {
        self.person().map_or(0, |person| person.at.as_second())
    }
}

/// Tags, which come by name, in another order: the last one is the newest.
pub fn sorted(objects: &Objects, mut tags: Vec<Named>, order: TagOrder) -> Result<Vec<Named>> {
    match order {
        TagOrder::Name => {}
        TagOrder::Version => tags.sort_by(|one, other| by_version(&one.name, &other.name)),
        TagOrder::Updated => {
            let loaded = tags.iter().map(|one| Loaded::read(objects, one));
            let mut loaded = loaded.collect::<Result<Vec<_>>>()?;
            loaded.sort_by_key(Loaded::at);
            tags = loaded.into_iter().map(|one| one.named).collect();
        }
    }
    Ok(tags)
}

/// Compares `v1.10.0` and `v1.9.1-rc2` as versions: numbers as such, and what is only
/// on the way to a version before it.
fn by_version(one: &str, other: &str) -> Ordering {
    let (mut one, mut other) = (pieces(one).into_iter(), pieces(other).into_iter());
    loop {
        return match (one.next(), other.next()) {
            (None, None) => Ordering::Equal,
            (None, Some(next)) => ends_before(next),
            (Some(next), None) => ends_before(next).reverse(),
            (Some(one), Some(other)) => match compared(one, other) {
                Ordering::Equal => continue,
                order => order,
            },
        };
    }
}

/// How a version compares to one that goes on with this.
fn ends_before(next: &str) -> Ordering {
    match next.starts_with('-') {
        true => Ordering::Greater,
        false => Ordering::Less,
    }
}

fn compared(one: &str, other: &str) -> Ordering {
    let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    if !(is_number(one) && is_number(other)) {
        return one.cmp(other);
    }
    let (one, other) = (one.trim_start_matches('0'), other.trim_start_matches('0'));
    one.len().cmp(&other.len()).then_with(|| one.cmp(other))
}

/// Runs of digits, and what is between them.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text.strip_prefix('v').unwrap_or(text);
    while let Some(first) = rest.chars().next() {
        let is_digit = first.is_ascii_digit();
        let end = rest.find(|c: char| c.is_ascii_digit() != is_digit).unwrap_or(rest.len());
        pieces.push(&rest[..end]);
        rest = &rest[end..];
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_come_in_their_order() {
        let sorted = ["v1.0.0-rc1", "v1.0.0-rc10", "v1.0.0", "1.0.1", "v1.9.0", "v1.10.0", "v2"];
        for (at, one) in sorted.iter().enumerate() {
            for (other_at, other) in sorted.iter().enumerate() {
                assert_eq!(by_version(one, other), at.cmp(&other_at), "{one} {other}");
            }
        }
    }
}
