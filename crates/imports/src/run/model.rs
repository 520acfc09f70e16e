//! An import, what may be wished of it, and what sources answer.

use crate::model::{Kind, Object};
use jiff::SignedDuration;
use kernel::error::Error;
use kernel::time::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};
use spaces::model::ImportStatus;
use std::collections::BTreeMap;
use std::fmt;
use store::{FromRow, Json, UpdateRow};

/// How long an import may make no progress.
pub const SILENCE: SignedDuration = SignedDuration::from_hours(24);
/// Bytes that what is told of a failure may have.
const LONGEST_TEXT: usize = 1000;

kernel::choices! {
    /// What an import comes from; also `import_type` of its project.
    pub enum SourceName as "ImportSourceName" {
        ProviderA = "provider_a",
        ProviderBServer = "provider_b_server",
        ProviderBCloud = "provider_b_cloud",
        ProjectFile = "project_file",
    }
}

impl SourceName {
    /// As people read it.
    pub const fn title(self) -> &'static str {
        match self {
            SourceName::ProviderA => "Provider A",
            SourceName::ProviderBServer => "Provider B Server",
            SourceName::ProviderBCloud => "Provider B Cloud",
            SourceName::ProjectFile => "a project file",
        }
    }

    /// Whether somebody has to prove there who asks.
    pub const fn needs_credentials(self) -> bool {
        !matches!(self, SourceName::ProjectFile)
    }
}

kernel::choices! {
    /// A part of an import. Each source says which it has, in its order.
    pub enum Stage as "ImportStage" {
        Repository = "repository",
        Wiki = "wiki",
        Labels = "labels",
        Milestones = "milestones",
        Releases = "releases",
        MergeRequests = "merge_requests",
        Collaborators = "collaborators",
        MergedBy = "merged_by",
        ReviewRequests = "review_requests",
        Reviews = "reviews",
        Issues = "issues",
        CodeNotes = "code_notes",
        Notes = "notes",
        Events = "events",
        Attachments = "attachments",
        ProtectedBranches = "protected_branches",
        Lfs = "lfs",
        Finish = "finish",
    }
}

impl Stage {
    /// What it brings, for what is told of a part of it that is lost.
    pub const fn kind(self) -> Kind {
        match self {
            Stage::Labels => Kind::Label,
            Stage::Milestones => Kind::Milestone,
            Stage::Releases => Kind::Release,
            Stage::Repository | Stage::Wiki | Stage::MergeRequests | Stage::Finish => {
                Kind::PullRequest
            }
            Stage::Collaborators => Kind::Collaborator,
            Stage::MergedBy => Kind::MergedBy,
            Stage::ReviewRequests | Stage::Reviews => Kind::Review,
            Stage::Issues => Kind::Issue,
            Stage::CodeNotes => Kind::DiffNote,
            Stage::Notes => Kind::Note,
            Stage::Events => Kind::IssueEvent,
            Stage::Attachments => Kind::NoteAttachment,
            Stage::ProtectedBranches => Kind::ProtectedBranch,
            Stage::Lfs => Kind::LfsObject,
        }
    }
}

kernel::choices! {
    /// What becomes of an import of which a stage makes no progress for a day.
    #[derive(Default)]
    pub enum TimeoutStrategy {
        /// It fails.
        #[default]
        Pessimistic = "pessimistic",
        /// It goes on with the next stage.
        Optimistic = "optimistic",
    }
}

impl<'de> Deserialize<'de> for TimeoutStrategy {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<TimeoutStrategy, D::Error> {
        let text = String::deserialize(from)?;
        Ok(TimeoutStrategy::from_text(&text).unwrap_or_default())
    }
}

/// What may be wished of an import beside where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    pub optional_stages: OptionalStages,
    pub timeout_strategy: TimeoutStrategy,
    /// Things that a page of an upstream list has at most, 1 to 100.
    pub pagination_limit: i64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            optional_stages: OptionalStages::default(),
            timeout_strategy: TimeoutStrategy::default(),
            pagination_limit: 100,
        }
    }
}

/// What comes only if it is wished.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OptionalStages {
    /// Files that texts name come along (`attachments_import`).
    pub attachments: bool,
    /// Who may do what there may do it here (`collaborators_import`).
    pub collaborators: bool,
    /// Notes are asked for issue by issue (`single_endpoint_notes_import`).
    pub single_endpoint_notes: bool,
}

