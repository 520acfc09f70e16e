//! What clients look up: which revisions and files there are, and the files.

use super::address::{self, About, MANIFEST, Recipe, RevisionPath, WITHOUT_REVISIONS};
use super::store::{self, MAX, Revision};
use super::{Client, OfRecipe, search};
use ::store::Tx;
use http::StatusCode;
use jiff::tz::TimeZone;
use kernel::error::{Error, Found, Result};
use kernel::http::{Response, reply};
use serde_json::{Map, Value, json};

/// Answers a GET below `v1/conans/`.
pub async fn without_revisions(client: &Client, of: &OfRecipe) -> Result<Response> {
    let list_only = of.list_only.as_deref();
    let (recipe, about) = address::without_revisions(&of.recipe_path)?;
    let reference = match &about {
        About::Whole(of) | About::Digest(of) | About::DownloadUrls(of) => of.as_deref(),
        About::Search(_) => {
            return search::binaries(client, &recipe, Some(WITHOUT_REVISIONS), list_only).await;
        }
        _ => return Err(Error::NotFound("Package")),
    };
    let mut kept = files_at(client, &recipe, RevisionPath::without_revisions(reference)).await?;
    if let About::Whole(_) = about {
        kept.first().found("Package")?;
        let sums = kept.into_iter().map(|kept| (kept.path, kept.file.md5.into()));
        return reply::json(StatusCode::OK, &sums.collect::<Map<String, Value>>());
    }
    if let About::Digest(_) = about {
        kept.retain(|kept| kept.path == MANIFEST);
    }
    let urls = kept.into_iter().map(|kept| {
        let url = file_url(client, &recipe, reference, &kept.path);
        (kept.path, url.into())
    });
    let shown: Map<String, Value> = urls.collect();
    if shown.is_empty() {
        return Err(Error::NotFoundText("No recipe manifest found".into()));
    }
    reply::json(StatusCode::OK, &shown)
}

/// The absolute address of a file without revisions, below the prefix that the
/// client asks at.
pub fn file_url(client: &Client, recipe: &Recipe, reference: Option<&str>, path: &str) -> String {
    let (base, recipe) = (client.base(), recipe.path());
    let place = match reference {
        Some(reference) => format!("package/{reference}/{WITHOUT_REVISIONS}"),
        None => "export".to_owned(),
    };
    let path = format!("{base}/v1/files/{recipe}/{WITHOUT_REVISIONS}/{place}/{path}");
    client.app.url(&path)
}

/// Answers a GET below `v2/conans/`.
pub async fn with_revisions(client: &Client, of: &OfRecipe) -> Result<Response> {
    let list_only = of.list_only.as_deref();
    let (recipe, about) = address::with_revisions(&of.recipe_path)?;
    match about {
        About::Latest => {
            let newest = revisions(client, &recipe, 1).await?;
            reply::json(StatusCode::OK, &revision(newest.first().found("Package")?))
        }
        About::Revisions => {
            let all = revisions(client, &recipe, MAX).await?;
            all.first().found("Package")?;
            reply::json(StatusCode::OK, &json!({"revisions": shown(&all)}))
        }
        About::BinaryLatest(first, reference) => {
            let newest = binary_revisions(client, &recipe, (&first, &reference), 1).await?;
            reply::json(StatusCode::OK, &revision(newest.first().found("Package")?))
        }
        About::BinaryRevisions(first, reference) => {
            let all = binary_revisions(client, &recipe, (&first, &reference), MAX).await?;
            all.first().found("Package")?;
            let named = format!("{}#{first}:{reference}", recipe.full());
            let shown = json!({"package_reference": named, "revisions": shown(&all)});
            reply::json(StatusCode::OK, &shown)
        }
        About::Search(first) => {
            search::binaries(client, &recipe, first.as_deref(), list_only).await
        }
        About::Files(place) => {
            let kept = files_at(client, &recipe, place).await?;
            let files: Map<String, Value> =
                kept.into_iter().map(|kept| (kept.path, json!({}))).collect();
            if files.is_empty() {
                return Err(Error::NotFound("Package"));
            }
            reply::json(StatusCode::OK, &json!({"files": files}))
        }
        About::File(place, path) => send(client, &recipe, place, path).await,
        _ => Err(Error::NotFound("Package")),
    }
}

async fn files_at(
    client: &Client, recipe: &Recipe, place: RevisionPath,
) -> Result<Vec<store::RevisionFile>> {
    let read = move |tx: &mut Tx<'_>, package| store::files(tx, package, &place);
    client.look(recipe, read).await
}

async fn revisions(client: &Client, recipe: &Recipe, most: i64) -> Result<Vec<Revision>> {
    let read = move |tx: &mut Tx<'_>, package| store::revisions(tx, package, most);
    client.look(recipe, read).await
}

async fn binary_revisions(
    client: &Client, recipe: &Recipe, (first, reference): (&str, &str), most: i64,
) -> Result<Vec<Revision>> {
    let (first, reference) = (first.to_owned(), reference.to_owned());
    let read = move |tx: &mut Tx<'_>, package| {
        store::binary_revisions(tx, package, (&first, &reference), most)
    };
    client.look(recipe, read).await
}

fn shown(all: &[Revision]) -> Vec<Value> {
    all.iter().map(revision).collect()
}

/// A revision with its time as clients read it: `2024-12-17T09:16:40.334+0000`.
fn revision(one: &Revision) -> Value {
    let time = one.created_at.to_zoned(TimeZone::UTC);
    json!({
        "revision": one.revision,
        "time": time.strftime("%Y-%m-%dT%H:%M:%S%.3f+0000").to_string(),
    })
}

/// Sends a file by its address below `v1/files/`.
pub async fn file(client: &Client, path: &str) -> Result<Response> {
    let (recipe, place, path) = address::file(path)?;
    send(client, &recipe, place, path).await
}

async fn send(
    client: &Client, recipe: &Recipe, place: RevisionPath, path: String,
) -> Result<Response> {
    let read = move |tx: &mut Tx<'_>, package| {
        store::file(tx, package, &place, &path)?.found("Package File")
    };
    client.send(&client.look(recipe, read).await?).await
}
