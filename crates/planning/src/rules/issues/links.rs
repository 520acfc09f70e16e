//! Links between issues.

use super::{noteable, remark};
use crate::access::{ProjectAccess, desk, desk_to_write, sees};
use crate::model::{Issue, Link, LinkType};
use crate::rules::notes;
use crate::store::issues;
use crate::store::linked_pairs::{ISSUE_LINKS, MOST};
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use spaces::access::GUEST;
use store::Tx;

#[derive(Debug, Clone)]
pub struct Linked {
    pub link: Link,
    pub source: Issue,
    pub target: Issue,
}

fn no_match() -> Error {
    let text = "No matching issue found. Make sure that you are adding a valid issue URL.";
    Error::NotFoundText(text.into())
}

/// Links an issue to another. The viewer is a member of both projects.
pub fn create(
    tx: &mut Tx<'_>, viewer: &Viewer, from: &ProjectAccess, issue: &Issue,
    target: (&Reference, i64), link_type: LinkType,
) -> Result<Linked> {
    if from.level < GUEST {
        return Err(Error::forbidden(""));
    }
    let there = match desk_to_write(tx, viewer, target.0) {
        Ok(there) => there,
        Err(Error::Forbidden(_)) => return Err(no_match()),
        Err(error) => return Err(error),
    };
    let other = match issues::find(tx, there.project.id, target.1)? {
        Some(other) if sees(tx, viewer, &there, &other)? => other,
        _ => return Err(no_match()),
    };
    if there.level < GUEST {
        return Err(Error::forbidden(""));
    }
    if other.id == issue.id {
        return Err(Error::Unprocessable(format!(
            "#{} cannot be added: cannot be related to itself",
            issue.iid
        )));
    }
    // Stored so that the one that blocks comes first.
    let (source, target, stored) = match link_type {
        LinkType::IsBlockedBy => (&other, issue, LinkType::Blocks),
        kind => (issue, &other, kind),
    };
    let blocks = stored == LinkType::Blocks;
    if blocks && ISSUE_LINKS.reaches(tx, target.id, source.id)? {
        return Err(Error::Unprocessable(
            "cannot be added: issues would block one another in a circle".into(),
        ));
    }
    for one in [source, target] {
        if ISSUE_LINKS.of(tx, one.id)?.len() as i64 >= MOST {
            return Err(Error::Unprocessable("too many linked issues".into()));
        }
    }
    let link = ISSUE_LINKS
        .insert(tx, (source.id, target.id), stored)?
        .ok_or_else(|| Error::Conflict("Issue(s) already assigned".into()))?;
    tell(tx, viewer, source, target, blocks)?;
    Ok(Linked { link, source: source.clone(), target: target.clone() })
}

fn tell(
    tx: &mut Tx<'_>, viewer: &Viewer, source: &Issue, target: &Issue, blocks: bool,
) -> Result<()> {
    let (there, back) = match blocks {
        true => ("as blocking", "as blocked by"),
        false => ("as related to", "as related to"),
    };
    let actor = viewer.user_id();
    beside(tx, source, actor, &format!("marked this issue {there}"), target)?;
    beside(tx, target, actor, &format!("marked this issue {back}"), source)
}

/// Tells on an issue what somebody did to it and another. Who reads that may
/// not know of another project, so its name is not told.
pub(super) fn beside(
    tx: &mut Tx<'_>, issue: &Issue, actor: Option<i64>, words: &str, other: &Issue,
) -> Result<()> {
    if issue.project_id != other.project_id {
        let text = format!("{words} an issue of another project");
        return remark(tx, issue, actor, &text);
    }
    let text = format!("{words} #{}", other.iid);
    notes::system_naming(tx, noteable(issue), actor, &text, other.id)?;
    Ok(())
}

pub fn find(tx: &mut Tx<'_>, viewer: &Viewer, issue: &Issue, id: i64) -> Result<Linked> {
    let link = ISSUE_LINKS.find(tx, issue.id, id)?.found("")?;
    let other = issues::by_id(tx, link.other(issue.id))?.found("")?;
    let there =
        desk(tx, viewer, &Reference::Id(other.project_id)).map_err(|_| Error::NotFound(""))?;
    if !sees(tx, viewer, &there, &other)? {
        return Err(Error::NotFound(""));
    }
    let (source, target) = match link.source_id == issue.id {
        true => (issue.clone(), other),
        false => (other, issue.clone()),
    };
    Ok(Linked { link, source, target })
}

pub fn destroy(
    tx: &mut Tx<'_>, viewer: &Viewer, from: &ProjectAccess, issue: &Issue, id: i64,
) -> Result<Linked> {
    let linked = find(tx, viewer, issue, id)?;
    if from.level < GUEST {
        return Err(Error::forbidden(""));
    }
    ISSUE_LINKS.delete(tx, linked.link.id)?;
    let (source, target) = (&linked.source, &linked.target);
    for (one, other) in [(source, target), (target, source)] {
        beside(tx, one, viewer.user_id(), "removed the relation with", other)?;
    }
    Ok(linked)
}
