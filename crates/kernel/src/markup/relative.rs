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
    /// To files of the repository that the text is a file of.
    Files(FilesBeside<'r>),
    /// Nowhere: what they stand on is plain text.
    Nowhere,
}

/// Where the files of a repository are, by the file that names them.
#[derive(Debug, Clone, Copy)]
pub struct FilesBeside<'r> {
    /// What stands before the path of a file that is shown.
    pub pages: &'r str,
    /// What stands before the path of a file whose bytes are sent.
    pub bytes: &'r str,
    /// The folder that the text is in, as in addresses; empty for the root.
    pub folder: &'r str,
    /// What stands behind a path, with its question mark; may be empty.
    pub query: &'r str,
}

impl FilesBeside<'_> {
    /// The address of what a text calls so.
    fn led(self, url: &str, is_picture: bool) -> String {
        let (url, part) = url.split_once('#').map_or((url, None), |(url, part)| (url, Some(part)));
        let (path, query) =
            url.split_once('?').map_or((url, None), |(path, query)| (path, Some(query)));
        // A slash begins at the root of the repository.
        let above = if path.starts_with('/') { "" } else { self.folder };
        let mut parts: Vec<&str> = above.split('/').filter(|part| !part.is_empty()).collect();
        for part in path.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        let before = if is_picture { self.bytes } else { self.pages };
        let query = query.map_or(self.query.to_owned(), |query| format!("?{query}"));
        let part = part.map_or(String::new(), |part| format!("#{part}"));
        format!("{before}/{}{query}{part}", parts.join("/"))
    }
}

/// Whether an address leads to a place by itself, or within its text.
fn is_whole(url: &str) -> bool {
    url.starts_with('#') || Url::parse(url).is_ok()
}

impl Relative<'_> {
    /// What becomes of an address as a tag has it: none takes the link away.
    pub(super) fn led(self, attribute: &str, is_picture: bool) -> Option<String> {
        let url = attribute.replace("&amp;", "&");
        match self {
            Relative::Here => Some(attribute.to_owned()),
            _ if is_whole(&url) => Some(attribute.to_owned()),
            Relative::Files(files) => Some(escape(&files.led(&url, is_picture))),
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

    /// Whether pictures are where their addresses lead.
    pub(super) fn has_pictures(self) -> bool {
        matches!(self, Relative::Files(_))
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
            assert_eq!(below.led(url, false).as_deref(), expected, "{url}");
        }
        assert_eq!(Relative::Nowhere.led("/admin", false), None);
        assert_eq!(Relative::Nowhere.led("#part", false).as_deref(), Some("#part"));
        assert_eq!(Relative::Here.led("/admin", false).as_deref(), Some("/admin"));
    }

    #[test]
    fn names_of_files_lead_to_files_of_the_same_repository() {
        let files = Relative::Files(FilesBeside {
            pages: "/acme/anvil/-/blob/main",
            bytes: "/acme/anvil/-/raw/main",
            folder: "docs/deep",
            query: "",
        });
        let led = |url: &str| files.led(url, false).unwrap_or_default();
        for (url, expected) in [
            ("a.md", "docs/deep/a.md"),
            ("./a%20b.md#c", "docs/deep/a%20b.md#c"),
            ("../a.md?plain=1", "docs/a.md?plain=1"),
            ("../../../../a.md", "a.md"),
            ("/README.md", "README.md"),
            ("//evil.example/a", "evil.example/a"),
            ("a\"b", "docs/deep/a&quot;b"),
        ] {
            assert_eq!(led(url), format!("/acme/anvil/-/blob/main/{expected}"), "{url}");
        }
        assert_eq!(led("#part"), "#part");
        assert_eq!(led("https://other.example/"), "https://other.example/");
        assert_eq!(
            files.led("a.png", true).as_deref(),
            Some("/acme/anvil/-/raw/main/docs/deep/a.png")
        );
    }
}
