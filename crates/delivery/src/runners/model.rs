//! Runners: what they may be, and what they take.

use jiff::{SignedDuration, Timestamp};
use spaces::model::Problems;
use store::{FromRow, FromValue, IntoValue, Type, UpdateRow, Value};

/// How the tokens of runners begin: programs tell by it that it is none to register with.
pub const TOKEN_PREFIX: &str = "glrt-";
/// How the tokens begin that runners register with.
pub const REGISTRATION_PREFIX: &str = "register-";
/// Characters of a token behind its prefix that tell runners apart.
const SHORT_TOKEN: usize = 8;
/// Shortest time that a runner may give its jobs, in seconds.
const MIN_TIMEOUT: i64 = 600;
/// Longest note, description and system id, in characters.
const MAX_NOTE: usize = 1024;
pub const MAX_SYSTEM_ID: usize = 64;
/// What stands in a machine's place where its program does not tell which it is.
pub const NO_SYSTEM: &str = "legacy";
const MAX_TAG: usize = 255;
const MAX_TAGS: usize = 50;
const TOO_MANY_TAGS: &str = "Too many tags specified. Please limit the number of tags to 50";
/// Most runners of one group or project.
pub const MAX_RUNNERS: i64 = 1000;
/// Most projects of one runner that are looked at.
pub const MAX_PROJECTS: i64 = 1000;
/// How long a runner counts as online after it was heard of, and when as forgotten.
pub const ONLINE: SignedDuration = SignedDuration::from_hours(2);
pub const STALE: SignedDuration = SignedDuration::from_hours(7 * 24);

kernel::choices! {
    /// Whose jobs a runner takes.
    pub enum RunnerType as "CiRunnerType" {
        Instance = "instance_type",
        Group = "group_type",
        Project = "project_type",
    }
}

kernel::choices! {
    /// Jobs of which refs a runner takes.
    #[derive(Default)]
    pub enum AccessLevel as "CiRunnerAccessLevel" {
        #[default]
        NotProtected = "not_protected",
        RefProtected = "ref_protected",
    }
}

kernel::choices! {
    /// Whether a runner was heard of lately.
    pub enum ContactStatus as "CiRunnerContact" {
        Online = "online",
        Offline = "offline",
        Stale = "stale",
        NotConnected = "not_connected",
    }
}

/// The words by which jobs find their runners: in order, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tags(Vec<String>);

impl Tags {
    pub fn new(sent: impl IntoIterator<Item = String>) -> Tags {
        let words = sent.into_iter().flat_map(|text| {
            text.split(',').map(|word| word.trim().to_owned()).collect::<Vec<_>>()
        });
        let mut tags: Vec<String> = words.filter(|word| !word.is_empty()).collect();
        tags.sort_unstable();
        tags.dedup();
        Tags(tags)
    }

    pub fn as_slice(&self) -> &[String] {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn has(&self, tag: &str) -> bool {
        self.0.iter().any(|one| one == tag)
    }

    /// As people type them.
    pub fn typed(&self) -> String {
        self.0.join(", ")
    }

    fn problem(&self) -> Option<&'static str> {
        let is_long = |tag: &String| tag.chars().count() > MAX_TAG;
        match &self.0 {
            tags if tags.len() > MAX_TAGS => Some(TOO_MANY_TAGS),
            tags if tags.iter().any(is_long) => Some("is too long (maximum is 255 characters)"),
            _ => None,
        }
    }
}

impl IntoValue for Tags {
    const TYPE: Type = Type::Text;
    fn into_value(self) -> Value {
        Value::Text(match self.0.is_empty() {
            true => String::new(),
            false => format!(",{},", self.0.join(",")),
        })
    }
}

impl FromValue for Tags {
    fn from_value(value: Value) -> store::Result<Tags> {
        String::from_value(value).map(|text| Tags::new([text]))
    }
}

#[derive(Debug, Clone, FromRow, UpdateRow)]
#[columns("ci_runners")]
pub struct Runner {
    pub id: i64,
    pub runner_type: RunnerType,
    pub group_id: Option<i64>,
    #[written]
    pub token_digest: Vec<u8>,
    #[written]
    pub short_token: String,
    #[written]
    pub description: Option<String>,
    #[written]
    pub maintenance_note: Option<String>,
    #[written]
    pub tags: Tags,
    #[written]
    pub run_untagged: bool,
    #[written]
    pub locked: bool,
    #[written]
    pub paused: bool,
    #[written]
    pub access_level: AccessLevel,
    #[written]
    pub maximum_timeout: Option<i64>,
    pub creator_id: Option<i64>,
    pub created_at: Timestamp,
    #[written]
    pub updated_at: Timestamp,
    pub contacted_at: Option<Timestamp>,
}

