//! Which project a client key opens, remembered for a moment: a flood of
//! random keys costs one look into an index each, and never a write.

use super::limits::ErrorLimits;
use super::store::keys as rows;
use kernel::app::App;
use kernel::error::Result;
use kernel::ids::Reference;
use moka::sync::Cache;
use std::time::Duration;
use store::Tx;

/// How long an answer is believed; this node's own changes show at once.
const FRESH: Duration = Duration::from_secs(5);
const MAX_REMEMBERED: u64 = 10_000;
/// Longest key, in bytes.
const MAX_KEY: usize = 255;

/// What was found of keys: the project each opens, if it opens one.
pub struct Remembered(Cache<(String, Reference), Option<i64>>);

impl Default for Remembered {
    fn default() -> Remembered {
        let cache = Cache::builder().max_capacity(MAX_REMEMBERED).time_to_live(FRESH).build();
        Remembered(cache)
    }
}

/// The number of this project, if the key opens it: both active, the project
/// open to changes, and errors received here.
pub async fn opened(
    app: &App, project: Reference, key: &str, limits: &ErrorLimits,
) -> Result<Option<i64>> {
    if !limits.integrated || key.len() > MAX_KEY || key.contains('\0') {
        return Ok(None);
    }
    let remembered = app.kept::<Remembered>();
    let asked = (key.to_owned(), project);
    if let Some(known) = remembered.0.get(&asked) {
        return Ok(known);
    }
    let (key, project) = asked.clone();
    let found = app.read(move |tx| find(tx, &key, &project)).await?;
    remembered.0.insert(asked, found);
    Ok(found)
}

fn find(tx: &mut Tx<'_>, key: &str, project: &Reference) -> Result<Option<i64>> {
    let opens = rows::opened(tx, key)?;
    let Some(opens) = opens else {
        return Ok(None);
    };
    let is_named = match project {
        Reference::Id(id) => *id == opens,
        path => spaces::access::find_project(tx, path)?.is_some_and(|named| named.id == opens),
    };
    Ok(is_named.then_some(opens))
}

/// Forgets what is remembered once this transaction has committed: keys or
/// settings change in it.
pub fn forget(app: &App, tx: &mut Tx<'_>) {
    let remembered = app.kept::<Remembered>();
    tx.after_commit(move || remembered.0.invalidate_all());
}
