//! Which parts there are, and how far one is.

use crate::run::Stage;
use kernel::time::Timestamp;
use store::FromRow;

kernel::choices! {
    /// A part of a file.
    pub enum Relation as "ImportedRelation" {
        Issues = "issues",
        Milestones = "milestones",
        CiPipelines = "ci_pipelines",
        MergeRequests = "merge_requests",
    }
}

kernel::choices! {
    /// How far it is.
    pub enum Status as "RelationImportStatus" {
        Created = "created",
        Started = "started",
        Finished = "finished",
        Failed = "failed",
    }
}

impl Status {
    /// Nothing more comes of it.
    pub fn has_ended(self) -> bool {
        matches!(self, Status::Finished | Status::Failed)
    }
}

impl Relation {
    /// The stages that bring it. Files hold no pipelines.
    pub const fn stages(self) -> &'static [Stage] {
        match self {
            Relation::Issues => &[
                Stage::Repository,
                Stage::Attachments,
                Stage::Issues,
                Stage::Notes,
                Stage::Events,
                Stage::Finish,
            ],
            Relation::Milestones => &[Stage::Repository, Stage::Milestones, Stage::Finish],
            Relation::CiPipelines => &[Stage::Repository, Stage::Finish],
            Relation::MergeRequests => &[
                Stage::Repository,
                Stage::Attachments,
                Stage::MergeRequests,
                Stage::CodeNotes,
                Stage::Notes,
                Stage::Events,
                Stage::Finish,
            ],
        }
    }
}

/// One of a project.
#[derive(Debug, Clone, FromRow)]
#[columns("relation_imports")]
pub struct RelationImport {
    pub id: i64,
    pub project_id: i64,
    pub relation: Relation,
    /// As it was when that was last noted.
    pub status: Status,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}
