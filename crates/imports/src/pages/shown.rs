//! How imports are shown.

use crate::model::Kind;
use crate::run::{Import, SourceName, Stage, Stats};
use kernel::html::ui::{self, Badge, Progress};
use spaces::imports::ImportStatus;
use std::collections::BTreeMap;

/// An import as its page and the list of them show it.
#[derive(Debug)]
pub struct Shown {
    pub of: Import,
}

/// How many of a kind came.
#[derive(Debug, PartialEq, Eq)]
pub struct CountRow {
    pub label: &'static str,
    pub fetched: u64,
    pub imported: u64,
}

impl Shown {
    pub fn is_moving(&self) -> bool {
        self.of.is_open()
    }

    pub fn badge(&self) -> Badge {
        match self.of.status {
            ImportStatus::Started if self.is_synced() => ui::badge("in step", "good"),
            ImportStatus::Started if self.of.waits_until.is_some() => ui::badge("waits", "warn"),
            ImportStatus::None => ui::badge("not begun", "plain"),
            ImportStatus::Scheduled => ui::state("queued"),
            ImportStatus::Started => ui::state("running"),
            ImportStatus::Finished => ui::state("finished"),
            ImportStatus::Failed => ui::state("failed"),
            ImportStatus::Canceled => ui::badge("canceled", "plain"),
        }
    }

    /// All came once, and what is new there keeps coming.
    fn is_synced(&self) -> bool {
        self.of.is_live && self.of.synced_at.is_some()
    }

    /// Where it comes from.
    pub fn origin(&self) -> String {
        match self.of.host.as_str() {
            "" => format!("{}, {}", self.of.origin, self.of.source.title()),
            host => format!("{}, {} at {host}", self.of.origin, self.of.source.title()),
        }
    }

    /// Whether it can go on where it failed, or bring again what it could not bring.
    pub fn may_retry(&self) -> bool {
        match self.of.status {
            ImportStatus::Failed => true,
            ImportStatus::Finished => self.of.failures > 0,
            _ => false,
        }
    }

    pub fn may_cut_over(&self) -> bool {
        self.of.is_open() && self.of.is_live
    }

    pub fn asks_username(&self) -> bool {
        matches!(self.of.source, SourceName::ProviderBServer | SourceName::ProviderBCloud)
    }

    pub fn asks_secret(&self) -> bool {
        self.of.source.needs_credentials()
    }

    /// What proves there who asks is called.
    pub fn secret_label(&self) -> &'static str {
        secret_label(self.of.source)
    }

    /// Why it waits or failed.
    pub fn error(&self) -> &str {
        self.of.last_error.as_deref().unwrap_or_default()
    }

    pub fn stage(&self) -> &'static str {
        match (self.of.status, self.of.stage) {
            (ImportStatus::Finished, _) => "All of it came",
            (_, None) => "Not begun",
            (_, Some(stage)) => stage_label(stage),
        }
    }

    pub fn failed(&self) -> String {
        format!("{} not brought", ui::count(self.of.failures.unsigned_abs(), "thing"))
    }

    /// How far it is with what it has read.
    pub fn progress(&self) -> Progress {
        let sum =
            |of: &BTreeMap<String, i64>| of.values().map(|count| count.unsigned_abs()).sum::<u64>();
        let Stats { fetched, imported } = &self.of.stats.0;
        ui::progress(self.stage(), sum(imported), sum(fetched))
    }

    pub fn correlation_id(&self) -> &str {
        self.of.correlation_id.as_deref().unwrap_or_default()
    }

    pub fn counts(&self) -> Vec<CountRow> {
        let Stats { fetched, imported } = &self.of.stats.0;
        let row = |kind: &Kind| {
            let count = |of: &BTreeMap<String, i64>| {
                of.get(kind.as_str()).copied().unwrap_or_default().unsigned_abs()
            };
            CountRow {
                label: kind_label(*kind),
                fetched: count(fetched),
                imported: count(imported),
            }
        };
        let rows = Kind::ALL.iter().map(row);
        rows.filter(|row| row.fetched > 0 || row.imported > 0).collect()
    }
}

/// What a stage brings.
fn stage_label(stage: Stage) -> &'static str {
    match stage {
        Stage::Repository => "Code",
        Stage::Wiki => "Wiki",
        Stage::Labels => "Labels",
        Stage::Milestones => "Milestones",
        Stage::Releases => "Releases",
        Stage::MergeRequests => "Merge requests",
        Stage::Collaborators => "Members",
        Stage::MergedBy => "Who merged",
        Stage::ReviewRequests => "Who is asked to review",
        Stage::Reviews => "Reviews",
        Stage::Issues => "Issues",
        Stage::CodeNotes => "Comments in code",
        Stage::Notes => "Comments",
        Stage::Events => "Events",
        Stage::Attachments => "Files of texts",
        Stage::ProtectedBranches => "Protected branches",
        Stage::Lfs => "Large files",
        Stage::Finish => "Finishing",
    }
}

/// What is counted.
pub fn kind_label(kind: Kind) -> &'static str {
    match kind {
        Kind::Label => "Labels",
        Kind::Milestone => "Milestones",
        Kind::Release => "Releases",
        Kind::Collaborator => "Members",
        Kind::PullRequest => "Merge requests",
        Kind::MergedBy => "Who merged",
        Kind::Review => "Reviews",
        Kind::Issue => "Issues",
        Kind::Note => "Comments",
        Kind::DiffNote => "Comments in code",
        Kind::IssueEvent => "Events",
        Kind::ProtectedBranch => "Protected branches",
        Kind::NoteAttachment => "Files of texts",
        Kind::LfsObject => "Large files",
    }
}

/// What proves upstream who asks, as it is called there.
pub fn secret_label(source: SourceName) -> &'static str {
    match source {
        SourceName::ProviderA | SourceName::ProjectFile => "Access token",
        SourceName::ProviderBServer => "Access token or password",
        SourceName::ProviderBCloud => "App password or API token",
    }
}
