//! Where in the code of a project an address leads: `main/docs/guide.md` is a ref and a
//! path, either of which may have slashes.

use kernel::error::Result;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use repositories::formats::object_id::ObjectId;
use repositories::formats::ref_name::RefName;
use repositories::model::{Ref, Repository};
use repositories::objects::{Path, Revision};
use repositories::store::refs;
use store::Tx;

/// Most parts of an address that may be a ref.
const MOST_PARTS: usize = 64;
/// What an address may not hold as it is.
const UNSAFE: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// What a part of an address names, by `ref_type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefKind {
    Branch,
    Tag,
    Commit,
}

impl RefKind {
    /// What `ref_type` says of it.
    pub fn of(text: &str) -> Option<RefKind> {
        match text {
            "heads" => Some(RefKind::Branch),
            "tags" => Some(RefKind::Tag),
            _ => None,
        }
    }

    /// The same as a parameter of an address, where the name alone would not do.
    pub fn query(self) -> &'static str {
        match self {
            RefKind::Branch => "?ref_type=heads",
            RefKind::Tag => "?ref_type=tags",
            RefKind::Commit => "",
        }
    }
}

/// A ref of a repository and a path in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// As the address has it: `main`, `v1.2`, the digits of a commit.
    pub name: String,
    pub kind: RefKind,
    pub revision: Revision,
    pub path: Path,
    /// A branch and a tag have this name, or the address said which is meant.
    pub is_ambiguous: bool,
}

impl Spot {
    /// Reads what follows `/-/tree/`: the longest ref that it begins with, then a
    /// commit; of a branch and a tag the branch, unless the kind is said. An empty text
    /// is what HEAD stands for. Whether there is such a commit or path is not known yet.
    pub fn read(
        tx: &mut Tx<'_>, repository: &Repository, text: &str, kind: Option<RefKind>,
    ) -> Result<Option<Spot>> {
        let text = text.trim_matches('/');
        match text.split_once('/').unwrap_or((text, "")) {
            ("" | "HEAD", path) => Spot::at_head(tx, repository, path),
            ("refs", _) => Spot::named(tx, repository, text, kind),
            (first, path) => match Spot::named(tx, repository, text, kind)? {
                Some(spot) => Ok(Some(spot)),
                None => Ok(Spot::at_commit(first, path)),
            },
        }
    }

    fn at_head(tx: &mut Tx<'_>, repository: &Repository, path: &str) -> Result<Option<Spot>> {
        let head = refs::some(tx, repository.id, std::slice::from_ref(&repository.head))?.pop();
        let path = Path::read(path).ok();
        Ok(head.zip(path).map(|(head, path)| Spot::of(head, path, false)))
    }

    fn at_commit(digits: &str, path: &str) -> Option<Spot> {
        let digits = digits.to_ascii_lowercase();
        let is_name =
            (4..=40).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let revision = match digits.parse::<ObjectId>() {
            Ok(id) => Revision::Id(id),
            Err(_) if is_name => Revision::Beginning(digits.clone()),
            Err(_) => return None,
        };
        Some(Spot {
            name: digits,
            kind: RefKind::Commit,
            revision,
            path: Path::read(path).ok()?,
            is_ambiguous: false,
        })
    }

    fn named(
        tx: &mut Tx<'_>, repository: &Repository, text: &str, kind: Option<RefKind>,
    ) -> Result<Option<Spot>> {
        let ends = text.match_indices('/').map(|(at, _)| at).chain([text.len()]);
        let beginnings: Vec<&str> = ends.take(MOST_PARTS).map(|end| &text[..end]).collect();
        let names = beginnings.iter().flat_map(|name| candidates(name, kind)).collect::<Vec<_>>();
        let found = refs::some(tx, repository.id, &names)?;
        for name in beginnings.iter().rev() {
            let mut of_name = candidates(name, kind)
                .into_iter()
                .filter_map(|wanted| found.iter().find(|one| one.name == wanted));
            let Some(first) = of_name.next() else { continue };
            let is_ambiguous = of_name.next().is_some() || kind.is_some();
            let path = Path::read(text[name.len()..].trim_start_matches('/')).ok();
            return Ok(path.map(|path| Spot::of(first.clone(), path, is_ambiguous)));
        }
        Ok(None)
    }

