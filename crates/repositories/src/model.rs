//! Repositories and what they are made of.

use crate::formats::object_id::ObjectId;
use crate::formats::ref_name::RefName;
use jiff::Timestamp;
use kernel::error::{Error, Result};
use store::FromRow;

/// What somebody is told who would write to a repository that is about to lie elsewhere
/// (docs/interface/repositories.md 1.4).
pub const READ_ONLY: &str = "The repository is temporarily read-only. Please try again later.";

kernel::choices! {
    /// What a repository holds.
    pub enum RepositoryKind {
        Project = "project",
        Wiki = "wiki",
        Snippet = "snippet",
    }
}

/// Whose repository it is: each holder has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Holder {
    /// The code of a project.
    Code(i64),
    /// The wiki of a project.
    ProjectWiki(i64),
    /// The wiki of a group.
    GroupWiki(i64),
    /// A snippet of a project.
    ProjectSnippet { id: i64, project_id: i64 },
    /// A snippet of a person; it counts for the namespace that is theirs.
    PersonalSnippet { id: i64, namespace_id: i64 },
}

impl Holder {
    pub fn kind(self) -> RepositoryKind {
        match self {
            Holder::Code(_) => RepositoryKind::Project,
            Holder::ProjectWiki(_) | Holder::GroupWiki(_) => RepositoryKind::Wiki,
            Holder::ProjectSnippet { .. } | Holder::PersonalSnippet { .. } => {
                RepositoryKind::Snippet
            }
        }
    }

    /// The project that it belongs to, if it is one.
    pub fn project_id(self) -> Option<i64> {
        match self {
            Holder::Code(id)
            | Holder::ProjectWiki(id)
            | Holder::ProjectSnippet { project_id: id, .. } => Some(id),
            Holder::GroupWiki(_) | Holder::PersonalSnippet { .. } => None,
        }
    }

    /// The group that it belongs to, or the namespace of a person, if it is one.
    pub fn group_id(self) -> Option<i64> {
        match self {
            Holder::GroupWiki(id) | Holder::PersonalSnippet { namespace_id: id, .. } => Some(id),
            Holder::Code(_) | Holder::ProjectWiki(_) | Holder::ProjectSnippet { .. } => None,
        }
    }

    /// The snippet, if it is one.
    pub fn snippet_id(self) -> Option<i64> {
        match self {
            Holder::ProjectSnippet { id, .. } | Holder::PersonalSnippet { id, .. } => Some(id),
            Holder::Code(_) | Holder::ProjectWiki(_) | Holder::GroupWiki(_) => None,
        }
    }
}

/// A repository. Its refs and packs have rows of their own.
#[derive(Debug, Clone, FromRow)]
#[columns("repositories")]
pub struct Repository {
    pub id: i64,
    pub kind: String,
    pub project_id: Option<i64>,
    pub group_id: Option<i64>,
    pub snippet_id: Option<i64>,
    /// The name of the storage of its packs.
    pub storage: String,
    /// The ref that HEAD stands for; it need not be there.
    pub head: RefName,
    /// Counts changes of refs and packs.
    pub generation: i64,
    /// Counts removals of objects: what was found complete before may lack some.
    pub epoch: i64,
    /// Bytes of the packs in use.
    pub size: i64,
    /// Nothing may be written to it since then: it is about to lie in another storage.
    pub read_only_at: Option<Timestamp>,
    pub pushed_at: Option<Timestamp>,
    pub created_at: Timestamp,
}

impl Repository {
    pub fn is_read_only(&self) -> bool {
        self.read_only_at.is_some()
    }

    /// Refuses who begins to write to it while nothing may be written.
    pub fn check_writable(&self) -> Result<()> {
        match self.is_read_only() {
            true => Err(Error::forbidden(READ_ONLY)),
            false => Ok(()),
        }
    }

    /// Whose it is; none of a row that this version knows no holder of.
    pub fn holder(&self) -> Option<Holder> {
        match (RepositoryKind::from_text(&self.kind)?, self.project_id, self.group_id) {
            (RepositoryKind::Snippet, Some(project_id), _) => {
                Some(Holder::ProjectSnippet { id: self.snippet_id?, project_id })
            }
            (RepositoryKind::Snippet, None, Some(namespace_id)) => {
                Some(Holder::PersonalSnippet { id: self.snippet_id?, namespace_id })
            }
            (RepositoryKind::Project, Some(id), _) => Some(Holder::Code(id)),
            (RepositoryKind::Wiki, Some(id), _) => Some(Holder::ProjectWiki(id)),
            (RepositoryKind::Wiki, None, Some(id)) => Some(Holder::GroupWiki(id)),
            _ => None,
        }
    }
}

/// A ref and what it points at.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
#[columns("repository_refs")]
pub struct Ref {
    pub name: RefName,
    pub object_id: ObjectId,
    /// What an annotated tag leads to.
    pub peeled_id: Option<ObjectId>,
}

/// A pack in use.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
#[columns("repository_packs")]
pub struct Pack {
    /// The digest that git names its files by.
    pub name: String,
    pub pack_key: String,
    pub index_key: String,
    pub pack_size: i64,
    pub index_size: i64,
}
