//! Notes.

mod epics;
mod naming;
mod removal;

pub use epics::readable_anywhere;
pub use naming::{
    Naming, is_named, is_told, name_code, name_epic, name_request, naming_what_is_seen,
};
pub use removal::{delete, forget};

use super::pages::{self, KeyType, List, Order, time_key};
use super::searched::NOTES;
use crate::access::concerns;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::graph::{Owned, Window};
use kernel::http::{Paged, Paging};
use kernel::search::index;
use kernel::time::Timestamp;
use serde_json::json;
use spaces::access::{REPORTER, projects_of};
use store::{Fragment, FromRow, Tx, sql};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Noteable {
    /// `Issue`, `Epic`, `AlertManagement::Alert`.
    pub kind: &'static str,
    pub id: i64,
    pub project_id: Option<i64>,
}

pub const ISSUE: &str = "Issue";
/// As notes call merge requests, which a room above has.
pub const MERGE_REQUEST: &str = "MergeRequest";
/// Likewise commits, whose own names are no numbers.
pub const COMMIT: &str = "Commit";

/// Whether threads about things of this kind can be resolved.
pub fn can_be_resolved(kind: &str) -> bool {
    matches!(kind, ISSUE | MERGE_REQUEST)
}

#[derive(Debug, Clone, FromRow)]
pub struct Note {
    pub id: i64,
    pub project_id: Option<i64>,
    pub noteable_type: String,
    pub noteable_id: i64,
    pub discussion_id: String,
    pub in_thread: bool,
    pub body: String,
    pub author_id: Option<i64>,
    pub is_system: bool,
    pub internal: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Since when its thread is resolved.
    pub resolved_at: Option<Timestamp>,
    pub resolved_by_id: Option<i64>,
}

/// The threads that some of these notes stand in, by their ids.
pub fn threads_of(notes: &[Note]) -> Vec<String> {
    let mut ids: Vec<String> = notes
        .iter()
        .filter(|note| note.in_thread)
        .map(|note| note.discussion_id.clone())
        .collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

impl Note {
    pub fn is_edited(&self) -> bool {
        self.updated_at > self.created_at
    }

    /// Who wrote it, and who resolved it.
    pub fn people(&self) -> impl Iterator<Item = i64> + use<> {
        [self.author_id, self.resolved_by_id].into_iter().flatten()
    }

    /// Whether it stands in a thread that can be resolved.
    pub fn is_resolvable(&self) -> bool {
        self.in_thread && !self.is_system && can_be_resolved(&self.noteable_type)
    }

    pub fn is_resolved(&self) -> bool {
        self.is_resolvable() && self.resolved_at.is_some()
    }
}

#[derive(Debug, Clone)]
pub struct NewNote {
    pub noteable: Noteable,
    /// By whom; nobody is the program.
    pub author_id: Option<i64>,
    pub body: String,
    pub discussion_id: String,
    pub in_thread: bool,
    pub is_system: bool,
    pub internal: bool,
    /// An issue that it names, of the same project: only who sees that sees
    /// the note.
    pub names_issue_id: Option<i64>,
    pub created_at: Timestamp,
    /// Since when, and by whom, the thread it joins is resolved.
    pub resolved: (Option<Timestamp>, Option<i64>),
}

pub fn insert(tx: &mut Tx<'_>, note: &NewNote) -> Result<Note> {
    let made: Note = tx.one(
        sql!(
            "insert into notes (project_id, noteable_type, noteable_id, discussion_id, in_thread,
                body, author_id, is_system, internal, created_at, updated_at, names_issue_id,
                resolved_at, resolved_by_id, begins, begins_in_public)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11, $12, $13,
                not exists (select 1 from notes where discussion_id = $4),
                not $9 and not exists
                    (select 1 from notes where discussion_id = $4 and not internal))
             returning *"
        ),
        (
            note.noteable.project_id,
            note.noteable.kind,
            note.noteable.id,
            &note.discussion_id,
            note.in_thread,
            &note.body,
            note.author_id,
            note.is_system,
            note.internal,
            note.created_at,
            note.names_issue_id,
            note.resolved.0,
            note.resolved.1,
        ),
    )?;
    if !note.is_system {
        counted(tx, &made, 1)?;
        index(tx, &NOTES, &[made.id])?;
    }
    Ok(made)
}

/// Rows of one statement. A few sizes, so that few statements are prepared.
const CHUNKS: [usize; 3] = [50, 10, 1];

/// Writes what the program tells, in its order, each in a discussion of its own.
/// Such notes are not counted.
pub fn insert_system(tx: &mut Tx<'_>, notes: &[NewNote]) -> Result<()> {
    let mut rest = notes;
    for size in CHUNKS {
        while rest.len() >= size {
            let (some, others) = rest.split_at(size);
            insert_some(tx, some)?;
            rest = others;
        }
    }
    Ok(())
}

