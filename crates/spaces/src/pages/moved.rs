//! Addresses as they were once: what is below a project stood right behind its path,
//! without `/-/`.

use http::{HeaderValue, StatusCode, Uri, header};
use kernel::error::{Error, Result};
use kernel::http::{Response, reply};

/// What an address of that kind goes on with.
const WORDS: &[&str] = &[
    "archive",
    "blame",
    "blob",
    "branches",
    "commit",
    "commits",
    "compare",
    "edit",
    "find_file",
    "graphs",
    "issues",
    "labels",
    "milestones",
    "network",
    "new",
    "raw",
    "releases",
    "tags",
    "tree",
    "wikis",
];
/// Parts that the path of a project has at least.
const SHORTEST: usize = 2;

/// The address that is meant by one that leads to nothing, its query with it.
fn meant(uri: &Uri) -> Option<String> {
    let path = uri.path().strip_prefix('/')?;
    let parts: Vec<&str> = path.split('/').collect();
    let at = (SHORTEST..parts.len()).find(|at| WORDS.contains(&parts[*at]))?;
    let (place, rest) = (parts[..at].join("/"), parts[at..].join("/"));
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    Some(format!("/{place}/-/{rest}{query}"))
}

/// Leads on for good who asks for such an address; everybody else is refused as before.
pub(super) fn led(uri: &Uri, refusal: Error) -> Result<Response> {
    let Some(meant) = meant(uri).filter(|_| matches!(refusal, Error::NotFound(_))) else {
        return Err(refusal);
    };
    let mut response = reply::empty(StatusCode::MOVED_PERMANENTLY);
    let to = HeaderValue::from_str(&meant).map_err(Error::internal)?;
    response.headers_mut().insert(header::LOCATION, to);
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_a_project_gets_its_dash() {
        let led = |old: &str| meant(&old.parse().unwrap()).unwrap_or_default();
        assert_eq!(led("/acme/anvil/tree/main"), "/acme/anvil/-/tree/main");
        let deep = "/a/b/c/blob/main/src/tree/x%20y.rs?plain=1";
        assert_eq!(led(deep), deep.replacen("/blob/", "/-/blob/", 1));
        assert_eq!(led("/acme/anvil/commits"), "/acme/anvil/-/commits");
        for none in ["/acme/tree/main", "/acme/anvil/other", "/tree/blob"] {
            assert_eq!(led(none), "", "{none}");
        }
    }
}
