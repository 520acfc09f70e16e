//! `gist_imports` and `imported_gists`.

use super::model::GistImport;
use kernel::error::Result;
use store::{Json, Tx, sql};

const SELECT: &str = store::concat!("select ", GistImport::COLUMNS, " from gist_imports ");

/// Adds one that has done nothing yet, unless the user has one; its id.
pub fn insert(
    tx: &mut Tx<'_>, user_id: i64, (base_url, host): (&str, &str), sealed: &str,
) -> Result<Option<i64>> {
    let now = tx.now();
    Ok(tx.optional(
        sql!(
            "insert into gist_imports (user_id, base_url, host, sealed_token, done, attempts,
                failed, created_at, updated_at)
             values ($1, $2, $3, $4, 0, 0, $5, $6, $6) on conflict do nothing returning id"
        ),
        (user_id, base_url, host, sealed, Json(Vec::<String>::new()), now),
    )?)
}

pub fn find(tx: &mut Tx<'_>, id: i64) -> Result<Option<GistImport>> {
    Ok(tx.optional(sql!(SELECT, "where id = $1"), (id,))?)
}

pub fn of_user(tx: &mut Tx<'_>, user_id: i64) -> Result<Option<GistImport>> {
    Ok(tx.optional(sql!(SELECT, "where user_id = $1"), (user_id,))?)
}

pub fn write(tx: &mut Tx<'_>, import: &GistImport) -> Result<()> {
    let import = GistImport { updated_at: tx.now(), ..import.clone() };
    tx.execute(sql!(GistImport::UPDATE), import.values())?;
    Ok(())
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("delete from gist_imports where id = $1"), (id,))?;
    Ok(())
}

/// The snippet that a gist became.
pub fn snippet(tx: &mut Tx<'_>, import: &GistImport, gist: &str) -> Result<Option<i64>> {
    Ok(tx.optional(
        sql!(
            "select snippet_id from imported_gists
             where user_id = $1 and host = $2 and gist_id = $3"
        ),
        (import.user_id, import.host.as_str(), gist),
    )?)
}

/// Notes which snippet a gist becomes.
pub fn note(tx: &mut Tx<'_>, import: &GistImport, gist: &str, snippet_id: i64) -> Result<()> {
    tx.execute(
        sql!(
            "insert into imported_gists (user_id, host, gist_id, snippet_id)
             values ($1, $2, $3, $4)
             on conflict (user_id, host, gist_id) do update set snippet_id = excluded.snippet_id"
        ),
        (import.user_id, import.host.as_str(), gist, snippet_id),
    )?;
    Ok(())
}
