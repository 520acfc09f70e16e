//! `snippets`.

use crate::model::Snippet;
use kernel::error::Result;
use kernel::graph::{Owned, Window};
use kernel::http::{Paged, Paging};
use kernel::search::{Source, index};
use kernel::time::Timestamp;
use planning::store::notes;
use planning::store::pages::{self, KeyType, List, Order};
use serde_json::json;
use store::{Fragment, Json, Tx, sql};

/// The tables of [`Snippet`].
pub const TABLES: &str = "snippets left join projects on projects.id = snippets.project_id";
const SELECT: &str = store::concat!("select ", Snippet::COLUMNS, " from ", TABLES, " ");
/// Seconds after which one whose files never came is forgotten.
const UNWRITTEN: i64 = 3600;

/// Snippets as they are found: by titles, descriptions and the names of files.
pub static SNIPPETS: Source = Source {
    index: "search_snippets",
    id: "snippets.id",
    select: "select snippets.id, snippets.project_id, cast(null as bigint) as number,
            snippets.title as name,
            coalesce(snippets.description, '') || ' ' || cast(snippets.files as text) as body
        from snippets where ",
    hit: "snippets.id, cast(null as bigint) as number, snippets.title,
        substr(snippets.description, 1, 5000) as body,
        coalesce(projects.full_path, '') as place,
        cast(null as text) as word, snippets.updated_at as at",
};

pub fn by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<Snippet>> {
    Ok(tx.optional(sql!(SELECT, "where snippets.id = $1"), (id,))?)
}

/// Those of these ids that meet a condition on [`TABLES`].
pub fn by_ids(tx: &mut Tx<'_>, ids: &[i64], condition: Fragment) -> Result<Vec<Snippet>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut query = Fragment::new(SELECT);
    query.raw("where").in_list("snippets.id", ids).raw(" and ").append(condition);
    Ok(tx.query(query)?)
}

/// A snippet to be.
#[derive(Debug, Clone)]
pub struct NewSnippet {
    pub project_id: Option<i64>,
    pub author_id: i64,
    pub title: String,
    pub description: Option<String>,
    pub visibility: i64,
    pub user_agent: String,
    pub ip_address: String,
}

/// Adds a snippet whose files are still to come; its id. Those of its author whose files
/// never came go.
pub fn insert(tx: &mut Tx<'_>, new: &NewSnippet) -> Result<i64> {
    let now = tx.now();
    let before = now - jiff::SignedDuration::from_secs(UNWRITTEN);
    tx.execute(
        sql!("delete from snippets where author_id = $1 and not is_written and created_at < $2"),
        (new.author_id, before),
    )?;
    Ok(tx.one(
        sql!(
            "insert into snippets (project_id, author_id, title, description, visibility, files,
                is_written, user_agent, ip_address, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, false, $7, $8, $9, $9) returning id"
        ),
        (
            new.project_id,
            new.author_id,
            &new.title,
            &new.description,
            new.visibility,
            Json(Vec::<String>::new()),
            &new.user_agent,
            &new.ip_address,
            now,
        ),
    )?)
}

/// Notes which files it has now.
pub fn set_files(tx: &mut Tx<'_>, id: i64, files: &[String]) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!("update snippets set files = $2, is_written = true, updated_at = $3 where id = $1"),
        (id, Json(files.to_vec()), now),
    )?;
    Ok(index(tx, &SNIPPETS, &[id])?)
}

pub fn update(tx: &mut Tx<'_>, snippet: &Snippet) -> Result<()> {
    let updated_at = tx.now();
    let snippet = Snippet { updated_at, ..snippet.clone() };
    let id = snippet.id;
    tx.execute(sql!(Snippet::UPDATE), snippet.values())?;
    Ok(index(tx, &SNIPPETS, &[id])?)
}

/// Notes that something was said about it.
pub fn touch(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let now = tx.now();
    tx.execute(sql!("update snippets set updated_at = $2 where id = $1"), (id, now))?;
    Ok(())
}

pub fn mark_as_spam(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let now = tx.now();
    tx.execute(sql!("update snippets set marked_as_spam_at = $2 where id = $1"), (id, now))?;
    Ok(())
}

/// Which of a list.
#[derive(Debug, Clone, Default)]
pub struct Between {
    pub created_after: Option<Timestamp>,
    pub created_before: Option<Timestamp>,
}

