//! `wiki_pages`, `wiki_page_slugs`.

use crate::model::{PageFile, title_of};
use kernel::error::Result;
use std::collections::HashMap;
use store::{FromRow, Tx, sql};

/// A page as events name it.
#[derive(Debug, Clone, FromRow)]
#[columns("wiki_pages")]
pub struct PageRow {
    pub id: i64,
    pub slug: String,
    pub format: String,
}

impl PageRow {
    pub fn title(&self) -> String {
        title_of(&self.slug)
    }
}

/// The rows of pages by their slugs, of those that have one.
pub fn ids(tx: &mut Tx<'_>, repository: i64, slugs: Vec<String>) -> Result<HashMap<String, i64>> {
    if slugs.is_empty() {
        return Ok(HashMap::new());
    }
    Ok(tx.pairs(
        sql!("select slug, id from wiki_pages where repository_id = $1 and slug in_list($2)"),
        (repository, slugs),
    )?)
}

/// Pages by their ids, of those that are there.
pub fn by_ids(tx: &mut Tx<'_>, ids: &[i64]) -> Result<HashMap<i64, PageRow>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<PageRow> = tx.all(
        sql!("select ", PageRow::COLUMNS, " from wiki_pages where id in_list($1)"),
        (ids.to_vec(),),
    )?;
    Ok(rows.into_iter().map(|row| (row.id, row)).collect())
}

/// Notes that a page is there, or was changed; its id.
pub(crate) fn put(tx: &mut Tx<'_>, repository: i64, page: &PageFile) -> Result<i64> {
    let now = tx.now();
    Ok(tx.one(
        sql!(
            "insert into wiki_pages (repository_id, slug, format, created_at, updated_at)
             values ($1, $2, $3, $4, $4)
             on conflict (repository_id, slug)
                do update set format = excluded.format, updated_at = excluded.updated_at
             returning id"
        ),
        (repository, page.slug.as_str(), page.format.as_str(), now),
    )?)
}

/// Notes that a page has another slug now; its id.
pub(crate) fn rename(tx: &mut Tx<'_>, repository: i64, from: &str, page: &PageFile) -> Result<i64> {
    let now = tx.now();
    remove(tx, repository, &page.slug)?;
    tx.execute(
        sql!(
            "update wiki_pages set slug = $3, updated_at = $4
             where repository_id = $1 and slug = $2"
        ),
        (repository, from, page.slug.as_str(), now),
    )?;
    let id = put(tx, repository, page)?;
    tx.execute(
        sql!(
            "insert into wiki_page_slugs (repository_id, slug, page_id) values ($1, $2, $3)
             on conflict (repository_id, slug) do update set page_id = excluded.page_id"
        ),
        (repository, from, id),
    )?;
    Ok(id)
}

/// Forgets a page that is gone; the id it had.
pub(crate) fn remove(tx: &mut Tx<'_>, repository: i64, slug: &str) -> Result<Option<i64>> {
    Ok(tx.optional(
        sql!("delete from wiki_pages where repository_id = $1 and slug = $2 returning id"),
        (repository, slug),
    )?)
}

/// The slug of the page that had this one before.
pub fn renamed(tx: &mut Tx<'_>, repository: i64, slug: &str) -> Result<Option<String>> {
    Ok(tx.optional(
        sql!(
            "select wiki_pages.slug from wiki_page_slugs
             join wiki_pages on wiki_pages.id = wiki_page_slugs.page_id
             where wiki_page_slugs.repository_id = $1 and wiki_page_slugs.slug = $2"
        ),
        (repository, slug),
    )?)
}
