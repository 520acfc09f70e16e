//! What changes alike of issues and of epics: how they stand, their labels and texts.

use super::issues::StateEvent;
use super::labelling::Labelling;
use crate::model::IssueState;
use crate::store::issues::events::By;
use kernel::error::Result;
use kernel::time::Timestamp;
use store::Tx;

/// Whether something is open; who closed it, and when.
pub type Standing = (IssueState, Option<i64>, Option<Timestamp>);

/// How something stands that stood so, after this event.
pub fn standing(was: Standing, event: Option<StateEvent>, by: By) -> Standing {
    let state = match event {
        None => was.0,
        Some(StateEvent::Close) => IssueState::Closed,
        Some(StateEvent::Reopen) => IssueState::Opened,
    };
    match (was.0, state) {
        (IssueState::Opened, IssueState::Closed) => (state, by.user_id, Some(by.at)),
        (_, IssueState::Opened) => (state, None, None),
        _ => was,
    }
}

/// What is written of something, and who reads it.
pub struct Texts<'a> {
    pub title: &'a str,
    pub description: Option<&'a str>,
    pub confidential: bool,
}

/// What the program tells of other texts of a thing of this name.
pub fn remarks(name: &str, before: Texts<'_>, after: Texts<'_>) -> Vec<String> {
    let mut told = Vec::new();
    if before.title != after.title {
        told.push(format!("changed title from **{}** to **{}**", before.title, after.title));
    }
    if before.description != after.description {
        told.push("changed the description".to_owned());
    }
    if before.confidential != after.confidential {
        told.push(match after.confidential {
            true => format!("made the {name} confidential"),
            false => format!("made the {name} visible to everyone"),
        });
    }
    told
}

/// How labels of issues, or of epics, are stored and told of.
pub struct LabelRows {
    pub present: fn(&mut Tx<'_>, i64) -> Result<Vec<i64>>,
    pub add: fn(&mut Tx<'_>, i64, i64) -> Result<bool>,
    pub remove: fn(&mut Tx<'_>, i64, i64) -> Result<bool>,
    /// Writes down that a label came (`add`) or went (`remove`).
    pub tell: fn(&mut Tx<'_>, i64, By, &'static str, i64) -> Result<()>,
}

impl LabelRows {
    /// Gives something new its labels.
    pub fn begin(&self, tx: &mut Tx<'_>, id: i64, by: By, wears: &Labelling) -> Result<()> {
        let all = wears.label_ids.as_deref().unwrap_or_default();
        let first = [all, &wears.add_label_ids].concat();
        self.change(tx, id, by, &Labelling::also_ids(first))
    }

    /// Adds labels and takes them away; what is to come does not go.
    pub fn change(&self, tx: &mut Tx<'_>, id: i64, by: By, wears: &Labelling) -> Result<()> {
        let mut added = wears.add_label_ids.clone();
        let mut removed = wears.remove_label_ids.clone();
        if let Some(all) = &wears.label_ids {
            let present = (self.present)(tx, id)?;
            removed.extend(present.into_iter().filter(|label| !all.contains(label)));
            added.extend(all);
        }
        removed.retain(|label| !added.contains(label));
        for label in added {
            if (self.add)(tx, id, label)? {
                (self.tell)(tx, id, by, "add", label)?;
            }
        }
        for label in removed {
            if (self.remove)(tx, id, label)? {
                (self.tell)(tx, id, by, "remove", label)?;
            }
        }
        Ok(())
    }
}