/// One page of those that meet a condition on [`TABLES`], the newest first.
pub fn list(
    tx: &mut Tx<'_>, mut condition: Fragment, between: &Between, paging: Paging,
) -> Result<Paged<Snippet>> {
    if let Some(at) = between.created_after {
        condition.push(" and snippets.created_at >= ", at);
    }
    if let Some(at) = between.created_before {
        condition.push(" and snippets.created_at <= ", at);
    }
    let list = List {
        select: Fragment::new(store::concat!("select ", Snippet::COLUMNS)),
        from: Fragment::new(TABLES),
        condition,
        order: Order {
            by: "snippets.id".into(),
            key: Some(KeyType::Int),
            id: "snippets.id",
            descending: true,
        },
    };
    pages::page(tx, list, paging, |snippet: &Snippet| (json!(snippet.id), snippet.id))
}

/// A page for each of some projects, or of some authors, of those that meet a condition.
pub fn pages_of(
    tx: &mut Tx<'_>, (owner, ids): (&'static str, &[i64]), condition: Fragment, window: &Window,
) -> Result<Vec<Owned<Snippet>>> {
    let mut from = Fragment::new(&format!(" from {TABLES} where"));
    from.in_list(owner, ids).raw(" and ").append(condition);
    Ok(tx.query(window.narrow_each(Snippet::COLUMNS, owner, from))?)
}

/// Rows of a condition in the order of a window.
pub fn page_of(tx: &mut Tx<'_>, condition: Fragment, window: &Window) -> Result<Vec<Snippet>> {
    let mut query = Fragment::new(SELECT);
    query.raw("where ").append(condition);
    window.narrow(&mut query);
    Ok(tx.query(query)?)
}

/// Those of a project after this one whose files are there, by id.
pub fn after(tx: &mut Tx<'_>, project_id: i64, after: i64, limit: i64) -> Result<Vec<Snippet>> {
    Ok(tx.all(
        sql!(
            SELECT,
            "where snippets.project_id = $1 and snippets.id > $2 and snippets.is_written
             order by snippets.id limit $3"
        ),
        (project_id, after, limit),
    )?)
}

/// Says when one was made and changed that comes from elsewhere.
pub fn set_times(
    tx: &mut Tx<'_>, id: i64, created_at: Timestamp, updated_at: Timestamp,
) -> Result<()> {
    tx.execute(
        sql!("update snippets set created_at = $2, updated_at = $3 where id = $1"),
        (id, created_at, updated_at),
    )?;
    Ok(())
}

/// How many a project has.
pub fn count_in(tx: &mut Tx<'_>, project_id: i64) -> Result<i64> {
    Ok(tx.one(sql!("select count(*) from snippets where project_id = $1"), (project_id,))?)
}

/// Some of a project, at most so many.
pub fn ids_in(tx: &mut Tx<'_>, project_id: i64, limit: i64) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!("select id from snippets where project_id = $1 order by id limit $2"),
        (project_id, limit),
    )?)
}

/// Some of a person's own, at most so many.
pub fn ids_of_person(tx: &mut Tx<'_>, user_id: i64, limit: i64) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!(
            "select id from snippets where author_id = $1 and project_id is null
             order by id limit $2"
        ),
        (user_id, limit),
    )?)
}

/// Removes some with all that names them. Their bytes are taken away by the sweeps.
pub fn remove(tx: &mut Tx<'_>, ids: &[i64]) -> Result<()> {
    for statement in [
        sql!(
            "delete from activity_events where target_type = 'SnippetNote' and target_id in
                (select id from notes where noteable_type = 'Snippet' and noteable_id in_list($1))"
        ),
        sql!("delete from activity_events where target_type = 'Snippet' and target_id in_list($1)"),
    ] {
        tx.execute(statement, (ids,))?;
    }
    notes::forget(tx, "Snippet", ids)?;
    tx.execute(sql!("delete from snippets where id in_list($1)"), (ids,))?;
    Ok(())
}

/// Gives those in projects of a leaving user to another, at most so many; how many.
pub fn hand_over(tx: &mut Tx<'_>, from: i64, to: Option<i64>, limit: i64) -> Result<i64> {
    let changed = tx.execute(
        sql!(
            "update snippets set author_id = $2 where id in
                (select id from snippets where author_id = $1 and project_id is not null limit $3)"
        ),
        (from, to, limit),
    )?;
    Ok(i64::try_from(changed).unwrap_or(i64::MAX))
}
