//! Milestones.

use super::internal_ids::{self, Usage};
use super::pages::{self, List, Order};
use super::places::{self, Places, in_place};
use super::searched::MILESTONES;
use crate::access::{Parent, Scope, visible};
use crate::model::{Milestone, MilestoneState};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::graph::{Owned, Window};
use kernel::http::{Paged, Paging};
use kernel::ids::fold;
use kernel::search::index;
use kernel::time::{Date, Timestamp};
use serde_json::json;
use std::collections::HashMap;
use store::{Fragment, Tx, sql};

pub const TABLES: &str = "milestones left join projects on projects.id = milestones.project_id
    left join namespaces on namespaces.id = milestones.group_id";

const SELECT: &str = store::concat!("select ", Milestone::COLUMNS);

kernel::params! {
    #[derive(Default)]
    pub struct MilestoneFilter {
        /// Only of these numbers.
        pub iids: Option<Vec<i64>>,
        pub ids: Option<Vec<i64>> = None,
        /// Only in this state.
        pub state: Option<MilestoneState>,
        /// Only with this title.
        pub title: Option<String>,
        /// In the title or description.
        pub search: Option<String>,
        /// Also those of the groups above.
        pub include_parent_milestones: Option<bool>,
        /// The same by its newer name.
        pub include_ancestors: Option<bool>,
        /// Only unchanged since.
        pub updated_before: Option<Timestamp>,
        /// Only changed since.
        pub updated_after: Option<Timestamp>,
    }
}

impl MilestoneFilter {
    /// The milestones of a place that pass.
    fn of(&self, parent: &Parent) -> Fragment {
        let above = self.include_parent_milestones.or(self.include_ancestors);
        let mut condition = in_place("milestones", parent, above.unwrap_or(false));
        self.narrow(&mut condition);
        condition
    }

    fn narrow(&self, condition: &mut Fragment) {
        if let Some(iids) = &self.iids {
            condition.raw(" and").in_list("milestones.iid", iids);
        }
        if let Some(ids) = &self.ids {
            condition.raw(" and").in_list("milestones.id", ids);
        }
        if let Some(state) = self.state {
            condition.push(" and milestones.state = ", state);
        }
        if let Some(title) = &self.title {
            condition.push(" and milestones.title = ", title);
        }
        if let Some(search) = self.search.as_deref().filter(|text| !text.is_empty()) {
            let columns = ["milestones.title_folded", "milestones.description_folded"];
            super::contains(condition, &columns, search);
        }
        for (test, at) in [
            (" and milestones.updated_at <= ", self.updated_before),
            (" and milestones.updated_at >= ", self.updated_after),
        ] {
            if let Some(at) = at {
                condition.push(test, at);
            }
        }
    }
}

/// Begins a statement that reads milestones; ends with its `where`.
fn selected() -> Fragment {
    Fragment::new(store::concat!(SELECT, " from ", TABLES, " where "))
}

/// One page of a place's milestones: those due first, then those without a
/// day.
pub fn list(
    tx: &mut Tx<'_>, parent: &Parent, filter: &MilestoneFilter, paging: Paging,
) -> Result<Paged<Milestone>> {
    let (by, key) = match paging.is_keyset() {
        true => ("milestones.id", Some(pages::KeyType::Int)),
        false => ("milestones.due_on", None),
    };
    let list = List {
        select: Fragment::new(SELECT),
        from: Fragment::new(TABLES),
        condition: filter.of(parent),
        order: Order { by: by.into(), key, id: "milestones.id", descending: false },
    };
    pages::page(tx, list, paging, |milestone: &Milestone| (json!(milestone.id), milestone.id))
}

/// How many milestones of a place pass, counted no further than lists tell.
pub fn count(tx: &mut Tx<'_>, parent: &Parent, filter: &MilestoneFilter) -> Result<i64> {
    pages::count(tx, &Fragment::new(TABLES), &filter.of(parent))
}

