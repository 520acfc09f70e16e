//! Repositories and what they are made of.

use crate::formats::object_id::ObjectId;
use crate::formats::ref_name::RefName;
use jiff::Timestamp;
use store::FromRow;

kernel::choices! {
    /// What a repository holds.
    pub enum RepositoryKind {
        Project = "project",
        Wiki = "wiki",
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
    pub pushed_at: Option<Timestamp>,
    pub created_at: Timestamp,
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
