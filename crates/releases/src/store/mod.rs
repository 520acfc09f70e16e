//! `releases` and what belongs to them.

pub mod evidences;
pub mod links;
pub mod milestones;

use crate::model::{CommitSnapshot, Release};
use identity::{give, handing};
use kernel::error::Result;
use kernel::graph::{Owned, Window};
use kernel::http::{Paged, Paging};
use kernel::time::Timestamp;
use planning::store::pages::{self, KeyType, List, Order, time_key};
use std::collections::HashMap;
use store::{Fragment, Json, Tx, sql};

const SELECT: &str = store::concat!("select ", Release::COLUMNS, " from releases ");
const LATEST: &str = "order by released_at desc, id desc limit 1";

kernel::choices! {
    /// By what releases are sorted.
    #[derive(Default)]
    pub enum OrderBy as "ReleaseOrder" {
        #[default]
        ReleasedAt = "released_at",
        CreatedAt = "created_at",
    }
}

kernel::choices! {
    #[derive(Default)]
    pub enum Direction as "ReleaseDirection" {
        #[default]
        Desc = "desc",
        Asc = "asc",
    }
}

kernel::params! {
    /// Which releases, and in which order.
    #[derive(Default)]
    pub struct ReleaseFilter {
        /// By what they are sorted; by when they came out unless said.
        pub order_by: Option<OrderBy>,
        /// The last first unless said.
        pub sort: Option<Direction>,
        /// Only unchanged since.
        pub updated_before: Option<Timestamp>,
        /// Only changed since.
        pub updated_after: Option<Timestamp>,
    }
}

impl ReleaseFilter {
    fn narrow(&self, condition: &mut Fragment) {
        for (test, at) in [
            (" and releases.updated_at <= ", self.updated_before),
            (" and releases.updated_at >= ", self.updated_after),
        ] {
            if let Some(at) = at {
                condition.push(test, at);
            }
        }
    }
}

/// One page of the releases of projects that meet a condition on `releases` and
/// `projects`.
pub fn list(
    tx: &mut Tx<'_>, mut condition: Fragment, filter: &ReleaseFilter, paging: Paging,
) -> Result<Paged<Release>> {
    filter.narrow(&mut condition);
    let by = filter.order_by.unwrap_or_default();
    let order = Order {
        by: format!("releases.{by}"),
        key: Some(KeyType::Time),
        id: "releases.id",
        descending: filter.sort.unwrap_or_default() == Direction::Desc,
    };
    let list = List {
        select: Fragment::new(store::concat!("select ", Release::COLUMNS)),
        from: Fragment::new("releases join projects on projects.id = releases.project_id"),
        condition,
        order,
    };
    pages::page(tx, list, paging, |release: &Release| {
        let at = match by {
            OrderBy::ReleasedAt => release.released_at,
            OrderBy::CreatedAt => release.created_at,
        };
        (time_key(at), release.id)
    })
}

/// A page for each of some projects.
pub fn pages_of(tx: &mut Tx<'_>, projects: &[i64], window: &Window) -> Result<Vec<Owned<Release>>> {
    let mut from = Fragment::new(" from releases where");
    from.in_list("releases.project_id", projects);
    Ok(tx.query(window.narrow_each(Release::COLUMNS, "releases.project_id", from))?)
}

/// How many releases some projects have, each counted to this number and one more.
pub fn counts(tx: &mut Tx<'_>, projects: &[i64], limit: Option<i64>) -> Result<HashMap<i64, i64>> {
    let rows: Vec<(i64, i64)> = tx.all(
        sql!(
            "select project_id, count(*) from releases
             where project_id in_list($1) group by project_id"
        ),
        (projects,),
    )?;
    let most = limit.map_or(i64::MAX, |limit| limit.saturating_add(1));
    Ok(rows.into_iter().map(|(project, count)| (project, count.min(most))).collect())
}

/// Releases of these tags, of some projects.
pub fn of_tag(tx: &mut Tx<'_>, projects: &[i64], tag: &str) -> Result<Vec<Release>> {
    Ok(tx.all(sql!(SELECT, "where project_id in_list($1) and tag = $2"), (projects, tag))?)
}

/// Those of these ids in projects that meet a condition on `projects`.
pub fn by_ids(tx: &mut Tx<'_>, ids: &[i64], condition: Fragment) -> Result<Vec<Release>> {
    let mut query = Fragment::new(store::concat!(
        "select ",
        Release::COLUMNS,
        " from releases join projects on projects.id = releases.project_id where"
    ));
    query.in_list("releases.id", ids).raw(" and ").append(condition);
    Ok(tx.query(query)?)
}

