//! Repositories that a token of Provider A reads.

use super::{Offer, Offers, PER_PAGE, SEARCHED_PAGES, about};
use crate::upstream::{Answer, Client, Failed, Items};
use serde::Deserialize;

/// Things of a page at most, upstream.
const MOST: usize = 100;

#[derive(Debug, Deserialize)]
struct Repository {
    id: i64,
    full_name: String,
    description: Option<String>,
    private: Option<bool>,
    archived: Option<bool>,
}

impl Repository {
    fn offer(self) -> Offer {
        Offer {
            key: self.id.to_string(),
            name: self.full_name,
            about: about(self.description),
            is_private: self.private.unwrap_or(false),
            is_archived: self.archived.unwrap_or(false),
        }
    }
}

/// There is no search among those that somebody reads: with one, the first pages are looked
/// through.
pub async fn list(client: &Client, search: &str, page: usize) -> Result<Offers, Failed> {
    if search.is_empty() {
        let answer = ask(client, PER_PAGE, page).await?;
        let has_more = answer.next.is_some();
        return Ok(Offers { rows: offers(answer.value).collect(), has_more });
    }
    let wanted = search.to_lowercase();
    let mut found = Vec::new();
    for number in 1..=SEARCHED_PAGES {
        let answer = ask(client, MOST, number).await?;
        let ends = answer.next.is_none();
        let fits = |offer: &Offer| offer.name.to_lowercase().contains(&wanted);
        found.extend(offers(answer.value).filter(fits));
        if ends || found.len() > page * PER_PAGE {
            break;
        }
    }
    let has_more = found.len() > page * PER_PAGE;
    let rows = found.into_iter().skip((page - 1) * PER_PAGE).take(PER_PAGE);
    Ok(Offers { rows: rows.collect(), has_more })
}

async fn ask(
    client: &Client, per_page: usize, page: usize,
) -> Result<Answer<Items<Repository>>, Failed> {
    let (per_page, page) = (per_page.to_string(), page.to_string());
    let query = [("sort", "full_name"), ("per_page", per_page.as_str()), ("page", page.as_str())];
    client.ask("/user/repos", &query).await
}

fn offers(items: Items<Repository>) -> impl Iterator<Item = Offer> {
    items.0.into_iter().filter_map(Result::ok).map(Repository::offer)
}