impl Default for OptionalStages {
    fn default() -> OptionalStages {
        OptionalStages {
            attachments: false,
            collaborators: true,
            single_endpoint_notes: false,
        }
    }
}

/// What proves upstream who asks: stored sealed, erased when the import ends.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credentials {
    pub username: Option<String>,
    pub secret: String,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials")
            .field("username", &self.username)
            .finish_non_exhaustive()
    }
}

/// How many of each kind were read there, and how many are here by that.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Stats {
    pub fetched: BTreeMap<String, i64>,
    pub imported: BTreeMap<String, i64>,
}

impl Stats {
    /// Counts what was read.
    pub fn fetched(&mut self, kind: Kind, count: i64) {
        add(&mut self.fetched, kind, count);
    }

    /// Counts what came.
    pub fn imported(&mut self, kind: Kind, count: i64) {
        add(&mut self.imported, kind, count);
    }
}

fn add(counts: &mut BTreeMap<String, i64>, kind: Kind, count: i64) {
    if count != 0 {
        *counts.entry(kind.as_str().to_owned()).or_default() += count;
    }
}

/// An import of a project; the last one of it.
#[derive(Debug, Clone, FromRow, UpdateRow)]
#[columns("imports")]
pub struct Import {
    pub id: i64,
    pub project_id: i64,
    /// The part of a project that is brought into one that is there; none where the whole
    /// comes.
    pub relation: Option<String>,
    pub source: SourceName,
    /// The name of the server it comes from, which placeholders are told apart by.
    pub host: String,
    /// Who asked for it.
    pub user_id: i64,
    /// What it is called there: `owner/repo`.
    pub origin: String,
    /// Its number there.
    pub origin_id: Option<i64>,
    /// Where its interface is, without a slash at the end.
    pub base_url: String,
    /// What its source noted of it when it began, of the source's own making.
    #[written]
    pub upstream: Json<serde_json::Value>,
    #[written]
    pub sealed_credentials: Option<String>,
    pub options: Json<Options>,
    /// Logins there, and who they are here.
    pub user_map: Json<BTreeMap<String, i64>>,
    #[written]
    pub status: ImportStatus,
    /// It begins again and again until somebody says that it is enough.
    #[written]
    pub is_live: bool,
    /// How often it came through whole. From the second time on, what is here already and
    /// changed there is written again.
    #[written]
    pub round: i64,
    /// When that began.
    #[written]
    pub round_started_at: Timestamp,
    /// When the last one began that came through whole.
    #[written]
    pub synced_at: Option<Timestamp>,
    /// When somebody said that it is enough.
    #[written]
    pub cut_over_at: Option<Timestamp>,
    /// Where it stands; none before the first.
    #[written]
    pub stage: Option<Stage>,
    #[written]
    pub cursor: Option<String>,
    #[written]
    pub stats: Json<Stats>,
    /// Parts that could not be brought.
    #[written]
    pub failures: i64,
    /// How often the page it stands at went wrong, in a row.
    #[written]
    pub attempts: i64,
    /// Nothing is done before.
    #[written]
    pub waits_until: Option<Timestamp>,
    /// Why it waits, or failed, in words for who maintains the project.
    #[written]
    pub last_error: Option<String>,
    /// When it last came on.
    #[written]
    pub progressed_at: Timestamp,
    pub correlation_id: Option<String>,
    pub created_at: Timestamp,
    #[written]
    pub updated_at: Timestamp,
    #[written]
    pub ended_at: Option<Timestamp>,
}

impl Import {
    /// Whether it has not ended.
    pub fn is_open(&self) -> bool {
        matches!(self.status, ImportStatus::Scheduled | ImportStatus::Started)
    }

    /// Whether what is here already is written again where it changed there.
    pub fn is_update(&self) -> bool {
        self.round > 0
    }

    /// What did not change since then need not be asked for; none the first time.
    pub fn since(&self) -> Option<Timestamp> {
        self.synced_at.filter(|_| self.is_update())
    }
}

