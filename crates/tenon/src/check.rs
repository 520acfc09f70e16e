//! `tenon check`: does the database agree with the files?

use crate::options::Options;
use crate::{Outcome, progress, wiring};
use futures_util::TryStreamExt;
use kernel::app::App;
use std::collections::HashMap;
use store::sql;

/// Everything found wrong, one sentence each. Works beside a server: a file
/// whose row is not written yet is no trouble, a row without its file is.
pub async fn run(options: Options) -> Outcome<Vec<String>> {
    let (app, _) = wiring::assemble(options).await?;
    blobs(&app).await.map_err(|error| error.to_string())
}

/// Rows whose file is missing or has another size. Rows are read before the
/// files are listed, so what is uploaded meanwhile is not missed; a row gone
/// meanwhile is asked for again before its file is called missing.
async fn blobs(app: &App) -> kernel::error::Result<Vec<String>> {
    let rows: Vec<(String, i64)> = app
        .read(|tx| Ok(tx.all(sql!("select key, size from blobs order by key"), ())?))
        .await?;
    let bar = progress::things("files", rows.len() as u64);
    let mut files = HashMap::new();
    let mut listed = app.blobs().list();
    while let Some((key, size, _)) = listed.try_next().await? {
        files.insert(key, size);
    }
    let mut troubles = Vec::new();
    for (key, size) in rows {
        bar.inc(1);
        let trouble = match files.get(&key) {
            Some(found) if *found == size.unsigned_abs() => continue,
            Some(found) => format!("file {key} has {found} bytes, its row says {size}"),
            None => format!("file {key} of {size} bytes is missing"),
        };
        let named = key.clone();
        let kept: Option<i64> = app
            .read(move |tx| {
                Ok(tx.optional(sql!("select size from blobs where key = $1"), (named,))?)
            })
            .await?;
        if kept.is_some() {
            troubles.push(trouble);
        }
    }
    bar.finish_and_clear();
    Ok(troubles)
}
