//! `repository_storage_moves`, and what of `repositories` has to do with it.

pub mod packs;

use super::model::{Container, Kind, State, StorageMove};
use crate::model::{Holder, Repository, RepositoryKind};
use crate::store;
use ::store::{Fragment, Tx, sql};
use jiff::Timestamp;
use kernel::error::Result;
use kernel::http::Paging;
use spaces::model::Namespace;

const SELECT: &str =
    ::store::concat!("select ", StorageMove::COLUMNS, " from repository_storage_moves ");
/// There is something left to do by itself; the indexes that keep a second one of a container
/// out name the same states.
const OPEN: &str = "state in ('initial', 'scheduled', 'started', 'replicated')";

/// Adds a move that waits for its turn, unless there is an open one of the same container;
/// its id.
pub fn insert(
    tx: &mut Tx<'_>, container: Container, source: &str, destination: &str,
) -> Result<Option<i64>> {
    let (now, id) = (tx.now(), container.id());
    let of = |kind| (container.kind() == kind).then_some(id);
    Ok(tx.optional(
        sql!(
            "insert into repository_storage_moves (kind, project_id, group_id, snippet_id, state,
                source, destination, is_dispatched, bytes_done, bytes_total, created_at,
                updated_at)
             values ($1, $2, $3, $4, 'scheduled', $5, $6, false, 0, 0, $7, $7)
             on conflict do nothing returning id"
        ),
        (
            container.kind(),
            of(Kind::Project),
            of(Kind::Group),
            of(Kind::Snippet),
            source,
            destination,
            now,
        ),
    )?)
}

/// The ids of containers of a kind that have a repository in a storage.
fn on(kind: Kind, storage: &str) -> Fragment {
    let mut ids = Fragment::new(match kind {
        Kind::Project => {
            "select distinct p.id from projects p join repositories r on r.project_id = p.id
             where p.deletion_scheduled_at is null and r.snippet_id is null"
        }
        Kind::Group => {
            "select distinct n.id from namespaces n join repositories r on r.group_id = n.id
             where n.deletion_scheduled_at is null and r.snippet_id is null"
        }
        Kind::Snippet => {
            "select r.snippet_id as id from repositories r where r.snippet_id is not null"
        }
    });
    ids.push(" and r.storage = ", storage);
    ids
}

/// How many containers of a kind have a repository in a storage.
pub fn count_on(tx: &mut Tx<'_>, kind: Kind, storage: &str) -> Result<i64> {
    let mut counted = Fragment::new("select count(*) from (");
    counted.append(on(kind, storage)).raw(") found");
    Ok(tx.query::<i64>(counted)?.into_iter().next().unwrap_or(0))
}

/// Adds a move for each container of a kind that has a repository in a storage and no open
/// move; how many.
pub fn insert_all(tx: &mut Tx<'_>, kind: Kind, source: &str, destination: &str) -> Result<u64> {
    let (now, column) = (tx.now(), column(kind));
    let mut insert = Fragment::new("insert into repository_storage_moves (");
    insert
        .raw(column)
        .raw(
            ", kind, state, source, destination, is_dispatched, bytes_done, bytes_total,
                created_at, updated_at)",
        )
        .push(" select found.id, ", kind)
        .push(", 'scheduled', ", source)
        .push(", ", destination)
        .push(", false, 0, 0, ", now)
        .push(", ", now)
        .raw(" from (")
        .append(on(kind, source))
        .raw(") found where not exists (select 1 from repository_storage_moves m where m.")
        .raw(column)
        .raw(" = found.id and m.")
        .raw(OPEN)
        .raw(") order by found.id on conflict do nothing");
    Ok(tx.change_by(insert)?)
}

/// The column that names a container of this kind.
fn column(kind: Kind) -> &'static str {
    match kind {
        Kind::Project => "project_id",
        Kind::Group => "group_id",
        Kind::Snippet => "snippet_id",
    }
}

pub fn find(tx: &mut Tx<'_>, id: i64) -> Result<Option<StorageMove>> {
    Ok(tx.optional(sql!(SELECT, "where id = $1"), (id,))?)
}

/// Writes what changed of a move.
pub fn write(tx: &mut Tx<'_>, row: &StorageMove) -> Result<()> {
    let row = StorageMove { updated_at: tx.now(), ..row.clone() };
    tx.run(sql!(StorageMove::UPDATE), row.values())
}

/// Which moves of a list.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    pub kind: Option<Kind>,
    pub container: Option<Container>,
    pub states: Vec<State>,
}

impl Filter {
    pub fn of_kind(kind: Kind) -> Filter {
        Filter { kind: Some(kind), ..Filter::default() }
    }

    pub fn of(container: Container) -> Filter {
        Filter { container: Some(container), ..Filter::default() }
    }

    fn condition(&self) -> Fragment {
        let mut condition = Fragment::new("id > 0");
        if let Some(kind) = self.kind {
            condition.push(" and kind = ", kind);
        }
        if let Some(container) = self.container {
            let column = column(container.kind());
            condition.raw(" and ").raw(column).push(" = ", container.id());
        }
        if !self.states.is_empty() {
            let states: Vec<String> = self.states.iter().map(State::to_string).collect();
            condition.raw(" and ").in_list("state", states);
        }
        condition
    }
}

/// A page of moves, the newest first, and how many there are.
pub fn page(tx: &mut Tx<'_>, filter: &Filter, paging: &Paging) -> Result<(Vec<StorageMove>, i64)> {
    let total = spaces::store::count(tx, "repository_storage_moves", &filter.condition())?;
    let mut list = Fragment::new(SELECT);
    list.raw("where ")
        .append(filter.condition())
        .push(" order by id desc limit ", paging.fetch())
        .push(" offset ", paging.offset());
    Ok((tx.query(list)?, total))
}

