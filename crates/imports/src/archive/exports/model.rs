//! The file of a project, and how far it is.

use jiff::SignedDuration;
use kernel::time::Timestamp;
use store::FromRow;

/// How long a file is kept.
pub const KEPT: SignedDuration = SignedDuration::from_hours(7 * 24);
/// One that has not ended after this time never will.
pub const LONGEST: SignedDuration = SignedDuration::from_hours(48);
/// After so many attempts that did not work an export has failed.
pub const MOST_TRIES: i64 = 4;

kernel::choices! {
    /// How far the file is.
    pub enum Status as "ProjectExportRowStatus" {
        Queued = "queued",
        Started = "started",
        Finished = "finished",
        Failed = "failed",
    }
}

kernel::choices! {
    /// How far the export of a project is, as clients see it.
    pub enum ExportStatus as "ProjectExportStatus" {
        None = "none",
        Queued = "queued",
        Started = "started",
        Finished = "finished",
        RegenerationInProgress = "regeneration_in_progress",
    }
}

impl Status {
    /// Nothing more comes of it.
    pub fn has_ended(self) -> bool {
        matches!(self, Status::Finished | Status::Failed)
    }
}

#[derive(Debug, Clone, FromRow)]
#[columns("project_exports")]
pub struct Export {
    pub id: i64,
    pub project_id: i64,
    /// Who asked for it.
    pub user_id: i64,
    pub status: Status,
    pub tries: i64,
    /// In place of that of the project.
    pub description: Option<String>,
    /// Where it is sent, too, until it was.
    pub sealed_target: Option<String>,
    /// Why it failed, or was not sent, in words for who maintains the project.
    pub problem: Option<String>,
    /// How many objects are written.
    pub objects: i64,
    pub file_name: Option<String>,
    pub size: Option<i64>,
    pub sha256: Option<String>,
    pub blob_key: Option<String>,
    pub created_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    pub expires_at: Timestamp,
}

/// The bytes of an export, by where they are.
#[derive(Debug, Clone, Copy)]
pub struct File<'e> {
    pub name: &'e str,
    pub key: &'e str,
    pub size: u64,
    pub sha256: &'e str,
}

impl Export {
    /// Its file, once it has finished.
    pub fn file(&self) -> Option<File<'_>> {
        Some(File {
            name: self.file_name.as_deref()?,
            key: self.blob_key.as_deref()?,
            size: self.size?.unsigned_abs(),
            sha256: self.sha256.as_deref()?,
        })
    }
}

/// What there is of a project: at most a file, and one that is being written.
#[derive(Debug, Clone, Default)]
pub struct Exports {
    /// The newest that has finished and is kept still.
    pub finished: Option<Export>,
    /// The newest, if it has not finished.
    pub latest: Option<Export>,
}

impl Exports {
    pub fn status(&self) -> ExportStatus {
        let running = self.latest.as_ref().map(|export| export.status);
        match (running.filter(|status| !status.has_ended()), &self.finished) {
            (Some(_), Some(_)) => ExportStatus::RegenerationInProgress,
            (Some(Status::Queued), None) => ExportStatus::Queued,
            (Some(_), None) => ExportStatus::Started,
            (None, Some(_)) => ExportStatus::Finished,
            (None, None) => ExportStatus::None,
        }
    }

    /// Why the newest failed, or was not sent.
    pub fn problem(&self) -> Option<&str> {
        let newest = self.latest.as_ref().or(self.finished.as_ref());
        newest.and_then(|export| export.problem.as_deref())
    }
}

/// The name of a file: the time, and the path of its project.
pub fn file_name(full_path: &str, at: Timestamp) -> String {
    let time = at.strftime("%Y-%m-%d_%H-%M-%S");
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || "-_.".contains(c) {
            c
        } else {
            '_'
        }
    };
    let path: String = full_path.chars().map(plain).take(150).collect();
    format!("{time}_{path}_export.tar.gz")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn export(status: Status) -> Option<Export> {
        Some(Export {
            id: 1,
            project_id: 1,
            user_id: 1,
            status,
            tries: 0,
            description: None,
            sealed_target: None,
            problem: None,
            objects: 0,
            file_name: None,
            size: None,
            sha256: None,
            blob_key: None,
            created_at: Timestamp::UNIX_EPOCH,
            finished_at: None,
            expires_at: Timestamp::UNIX_EPOCH,
        })
    }

    #[test]
    fn clients_are_told_of_both_at_once() {
        use Status::{Failed, Finished, Queued, Started};
        for (finished, latest, told) in [
            (None, None, ExportStatus::None),
            (None, export(Queued), ExportStatus::Queued),
            (None, export(Started), ExportStatus::Started),
            (None, export(Failed), ExportStatus::None),
            (export(Finished), None, ExportStatus::Finished),
            (export(Finished), export(Failed), ExportStatus::Finished),
            (export(Finished), export(Queued), ExportStatus::RegenerationInProgress),
            (export(Finished), export(Started), ExportStatus::RegenerationInProgress),
        ] {
            assert_eq!(Exports { finished, latest }.status(), told);
        }
    }

    #[test]
    fn files_are_named_after_their_project() {
        let at: Timestamp = "2031-05-06T12:07:59Z".parse().expect("a time");
        assert_eq!(file_name("acme/anvil", at), "2031-05-06_12-07-59_acme_anvil_export.tar.gz");
    }
}
