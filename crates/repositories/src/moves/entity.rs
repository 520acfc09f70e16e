//! Moves on the wire, each with whose repositories it moves.

use super::containers;
use super::model::{State, StorageMove};
use super::snippets::MovedSnippet;
use ::store::{Fragment, Tx};
use kernel::app::App;
use kernel::error::Result;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::access::find_projects;
use spaces::model::{Namespace, Project, Visibility};
use std::collections::HashMap;

/// How far a move is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MoveHead {
    id: i64,
    created_at: String,
    state: State,
    source_storage_name: String,
    destination_storage_name: String,
}

/// What we tell of a move beside what others do.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MoveProgress {
    bytes_done: i64,
    bytes_total: i64,
    /// Why it went wrong.
    error: Option<String>,
    /// How long nothing could be written.
    read_only_ms: Option<i64>,
}

/// A move of the repositories of a project.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProjectMoveEntity {
    #[serde(flatten)]
    head: MoveHead,
    /// Null of one that is being deleted.
    project: Option<MovedProjectEntity>,
    #[serde(flatten)]
    progress: MoveProgress,
}

/// A move of the wiki of a group.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GroupMoveEntity {
    #[serde(flatten)]
    head: MoveHead,
    /// Null of one that is being deleted.
    group: Option<MovedGroupEntity>,
    #[serde(flatten)]
    progress: MoveProgress,
}

/// A move of the repository of a snippet.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SnippetMoveEntity {
    #[serde(flatten)]
    head: MoveHead,
    snippet: Option<MovedSnippetEntity>,
    #[serde(flatten)]
    progress: MoveProgress,
}

/// A project whose repositories are moved.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MovedProjectEntity {
    id: i64,
    description: Option<String>,
    name: String,
    name_with_namespace: String,
    path: String,
    path_with_namespace: String,
    created_at: String,
}

/// A group whose wiki is moved.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MovedGroupEntity {
    id: i64,
    web_url: String,
    name: String,
}

/// A snippet whose repository is moved.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MovedSnippetEntity {
    id: i64,
    title: String,
    description: Option<String>,
    visibility: Visibility,
    created_at: String,
    updated_at: String,
    project_id: Option<i64>,
    web_url: String,
    raw_url: String,
    ssh_url_to_repo: String,
    http_url_to_repo: String,
}

impl From<&StorageMove> for MoveHead {
    fn from(row: &StorageMove) -> MoveHead {
        MoveHead {
            id: row.id,
            created_at: wire::text(row.created_at),
            state: row.state,
            source_storage_name: row.source.clone(),
            destination_storage_name: row.destination.clone(),
        }
    }
}

impl From<&StorageMove> for MoveProgress {
    fn from(row: &StorageMove) -> MoveProgress {
        MoveProgress {
            bytes_done: row.bytes_done,
            bytes_total: row.bytes_total,
            error: row.error.clone(),
            read_only_ms: row.read_only_ms,
        }
    }
}

/// Moves of projects.
pub fn of_projects(
    _: &App, tx: &mut Tx<'_>, rows: &[StorageMove],
) -> Result<Vec<ProjectMoveEntity>> {
    let there = find_projects(tx, &ids(rows))?;
    let there: HashMap<i64, &Project> = there.iter().map(|it| (it.id, it)).collect();
    let entity = |row: &StorageMove| ProjectMoveEntity {
        head: row.into(),
        project: there.get(&row.container().id()).map(|it| project(it)),
        progress: row.into(),
    };
    Ok(rows.iter().map(entity).collect())
}

/// Moves of groups.
pub fn of_groups(app: &App, tx: &mut Tx<'_>, rows: &[StorageMove]) -> Result<Vec<GroupMoveEntity>> {
    let there = groups(tx, &ids(rows))?;
    let there: HashMap<i64, &Namespace> = there.iter().map(|it| (it.id, it)).collect();
    let entity = |row: &StorageMove| GroupMoveEntity {
        head: row.into(),
        group: there.get(&row.container().id()).map(|it| group(app, it)),
        progress: row.into(),
    };
    Ok(rows.iter().map(entity).collect())
}

/// Moves of snippets.
pub fn of_snippets(
    app: &App, tx: &mut Tx<'_>, rows: &[StorageMove],
) -> Result<Vec<SnippetMoveEntity>> {
    let there = containers::snippets(tx, &ids(rows))?;
    let there: HashMap<i64, &MovedSnippet> = there.iter().map(|it| (it.id, it)).collect();
    let entity = |row: &StorageMove| SnippetMoveEntity {
        head: row.into(),
        snippet: there.get(&row.container().id()).map(|it| snippet(app, it)),
        progress: row.into(),
    };
    Ok(rows.iter().map(entity).collect())
}

fn ids(rows: &[StorageMove]) -> Vec<i64> {
    rows.iter().map(|row| row.container().id()).collect()
}

/// Those of some groups that are there.
pub fn groups(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<Namespace>> {
    let mut condition = Fragment::new("namespaces.deletion_scheduled_at is null and");
    condition.in_list("namespaces.id", ids);
    let most = i64::try_from(ids.len()).unwrap_or(i64::MAX);
    spaces::store::namespaces(tx, &condition, "namespaces.id", most, 0)
}

fn project(it: &Project) -> MovedProjectEntity {
    MovedProjectEntity {
        id: it.id,
        description: it.description.clone(),
        name: it.name.clone(),
        name_with_namespace: it.name_with_namespace(),
        path: it.path.clone(),
        path_with_namespace: it.full_path.clone(),
        created_at: wire::text(it.created_at),
    }
}

fn group(app: &App, it: &Namespace) -> MovedGroupEntity {
    MovedGroupEntity {
        id: it.id,
        web_url: it.web_url(app.base_url()),
        name: it.name.clone(),
    }
}

fn snippet(app: &App, it: &MovedSnippet) -> MovedSnippetEntity {
    let (web_url, repository) = (app.url(&it.path), format!("{}.git", it.repository_path));
    MovedSnippetEntity {
        id: it.id,
        title: it.title.clone(),
        description: it.description.clone(),
        visibility: it.visibility,
        created_at: wire::text(it.created_at),
        updated_at: wire::text(it.updated_at),
        project_id: it.project_id,
        raw_url: format!("{web_url}/raw"),
        web_url,
        ssh_url_to_repo: app.ssh_url(&repository),
        http_url_to_repo: app.url(&format!("/{repository}")),
    }
}
