//! Epics that have to do with an epic: shown on its page.

use super::reader::Reader;
use crate::model::LinkType;
use crate::model::epics::Epic;
use crate::store::epics as rows;
use crate::store::linked_pairs::EPIC_LINKS;
use kernel::error::Result;
use std::collections::HashMap;
use store::Tx;

/// What an epic is linked with, as far as the viewer sees it.
#[derive(Debug, Default)]
pub struct Linked {
    /// By what the epic is to them.
    pub kinds: Vec<(&'static str, Vec<Other>)>,
}

/// The other end of a link.
#[derive(Debug)]
pub struct Other {
    pub link_id: i64,
    pub epic: Epic,
    pub reference: String,
}

const BLOCKED: &str = "Is blocked by";

impl Linked {
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    pub fn tally(&self) -> usize {
        self.kinds.iter().map(|(_, others)| others.len()).sum()
    }

    /// Those that block it and are open.
    pub fn blocking(&self) -> Vec<&Other> {
        let blocked = self.kinds.iter().filter(|(kind, _)| *kind == BLOCKED);
        blocked
            .flat_map(|(_, others)| others)
            .filter(|one| one.epic.is_open())
            .collect()
    }

    pub fn is_blocked(&self) -> bool {
        !self.blocking().is_empty()
    }

    /// Asked before it is closed.
    pub fn question(&self) -> String {
        let names: Vec<&str> =
            self.blocking().iter().take(3).map(|one| one.reference.as_str()).collect();
        let rest = self.blocking().len().saturating_sub(names.len());
        let more = if rest > 0 {
            format!(" and {rest} more")
        } else {
            String::new()
        };
        format!("{}{more} still block this epic. Close it anyway?", names.join(", "))
    }
}

/// The links of an epic, of which the viewer sees both ends, by their kind.
pub fn read(tx: &mut Tx<'_>, reader: &Reader<'_>) -> Result<Linked> {
    let own = reader.epic;
    let found = EPIC_LINKS.of(tx, own.id)?;
    let ids: Vec<i64> = found.iter().map(|link| link.other(own.id)).collect();
    let others = rows::visible_by_ids(tx, reader.viewer, &ids)?;
    let mut others: HashMap<i64, Epic> = others.into_iter().map(|one| (one.id, one)).collect();
    let mut kinds: Vec<(&'static str, Vec<Other>)> =
        ["Blocks", BLOCKED, "Relates to"].map(|kind| (kind, Vec::new())).into();
    for link in found {
        let Some(epic) = others.remove(&link.other(own.id)) else {
            continue;
        };
        let kind = match link.seen_from(own.id) {
            LinkType::Blocks => 0,
            LinkType::IsBlockedBy => 1,
            LinkType::RelatesTo => 2,
        };
        let reference = epic.reference_from(own.group_id);
        kinds[kind].1.push(Other { link_id: link.id, epic, reference });
    }
    kinds.retain(|(_, others)| !others.is_empty());
    Ok(Linked { kinds })
}