/// Whether an open move of a container is there.
pub fn is_open(tx: &mut Tx<'_>, container: Container) -> Result<bool> {
    let mut asked = Fragment::new("select id from repository_storage_moves where ");
    asked.append(Filter::of(container).condition()).raw(" and ").raw(OPEN);
    Ok(!tx.query::<i64>(asked)?.is_empty())
}

/// Whether there is one of a group, or of anything that stands in it.
pub fn is_open_below(tx: &mut Tx<'_>, group: &Namespace) -> Result<bool> {
    let found: Option<i64> = tx.optional(
        sql!(
            "select m.id from repository_storage_moves m
             left join snippets s on s.id = m.snippet_id
             left join projects p on p.id = coalesce(m.project_id, s.project_id)
             join namespaces n on n.id = coalesce(m.group_id, p.namespace_id)
             where m.",
            OPEN,
            " and n.lineage >= $1 and n.lineage < $2 limit 1"
        ),
        (group.lineage.as_str(), group.lineage_end()),
    )?;
    Ok(found.is_some())
}

/// How many moves have a job now.
pub fn under_way(tx: &mut Tx<'_>) -> Result<i64> {
    Ok(tx.one(
        sql!(
            "select count(*) from repository_storage_moves
             where state in ('scheduled', 'started', 'replicated') and is_dispatched"
        ),
        (),
    )?)
}

/// Takes some that wait, the oldest first, to give each a job.
pub fn dispatch(tx: &mut Tx<'_>, limit: i64) -> Result<Vec<i64>> {
    let now = tx.now();
    Ok(tx.all(
        sql!(
            "update repository_storage_moves set is_dispatched = true, updated_at = $2
             where id in (select id from repository_storage_moves
                where state = 'scheduled' and not is_dispatched order by id limit $1)
             returning id"
        ),
        (limit, now),
    )?)
}

/// Some of which nothing was heard since then, though a job was given them.
pub fn silent(tx: &mut Tx<'_>, since: Timestamp, limit: i64) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!(
            "select id from repository_storage_moves
             where state in ('scheduled', 'started', 'replicated') and is_dispatched
                and updated_at < $1
             order by id limit $2"
        ),
        (since, limit),
    )?)
}

/// The repositories of a container, those that there are.
pub fn repositories_of(tx: &mut Tx<'_>, container: Container) -> Result<Vec<Repository>> {
    match container {
        Container::Project(id) => {
            let code = store::of_project(tx, id, RepositoryKind::Project)?;
            let wiki = store::of_project(tx, id, RepositoryKind::Wiki)?;
            Ok(code.into_iter().chain(wiki).collect())
        }
        Container::Group(id) => Ok(store::of(tx, Holder::GroupWiki(id))?.into_iter().collect()),
        Container::Snippet(id) => Ok(store::of_snippet(tx, id)?.into_iter().collect()),
    }
}

/// Lets nothing be written to some repositories, or lets it again.
pub fn set_read_only(
    tx: &mut Tx<'_>, repositories: &[i64], since: Option<Timestamp>,
) -> Result<()> {
    tx.run(
        sql!("update repositories set read_only_at = $2 where id in_list($1)"),
        (repositories, since),
    )
}

/// Has some repositories lie in another storage, where they are written to again.
pub fn place(tx: &mut Tx<'_>, repositories: &[i64], storage: &str) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!(
            "update repositories set storage = $2, read_only_at = null,
                generation = generation + 1, updated_at = $3
             where id in_list($1)"
        ),
        (repositories, storage, now),
    )
}

/// What lies in a storage.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Held {
    pub storage: String,
    pub repositories: i64,
    pub bytes: i64,
}

/// How many repositories lie where, and their bytes.
pub fn held(tx: &mut Tx<'_>) -> Result<Vec<Held>> {
    let rows: Vec<(String, i64, i64)> = tx.all(
        sql!(
            "select storage, count(*), cast(coalesce(sum(size), 0) as bigint) from repositories
             group by storage order by storage"
        ),
        (),
    )?;
    let held = |(storage, repositories, bytes)| Held { storage, repositories, bytes };
    Ok(rows.into_iter().map(held).collect())
}

/// Repositories that are read-only though no move closes them, at most so many.
pub fn closed_by_none(tx: &mut Tx<'_>, limit: i64) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!(
            "select r.id from repositories r where r.read_only_at is not null and not exists
                (select 1 from repository_storage_moves m
                 where m.state = 'started' and m.read_only_at is not null
                    and (m.snippet_id = r.snippet_id or (r.snippet_id is null
                        and (m.project_id = r.project_id or m.group_id = r.group_id))))
             order by r.id limit $1"
        ),
        (limit,),
    )?)
}

/// Repositories whose packs name copies that no move makes or removes, at most so many.
pub fn copied_by_none(tx: &mut Tx<'_>, limit: i64) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!(
            "select distinct r.id from repositories r
             join repository_packs p on p.repository_id = r.id
             where (p.other_pack_key is not null or p.other_index_key is not null)
                and not exists (select 1 from repository_storage_moves m
                 where m.state in ('started', 'replicated', 'cleanup failed')
                    and (m.snippet_id = r.snippet_id or (r.snippet_id is null
                        and (m.project_id = r.project_id or m.group_id = r.group_id))))
             order by r.id limit $1"
        ),
        (limit,),
    )?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_open_until_they_are_done_or_failed() {
        let is_open = |state: &&State| state.may_fail() || **state == State::Replicated;
        let words = State::ALL.iter().filter(is_open).map(|state| format!("'{state}'"));
        let words: Vec<String> = words.collect();
        assert_eq!(OPEN, format!("state in ({})", words.join(", ")));
    }
}
