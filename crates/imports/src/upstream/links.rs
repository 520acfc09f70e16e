//! The addresses of a list's pages, as `Link` headers name them (RFC 8288).

use http::HeaderMap;
use http::header::LINK;

/// All headers of that name, as one.
pub fn joined(headers: &HeaderMap) -> String {
    let texts = headers.get_all(LINK).iter().filter_map(|value| value.to_str().ok());
    texts.collect::<Vec<_>>().join(", ")
}

/// The address that stands in this relation.
pub fn find<'l>(link: &'l str, wanted: &str) -> Option<&'l str> {
    let mut rest = link;
    while let Some((_, after)) = rest.split_once('<') {
        let (url, after) = after.split_once('>')?;
        let end = after.find('<').unwrap_or(after.len());
        let (said, behind) = after.split_at(end);
        if said.split([';', ',']).any(|one| is_relation(one.trim(), wanted)) {
            return Some(url);
        }
        rest = behind;
    }
    None
}

fn is_relation(said: &str, wanted: &str) -> bool {
    let names = said.strip_prefix("rel=").map(|names| names.trim_matches('"'));
    names.is_some_and(|names| names.split_whitespace().any(|name| name == wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_are_found() {
        let link = "<https://h/a?page=1>; rel=\"prev\", <https://h/a?page=3,4>; rel=next; \
                    title=\"x\", <https://h/a?page=9>;rel=\"last first\"";
        assert_eq!(find(link, "next"), Some("https://h/a?page=3,4"));
        assert_eq!(find(link, "prev"), Some("https://h/a?page=1"));
        assert_eq!(find(link, "first"), Some("https://h/a?page=9"));
        assert_eq!(find(link, "self"), None);
        for nonsense in ["", "<", "<>", "a; rel=next", "<a; rel=next"] {
            assert_eq!(find(nonsense, "next"), None, "{nonsense}");
        }
    }
}
