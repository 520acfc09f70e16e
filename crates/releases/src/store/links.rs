//! `release_links`.

use crate::model::{Link, LinkType};
use kernel::error::Result;
use store::{Fragment, IntoValue, Tx, sql};

const SELECT: &str = store::concat!("select ", Link::COLUMNS, " from release_links ");

/// The links of some releases, the newest first.
pub fn of_releases(tx: &mut Tx<'_>, releases: &[i64]) -> Result<Vec<Link>> {
    Ok(tx.all(sql!(SELECT, "where release_id in_list($1) order by id desc"), (releases,))?)
}

pub fn find(tx: &mut Tx<'_>, release_id: i64, id: i64) -> Result<Option<Link>> {
    Ok(tx.optional(sql!(SELECT, "where release_id = $1 and id = $2"), (release_id, id))?)
}

/// The project and the tag that a link belongs to.
pub fn place_of(tx: &mut Tx<'_>, id: i64) -> Result<Option<(i64, String)>> {
    Ok(tx.optional(
        sql!(
            "select releases.project_id, releases.tag from release_links
             join releases on releases.id = release_links.release_id
             where release_links.id = $1"
        ),
        (id,),
    )?)
}

/// The link of this path below a release.
pub fn at_path(tx: &mut Tx<'_>, release_id: i64, path: &str) -> Result<Option<Link>> {
    Ok(tx.optional(sql!(SELECT, "where release_id = $1 and filepath = $2"), (release_id, path))?)
}

/// A link to be.
#[derive(Debug, Clone)]
pub struct NewLink {
    pub name: String,
    pub url: String,
    pub filepath: Option<String>,
    pub link_type: LinkType,
}

/// Adds links; their ids.
pub fn insert(tx: &mut Tx<'_>, release_id: i64, links: &[NewLink]) -> Result<Vec<i64>> {
    if links.is_empty() {
        return Ok(Vec::new());
    }
    let now = tx.now();
    let mut query = Fragment::new(
        "insert into release_links (release_id, name, url, filepath, link_type, created_at,
            updated_at) values ",
    );
    for (at, link) in links.iter().enumerate() {
        query
            .raw(if at == 0 { "(" } else { ", (" })
            .bind(release_id)
            .push(", ", link.name.as_str())
            .push(", ", link.url.as_str())
            .push(", ", (&link.filepath).into_value())
            .push(", ", link.link_type)
            .push(", ", now)
            .push(", ", now)
            .raw(")");
    }
    query.raw(" returning id");
    Ok(tx.query(query)?)
}

/// Lets a link lead elsewhere.
pub fn set_url(tx: &mut Tx<'_>, id: i64, url: &str) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!("update release_links set url = $2, updated_at = $3 where id = $1"),
        (id, url, now),
    )?;
    Ok(())
}

pub fn update(tx: &mut Tx<'_>, link: &Link) -> Result<()> {
    tx.execute(sql!(Link::UPDATE), link.values())?;
    Ok(())
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("delete from release_links where id = $1"), (id,))?;
    Ok(())
}