impl Runner {
    pub fn is_shared(&self) -> bool {
        self.runner_type == RunnerType::Instance
    }

    pub fn contact(&self, now: Timestamp) -> ContactStatus {
        contact(self.created_at, self.contacted_at, now)
    }

    /// Whether it was heard of lately; none where it never was.
    pub fn online(&self, now: Timestamp) -> Option<bool> {
        self.contacted_at.map(|at| at >= now - ONLINE)
    }

    /// Whether it takes jobs with these tags.
    pub fn takes_tagged(&self, tags: &[&str]) -> bool {
        match tags.is_empty() {
            true => self.run_untagged,
            false => tags.iter().all(|tag| self.tags.has(tag)),
        }
    }

    /// Whether it takes jobs of protected refs, or of others.
    pub fn takes_refs(&self, protected: bool) -> bool {
        protected || self.access_level == AccessLevel::NotProtected
    }

    /// What is wrong with what it is to be.
    pub fn problems(&self) -> Problems {
        let mut problems = Problems::default();
        let is_short = self.maximum_timeout.is_some_and(|seconds| seconds < MIN_TIMEOUT);
        let short = is_short.then_some("needs to be at least 10 minutes");
        problems.note("maximum_timeout", short);
        let takes_nothing = self.tags.is_empty() && !self.run_untagged;
        let nothing = "can not be empty when runner is not allowed to pick untagged jobs";
        problems.note("tags_list", takes_nothing.then_some(nothing));
        problems.note("tags_list", self.tags.problem());
        problems.note("maintenance_note", long(self.maintenance_note.as_deref()));
        problems.note("description", long(self.description.as_deref()));
        problems
    }
}

fn long(text: Option<&str>) -> Option<&'static str> {
    let is_long = text.is_some_and(|text| text.chars().count() > MAX_NOTE);
    is_long.then_some("is too long (maximum is 1024 characters)")
}

pub fn contact(
    created_at: Timestamp, contacted_at: Option<Timestamp>, now: Timestamp,
) -> ContactStatus {
    let forgotten = now - STALE;
    match contacted_at {
        _ if created_at <= forgotten && contacted_at.is_none_or(|at| at <= forgotten) => {
            ContactStatus::Stale
        }
        None => ContactStatus::NotConnected,
        Some(at) if at >= now - ONLINE => ContactStatus::Online,
        Some(_) => ContactStatus::Offline,
    }
}

/// The part of a token that is kept to tell runners apart.
pub fn short_token(token: &str) -> String {
    let rest = token.strip_prefix(TOKEN_PREFIX).unwrap_or(token);
    rest.chars().take(SHORT_TOKEN).collect()
}

/// A machine that uses a runner's token.
#[derive(Debug, Clone, FromRow)]
#[columns("ci_runner_managers")]
pub struct Manager {
    pub id: i64,
    pub runner_id: i64,
    pub system_id: String,
    pub version: Option<String>,
    pub revision: Option<String>,
    pub platform: Option<String>,
    pub architecture: Option<String>,
    pub executor: Option<String>,
    pub ip_address: Option<String>,
    pub created_at: Timestamp,
    pub contacted_at: Option<Timestamp>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_words_between_commas() {
        let tags = Tags::new(["rust, linux".to_owned(), String::new(), "rust".to_owned()]);
        assert_eq!(tags.as_slice(), ["linux", "rust"]);
        let stored = (&tags).into_value();
        assert_eq!(stored, Value::Text(",linux,rust,".into()));
        assert_eq!(Tags::from_value(stored).unwrap(), tags);
        assert_eq!((&Tags::default()).into_value(), Value::Text(String::new()));
        assert!(Tags::from_value(Value::Text(String::new())).unwrap().is_empty());
        assert!(tags.has("rust") && !tags.has("rus"));
    }

    #[test]
    fn contact_grows_old() {
        let now: Timestamp = "2026-03-10T12:00:00Z".parse().unwrap();
        let ago = |hours| now - SignedDuration::from_hours(hours);
        for (created, contacted, wanted) in [
            (ago(1), None, ContactStatus::NotConnected),
            (ago(167), None, ContactStatus::NotConnected),
            (ago(168), None, ContactStatus::Stale),
            (ago(1), Some(now), ContactStatus::Online),
            (ago(500), Some(ago(2)), ContactStatus::Online),
            (ago(500), Some(ago(3)), ContactStatus::Offline),
            (ago(500), Some(ago(168)), ContactStatus::Stale),
        ] {
            assert_eq!(contact(created, contacted, now), wanted, "{created} {contacted:?}");
        }
    }
}
