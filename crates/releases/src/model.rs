//! Releases, their links and evidence: plain types and what they may hold.

use kernel::time::Timestamp;
use repositories::formats::object_id::ObjectId;
use repositories::objects::{Commit, Person};
use serde::{Deserialize, Serialize};
use store::{FromRow, Json, UpdateRow};

/// Longest name of a release or a link, in characters.
pub const MAX_NAME: usize = 255;
/// Longest description, in characters.
pub const MAX_TEXT: usize = 1_000_000;
/// Longest address of a link, in characters.
pub const MAX_URL: usize = 2048;
/// Longest path of a link below its release, in characters.
pub const MAX_FILEPATH: usize = 128;
/// Links of one release.
pub const MOST_LINKS: usize = 200;
/// Milestones of one release.
pub const MOST_MILESTONES: usize = 100;
/// Bytes of a commit's message that a release keeps.
const MAX_MESSAGE: usize = 64 * 1024;

#[derive(Debug, Clone, FromRow, UpdateRow)]
#[columns("releases")]
pub struct Release {
    pub id: i64,
    pub project_id: i64,
    pub tag: String,
    /// None: it is called as the tag.
    #[written]
    pub name: Option<String>,
    #[written]
    pub description: Option<String>,
    pub commit_snapshot: Option<Json<CommitSnapshot>>,
    pub author_id: Option<i64>,
    #[written]
    pub released_at: Timestamp,
    pub created_at: Timestamp,
    #[written]
    pub updated_at: Timestamp,
}

impl Release {
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.tag)
    }

    /// What it is called for whom may not know its tag.
    pub fn name_without_tag(&self) -> String {
        self.name.clone().unwrap_or_else(|| format!("Release-{}", self.id))
    }

    pub fn text(&self) -> &str {
        self.description.as_deref().unwrap_or_default()
    }

    /// It is not out yet.
    pub fn is_upcoming(&self, now: Timestamp) -> bool {
        self.released_at > now
    }

    /// It was out before it was written down here.
    pub fn is_historical(&self) -> bool {
        self.released_at < self.created_at
    }

    /// The commit of its tag as it was.
    pub fn commit(&self) -> Option<Commit> {
        self.commit_snapshot.as_ref().and_then(|Json(snapshot)| snapshot.commit())
    }

    /// Its address below that of its project.
    pub fn path(&self) -> String {
        format!("/-/releases/{}", part_of_address(&self.tag))
    }
}

/// A text as one part of an address, its slashes too.
pub fn part_of_address(text: &str) -> String {
    code::entity::in_address(text).replace('/', "%2F")
}

/// A commit as a release keeps it: lists of releases of many projects read no
/// repository.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CommitSnapshot {
    id: String,
    parents: Vec<String>,
    author: Signature,
    committer: Signature,
    message: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Signature {
    name: String,
    email: String,
    at: i64,
    offset: i32,
}

impl From<&Commit> for CommitSnapshot {
    fn from(commit: &Commit) -> CommitSnapshot {
        let end = commit.message.floor_char_boundary(MAX_MESSAGE);
        CommitSnapshot {
            id: commit.id.to_string(),
            parents: commit.parents.iter().map(ToString::to_string).collect(),
            author: Signature::of(&commit.author),
            committer: Signature::of(&commit.committer),
            message: storable(&commit.message[..end]),
        }
    }
}

impl CommitSnapshot {
    fn commit(&self) -> Option<Commit> {
        let parents = self.parents.iter().map(|id| id.parse().ok());
        Some(Commit {
            id: self.id.parse().ok()?,
            tree: ObjectId::ZERO,
            parents: parents.collect::<Option<_>>()?,
            author: self.author.person(),
            committer: self.committer.person(),
            message: self.message.clone(),
            is_signed: false,
        })
    }
}

impl Signature {
    fn of(person: &Person) -> Signature {
        Signature {
            name: storable(&person.name),
            email: storable(&person.email),
            at: person.at.as_second(),
            offset: person.offset,
        }
    }

    fn person(&self) -> Person {
        Person {
            name: self.name.clone(),
            email: self.email.clone(),
            at: Timestamp::from_second(self.at).unwrap_or(Timestamp::UNIX_EPOCH),
            offset: self.offset,
        }
    }
}

