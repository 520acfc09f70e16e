//! The end of a move, by one transaction: what was read back is compared with what the rows
//! say now, and the rows name the copies.

use super::copying::Copies;
use super::plan::{Part, Plan};
use super::{Halt, Moving, place, started};
use crate::moves::containers::word;
use crate::moves::model::Container;
use ::store::Tx;
use kernel::blobs::sha256_of;
use kernel::error::Result;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// What became of it.
pub(super) enum Swapped {
    Done,
    /// Packs came that were not copied.
    Behind,
    /// The copies are not what was copied, which is told so.
    Differs(String),
}

impl Moving<'_> {
    /// Has the repositories lie where their copies are.
    pub(super) async fn swap(&self) -> Result<Swapped, Halt> {
        let (id, container, to) = (self.id, self.container, self.to.clone());
        let copies = Arc::new(self.copies.clone());
        let swapped = self.app.write(move |tx| swap(tx, (id, container), &to, &copies)).await?;
        swapped.ok_or(Halt::Ended)
    }
}

/// None where the move was ended, or is of nothing any more.
fn swap(
    tx: &mut Tx<'_>, (id, container): (i64, Container), to: &str, copies: &Copies,
) -> Result<Option<Swapped>> {
    let Some(row) = started(tx, id)? else {
        return Ok(None);
    };
    let plan = Plan::read(tx, container)?;
    if plan.parts.is_empty() {
        return Ok(None);
    }
    let is_closed = plan.parts.iter().all(|part| part.repository.is_read_only());
    if !is_closed || plan.parts.iter().any(|part| part.missing(to, copies).next().is_some()) {
        return Ok(Some(Swapped::Behind));
    }
    for part in &plan.parts {
        let (old, new) = (checksum(part, None), checksum(part, Some((to, copies))));
        if old != new {
            let word = word(&part.repository);
            let text = format!("Failed to verify {word} repository checksum from {old} to {new}");
            return Ok(Some(Swapped::Differs(text)));
        }
    }
    place(tx, row, &plan.ids())?;
    Ok(Some(Swapped::Done))
}

/// What a repository is made of, as it says itself, or as its copies were read back: HEAD,
/// its refs by name, and the digests of its packs.
fn checksum(part: &Part, copied: Option<(&str, &Copies)>) -> String {
    let mut sum = Sha256::new();
    let mut line = |words: [&str; 3]| sum.update(format!("{}\n", words.join(" ")));
    line(["HEAD", part.repository.head.as_str(), ""]);
    for one in &part.refs {
        line(["ref", one.name.as_str(), &one.object_id.to_string()]);
    }
    for pack in &part.packs {
        let own = (pack.pack_key.as_str(), pack.index_key.as_str());
        let keys = copied.and_then(|(to, copies)| Some((pack.keys_in(to)?, copies)));
        let read = |key: &str| match keys {
            Some((_, copies)) => copies.digest(key).map_or_else(|| sha256_of(key), str::to_owned),
            None => sha256_of(key),
        };
        let (packed, index) = keys.map_or(own, |(keys, _)| keys);
        line([&pack.name, &read(packed), &read(index)]);
    }
    hex::encode(sum.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Repository;
    use crate::moves::store::packs::MovingPack;
    use jiff::Timestamp;

    fn part(other: Option<&str>) -> Part {
        let key = |digit: &str| kernel::blobs::key_of(&digit.repeat(64));
        let repository = Repository {
            id: 1,
            kind: "wiki".into(),
            project_id: Some(1),
            group_id: None,
            snippet_id: None,
            storage: "default".into(),
            head: "refs/heads/main".parse().expect("a name"),
            generation: 0,
            epoch: 0,
            size: 0,
            read_only_at: None,
            pushed_at: None,
            created_at: Timestamp::UNIX_EPOCH,
        };
        let pack = MovingPack {
            id: 1,
            name: "p".into(),
            pack_key: key("1"),
            index_key: key("2"),
            pack_size: 1,
            index_size: 1,
            other_pack_key: other.map(|digit| format!("fast:{}", key(digit))),
            other_index_key: other.map(|_| format!("fast:{}", key("2"))),
        };
        Part { repository, packs: vec![pack], refs: Vec::new() }
    }

    fn copies(of: &Part, digest: &str) -> Copies {
        let mut copies = Copies::default();
        let key = of.packs[0].other_pack_key.clone().expect("it has copies");
        copies.note(key, digest.repeat(64));
        copies
    }

    #[test]
    fn what_was_read_back_counts_and_not_what_was_hoped_for() {
        let there = part(Some("1"));
        let old = checksum(&there, None);
        assert_eq!(old, checksum(&part(None), None));
        assert_eq!(old, checksum(&there, Some(("fast", &copies(&there, "1")))));
        assert_ne!(old, checksum(&there, Some(("fast", &copies(&there, "3")))));
        assert_ne!(old, checksum(&part(Some("3")), Some(("fast", &Copies::default()))));
        let mut moved = part(None);
        moved.repository.head = "refs/heads/other".parse().expect("a name");
        assert_ne!(old, checksum(&moved, None));
    }

    #[test]
    fn a_pack_is_missing_until_its_copies_were_read_back() {
        let (there, none) = (part(Some("1")), Copies::default());
        assert_eq!(there.missing("fast", &none).count(), 1);
        assert_eq!(there.missing("default", &none).count(), 0);
        let mut both = copies(&there, "1");
        assert_eq!(there.missing("fast", &both).count(), 1, "the index is missing");
        both.note(there.packs[0].other_index_key.clone().expect("a copy"), "2".repeat(64));
        assert_eq!(there.missing("fast", &both).count(), 0);
        assert_eq!(part(None).missing("fast", &both).count(), 1);
    }
}