/// Milestones that a place has itself and that are due between two days.
pub fn due_between(
    tx: &mut Tx<'_>, parent: &Parent, (first, last): (Date, Date), most: i64,
) -> Result<Vec<Milestone>> {
    let mut query = selected();
    query
        .append(in_place("milestones", parent, false))
        .push(" and milestones.due_on >= ", first)
        .push(" and milestones.due_on <= ", last)
        .push(" order by milestones.due_on, milestones.id limit ", most);
    Ok(tx.query(query)?)
}

/// The open milestones that issues of a place may have, and the one that an
/// issue has.
pub fn usable(
    tx: &mut Tx<'_>, parent: &Parent, held: Option<i64>, most: i64,
) -> Result<Vec<Milestone>> {
    let mut query = selected();
    query
        .raw("(")
        .append(in_place("milestones", parent, true))
        .push(" and (milestones.state = 'active' or milestones.id = ", held.unwrap_or(0))
        .raw(")) order by milestones.title_folded, milestones.id")
        .push(" limit ", most);
    Ok(tx.query(query)?)
}

/// The milestone of this number in this very place.
pub fn find_by_iid(tx: &mut Tx<'_>, parent: &Parent, iid: i64) -> Result<Option<Milestone>> {
    let mut query = selected();
    query
        .push("milestones.iid = ", iid)
        .raw(" and ")
        .append(in_place("milestones", parent, false));
    Ok(tx.query(query)?.into_iter().next())
}

/// A page for each place of the milestones it has, with those of the groups
/// `above` if they are told.
pub fn pages_of(
    tx: &mut Tx<'_>, (places, above): (&Places, Option<&[i64]>), filter: &MilestoneFilter,
    window: &Window,
) -> Result<Vec<Owned<Milestone>>> {
    let mut from = Fragment::new(&format!(" from {TABLES} join "));
    from.append(places.using("milestones", above))
        .raw(" used on used.used_id = milestones.id where 1 = 1");
    filter.narrow(&mut from);
    Ok(tx.query(window.narrow_each(Milestone::COLUMNS, "used.place_id", from))?)
}

/// Those of these ids that are of places the viewer may see.
pub fn visible_by_ids(tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64]) -> Result<Vec<Milestone>> {
    let mut query = selected();
    query
        .append(places::visible(tx, viewer, "milestones"))
        .raw(" and")
        .in_list("milestones.id", ids);
    Ok(tx.query(query)?)
}

/// A milestone of a place, or of the groups above it.
pub fn find(
    tx: &mut Tx<'_>, parent: &Parent, id: i64, with_groups_above: bool,
) -> Result<Option<Milestone>> {
    let mut query = selected();
    query.push("milestones.id = ", id).raw(" and ").append(in_place(
        "milestones",
        parent,
        with_groups_above,
    ));
    Ok(tx.query(query)?.into_iter().next())
}

/// A usable milestone of this title.
pub fn find_by_title(tx: &mut Tx<'_>, parent: &Parent, title: &str) -> Result<Option<Milestone>> {
    let mut query = selected();
    query
        .push("milestones.title = ", title)
        .raw(" and ")
        .append(in_place("milestones", parent, true))
        .raw(" order by milestones.project_id nulls last, milestones.id limit 1");
    Ok(tx.query(query)?.into_iter().next())
}

/// The milestones of these titles that a place can use, and those of its own
/// with these numbers; its own first.
pub fn named(
    tx: &mut Tx<'_>, parent: &Parent, titles: &[String], iids: &[i64],
) -> Result<Vec<Milestone>> {
    let mut query = selected();
    query
        .raw("((")
        .append(in_place("milestones", parent, true))
        .raw(" and")
        .in_list("milestones.title", titles)
        .raw(") or (")
        .append(in_place("milestones", parent, false))
        .raw(" and")
        .in_list("milestones.iid", iids)
        .raw(")) order by milestones.project_id nulls last, milestones.id");
    Ok(tx.query(query)?)
}