/// PostgreSQL holds no NUL, which old commits may have.
fn storable(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

kernel::choices! {
    /// What a link leads to.
    #[derive(Default)]
    pub enum LinkType as "ReleaseLinkType" {
        #[default]
        Other = "other",
        Runbook = "runbook",
        Image = "image",
        Package = "package",
    }
}

#[derive(Debug, Clone, FromRow, UpdateRow)]
#[columns("release_links")]
pub struct Link {
    pub id: i64,
    pub release_id: i64,
    #[written]
    pub name: String,
    #[written]
    pub url: String,
    #[written]
    pub filepath: Option<String>,
    #[written]
    pub link_type: LinkType,
    #[written]
    pub updated_at: Timestamp,
}

/// Evidence without what it says.
#[derive(Debug, Clone, FromRow)]
#[columns("release_evidences")]
pub struct Evidence {
    pub id: i64,
    pub release_id: i64,
    pub sha: String,
    pub collected_at: Timestamp,
}

/// What is wrong with the address of a link, if something is.
pub fn url_problem(text: &str) -> Option<&'static str> {
    const SCHEMES: &str = "is blocked: Only allowed schemes are http, https, ftp";
    if text.is_empty() {
        return Some("can't be blank");
    }
    if text.chars().count() > MAX_URL {
        return Some("is too long (maximum is 2048 characters)");
    }
    match url::Url::parse(text) {
        Ok(url) if !["http", "https", "ftp"].contains(&url.scheme()) => Some(SCHEMES),
        Ok(url) if !url.has_host() || text.chars().any(is_unfit) => Some("must be a valid URL"),
        Ok(_) => None,
        Err(_) => Some("must be a valid URL"),
    }
}

/// No header and no page shows it as it is.
fn is_unfit(char: char) -> bool {
    char.is_control() || char.is_whitespace()
}

/// What is wrong with a path below a release, if something is.
pub fn filepath_problem(text: &str) -> Option<&'static str> {
    if text.chars().count() > MAX_FILEPATH {
        return Some("is too long (maximum is 128 characters)");
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    let is_part = |part: &str| !["", ".", ".."].contains(&part) && part.chars().all(is_plain);
    match text.strip_prefix('/') {
        Some(path) if path.split('/').all(is_part) => None,
        _ => Some("is invalid"),
    }
}

/// What is wrong with the name of a release or a link, if something is.
pub fn name_problem(text: &str) -> Option<&'static str> {
    match text.chars().count() {
        0 => Some("can't be blank"),
        long if long > MAX_NAME => Some("is too long (maximum is 255 characters)"),
        _ if text.chars().any(char::is_control) => Some("is invalid"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_addresses_of_three_kinds() {
        for good in ["https://a.example/x", "http://127.0.0.1:8080/", "ftp://a.example/f?x=1"] {
            assert_eq!(url_problem(good), None, "{good}");
        }
        let long = format!("https://a.example/{}", "a".repeat(MAX_URL));
        for bad in [
            "",
            "javascript:alert(1)",
            "/path",
            "//host",
            "data:text/html,x",
            "https://",
            "https://a.example/\nx",
            &long,
        ] {
            assert!(url_problem(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn paths_of_links_are_plain() {
        for good in ["/a", "/bin/tool-1.0_x.tar.gz", "/a/b/c.d"] {
            assert_eq!(filepath_problem(good), None, "{good}");
        }
        let long = format!("/{}", "a".repeat(MAX_FILEPATH));
        for bad in ["", "/", "a", "//a", "/a/", "/a/../b", "/.", "/a b", "/é", "/a?b", &long] {
            assert!(filepath_problem(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn tags_are_one_part_of_an_address() {
        assert_eq!(part_of_address("v1.0"), "v1.0");
        assert_eq!(part_of_address("a/b c#?"), "a%2Fb%20c%23%3F");
    }

    #[test]
    fn a_commit_is_kept_whole_and_bounded() {
        let person = Person {
            name: "Ada\0".into(),
            email: "ada@example.com".into(),
            at: Timestamp::from_second(1_700_000_000).unwrap(),
            offset: 3600,
        };
        let commit = Commit {
            id: ObjectId::from_bytes([1; 20]),
            tree: ObjectId::ZERO,
            parents: vec![ObjectId::from_bytes([2; 20])],
            author: person.clone(),
            committer: person,
            message: "é".repeat(MAX_MESSAGE),
            is_signed: false,
        };
        let again = CommitSnapshot::from(&commit).commit().unwrap();
        assert_eq!((again.id, &again.parents), (commit.id, &commit.parents));
        assert_eq!(again.author.name, "Ada\u{fffd}");
        assert_eq!(again.author.local_time(), commit.author.local_time());
        assert_eq!(again.message.len(), MAX_MESSAGE);
    }
}
