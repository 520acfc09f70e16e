//! Labels and milestones that a project or group can use.

use super::{MOST, Suggestion, beginnings_first};
use crate::access::Parent;
use crate::model::MilestoneState;
use crate::store::contains;
use crate::store::places::in_place;
use kernel::error::Result;
use kernel::time::Date;
use store::{Fragment, Tx};

/// Those that are offered still, by title.
pub fn labels(tx: &mut Tx<'_>, parent: &Parent, typed: &str) -> Result<Vec<Suggestion>> {
    let mut query =
        Fragment::new("select labels.title, labels.color, labels.description from labels where ");
    query.append(in_place("labels", parent, true)).raw(" and not labels.archived");
    contains(&mut query, &["labels.title_folded"], typed);
    query.raw(" order by ");
    beginnings_first(&mut query, &["labels.title_folded"], typed);
    query.push("labels.title_folded, labels.id limit ", MOST);
    let found = tx.query::<(String, String, Option<String>)>(query)?;
    let label = |(title, color, text): (String, String, Option<String>)| Suggestion {
        value: title.clone(),
        label: title,
        detail: text.unwrap_or_default().chars().take(100).collect(),
        color: Some(color),
        letters: None,
    };
    Ok(found.into_iter().map(label).collect())
}

/// Open ones first, and of these what is due first.
pub fn milestones(tx: &mut Tx<'_>, parent: &Parent, typed: &str) -> Result<Vec<Suggestion>> {
    let mut query = Fragment::new(
        "select milestones.title, milestones.state, milestones.due_on from milestones where ",
    );
    query.append(in_place("milestones", parent, true));
    contains(&mut query, &["milestones.title_folded"], typed);
    query.raw(" order by milestones.state, ");
    beginnings_first(&mut query, &["milestones.title_folded"], typed);
    query
        .raw("milestones.due_on nulls last, milestones.title_folded, milestones.id")
        .push(" limit ", MOST);
    let found = tx.query::<(String, MilestoneState, Option<Date>)>(query)?;
    let milestone = |(title, state, due): (String, MilestoneState, Option<Date>)| Suggestion {
        value: title.clone(),
        label: title,
        detail: match (state, due) {
            (MilestoneState::Closed, _) => "closed".to_owned(),
            (MilestoneState::Active, Some(day)) => format!("due {day}"),
            (MilestoneState::Active, None) => String::new(),
        },
        ..Suggestion::default()
    };
    Ok(found.into_iter().map(milestone).collect())
}
