//! What REST shows of code, in wire order (docs/interface/repositories.md 3).

pub mod trailers;

use crate::hooks::LastPipeline;
use kernel::time::wire;
use repositories::diffs::{Change, FileDiff, Stats};
use repositories::formats::ref_name::RefName;
use repositories::objects::{self, Entry, Path, Person};
use repositories::protection::BranchProtection;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// A commit.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "CodeCommit")]
pub struct CommitEntity {
    pub id: String,
    pub short_id: String,
    pub created_at: String,
    pub parent_ids: Vec<String>,
    pub title: String,
    pub message: String,
    pub author_name: String,
    pub author_email: String,
    pub authored_date: String,
    pub committer_name: String,
    pub committer_email: String,
    pub committed_date: String,
    /// The last value of each.
    pub trailers: BTreeMap<String, String>,
    pub extended_trailers: BTreeMap<String, Vec<String>>,
    pub web_url: String,
    /// Lines that came and went, where they are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stats: Option<StatsEntity>,
}

/// Lines that came and went.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[schemars(rename = "CommitStats")]
pub struct StatsEntity {
    pub additions: u64,
    pub deletions: u64,
    pub total: u64,
}

impl From<Stats> for StatsEntity {
    fn from(stats: Stats) -> StatsEntity {
        let Stats { additions, deletions } = stats;
        StatsEntity { additions, deletions, total: additions + deletions }
    }
}

/// When somebody did something, as their clock showed it.
pub fn local(person: &Person) -> String {
    person.local_time().strftime("%Y-%m-%dT%H:%M:%S.000%:z").to_string()
}

impl CommitEntity {
    /// A commit of a project, without its trailers; `web_url` is that of the project.
    pub fn of(commit: &objects::Commit, web_url: &str) -> CommitEntity {
        CommitEntity {
            id: commit.id.to_string(),
            short_id: commit.short_id(),
            created_at: local(&commit.committer),
            parent_ids: commit.parents.iter().map(ToString::to_string).collect(),
            title: commit.title().to_owned(),
            message: commit.message.clone(),
            author_name: commit.author.name.clone(),
            author_email: commit.author.email.clone(),
            authored_date: local(&commit.author),
            committer_name: commit.committer.name.clone(),
            committer_email: commit.committer.email.clone(),
            committed_date: local(&commit.committer),
            trailers: BTreeMap::new(),
            extended_trailers: BTreeMap::new(),
            web_url: format!("{web_url}/-/commit/{}", commit.id),
            stats: None,
        }
    }

    /// The same with what stands in the last lines of its message.
    #[must_use]
    pub fn with_trailers(mut self) -> CommitEntity {
        for (key, value) in trailers::of(&self.message) {
            self.trailers.insert(key.clone(), value.clone());
            self.extended_trailers.entry(key).or_default().push(value);
        }
        self
    }
}

/// A commit by itself.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CommitDetail {
    #[serde(flatten)]
    pub commit: CommitEntity,
    /// That of its newest pipeline.
    pub status: Option<String>,
    pub project_id: i64,
    pub last_pipeline: Option<LastPipeline>,
}

impl CommitDetail {
    /// A commit of a project, and its newest pipeline.
    pub fn of(
        commit: CommitEntity, project_id: i64, last_pipeline: Option<LastPipeline>,
    ) -> CommitDetail {
        let status = last_pipeline.as_ref().map(|pipeline| pipeline.status.clone());
        CommitDetail { commit, status, project_id, last_pipeline }
    }
}

/// A branch.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "CodeBranch")]
pub struct BranchEntity {
    pub name: String,
    pub commit: CommitEntity,
    /// The default branch has all of it.
    pub merged: bool,
    pub protected: bool,
    pub developers_can_push: bool,
    pub developers_can_merge: bool,
    /// Whether who asks may push to it.
    pub can_push: bool,
    pub default: bool,
    pub web_url: String,
}

/// What a branch is beside its commit.
#[derive(Debug, Clone, Copy)]
pub struct BranchState<'a> {
    pub head: &'a RefName,
    pub merged: bool,
    pub protection: BranchProtection,
}

