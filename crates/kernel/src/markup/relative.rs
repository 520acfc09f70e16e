//! Where addresses lead that a text gives relative to where it was written: a
//! README names files beside it, which are not here.

use super::escape;
use url::Url;

/// Where relative addresses of a text lead.
#[derive(Debug, Clone, Copy, Default)]
pub enum Relative<'r> {
    /// To pages of this instance: the text was written for them.
    #[default]
    Here,
    /// To a place below this address, which ends in a slash.
    Below(&'r str),
    /// Nowhere: what they stand on is plain text.
    Nowhere,
}

/// Whether an address leads to a place by itself, or within its text.
fn is_whole(url: &str) -> bool {
    url.starts_with('#') || Url::parse(url).is_ok()
}

impl Relative<'_> {
    /// What becomes of an address as a tag has it: none takes the link away.
    pub(super) fn led(self, attribute: &str) -> Option<String> {
        let url = attribute.replace("&amp;", "&");
        match self {
            Relative::Below(_) | Relative::Nowhere if is_whole(&url) => Some(attribute.to_owned()),
            Relative::Here => Some(attribute.to_owned()),
            Relative::Below(base) => {
                let base = Url::parse(base).ok()?;
                // One slash is the root of its repository, two are another host.
                let found = base.join(url.trim_start_matches('/')).ok()?;
                let stays = found.host_str() == base.host_str() && found.scheme() == base.scheme();
                stays.then(|| escape(found.as_str()))
            }
            Relative::Nowhere => None,
        }
    }

    pub(super) fn is_here(self) -> bool {
        matches!(self, Relative::Here)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_leads_below_or_nowhere() {
        let below = Relative::Below("https://git.example/acme/anvil/blob/HEAD/");
        for (url, expected) in [
            ("docs/a.md#b", Some("https://git.example/acme/anvil/blob/HEAD/docs/a.md#b")),
            ("./a.md", Some("https://git.example/acme/anvil/blob/HEAD/a.md")),
            ("/a.md", Some("https://git.example/acme/anvil/blob/HEAD/a.md")),
            (
                "//evil.example/a",
                Some("https://git.example/acme/anvil/blob/HEAD/evil.example/a"),
            ),
            ("?a=1&amp;b=2", Some("https://git.example/acme/anvil/blob/HEAD/?a=1&amp;b=2")),
            ("#part", Some("#part")),
            ("https://other.example/", Some("https://other.example/")),
        ] {
            assert_eq!(below.led(url).as_deref(), expected, "{url}");
        }
        assert_eq!(Relative::Nowhere.led("/admin"), None);
        assert_eq!(Relative::Nowhere.led("#part").as_deref(), Some("#part"));
        assert_eq!(Relative::Here.led("/admin").as_deref(), Some("/admin"));
    }
}