    fn of(found: Ref, path: Path, is_ambiguous: bool) -> Spot {
        let (name, kind) = match (found.name.as_branch(), found.name.as_tag()) {
            (Some(name), _) => (name.to_owned(), RefKind::Branch),
            (None, Some(name)) => (name.to_owned(), RefKind::Tag),
            (None, None) => (found.name.as_str().to_owned(), RefKind::Commit),
        };
        Spot {
            name,
            kind,
            revision: Revision::Ref(found),
            path,
            is_ambiguous,
        }
    }

    /// The branch it is on.
    pub fn branch(&self) -> Option<&str> {
        (self.kind == RefKind::Branch).then_some(self.name.as_str())
    }

    /// The address of a path in the same ref on a page: `tree`, `blob`, `commits`.
    pub fn url(&self, project_url: &str, page: &str, path: &Path) -> String {
        let slash = if path.is_root() { "" } else { "/" };
        let (name, path) = (encoded(&self.name), encoded(path.as_str()));
        let query = if self.is_ambiguous { self.kind.query() } else { "" };
        format!("{project_url}/-/{page}/{name}{slash}{path}{query}")
    }

    /// The folders above its path and itself, with their addresses on the page of
    /// folders, from the outermost.
    pub fn steps(&self, project_url: &str) -> Vec<(String, String)> {
        let mut above = Path::default();
        let steps = self.path.parts().map(|part| {
            above = above.below(part);
            (part.to_owned(), self.url(project_url, "tree", &above))
        });
        steps.collect()
    }
}

/// The refs that a name can be, the likeliest first.
fn candidates(name: &str, kind: Option<RefKind>) -> Vec<RefName> {
    let branch = RefName::branch(name).ok().filter(|_| kind != Some(RefKind::Tag));
    let tag = RefName::tag(name).ok().filter(|_| kind != Some(RefKind::Branch));
    let whole = name.starts_with("refs/").then(|| name.parse::<RefName>().ok()).flatten();
    let named = whole.into_iter().chain(branch).chain(tag);
    named.filter(|name| !name.is_hidden()).collect()
}

/// A text as a part of an address, its slashes as they are.
pub fn encoded(text: &str) -> String {
    utf8_percent_encode(text, UNSAFE).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_written_so_that_they_are_read_again() {
        let spot = Spot::at_commit("abcd1234", "docs/a b#?.md").unwrap();
        assert_eq!(spot.path.as_str(), "docs/a b#?.md");
        assert_eq!(
            spot.url("/acme/anvil", "blob", &spot.path),
            "/acme/anvil/-/blob/abcd1234/docs/a%20b%23%3F.md"
        );
        let steps = spot.steps("/p");
        assert_eq!(steps[0], ("docs".into(), "/p/-/tree/abcd1234/docs".into()));
        assert_eq!(steps.len(), 2);
    }

    #[test]
    fn digits_are_a_commit_and_nothing_else_is() {
        for wrong in ["abc", "xyzw", &"a".repeat(41), ""] {
            assert_eq!(Spot::at_commit(wrong, ""), None, "{wrong}");
        }
        assert!(Spot::at_commit(&"A".repeat(40), "").is_some());
        assert_eq!(Spot::at_commit("abcd", "a/../b"), None);
    }

    #[test]
    fn a_kind_narrows_what_a_name_can_be() {
        let names = |kind| -> Vec<String> {
            candidates("v1", kind).iter().map(|name| name.as_str().to_owned()).collect()
        };
        assert_eq!(names(None), ["refs/heads/v1", "refs/tags/v1"]);
        assert_eq!(names(Some(RefKind::Tag)), ["refs/tags/v1"]);
        assert!(candidates("-x..y", None).is_empty());
    }
}
