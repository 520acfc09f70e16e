//! The built-in rules: what a text alone tells.

use super::Verdict;
use super::settings::Spam;
use crate::domains;

/// What the rules say of a text, and why.
pub fn judge(rules: &Spam, text: &str) -> (Verdict, &'static str) {
    if !rules.blocked_domains.is_empty()
        && names(text).any(|name| domains::covers(&rules.blocked_domains, name))
    {
        return (Verdict::Deny, "names a blocked domain");
    }
    if rules.links > 0 && links(text) > rules.links.unsigned_abs() as usize {
        return (Verdict::Challenge, "holds too many links");
    }
    (Verdict::Allow, "")
}

/// Everything in a text that may be the name of a host.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-')))
        .map(|word| word.trim_matches(['.', '-']))
        .filter(|word| word.contains('.') && word.len() <= 255)
}

/// How many links a text holds: with a scheme, or beginning with `www.`.
fn links(text: &str) -> usize {
    let lower = text.to_ascii_lowercase();
    let with_scheme = lower.matches("http://").count() + lower.matches("https://").count();
    let bare = lower
        .match_indices("www.")
        .filter(|(at, _)| {
            let before = lower[..*at].chars().next_back();
            !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '@'))
        })
        .count();
    with_scheme + bare
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> Spam {
        Spam {
            links: 2,
            blocked_domains: vec!["evil.example".into()],
            ..Spam::default()
        }
    }

    #[test]
    fn links_are_counted_with_and_without_a_scheme() {
        for (text, count) in [
            ("nothing at all", 0),
            ("see http://a.example and HTTPS://b.example", 2),
            ("www.a.example, (www.b.example)", 2),
            ("https://www.a.example", 1),
            ("awww.a.example", 0),
            ("[a](http://a)[b](http://b)", 2),
        ] {
            assert_eq!(links(text), count, "{text}");
        }
    }

    #[test]
    fn a_flood_of_links_is_challenged_and_a_blocked_domain_is_denied() {
        let verdict = |text: &str| judge(&rules(), text).0;
        assert_eq!(verdict("http://a http://b"), Verdict::Allow);
        assert_eq!(verdict("http://a http://b http://c"), Verdict::Challenge);
        for text in [
            "buy at evil.example.",
            "http://shop.EVIL.example/x",
            "http://good.example@evil.example/",
            "jane@evil.example",
            "http://a http://b http://c evil.example",
        ] {
            assert_eq!(verdict(text), Verdict::Deny, "{text}");
        }
        assert_eq!(verdict("devil.example and evil.example.org"), Verdict::Allow);
        let off = Spam { links: 0, blocked_domains: Vec::new(), ..rules() };
        assert_eq!(judge(&off, &"http://a ".repeat(50)).0, Verdict::Allow);
    }
}