/// Those of one project.
pub fn in_project(project_id: i64) -> Fragment {
    let mut condition = Fragment::default();
    condition.push("releases.project_id = ", project_id);
    condition
}

pub fn find(tx: &mut Tx<'_>, project_id: i64, tag: &str) -> Result<Option<Release>> {
    Ok(tx.optional(sql!(SELECT, "where project_id = $1 and tag = $2"), (project_id, tag))?)
}

pub fn by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<Release>> {
    Ok(tx.optional(sql!(SELECT, "where id = $1"), (id,))?)
}

/// The one that came out last.
pub fn latest(tx: &mut Tx<'_>, project_id: i64) -> Result<Option<Release>> {
    let now = tx.now();
    Ok(tx.optional(
        sql!(SELECT, "where project_id = $1 and released_at <= $2 ", LATEST),
        (project_id, now),
    )?)
}

/// Descriptions of the releases of these tags, as far as there are such.
pub fn descriptions(
    tx: &mut Tx<'_>, project_id: i64, tags: &[String],
) -> Result<HashMap<String, Option<String>>> {
    Ok(tx.pairs(
        sql!("select tag, description from releases where project_id = $1 and tag in_list($2)"),
        (project_id, tags),
    )?)
}

/// A release to be.
#[derive(Debug, Clone)]
pub struct NewRelease {
    pub project_id: i64,
    pub tag: String,
    pub name: Option<String>,
    pub description: Option<String>,
    pub commit: Option<CommitSnapshot>,
    pub author_id: Option<i64>,
    pub released_at: Timestamp,
    pub created_at: Timestamp,
}

/// Adds a release; its id, unless there is one of the tag.
pub fn insert(tx: &mut Tx<'_>, new: &NewRelease) -> Result<Option<i64>> {
    Ok(tx.optional(
        sql!(
            "insert into releases (project_id, tag, name, description, commit_snapshot, author_id,
                released_at, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $8)
             on conflict (project_id, tag) do nothing returning id"
        ),
        (
            new.project_id,
            &new.tag,
            &new.name,
            &new.description,
            new.commit.clone().map(Json),
            new.author_id,
            new.released_at,
            new.created_at,
        ),
    )?)
}

pub fn update(tx: &mut Tx<'_>, release: &Release) -> Result<()> {
    let updated_at = tx.now();
    let release = Release { updated_at, ..release.clone() };
    tx.execute(sql!(Release::UPDATE), release.values())?;
    Ok(())
}

/// Releases of a project whose commits are not known, with their tags: those behind an id.
pub fn without_commit(
    tx: &mut Tx<'_>, project_id: i64, after: i64, limit: i64,
) -> Result<Vec<(i64, String)>> {
    Ok(tx.all(
        sql!(
            "select id, tag from releases
             where project_id = $1 and id > $2 and commit_snapshot is null order by id limit $3"
        ),
        (project_id, after, limit),
    )?)
}

/// Notes what the commit of a release was. It is no change of the release.
pub fn set_commit(tx: &mut Tx<'_>, id: i64, commit: &CommitSnapshot) -> Result<()> {
    tx.execute(
        sql!("update releases set commit_snapshot = $2 where id = $1"),
        (id, Json(commit.clone())),
    )?;
    Ok(())
}

/// Those of a project behind an id, by id.
pub fn after(tx: &mut Tx<'_>, project_id: i64, after: i64, limit: i64) -> Result<Vec<Release>> {
    Ok(tx.all(
        sql!(SELECT, "where project_id = $1 and id > $2 order by id limit $3"),
        (project_id, after, limit),
    )?)
}

/// What is said of some releases, those that say anything.
pub fn texts(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<(i64, String)>> {
    Ok(tx.all(
        sql!(
            "select id, description from releases
             where id in_list($1) and description is not null order by id"
        ),
        (ids,),
    )?)
}

/// Writes what is said of a release in other words. It is no change of the release.
pub fn set_text(tx: &mut Tx<'_>, id: i64, text: &str) -> Result<()> {
    tx.execute(sql!("update releases set description = $2 where id = $1"), (id, text))?;
    Ok(())
}

/// Notes a change of what belongs to a release: of several at once, one is first.
pub fn touch(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let now = tx.now();
    tx.execute(sql!("update releases set updated_at = $2 where id = $1"), (id, now))?;
    Ok(())
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("delete from releases where id = $1"), (id,))?;
    Ok(())
}

/// Gives releases of a leaving user to another, at most so many; how many.
pub fn hand_over(tx: &mut Tx<'_>, from: i64, to: Option<i64>, limit: i64) -> Result<i64> {
    handing::hand_over(tx, &[give!("releases", "author_id")], (from, to), limit)
}
