//! Repositories that somebody reads on a Provider B Server.

use super::{Offer, Offers, PER_PAGE, about};
use crate::upstream::{Client, Failed, Items};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Found {
    values: Items<Repository>,
    is_last_page: Option<bool>,
    next_page_start: Option<i64>,
}

#[derive(Debug, Deserialize)]
struct Repository {
    slug: String,
    description: Option<String>,
    public: Option<bool>,
    archived: Option<bool>,
    project: Project,
}

#[derive(Debug, Deserialize)]
struct Project {
    key: String,
}

impl Repository {
    fn offer(self) -> Offer {
        let key = format!("{}/{}", self.project.key, self.slug);
        Offer {
            name: key.clone(),
            key,
            about: about(self.description),
            is_private: self.public == Some(false),
            is_archived: self.archived.unwrap_or(false),
        }
    }
}

/// Where a page begins is told by the one before it alone.
pub async fn list(client: &Client, search: &str, page: usize) -> Result<Offers, Failed> {
    let mut start = 0;
    for number in 1..=page {
        let found = ask(client, search, start).await?;
        let next = match found.is_last_page {
            Some(false) => found.next_page_start.filter(|next| *next > start),
            _ => None,
        };
        if number == page {
            let rows = found.values.0.into_iter().filter_map(Result::ok);
            let rows = rows.map(Repository::offer).collect();
            return Ok(Offers { rows, has_more: next.is_some() });
        }
        match next {
            Some(next) => start = next,
            None => break,
        }
    }
    Ok(Offers::default())
}

async fn ask(client: &Client, search: &str, start: i64) -> Result<Found, Failed> {
    let (limit, start) = (PER_PAGE.to_string(), start.to_string());
    let mut query = vec![("limit", limit.as_str()), ("start", start.as_str())];
    if !search.is_empty() {
        query.push(("name", search));
    }
    Ok(client.ask("/repos", &query).await?.value)
}
