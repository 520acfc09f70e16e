//! Addresses as they were once: what is below a project stood right behind its path,
//! without `/-/`. The address that a wiki is cloned from leads to its pages.

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
    "snippets",
    "tags",
    "tree",
    "wikis",
];
/// Parts that the path of a project has at least.
const SHORTEST: usize = 2;

/// The address that is meant by one that leads to nothing, its query with it.
fn meant(uri: &Uri) -> Option<String> {
    let path = uri.path().strip_prefix('/')?;
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    if let Some(place) = path.strip_suffix(".wiki.git") {
        // Projects stand in something.
        let groups = if place.contains('/') { "" } else { "/groups" };
        let is_place = place.split('/').all(could_name);
        return is_place.then(|| format!("{groups}/{place}/-/wikis{query}"));
    }
    let parts: Vec<&str> = path.split('/').collect();
    let at = (SHORTEST..parts.len()).find(|at| WORDS.contains(&parts[*at]))?;
    let (place, rest) = parts.split_at(at);
    if !place.iter().copied().all(could_name) {
        return None;
    }
    let (place, rest) = (place.join("/"), rest.join("/"));
    Some(format!("/{place}/-/{rest}{query}"))
}

/// Whether a part could name a group or a project. A browser takes `/\evil` and `//evil`
/// for another host, so no address with such a part is led on.
fn could_name(part: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    !part.is_empty() && part.chars().all(allowed)
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
        assert_eq!(led("/acme/anvil.wiki.git?a=b"), "/acme/anvil/-/wikis?a=b");
        assert_eq!(led("/acme.wiki.git"), "/groups/acme/-/wikis");
        let hosts = ["//evil/x/tree/m", "/\\evil/x/tree/m", "//evil/x.wiki.git"];
        for none in ["/acme/tree/main", "/acme/anvil/other", "/tree/blob"].iter().chain(&hosts) {
            assert_eq!(led(none), "", "{none}");
        }
    }
}
