//! What imports bring, whatever they come from: sources read it, writers store it, archives
//! are made of it.

use kernel::time::Timestamp;
use planning::transfer as plan;
use releases::transfer as releasing;
use reviews::transfer as review;
use serde::{Deserialize, Serialize};

pub use planning::transfer::{On, Person};

/// Somebody outside; None for who is gone there.
pub type Release = releasing::Release<Person>;
pub type Issue = plan::Issue<Person>;
pub type Note = plan::Note<Person>;
pub type Event = plan::Event<Person>;
pub type MergeRequest = review::MergeRequest<Person>;
pub type CodeNote = review::CodeNote<Person>;

/// One thing that is brought.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Object {
    Label(plan::Label),
    Milestone(plan::Milestone),
    Release(Box<FoundRelease>),
    Member(Member),
    MergeRequest(Box<MergeRequest>),
    /// More of a merge request that was brought before: who merged it, reviewed it.
    Review(Box<Review>),
    Issue(Box<Issue>),
    Note(Box<Note>),
    CodeNote(Box<CodeNote>),
    Event(Event),
    ProtectedBranch(ProtectedBranch),
}

kernel::choices! {
    /// What of is counted, as clients see it (`stats` of an import).
    pub enum Kind as "ImportedKind" {
        Label = "label",
        Milestone = "milestone",
        Release = "release",
        Collaborator = "collaborator",
        PullRequest = "pull_request",
        MergedBy = "pull_request_merged_by",
        Review = "pull_request_review",
        Issue = "issue",
        Note = "note",
        DiffNote = "diff_note",
        IssueEvent = "issue_event",
        ProtectedBranch = "protected_branch",
        NoteAttachment = "note_attachment",
        LfsObject = "lfs_object",
    }
}

impl Object {
    pub fn kind(&self) -> Kind {
        match self {
            Object::Label(_) => Kind::Label,
            Object::Milestone(_) => Kind::Milestone,
            Object::Release(_) => Kind::Release,
            Object::Member(_) => Kind::Collaborator,
            Object::MergeRequest(_) => Kind::PullRequest,
            Object::Review(review) if review.merged_by.is_some() => Kind::MergedBy,
            Object::Review(_) => Kind::Review,
            Object::Issue(_) => Kind::Issue,
            Object::Note(_) => Kind::Note,
            Object::CodeNote(_) => Kind::DiffNote,
            Object::Event(_) => Kind::IssueEvent,
            Object::ProtectedBranch(_) => Kind::ProtectedBranch,
        }
    }

    /// What it is among those of its kind there: nothing of one import comes twice.
    pub fn key(&self) -> String {
        match self {
            Object::Label(label) => label.name.to_lowercase(),
            Object::Milestone(milestone) => milestone.number.to_string(),
            Object::Release(found) => found.release.tag.clone(),
            Object::Member(member) => member.who.id.clone(),
            Object::MergeRequest(request) => request.number.to_string(),
            Object::Review(review) => format!("{}:{}", review.number, review.key),
            Object::Issue(issue) => issue.number.to_string(),
            Object::Note(note) => note.key.clone(),
            Object::CodeNote(note) => note.key.clone(),
            Object::Event(event) => event.key.clone(),
            Object::ProtectedBranch(branch) => branch.name.clone(),
        }
    }
}

/// A release, and files that are fetched for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoundRelease {
    pub release: Release,
    #[serde(default)]
    pub assets: Vec<Asset>,
}

/// A file beside a release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asset {
    pub name: String,
    pub url: String,
    /// Bytes, as the place says.
    pub size: u64,
}

/// What somebody said of a merge request as a whole, or that they merged it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Review {
    pub number: i64,
    /// Its own there, among those of the merge request.
    pub key: String,
    pub by: Option<Person>,
    /// `approved`, `requested_changes`, `reviewed`, or `unreviewed` of who was asked and has
    /// not answered.
    pub state: Option<String>,
    /// What they wrote beside it; becomes a note.
    pub text: Option<String>,
    pub merged_by: Option<Person>,
    pub at: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Member {
    pub who: Person,
    /// As members have here: 10 to 50.
    pub access_level: i64,
    pub expires_at: Option<kernel::time::Date>,
}

/// Rules of a branch. Where it is protected here already, the stricter of both holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProtectedBranch {
    pub name: String,
    #[serde(default)]
    pub allows_force_push: bool,
    #[serde(default)]
    pub needs_code_owners: bool,
    /// Nobody pushes: changes come by merge requests.
    #[serde(default)]
    pub needs_merge_request: bool,
    /// Of the whole project: threads must be resolved before a merge.
    #[serde(default)]
    pub needs_resolved_threads: bool,
    /// Of the whole project: commits must be signed.
    #[serde(default)]
    pub needs_signed_commits: bool,
    /// Who may push all the same.
    #[serde(default)]
    pub pushers: Vec<Person>,
    /// The least role that pushes and merges, where the place has roles as we do.
    pub push_level: Option<i64>,
    pub merge_level: Option<i64>,
}
