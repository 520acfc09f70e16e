//! What this room asks of merge requests, which a room above has: who sees them, which of
//! them texts name, and how many there are of something.

use crate::access::{ProjectAccess, Scope};
use crate::model::Issue;
use identity::viewer::Viewer;
use kernel::error::Result;
use std::collections::HashMap;
use store::{Fragment, FromRow, Tx};

/// A merge request by its place.
#[derive(Debug, Clone, FromRow)]
pub struct NamedRequest {
    pub id: i64,
    pub project_id: i64,
    /// The path of its project.
    pub full_path: String,
    pub full_path_folded: String,
    pub iid: i64,
    pub title: String,
}

/// How many of some things there are, by the ids of these.
pub type Counts = Result<HashMap<i64, i64>>;

/// Functions of the room of merge requests; they must be among the store's plugs.
#[derive(Clone, Copy)]
pub struct Requests {
    /// Condition: the merge request of the id in this column is one that the viewer may
    /// see.
    pub is_visible: fn(&Tx<'_>, &Viewer, &str) -> Fragment,
    /// Those of projects of these folded paths and of these numbers that the viewer may
    /// see.
    pub named: fn(&mut Tx<'_>, &Viewer, &[String], &[i64]) -> Result<Vec<NamedRequest>>,
    /// How many of those that the viewer may see close each of these issues.
    pub closing: fn(&mut Tx<'_>, &Viewer, &[i64]) -> Counts,
    /// How many open ones of those that the viewer may see in a scope have each of these
    /// labels.
    pub labelled: fn(&mut Tx<'_>, &Viewer, &Scope, &[i64]) -> Counts,
    /// Whether the viewer begins one of an issue.
    pub begins: fn(&Viewer, &ProjectAccess, &Issue) -> Beginning,
    /// Has one made of an issue, on a branch of this name if one is told; the branch.
    pub begin: Begin,
}

pub type Begin = fn(&mut Tx<'_>, &Viewer, &ProjectAccess, &Issue, Option<&str>) -> Result<String>;

/// Whether somebody begins a merge request of an issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beginning {
    Yes,
    /// They do of others, and not of this one, for a reason in words.
    Refused(&'static str),
    No,
}

impl Beginning {
    /// Whether they do, or are told why not.
    pub fn is_shown(self) -> bool {
        self != Beginning::No
    }

    pub fn refusal(self) -> Option<&'static str> {
        match self {
            Beginning::Refused(text) => Some(text),
            Beginning::Yes | Beginning::No => None,
        }
    }
}

/// Whether the viewer begins a merge request of an issue.
pub(crate) fn begins(
    tx: &Tx<'_>, viewer: &Viewer, desk: &ProjectAccess, issue: &Issue,
) -> Result<Beginning> {
    Ok((tx.plugged::<Requests>()?.begins)(viewer, desk, issue))
}

/// Has a merge request made of an issue, on a branch of this name if one is told; the branch.
pub(crate) fn begin(
    tx: &mut Tx<'_>, viewer: &Viewer, desk: &ProjectAccess, issue: &Issue, named: Option<&str>,
) -> Result<String> {
    let begin = tx.plugged::<Requests>()?.begin;
    begin(tx, viewer, desk, issue, named)
}

/// Condition: the merge request of the id in this column is one that the viewer may see.
pub(crate) fn is_visible(tx: &Tx<'_>, viewer: &Viewer, column: &str) -> Fragment {
    match tx.plugged::<Requests>() {
        Ok(requests) => (requests.is_visible)(tx, viewer, column),
        Err(_) => Fragment::new("1 = 0"),
    }
}

/// Those of projects of these folded paths and of these numbers that the viewer may see.
pub(crate) fn named(
    tx: &mut Tx<'_>, viewer: &Viewer, paths: &[String], iids: &[i64],
) -> Result<Vec<NamedRequest>> {
    let named = tx.plugged::<Requests>()?.named;
    named(tx, viewer, paths, iids)
}

/// How many merge requests that the viewer sees close each of these issues.
pub(crate) fn closing(tx: &mut Tx<'_>, viewer: &Viewer, issues: &[i64]) -> Counts {
    let closing = tx.plugged::<Requests>()?.closing;
    match issues.is_empty() {
        true => Ok(HashMap::new()),
        false => closing(tx, viewer, issues),
    }
}

/// How many open merge requests that the viewer sees in a scope have each of these labels.
pub(crate) fn labelled(tx: &mut Tx<'_>, viewer: &Viewer, scope: &Scope, labels: &[i64]) -> Counts {
    let labelled = tx.plugged::<Requests>()?.labelled;
    match labels.is_empty() {
        true => Ok(HashMap::new()),
        false => labelled(tx, viewer, scope, labels),
    }
}
