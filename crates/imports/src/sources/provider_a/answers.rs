//! What upstream answers, as far as it is read. Whatever it may leave out may be missing, and
//! be null.

use crate::model::Person;
use kernel::time::Timestamp;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};

/// The account that stands for those that are gone.
const GONE: &str = "ghost";

/// A list that may be null.
fn listed<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    Ok(Option::<Vec<T>>::deserialize(from)?.unwrap_or_default())
}

#[derive(Debug, Clone, Deserialize)]
pub struct User {
    pub id: i64,
    pub login: String,
    pub name: Option<String>,
    pub email: Option<String>,
}

impl User {
    /// Somebody, unless they are gone.
    pub fn person(self) -> Option<Person> {
        (self.login != GONE).then(|| Person {
            id: self.id.to_string(),
            username: self.login,
            name: self.name.filter(|name| !name.trim().is_empty()),
            email: self.email.filter(|email| email.contains('@')),
        })
    }
}

/// Somebody who may be gone.
pub fn person(user: Option<User>) -> Option<Person> {
    user.and_then(User::person)
}

/// Those of some who are not gone.
pub fn people(users: Vec<User>) -> Vec<Person> {
    users.into_iter().filter_map(User::person).collect()
}

#[derive(Debug, Clone, Deserialize)]
pub struct Repository {
    pub id: i64,
    pub name: String,
    pub full_name: String,
    pub owner: Option<User>,
    #[serde(default)]
    pub private: bool,
    /// `public`, `private`, or `internal`.
    pub visibility: Option<String>,
    pub description: Option<String>,
    pub clone_url: Option<String>,
    pub default_branch: Option<String>,
    pub has_wiki: Option<bool>,
    pub permissions: Option<Permissions>,
}

/// What the token may do with a repository.
#[derive(Debug, Clone, Deserialize)]
pub struct Permissions {
    #[serde(default)]
    pub push: bool,
}

#[derive(Debug, Deserialize)]
pub struct Organization {
    pub login: String,
}

