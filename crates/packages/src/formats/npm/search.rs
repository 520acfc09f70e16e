//! Searching names.

use super::manifest::StoredManifest;
use super::store::{self, PackumentQuery};
use super::{Search, names};
use crate::client::Client;
use crate::store::index::{self, Version};
use http::StatusCode;
use kernel::error::{Error, Result};
use kernel::http::{Response, reply};
use kernel::time::wire;
use serde::Deserialize;
use serde_json::{Value, json};

/// Results, unless the client says how many.
const SIZE: i64 = 20;
const MAX_SIZE: i64 = 250;
/// Most results that can be left out.
const MAX_FROM: i64 = 10_000;
const MAX_WORDS: usize = 8;

/// Reads what a client wants. `scope:` is understood; other qualifiers, which
/// are about people and keywords, are not.
fn wanted(sent: &Search) -> PackumentQuery {
    let text = sent.text.as_deref().unwrap_or_default();
    let words = text.split_whitespace();
    let words = words.filter_map(|word| match word.split_once(':') {
        Some(("scope", scope)) => Some(format!("@{}/", scope.trim_start_matches('@'))),
        Some(_) => None,
        None => Some(word.to_owned()),
    });
    PackumentQuery {
        words: words.take(MAX_WORDS).map(|word| kernel::ids::fold(&word)).collect(),
        from: sent.from.unwrap_or(0).clamp(0, MAX_FROM),
        size: sent.size.unwrap_or(SIZE).clamp(1, MAX_SIZE),
    }
}

pub async fn find(client: &Client, sent: &Search) -> Result<Response> {
    let wanted = wanted(sent);
    let found = client.read(move |tx, scope, _| {
        let (ids, total) = store::search(tx, scope, &wanted)?;
        Ok((index::versions_of_ids(tx, ids)?, total))
    });
    let (versions, total) = found.await?;
    let objects: Result<Vec<Value>> = versions.iter().map(shown).collect();
    let answer = json!({"objects": objects?, "total": total, "time": wire::text(client.app.now())});
    reply::json(StatusCode::OK, &answer)
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct About {
    description: Value,
    keywords: Value,
}

fn shown(version: &Version) -> Result<Value> {
    let about: About = match &version.metadata {
        Some(metadata) => {
            let kept = StoredManifest::read(metadata)?;
            serde_json::from_str(kept.manifest).map_err(Error::internal)?
        }
        None => About::default(),
    };
    let mut package = json!({
        "name": version.name,
        "scope": names::scope(&version.name).unwrap_or("unscoped"),
        "version": version.version,
        "date": wire::text(version.created_at),
        "links": {},
        "maintainers": [],
    });
    if about.description.is_string() {
        package["description"] = about.description;
    }
    if let Value::Array(words) = about.keywords {
        package["keywords"] = words.into_iter().filter(Value::is_string).collect();
    }
    let detail = json!({"quality": 1, "popularity": 1, "maintenance": 1});
    let score = json!({"final": 1, "detail": detail});
    Ok(json!({"package": package, "score": score, "searchScore": 1}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_folded_and_numbers_kept_in_bounds() {
        let read = wanted(&Search {
            text: Some(" Ham  scope:@Acme keywords:x 100% ".to_owned()),
            size: Some(9_999),
            from: Some(-1),
        });
        assert_eq!(read.words, ["ham", "@acme/", "100%"]);
        assert_eq!((read.size, read.from), (250, 0));
        let read = wanted(&Search { text: None, size: None, from: None });
        assert!(read.words.is_empty());
        assert_eq!((read.size, read.from), (20, 0));
    }
}