/// What an import begins with.
#[derive(Debug, Clone)]
pub struct NewImport {
    pub source: SourceName,
    /// The name of the server it comes from.
    pub host: String,
    /// `owner/repo` there.
    pub origin: String,
    /// Its number there.
    pub origin_id: Option<i64>,
    /// Where its interface is, without a slash at the end.
    pub base_url: String,
    /// What its source wants to know of it later on.
    pub upstream: serde_json::Value,
    pub options: Options,
    /// Logins there, and who they are here.
    pub user_map: BTreeMap<String, i64>,
    pub is_live: bool,
    pub credentials: Option<Credentials>,
    /// The request that asks for it.
    pub correlation_id: Option<String>,
}

impl NewImport {
    /// The same as an import that has not begun and is nowhere: for what is asked before.
    pub fn draft(&self, user_id: i64, now: Timestamp) -> Import {
        Import {
            id: 0,
            project_id: 0,
            relation: None,
            source: self.source,
            host: self.host.clone(),
            user_id,
            origin: self.origin.clone(),
            origin_id: self.origin_id,
            base_url: self.base_url.clone(),
            upstream: Json(self.upstream.clone()),
            sealed_credentials: None,
            options: Json(self.options.clone()),
            user_map: Json(self.user_map.clone()),
            status: ImportStatus::None,
            is_live: self.is_live,
            round: 0,
            round_started_at: now,
            synced_at: None,
            cut_over_at: None,
            stage: None,
            cursor: None,
            stats: Json(Stats::default()),
            failures: 0,
            attempts: 0,
            waits_until: None,
            last_error: None,
            progressed_at: now,
            correlation_id: self.correlation_id.clone(),
            created_at: now,
            updated_at: now,
            ended_at: None,
        }
    }
}

/// A page of a stage.
#[derive(Debug, Default)]
pub struct Page {
    /// At most [`Page::MOST`].
    pub objects: Vec<Object>,
    /// Things of it that could not be read.
    pub lost: Vec<Lost>,
    /// How many things came that are no objects, such as large files: kinds with how many.
    pub brought: Vec<(Kind, i64)>,
    /// Where the next begins, of the source's own making; none at the end of the stage.
    pub next: Option<String>,
}

impl Page {
    /// Objects of one page.
    pub const MOST: usize = 100;
    /// Bytes of a cursor.
    pub const LONGEST_CURSOR: usize = 4096;
}

/// A thing that could not be read, or fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    pub kind: Kind,
    /// Its own among those of its kind.
    pub key: String,
    pub reason: String,
}

/// Why there is no page.
#[derive(Debug)]
pub enum Trouble {
    /// Upstream wants to be asked again then.
    Wait(Timestamp),
    /// Upstream is away for a while: it is asked again, less and less often.
    Away(String),
    /// The whole import fails.
    Refused(String),
    /// This page alone is lost; after it is where the next begins, if there is one.
    Lost { reason: String, next: Option<String> },
    /// We failed ourselves.
    Internal(Error),
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Trouble {
        Trouble::Internal(error)
    }
}

/// What is told of a failure, not too long, on one line.
pub fn told(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = line.trim();
    match line.len() > LONGEST_TEXT {
        true => format!("{}…", &line[..line.floor_char_boundary(LONGEST_TEXT)]),
        false => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn options_of_older_rows_are_complete() {
        let read: Options = serde_json::from_value(json!({"pagination_limit": 5})).expect("read");
        assert_eq!(read, Options { pagination_limit: 5, ..Options::default() });
        let strict: Options =
            serde_json::from_value(json!({"timeout_strategy": "optimistic"})).expect("read");
        assert_eq!(strict.timeout_strategy, TimeoutStrategy::Optimistic);
        assert!(strict.optional_stages.collaborators && !strict.optional_stages.attachments);
    }

    #[test]
    fn what_is_told_is_one_short_line() {
        assert_eq!(told(" a\nb\0 "), "a b");
        let long = told(&"ä".repeat(2000));
        assert!(long.len() <= LONGEST_TEXT + '…'.len_utf8() && long.ends_with('…'));
    }

    #[test]
    fn nobody_reads_a_secret() {
        let credentials = Credentials { username: Some("jane".into()), secret: "hidden".into() };
        assert!(!format!("{credentials:?}").contains("hidden"));
    }
}
