//! Repositories that somebody reads on Provider B Cloud.

use super::{Offer, Offers, PER_PAGE, about};
use crate::upstream::{Client, Failed, Items};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
struct Found {
    values: Items<Repository>,
    next: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct Repository {
    full_name: String,
    description: Option<String>,
    is_private: Option<bool>,
}

impl Repository {
    fn offer(self) -> Offer {
        Offer {
            key: self.full_name.clone(),
            name: self.full_name,
            about: about(self.description),
            is_private: self.is_private.unwrap_or(false),
            is_archived: false,
        }
    }
}

/// Those of a workspace, or of all that somebody is a member of.
pub async fn list(
    client: &Client, workspace: Option<&str>, search: &str, page: usize,
) -> Result<Offers, Failed> {
    let path = match workspace {
        Some(workspace) => {
            format!("/repositories/{}", utf8_percent_encode(workspace, NON_ALPHANUMERIC))
        }
        None => "/repositories".to_owned(),
    };
    let (length, page) = (PER_PAGE.to_string(), page.to_string());
    let named = condition(search);
    let mut query = vec![("role", "member"), ("pagelen", length.as_str()), ("page", page.as_str())];
    if !search.is_empty() {
        query.push(("q", named.as_str()));
    }
    let Found { values, next } = client.ask(&path, &query).await?.value;
    let rows = values.0.into_iter().filter_map(Result::ok).map(Repository::offer).collect();
    Ok(Offers { rows, has_more: next.is_some() })
}

/// What a name has to hold, in the language of queries there.
fn condition(search: &str) -> String {
    let escaped = search.replace('\\', "\\\\").replace('"', "\\\"");
    format!("name~\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_stays_a_text() {
        assert_eq!(condition("anvil"), "name~\"anvil\"");
        assert_eq!(condition("a\" or name!=\""), "name~\"a\\\" or name!=\\\"\"");
        assert_eq!(condition("a\\"), "name~\"a\\\\\"");
    }
}
