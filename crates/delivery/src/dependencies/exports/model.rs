//! What is exported, in which format, and how far that is.

use ::store::FromRow;
use jiff::{SignedDuration, Timestamp};

/// How long a file is kept.
pub const KEPT: SignedDuration = SignedDuration::from_hours(7 * 24);
/// An export that has not ended after this time never will.
pub const LONGEST: SignedDuration = SignedDuration::from_hours(24);
/// Exports of a user that are written at once.
pub const MOST_RUNNING: i64 = 5;
/// After so many attempts that did not work an export has failed.
pub const MOST_TRIES: i64 = 6;
/// Seconds until it is worth asking again how far one is.
pub const ASK_AGAIN: u64 = 5;

kernel::choices! {
    /// What stands in the file.
    pub enum ExportType as "DependencyExportType" {
        DependencyList = "dependency_list",
        Csv = "csv",
        JsonArray = "json_array",
        Sbom = "sbom",
        CycloneDx = "cyclonedx_1_6_json",
        Vex = "cyclonedx_1_6_vex_json",
        Spdx = "spdx_2_3_json",
    }
}

kernel::choices! {
    /// What it is a list of.
    pub enum ParentKind as "DependencyExportParent" {
        Project = "project",
        Group = "group",
        Pipeline = "pipeline",
    }
}

kernel::choices! {
    /// How far an export is.
    pub enum Status as "DependencyExportStatus" {
        Created = "created",
        Running = "running",
        Finished = "finished",
        Failed = "failed",
    }
}

impl Status {
    /// Nothing more comes of it.
    pub fn has_finished(self) -> bool {
        matches!(self, Status::Finished | Status::Failed)
    }

    /// Whether it may become that next.
    pub fn may_become(self, next: Status) -> bool {
        match self {
            Status::Created => matches!(next, Status::Running | Status::Failed),
            // A worker that could not write it leaves it to another attempt.
            Status::Running => next != Status::Running,
            Status::Finished | Status::Failed => false,
        }
    }
}

impl ExportType {
    /// Those that a parent has.
    pub fn of(parent: ParentKind) -> &'static [ExportType] {
        match parent {
            ParentKind::Project => &[
                ExportType::DependencyList,
                ExportType::Csv,
                ExportType::CycloneDx,
                ExportType::Vex,
                ExportType::Spdx,
            ],
            ParentKind::Group => &[ExportType::JsonArray, ExportType::Csv],
            ParentKind::Pipeline => &[ExportType::Sbom],
        }
    }

    pub fn fits(self, parent: ParentKind) -> bool {
        ExportType::of(parent).contains(&self)
    }

    /// As people choose it.
    pub fn label(self) -> &'static str {
        match self {
            ExportType::DependencyList => "Dependency list (JSON)",
            ExportType::Csv => "CSV",
            ExportType::JsonArray => "JSON",
            ExportType::Sbom => "SBOM of a pipeline (CycloneDX 1.4)",
            ExportType::CycloneDx => "SBOM (CycloneDX 1.6)",
            ExportType::Vex => "Vulnerabilities (CycloneDX 1.6 VEX)",
            ExportType::Spdx => "SBOM (SPDX 2.3)",
        }
    }

    /// How its file's name ends.
    pub fn suffix(self) -> &'static str {
        match self {
            ExportType::DependencyList | ExportType::JsonArray => "json",
            ExportType::Csv => "csv",
            ExportType::Sbom | ExportType::CycloneDx => "cdx.json",
            ExportType::Vex => "vex.cdx.json",
            ExportType::Spdx => "spdx.json",
        }
    }

    pub fn media_type(self) -> &'static str {
        match self {
            ExportType::Csv => "text/csv; charset=utf-8",
            ExportType::DependencyList | ExportType::JsonArray => "application/json",
            ExportType::Spdx => "application/spdx+json",
            ExportType::Sbom | ExportType::CycloneDx | ExportType::Vex => {
                "application/vnd.cyclonedx+json"
            }
        }
    }

    /// Whether two of it can be compared.
    pub fn is_sbom(self) -> bool {
        matches!(self, ExportType::Sbom | ExportType::CycloneDx)
    }
}