fn insert_some(tx: &mut Tx<'_>, some: &[NewNote]) -> Result<()> {
    let mut query = Fragment::new(
        "insert into notes (project_id, noteable_type, noteable_id, discussion_id, in_thread,
            body, author_id, is_system, internal, created_at, updated_at,
            begins, begins_in_public) values",
    );
    for (at, note) in some.iter().enumerate() {
        let begin = if at == 0 { " (" } else { ", (" };
        query
            .push(begin, note.noteable.project_id)
            .push(", ", note.noteable.kind)
            .push(", ", note.noteable.id)
            .push(", ", note.discussion_id.as_str())
            .push(", ", note.in_thread)
            .push(", ", note.body.as_str())
            .push(", ", note.author_id)
            .push(", ", true)
            .push(", ", note.internal)
            .push(", ", note.created_at)
            .push(", ", note.created_at)
            .push(", ", true)
            .push(", ", !note.internal)
            .raw(")");
    }
    query.raw(" returning id");
    tx.query::<i64>(query)?;
    Ok(())
}

fn counted(tx: &mut Tx<'_>, note: &Note, by: i64) -> Result<()> {
    if note.noteable_type != ISSUE {
        return Ok(());
    }
    let statement = match note.internal {
        true => {
            sql!("update issues set internal_notes_count = internal_notes_count + $2 where id = $1")
        }
        false => sql!("update issues set notes_count = notes_count + $2 where id = $1"),
    };
    tx.execute(statement, (note.noteable_id, by))?;
    Ok(())
}

/// Notes of a condition, oldest first.
pub fn select(tx: &mut Tx<'_>, condition: Fragment) -> Result<Vec<Note>> {
    let mut query = Fragment::new("select notes.* from notes where ");
    query.append(condition).raw(" order by notes.created_at, notes.id");
    Ok(tx.query(query)?)
}

/// The oldest note of a condition.
pub fn first(tx: &mut Tx<'_>, condition: Fragment) -> Result<Option<Note>> {
    let mut query = Fragment::new("select notes.* from notes where ");
    query.append(condition).raw(" order by notes.created_at, notes.id limit 1");
    Ok(tx.query(query)?.into_iter().next())
}

/// The first notes that people wrote about something, which shows to the viewer
/// as to a reporter.
pub fn of_people(
    tx: &mut Tx<'_>, viewer: &Viewer, noteable: Noteable, most: i64,
) -> Result<Vec<Note>> {
    let mut query = Fragment::new("select notes.* from notes where ");
    query
        .append(shown(tx, viewer, noteable, true))
        .raw(" and not notes.is_system order by notes.created_at, notes.id")
        .push(" limit ", most);
    Ok(tx.query(query)?)
}

pub fn by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<Note>> {
    Ok(tx.optional(sql!("select * from notes where id = $1"), (id,))?)
}

pub fn by_ids(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<Note>> {
    Ok(tx.all(sql!("select * from notes where id in_list($1)"), (ids,))?)
}

/// The note that begins a discussion.
pub fn began(tx: &mut Tx<'_>, discussion_id: &str) -> Result<Option<i64>> {
    Ok(tx.optional(
        sql!("select id from notes where discussion_id = $1 and begins"),
        (discussion_id,),
    )?)
}

pub fn rewrite(tx: &mut Tx<'_>, id: i64, body: &str) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!("update notes set body = $2, updated_at = $3 where id = $1"),
        (id, body, now),
    )?;
    Ok(index(tx, &NOTES, &[id])?)
}

pub fn begin_thread(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("update notes set in_thread = true where id = $1"), (id,))?;
    Ok(())
}

/// Condition on `notes`: those about something that show to a viewer who sees
/// it, as a reporter or not.
pub fn shown(tx: &Tx<'_>, viewer: &Viewer, noteable: Noteable, is_reporter: bool) -> Fragment {
    let mut condition = Fragment::new("notes.noteable_type = ");
    condition
        .bind(noteable.kind)
        .push(" and notes.noteable_id = ", noteable.id)
        .raw(" and ")
        .append(showing(tx, viewer, noteable.kind, is_reporter));
    condition
}

/// Condition on `notes` of a discussion about something of this kind: those that
/// show to a viewer who sees it, as a reporter or not. What a note of an epic names
/// may be of another group.
pub fn showing(tx: &Tx<'_>, viewer: &Viewer, kind: &str, is_reporter: bool) -> Fragment {
    let mut condition = match is_reporter {
        true => Fragment::new("1 = 1"),
        false => open(viewer),
    };
    condition.append(naming_what_is_seen(tx, viewer, Some(kind)));
    condition
}