#[derive(Debug, Deserialize)]
pub struct Label {
    pub name: String,
    pub color: Option<String>,
    pub description: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct Milestone {
    pub number: i64,
    pub title: String,
    pub description: Option<String>,
    pub state: Option<String>,
    pub due_on: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Option<Timestamp>,
}

#[derive(Debug, Deserialize)]
pub struct Release {
    pub tag_name: String,
    pub name: Option<String>,
    pub body: Option<String>,
    pub target_commitish: Option<String>,
    #[serde(default)]
    pub draft: bool,
    pub author: Option<User>,
    pub created_at: Timestamp,
    pub published_at: Option<Timestamp>,
    #[serde(default, deserialize_with = "listed")]
    pub assets: Vec<Asset>,
}

#[derive(Debug, Deserialize)]
pub struct Asset {
    pub name: String,
    pub url: Option<String>,
    pub browser_download_url: Option<String>,
    #[serde(default)]
    pub size: u64,
}

/// Of a label or a milestone, what it is called.
#[derive(Debug, Clone, Deserialize)]
pub struct Named {
    pub name: String,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Titled {
    pub title: String,
}

/// An end of a pull request.
#[derive(Debug, Deserialize)]
pub struct End {
    #[serde(rename = "ref")]
    pub branch: String,
    pub sha: Option<String>,
    pub user: Option<User>,
    pub repo: Option<EndRepository>,
}

#[derive(Debug, Deserialize)]
pub struct EndRepository {
    pub id: i64,
    pub name: String,
}

#[derive(Debug, Deserialize)]
pub struct Pull {
    pub number: i64,
    pub title: String,
    pub body: Option<String>,
    pub state: String,
    #[serde(default)]
    pub draft: bool,
    #[serde(default)]
    pub locked: bool,
    pub user: Option<User>,
    pub assignee: Option<User>,
    #[serde(default, deserialize_with = "listed")]
    pub assignees: Vec<User>,
    #[serde(default, deserialize_with = "listed")]
    pub requested_reviewers: Vec<User>,
    #[serde(default, deserialize_with = "listed")]
    pub labels: Vec<Named>,
    pub milestone: Option<Titled>,
    pub head: End,
    pub base: End,
    pub merge_commit_sha: Option<String>,
    pub closed_at: Option<Timestamp>,
    pub merged_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A pull request by itself, of which lists say less.
#[derive(Debug, Deserialize)]
pub struct WholePull {
    pub merged_by: Option<User>,
    pub merged_at: Option<Timestamp>,
}

#[derive(Debug, Deserialize)]
pub struct Requested {
    #[serde(default, deserialize_with = "listed")]
    pub users: Vec<User>,
}

#[derive(Debug, Deserialize)]
pub struct Review {
    pub id: i64,
    pub user: Option<User>,
    pub body: Option<String>,
    pub state: String,
    pub submitted_at: Option<Timestamp>,
}

#[derive(Debug, Deserialize)]
pub struct Issue {
    pub number: i64,
    pub title: String,
    pub body: Option<String>,
    pub state: String,
    #[serde(default)]
    pub locked: bool,
    pub user: Option<User>,
    pub assignee: Option<User>,
    #[serde(default, deserialize_with = "listed")]
    pub assignees: Vec<User>,
    #[serde(default, deserialize_with = "listed")]
    pub labels: Vec<IssueLabel>,
    pub milestone: Option<Titled>,
    pub closed_at: Option<Timestamp>,
    pub closed_by: Option<User>,
    /// There where it is a pull request.
    pub pull_request: Option<IgnoredAny>,
    pub reactions: Option<Reactions>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A label of an issue, which may be its name alone.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum IssueLabel {
    Whole { name: Option<String> },
    Name(String),
}

impl IssueLabel {
    pub fn name(self) -> Option<String> {
        match self {
            IssueLabel::Whole { name } => name,
            IssueLabel::Name(name) => Some(name),
        }
    }
}

/// How many reactions there are.
#[derive(Debug, Deserialize)]
pub struct Reactions {
    #[serde(default)]
    pub total_count: i64,
}

#[derive(Debug, Deserialize)]
pub struct Reaction {
    pub user: Option<User>,
    pub content: String,
    pub created_at: Timestamp,
}

/// A note about an issue or a pull request.
#[derive(Debug, Deserialize)]
pub struct Comment {
    pub id: i64,
    pub user: Option<User>,
    pub body: Option<String>,
    pub html_url: Option<String>,
    pub issue_url: Option<String>,
    pub reactions: Option<Reactions>,
    pub created_at: Timestamp,
    pub updated_at: Option<Timestamp>,
}

/// A note in the code of a pull request.
#[derive(Debug, Deserialize)]
pub struct CodeComment {
    pub id: i64,
    pub in_reply_to_id: Option<i64>,
    pub user: Option<User>,
    pub body: Option<String>,
    pub path: String,
    pub diff_hunk: Option<String>,
    pub commit_id: Option<String>,
    pub original_commit_id: Option<String>,
    pub side: Option<String>,
    pub start_side: Option<String>,
    pub line: Option<u32>,
    pub start_line: Option<u32>,
    pub original_line: Option<u32>,
    pub original_start_line: Option<u32>,
    /// `line` or `file`.
    pub subject_type: Option<String>,
    pub pull_request_url: Option<String>,
    pub reactions: Option<Reactions>,
    pub created_at: Timestamp,
    pub updated_at: Option<Timestamp>,
}

/// Something that happened, of the timeline of an issue.
#[derive(Debug, Deserialize)]
pub struct Happened {
    pub id: Option<i64>,
    pub event: Option<String>,
    pub actor: Option<User>,
    pub created_at: Option<Timestamp>,
    pub label: Option<Named>,
    pub milestone: Option<Titled>,
    pub assignee: Option<User>,
    pub requested_reviewer: Option<User>,
    pub rename: Option<Rename>,
    pub source: Option<Source>,
}

#[derive(Debug, Deserialize)]
pub struct Rename {
    pub from: String,
    pub to: String,
}

/// What names an issue.
#[derive(Debug, Deserialize)]
pub struct Source {
    pub issue: Option<SourceIssue>,
}

#[derive(Debug, Deserialize)]
pub struct SourceIssue {
    pub number: i64,
    pub repository: Option<SourceRepository>,
    pub pull_request: Option<IgnoredAny>,
}

#[derive(Debug, Deserialize)]
pub struct SourceRepository {
    pub full_name: String,
}

#[derive(Debug, Deserialize)]
pub struct Collaborator {
    pub id: i64,
    pub login: String,
    pub role_name: Option<String>,
    pub permissions: Option<Roles>,
}

/// Roles as older servers tell them.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Roles {
    pub admin: bool,
    pub maintain: bool,
    pub push: bool,
    pub triage: bool,
}

#[derive(Debug, Deserialize)]
pub struct Protection {
    pub required_conversation_resolution: Option<Switch>,
    pub required_pull_request_reviews: Option<RequiredReviews>,
    pub required_signatures: Option<Switch>,
    pub allow_force_pushes: Option<Switch>,
}

#[derive(Debug, Deserialize)]
pub struct Switch {
    #[serde(default)]
    pub enabled: bool,
}

#[derive(Debug, Deserialize)]
pub struct RequiredReviews {
    #[serde(default)]
    pub require_code_owner_reviews: bool,
    pub bypass_pull_request_allowances: Option<Allowed>,
}

#[derive(Debug, Deserialize)]
pub struct Allowed {
    #[serde(default, deserialize_with = "listed")]
    pub users: Vec<User>,
}