/// What it is a list of, by its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parent {
    pub kind: ParentKind,
    pub id: i64,
}

#[derive(Debug, Clone, FromRow)]
#[columns("dependency_exports")]
pub struct Export {
    pub id: i64,
    /// Who asked for it, and alone has it.
    pub user_id: i64,
    pub project_id: Option<i64>,
    pub group_id: Option<i64>,
    pub pipeline_id: Option<i64>,
    pub export_type: ExportType,
    pub status: Status,
    pub send_email: bool,
    pub tries: i64,
    /// Why it failed, in words for who asked.
    pub problem: Option<String>,
    pub file_name: Option<String>,
    pub size: Option<i64>,
    pub sha256: Option<String>,
    pub blob_key: Option<String>,
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
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

    pub fn parent(&self) -> Parent {
        let of = |kind, id| Parent { kind, id };
        match (self.project_id, self.group_id, self.pipeline_id) {
            (Some(id), ..) => of(ParentKind::Project, id),
            (None, Some(id), _) => of(ParentKind::Group, id),
            // A row without any of them goes with what it was of.
            (None, None, id) => of(ParentKind::Pipeline, id.unwrap_or_default()),
        }
    }

    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at <= now
    }

    /// It has waited for its end for too long.
    pub fn is_given_up(&self, now: Timestamp) -> bool {
        !self.status.has_finished() && self.created_at + LONGEST <= now
    }
}

/// The name of a file: that of a project or group by its slug and the minute.
pub fn file_name(export_type: ExportType, parent: Parent, slug: &str, at: Timestamp) -> String {
    let suffix = export_type.suffix();
    match parent.kind {
        ParentKind::Pipeline => format!("sbom-{}.{suffix}", parent.id),
        ParentKind::Project | ParentKind::Group => {
            let minute = at.strftime("%Y-%m-%dT%H%M");
            format!("{slug}_dependencies_{minute}.{suffix}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_parent_has_its_formats() {
        use ExportType::{Csv, CycloneDx, DependencyList, JsonArray, Sbom, Spdx, Vex};
        use ParentKind::{Group, Pipeline, Project};
        for (export_type, parents) in [
            (DependencyList, &[Project][..]),
            (CycloneDx, &[Project]),
            (Csv, &[Project, Group]),
            (JsonArray, &[Group]),
            (Sbom, &[Pipeline]),
            (Spdx, &[Project]),
            (Vex, &[Project]),
        ] {
            for parent in [Project, Group, Pipeline] {
                let fits = parents.contains(&parent);
                assert_eq!(export_type.fits(parent), fits, "{export_type} of a {parent}");
            }
        }
    }

    #[test]
    fn an_export_moves_as_the_table_says() {
        use Status::{Created, Failed, Finished, Running};
        for (from, to) in [
            (Created, &[Running, Failed][..]),
            (Running, &[Finished, Failed, Created]),
            (Finished, &[]),
            (Failed, &[]),
        ] {
            for next in [Created, Running, Finished, Failed] {
                assert_eq!(from.may_become(next), to.contains(&next), "{from} to {next}");
            }
        }
    }

    #[test]
    fn files_are_named_after_what_they_are_of() {
        let at: Timestamp = "2031-05-06T12:07:59Z".parse().unwrap();
        let name = |export_type, kind| file_name(export_type, Parent { kind, id: 7 }, "anvil", at);
        for (export_type, kind, wanted) in [
            (
                ExportType::DependencyList,
                ParentKind::Project,
                "anvil_dependencies_2031-05-06T1207.json",
            ),
            (ExportType::Csv, ParentKind::Group, "anvil_dependencies_2031-05-06T1207.csv"),
            (
                ExportType::CycloneDx,
                ParentKind::Project,
                "anvil_dependencies_2031-05-06T1207.cdx.json",
            ),
            (ExportType::Sbom, ParentKind::Pipeline, "sbom-7.cdx.json"),
        ] {
            assert_eq!(name(export_type, kind), wanted);
        }
    }
}