/// Condition on `notes`: those that are not for reporters alone, and name no
/// confidential issue that the viewer does not see.
pub fn open(viewer: &Viewer) -> Fragment {
    let mut condition = Fragment::new(
        "not notes.internal and (notes.names_issue_id is null or exists
            (select 1 from issues where issues.id = notes.names_issue_id
                and (not issues.confidential",
    );
    condition.append(concerns(viewer)).raw(")))");
    condition
}

/// Condition on `notes` joined with `projects`: those that show to somebody who
/// sees what they are about.
pub fn readable(tx: &Tx<'_>, viewer: &Viewer) -> Fragment {
    // Those about epics are in [`readable_anywhere`].
    let mut condition = Fragment::new("notes.noteable_type <> 'Epic' and ");
    match viewer.user_id() {
        _ if viewer.is_admin() => condition.raw("1 = 1"),
        Some(user_id) => condition
            .raw("((")
            .append(open(viewer))
            .raw(") or ")
            .append(projects_of(tx, user_id, REPORTER))
            .raw(")"),
        None => condition.raw("(").append(open(viewer)).raw(")"),
    };
    condition.append(naming_what_is_seen(tx, viewer, None));
    condition
}

pub(crate) const TABLES: &str = "notes left join projects on projects.id = notes.project_id";

/// Those of these ids that show to somebody who sees what they are about;
/// whether the viewer does is not asked.
pub fn readable_by_ids(tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64]) -> Result<Vec<Note>> {
    let mut query = Fragment::new(&format!("select notes.* from {TABLES} where "));
    query.append(readable_anywhere(tx, viewer)).raw(" and").in_list("notes.id", ids);
    Ok(tx.query(query)?)
}

/// A page of notes for each of these things of one kind, which the viewer
/// sees.
pub fn pages_of(
    tx: &mut Tx<'_>, viewer: &Viewer, kind: &str, ids: &[i64], activity: Activity, window: &Window,
) -> Result<Vec<Owned<Note>>> {
    let mut from = Fragment::new(&format!(" from {TABLES} where notes.noteable_type = "));
    from.bind(kind)
        .raw(" and")
        .in_list("notes.noteable_id", ids)
        .raw(" and ")
        .append(readable_anywhere(tx, viewer))
        .raw(activity.condition());
    Ok(tx.query(window.narrow_each("notes.*", "notes.noteable_id", from))?)
}

kernel::choices! {
    pub enum Activity {
        All = "all_notes",
        Comments = "only_comments",
        System = "only_activity",
    }
}

impl Activity {
    /// ` and …` on `notes`.
    pub fn condition(self) -> &'static str {
        match self {
            Activity::All => "",
            Activity::Comments => " and not notes.is_system",
            Activity::System => " and notes.is_system",
        }
    }
}

/// A page of the notes of each of these discussions, by their first notes.
pub fn pages_of_discussions(
    tx: &mut Tx<'_>, viewer: &Viewer, firsts: &[i64], window: &Window,
) -> Result<Vec<Owned<Note>>> {
    let mut from = Fragment::new(&format!(
        " from {TABLES} join notes first on first.discussion_id = notes.discussion_id
             and first.noteable_type = notes.noteable_type
             and first.noteable_id = notes.noteable_id where"
    ));
    from.in_list("first.id", firsts)
        .raw(" and ")
        .append(readable_anywhere(tx, viewer));
    Ok(tx.query(window.narrow_each("notes.*", "first.id", from))?)
}

/// People who wrote about something, apart from the program.
pub fn authors(tx: &mut Tx<'_>, noteable: Noteable, with_internal: bool) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!(
            "select distinct author_id from notes
             where noteable_type = $1 and noteable_id = $2 and (not internal or $3)
                and not is_system and author_id is not null order by author_id limit 1000"
        ),
        (noteable.kind, noteable.id, with_internal),
    )?)
}

/// One page of the discussions that some notes belong to, each with its first note,
/// in the order they began.
pub fn discussions(
    tx: &mut Tx<'_>, shown: Fragment, paging: Paging,
) -> Result<Paged<(String, i64)>> {
    let mut from =
        Fragment::new("(select notes.discussion_id, min(notes.id) as first_id from notes where ");
    from.append(shown).raw(" group by notes.discussion_id) as discussions");
    let list = List {
        select: Fragment::new("select discussion_id, first_id"),
        from,
        condition: Fragment::new("true"),
        order: Order {
            by: "first_id".into(),
            key: Some(KeyType::Int),
            id: "first_id",
            descending: false,
        },
    };
    pages::page(tx, list, paging, |(_, first): &(String, i64)| (json!(first), *first))
}

kernel::choices! {
    pub enum NoteOrder { CreatedAt = "created_at", UpdatedAt = "updated_at" }
}

/// One page of the notes of a condition.
pub fn list(
    tx: &mut Tx<'_>, mut condition: Fragment, activity: Activity,
    (by, descending): (NoteOrder, bool), paging: Paging,
) -> Result<Paged<Note>> {
    condition.raw(activity.condition());
    let list = List {
        select: Fragment::new("select notes.*"),
        from: Fragment::new("notes"),
        condition,
        order: Order {
            by: format!("notes.{by}"),
            key: Some(KeyType::Time),
            id: "notes.id",
            descending,
        },
    };
    pages::page(tx, list, paging, |note: &Note| {
        let at = match by {
            NoteOrder::CreatedAt => note.created_at,
            NoteOrder::UpdatedAt => note.updated_at,
        };
        (time_key(at), note.id)
    })
}