/// Milestones by id, unjudged.
pub fn by_ids(tx: &mut Tx<'_>, ids: &[i64]) -> Result<HashMap<i64, Milestone>> {
    let mut query = selected();
    query.in_list("milestones.id", ids);
    let found: Vec<Milestone> = tx.query(query)?;
    Ok(found.into_iter().map(|one| (one.id, one)).collect())
}

/// Whether another milestone of the place or the groups above has this title.
pub fn is_taken(tx: &mut Tx<'_>, parent: &Parent, title: &str, but: i64) -> Result<bool> {
    let found = find_by_title(tx, parent, title)?;
    Ok(found.is_some_and(|found| found.id != but))
}

/// Adds a milestone; its id, unless the title was taken meanwhile.
pub fn insert(tx: &mut Tx<'_>, parent: &Parent, milestone: &Milestone) -> Result<Option<i64>> {
    let now = tx.now();
    let (usage, source) = match parent {
        Parent::Project(project) => (Usage::ProjectMilestones, project.id),
        Parent::Group(group) => (Usage::GroupMilestones, group.id),
    };
    let iid = internal_ids::next(tx, usage, source)?;
    let id: Option<i64> = tx.optional(
        sql!(
            "insert into milestones (project_id, group_id, iid, title, title_folded, description,
                description_folded, state, start_on, due_on, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)
             on conflict do nothing returning id"
        ),
        (
            parent.project_id(),
            parent.group_id(),
            iid,
            &milestone.title,
            fold(&milestone.title),
            &milestone.description,
            fold(milestone.text()),
            milestone.state,
            milestone.start_on,
            milestone.due_on,
            now,
        ),
    )?;
    index(tx, &MILESTONES, id.as_slice())?;
    Ok(id)
}

pub fn update(tx: &mut Tx<'_>, milestone: &Milestone) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "update milestones set title = $2, title_folded = $3, description = $4,
                description_folded = $5, state = $6, start_on = $7, due_on = $8, updated_at = $9
             where id = $1"
        ),
        (
            milestone.id,
            &milestone.title,
            fold(&milestone.title),
            &milestone.description,
            fold(milestone.text()),
            milestone.state,
            milestone.start_on,
            milestone.due_on,
            now,
        ),
    )?;
    Ok(index(tx, &MILESTONES, &[milestone.id])?)
}

/// Removes a milestone; issues lose it.
pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("delete from milestones where id = $1"), (id,))?;
    Ok(())
}

/// The milestones of this title in projects below a group.
pub fn of_title_below(tx: &mut Tx<'_>, lineage: &str, title: &str) -> Result<Vec<i64>> {
    places::of_title_below(tx, "milestones", lineage, title)
}

/// Puts a milestone in the place of these, which are removed.
pub fn replace(tx: &mut Tx<'_>, old: Vec<i64>, by: i64) -> Result<()> {
    for statement in [
        sql!("update issues set milestone_id = $2 where milestone_id in_list($1)"),
        sql!("update issue_events set milestone_id = $2 where milestone_id in_list($1)"),
    ] {
        tx.execute(statement, (&old, by))?;
    }
    tx.execute(sql!("delete from milestones where id in_list($1)"), (old,))?;
    Ok(())
}

/// Open and closed issues by milestone, of those the viewer sees in a scope.
pub fn issue_counts(
    tx: &mut Tx<'_>, viewer: &Viewer, scope: &Scope, milestones: &[i64],
) -> Result<HashMap<i64, (i64, i64)>> {
    let mut query = Fragment::new(
        "select issues.milestone_id, count(*) filter (where issues.state = 'opened'),
            count(*) filter (where issues.state = 'closed')
         from issues join projects on projects.id = issues.project_id where",
    );
    query
        .in_list("issues.milestone_id", milestones)
        .raw(" and ")
        .append(visible(tx, viewer, scope))
        .raw(" group by issues.milestone_id");
    let rows: Vec<(i64, i64, i64)> = tx.query(query)?;
    Ok(rows.into_iter().map(|(id, open, closed)| (id, (open, closed))).collect())
}
