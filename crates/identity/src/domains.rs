//! Lists of domains, as administrators write them.

use kernel::error::{Error, Result};

/// Most entries of a list.
const MOST: usize = 10_000;

/// A name in its comparable form: lower case, in ASCII, without a dot at its
/// end. Nothing for what is no name.
pub fn normal(domain: &str) -> Option<String> {
    let domain = domain.trim().trim_end_matches('.');
    match url::Host::parse(domain).ok()? {
        url::Host::Domain(name) => Some(name),
        url::Host::Ipv4(address) => Some(address.to_string()),
        url::Host::Ipv6(_) => None,
    }
}

/// Whether a list names this domain: `example.com` is itself alone,
/// `*.example.com` all below it.
pub fn lists(list: &[String], domain: &str) -> bool {
    let Some(domain) = normal(domain) else {
        return false;
    };
    list.iter().any(|entry| match entry.trim().strip_prefix("*.") {
        Some(above) => normal(above).is_some_and(|above| is_below(&domain, &above)),
        None => normal(entry).is_some_and(|entry| entry == domain),
    })
}

/// Whether a list names this domain or one above it.
pub fn covers(list: &[String], domain: &str) -> bool {
    let Some(domain) = normal(domain) else {
        return false;
    };
    let entry = |entry: &String| normal(entry.trim().trim_start_matches("*."));
    list.iter()
        .filter_map(entry)
        .any(|entry| entry == domain || is_below(&domain, &entry))
}

fn is_below(domain: &str, above: &str) -> bool {
    domain
        .strip_suffix(above)
        .is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
}

/// Refuses a list that cannot be meant.
pub fn check(key: &str, list: &[String]) -> Result<()> {
    if list.len() > MOST {
        return Err(Error::invalid(key, "is too long (maximum is 10000 entries)"));
    }
    let fits = |entry: &String| {
        let name = entry.trim();
        let name = name.strip_prefix("*.").unwrap_or(name);
        name.len() <= 255 && normal(name).is_some()
    };
    match list.iter().find(|entry| !fits(entry)) {
        None => Ok(()),
        Some(_) => Err(Error::invalid(key, "must hold domain names")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(entries: &[&str]) -> Vec<String> {
        entries.iter().map(|entry| (*entry).to_owned()).collect()
    }

    #[test]
    fn an_entry_is_a_name_or_all_names_below_one() {
        let entries = list(&["Example.com", "*.corp.test", "bücher.example"]);
        for named in ["example.COM", "example.com.", "a.corp.test", "a.b.corp.test"] {
            assert!(lists(&entries, named), "{named}");
        }
        assert!(lists(&entries, "xn--bcher-kva.example"));
        for other in ["a.example.com", "corp.test", "notcorp.test", "xcorp.test", "", ".", "a b"] {
            assert!(!lists(&entries, other), "{other}");
        }
    }

    #[test]
    fn a_cover_holds_for_everything_below() {
        let entries = list(&["evil.example", "*.bad.test"]);
        for covered in ["evil.example", "www.EVIL.example", "bad.test", "x.bad.test"] {
            assert!(covers(&entries, covered), "{covered}");
        }
        for other in ["devil.example", "example", "evil.example.org"] {
            assert!(!covers(&entries, other), "{other}");
        }
    }

    #[test]
    fn lists_of_something_else_are_refused() {
        assert!(check("k", &list(&["example.com", "*.example.com"])).is_ok());
        for bad in ["", "a b", "*.", "http://example.com", "jane@example.com"] {
            assert!(check("k", &list(&[bad])).is_err(), "{bad}");
        }
    }
}
