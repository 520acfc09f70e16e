//! SQL of what comes whole and goes whole; the rest is that of the room.

use crate::model::{EventKind, Issue, LinkType, Milestone};
use crate::store::issues::TABLES as ISSUE_TABLES;
use crate::store::milestones::TABLES as MILESTONE_TABLES;
use crate::store::notes::Note;
use crate::store::searched::MILESTONES;
use kernel::error::Result;
use kernel::ids::fold;
use kernel::search::index;
use kernel::time::Timestamp;
use store::{Fragment, FromRow, Tx, sql};

/// Adds a milestone of a project with its number and times; its id, unless the number or the
/// title is taken.
pub fn insert_milestone(tx: &mut Tx<'_>, milestone: &Milestone) -> Result<Option<i64>> {
    let id: Option<i64> = tx.optional(
        sql!(
            "insert into milestones (project_id, iid, title, title_folded, description,
                description_folded, state, start_on, due_on, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
             on conflict do nothing returning id"
        ),
        (
            milestone.project_id,
            milestone.iid,
            &milestone.title,
            fold(&milestone.title),
            &milestone.description,
            fold(milestone.text()),
            milestone.state,
            milestone.start_on,
            milestone.due_on,
            milestone.created_at,
            milestone.updated_at,
        ),
    )?;
    index(tx, &MILESTONES, id.as_slice())?;
    Ok(id)
}

/// Sets when a milestone was changed last.
pub fn milestone_changed(tx: &mut Tx<'_>, id: i64, at: Timestamp) -> Result<()> {
    tx.execute(sql!("update milestones set updated_at = $2 where id = $1"), (id, at))?;
    Ok(())
}

/// Sets the time that an issue is estimated to take, and that was spent on it, in seconds.
pub fn set_times(tx: &mut Tx<'_>, id: i64, estimate: i64, spent: i64) -> Result<()> {
    tx.execute(
        sql!("update issues set time_estimate = $2, time_spent = $3 where id = $1"),
        (id, estimate, spent),
    )?;
    Ok(())
}

/// Sets when a note was changed last.
pub fn note_changed(tx: &mut Tx<'_>, id: i64, at: Timestamp) -> Result<()> {
    tx.execute(sql!("update notes set updated_at = $2 where id = $1"), (id, at))?;
    Ok(())
}

/// A label, and the id it is found by.
#[derive(Debug, Clone, FromRow)]
pub struct LabelRow {
    pub id: i64,
    pub title: String,
    pub color: String,
    pub description: Option<String>,
    pub priority: Option<i64>,
}

/// Labels of a project, and those of groups that are on its issues, after this id.
pub fn labels(tx: &mut Tx<'_>, project_id: i64, after: i64, limit: i64) -> Result<Vec<LabelRow>> {
    Ok(tx.all(
        sql!(
            "select labels.id, labels.title, labels.color, labels.description, ranked.priority
             from labels left join label_priorities ranked on ranked.label_id = labels.id
                and ranked.project_id = $1
             where labels.id > $2 and (labels.project_id = $1 or labels.id in
                (select worn.label_id from issue_labels worn
                 join issues on issues.id = worn.issue_id where issues.project_id = $1))
             order by labels.id limit $3"
        ),
        (project_id, after, limit),
    )?)
}

/// Milestones of a project itself after this number, by number.
pub fn milestones(
    tx: &mut Tx<'_>, project_id: i64, after: i64, limit: i64,
) -> Result<Vec<Milestone>> {
    let mut query =
        Fragment::new(store::concat!("select ", Milestone::COLUMNS, " from ", MILESTONE_TABLES));
    query
        .push(" where milestones.project_id = ", project_id)
        .push(" and milestones.iid > ", after)
        .push(" order by milestones.iid limit ", limit);
    Ok(tx.query(query)?)
}

/// Issues of a project after this number, by number.
pub fn issues(tx: &mut Tx<'_>, project_id: i64, after: i64, limit: i64) -> Result<Vec<Issue>> {
    let mut query =
        Fragment::new(store::concat!("select ", Issue::COLUMNS, " from ", ISSUE_TABLES));
    query
        .push(" where issues.project_id = ", project_id)
        .push(" and issues.iid > ", after)
        .push(" order by issues.iid limit ", limit);
    Ok(tx.query(query)?)
}

/// Who reacted to a thing, and how.
#[derive(Debug, Clone, FromRow)]
pub struct ReactionRow {
    pub awardable_id: i64,
    pub user_id: i64,
    pub name: String,
    pub created_at: Timestamp,
}

/// The reactions to things of a kind, in the order they came.
pub fn reactions(tx: &mut Tx<'_>, kind: &str, ids: &[i64]) -> Result<Vec<ReactionRow>> {
    Ok(tx.all(
        sql!(
            "select awardable_id, user_id, name, created_at from award_emoji
             where awardable_type = $1 and awardable_id in_list($2) order by id"
        ),
        (kind, ids),
    )?)
}

/// A link between two issues of a project, by their numbers.
#[derive(Debug, Clone, FromRow)]
pub struct LinkRow {
    pub source: i64,
    pub target: i64,
    pub link_type: LinkType,
}

/// The links of some issues to others of their project.
pub fn links(tx: &mut Tx<'_>, issues: &[i64]) -> Result<Vec<LinkRow>> {
    Ok(tx.all(
        sql!(
            "select source.iid as source, target.iid as target, l.link_type
             from issue_links l join issues source on source.id = l.source_id
             join issues target on target.id = l.target_id
             where source.project_id = target.project_id
                and (l.source_id in_list($1) or l.target_id in_list($1))
             order by l.id"
        ),
        (issues,),
    )?)
}

/// Notes about things of a kind, after this id, in the order they were written down.
pub fn notes(
    tx: &mut Tx<'_>, kind: &str, ids: &[i64], after: i64, limit: i64,
) -> Result<Vec<Note>> {
    Ok(tx.all(
        sql!(
            "select * from notes
             where noteable_type = $1 and noteable_id in_list($2) and id > $3
             order by id limit $4"
        ),
        (kind, ids, after, limit),
    )?)
}

/// What became of an issue, with the titles of what it is about.
#[derive(Debug, Clone, FromRow)]
pub struct EventRow {
    pub id: i64,
    pub issue_id: i64,
    pub user_id: Option<i64>,
    pub kind: EventKind,
    pub action: String,
    pub label: Option<String>,
    pub milestone: Option<String>,
    pub weight: Option<i64>,
    pub created_at: Timestamp,
}

/// What became of some issues, after this id.
pub fn events(tx: &mut Tx<'_>, issues: &[i64], after: i64, limit: i64) -> Result<Vec<EventRow>> {
    Ok(tx.all(
        sql!(
            "select e.id, e.issue_id, e.user_id, e.kind, e.action, labels.title as label,
                milestones.title as milestone, e.weight, e.created_at
             from issue_events e left join labels on labels.id = e.label_id
             left join milestones on milestones.id = e.milestone_id
             where e.issue_id in_list($1) and e.id > $2
                and (e.kind not in ('label', 'milestone') or labels.id is not null
                    or milestones.id is not null)
             order by e.id limit $3"
        ),
        (issues, after, limit),
    )?)
}