impl BranchEntity {
    /// A branch of a project; `web_url` is that of the project.
    pub fn of(
        name: &str, commit: &objects::Commit, state: BranchState<'_>, web_url: &str,
    ) -> BranchEntity {
        let default = state.head.as_branch() == Some(name);
        BranchEntity {
            name: name.to_owned(),
            commit: CommitEntity::of(commit, web_url),
            merged: state.merged && !default,
            protected: state.protection.is_protected,
            developers_can_push: state.protection.developers_can_push,
            developers_can_merge: state.protection.developers_can_merge,
            can_push: state.protection.can_push,
            default,
            web_url: format!("{web_url}/-/tree/{}", in_address(name)),
        }
    }
}

/// What a release says of its tag.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TagRelease {
    pub tag_name: String,
    pub description: Option<String>,
}

/// A tag.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "CodeTag")]
pub struct TagEntity {
    pub name: String,
    /// What was written into an annotated tag; empty for others.
    pub message: String,
    /// What it points at: of an annotated tag, the tag object.
    pub target: String,
    pub commit: Option<CommitEntity>,
    /// Its release, for who sees releases.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release: Option<Option<TagRelease>>,
    pub protected: bool,
    /// When an annotated tag was made.
    pub created_at: Option<String>,
}

impl TagEntity {
    /// A tag of a project; `web_url` is that of the project.
    pub fn of(
        name: &str, target: String, annotated: Option<&objects::Tag>,
        commit: Option<&objects::Commit>, protected: bool, web_url: &str,
    ) -> TagEntity {
        let tagger = annotated.and_then(|tag| tag.tagger.as_ref());
        TagEntity {
            name: name.to_owned(),
            message: annotated.map_or("", |tag| tag.message.trim_end()).to_owned(),
            target,
            commit: commit.map(|commit| CommitEntity::of(commit, web_url)),
            release: None,
            protected,
            created_at: tagger.map(|tagger| wire::text(tagger.at)),
        }
    }
}

/// An entry of a folder.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TreeEntry {
    pub id: String,
    pub name: String,
    /// `tree`, `blob`, or `commit` for a submodule.
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub path: String,
    pub mode: &'static str,
}

impl TreeEntry {
    /// An entry of the folder at this path.
    pub fn of(entry: &Entry, folder: &Path) -> TreeEntry {
        TreeEntry {
            id: entry.id.to_string(),
            name: entry.name.clone(),
            kind: entry.kind.object(),
            path: folder.below(&entry.name).to_string(),
            mode: entry.kind.mode(),
        }
    }
}

/// What differs of one file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CommitDiff {
    pub diff: String,
    pub collapsed: bool,
    pub too_large: bool,
    pub new_path: String,
    pub old_path: String,
    pub a_mode: String,
    pub b_mode: String,
    pub new_file: bool,
    pub renamed_file: bool,
    pub deleted_file: bool,
    pub generated_file: bool,
}

impl CommitDiff {
    /// With `unidiff`, the text begins with the two names.
    pub fn of(file: FileDiff, unidiff: bool) -> CommitDiff {
        let names = match unidiff && file.text.starts_with("@@") {
            true => names(&file),
            false => String::new(),
        };
        CommitDiff {
            diff: names + &file.text,
            collapsed: file.is_collapsed,
            too_large: file.is_too_large,
            new_path: file.new_path,
            old_path: file.old_path,
            // As the reference writes it: no file, no mode, one digit.
            a_mode: mode(file.old_mode),
            b_mode: mode(file.new_mode),
            new_file: file.change == Change::Added,
            renamed_file: file.change == Change::Renamed,
            deleted_file: file.change == Change::Deleted,
            generated_file: false,
        }
    }
}

fn mode(mode: String) -> String {
    match mode.as_str() {
        "000000" => "0".to_owned(),
        _ => mode,
    }
}

fn names(file: &FileDiff) -> String {
    let name = |side: &str, path: &str, is_there: bool| match is_there {
        true => format!("{side}/{path}"),
        false => "/dev/null".to_owned(),
    };
    let old = name("a", &file.old_path, file.change != Change::Added);
    let new = name("b", &file.new_path, file.change != Change::Deleted);
    format!("--- {old}\n+++ {new}\n")
}

/// A name of a ref or file as a part of an address, its slashes as they are.
pub fn in_address(name: &str) -> String {
    use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
    const PART: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'/')
        .remove(b'-')
        .remove(b'_')
        .remove(b'.')
        .remove(b'~');
    utf8_percent_encode(name, PART).to_string()
}
