//! `deploy_key_projects`, and the keys behind them.

use crate::model::{KeyProject, SshKey};
use ::store::{Fragment, FromRow, Tx, sql};
use kernel::error::Result;
use kernel::http::Paging;
use kernel::time::Timestamp;
use std::collections::HashMap;

const PROJECTS: &str =
    ::store::concat!("select ", KeyProject::COLUMNS, " from deploy_key_projects where ");

/// A deploy key as one of its projects has it.
#[derive(Debug, Clone)]
pub struct DeployKey {
    pub key: SshKey,
    pub can_push: bool,
}

/// A project that a deploy key opens, as lists for administrators name it.
#[derive(Debug, Clone, FromRow)]
#[columns("projects")]
pub struct Opened {
    #[column("deploy_key_projects.key_id")]
    pub key_id: i64,
    #[column("deploy_key_projects.can_push")]
    pub can_push: bool,
    pub id: i64,
    pub description: Option<String>,
    pub name: String,
    pub path: String,
    pub full_path: String,
    #[column("namespaces.full_name")]
    pub namespace_name: String,
    pub created_at: Timestamp,
}

/// A part of the deploy keys of a project, the oldest first, and how many there are.
pub fn of_project(tx: &mut Tx<'_>, project: i64, paging: &Paging) -> Result<(Vec<DeployKey>, i64)> {
    let total = count(tx, project)?;
    let joined: Vec<(i64, bool)> = tx.all(
        sql!(
            "select key_id, can_push from deploy_key_projects where project_id = $1
             order by key_id limit $2 offset $3"
        ),
        (project, paging.fetch(), paging.offset()),
    )?;
    let ids: Vec<i64> = joined.iter().map(|(id, _)| *id).collect();
    let keys: Vec<SshKey> =
        tx.all(sql!("select ", SshKey::COLUMNS, " from ssh_keys where id in_list($1)"), (ids,))?;
    let mut keys: HashMap<i64, SshKey> = keys.into_iter().map(|key| (key.id, key)).collect();
    let joined = joined
        .into_iter()
        .filter_map(|(id, can_push)| Some(DeployKey { key: keys.remove(&id)?, can_push }));
    Ok((joined.collect(), total))
}

pub fn count(tx: &mut Tx<'_>, project: i64) -> Result<i64> {
    Ok(tx.one(
        sql!("select count(*) from deploy_key_projects where project_id = $1"),
        (project,),
    )?)
}

/// A part of all deploy keys, or of the public ones, and how many there are.
pub fn all(
    tx: &mut Tx<'_>, is_public: Option<bool>, paging: &Paging,
) -> Result<(Vec<SshKey>, i64)> {
    let mut condition = Fragment::new("user_id is null");
    if let Some(is_public) = is_public {
        condition.raw(if is_public {
            " and is_public"
        } else {
            " and not is_public"
        });
    }
    let mut count = Fragment::new("select count(*) from ssh_keys where ");
    count.append(condition.clone());
    let total = tx.query::<i64>(count)?.pop().unwrap_or_default();
    let mut list =
        Fragment::new(::store::concat!("select ", SshKey::COLUMNS, " from ssh_keys where "));
    list.append(condition)
        .push(" order by id limit ", paging.fetch())
        .push(" offset ", paging.offset());
    Ok((tx.query(list)?, total))
}

/// The projects that some keys open.
pub fn opened(tx: &mut Tx<'_>, keys: &[i64]) -> Result<Vec<Opened>> {
    Ok(tx.all(
        sql!(
            "select ",
            Opened::COLUMNS,
            " from deploy_key_projects join projects on projects.id = deploy_key_projects.project_id
             join namespaces on namespaces.id = projects.namespace_id
             where deploy_key_projects.key_id in_list($1)
             order by deploy_key_projects.id limit 1000"
        ),
        (keys.to_vec(),),
    )?)
}

/// What a key is to a project, if it opens it.
pub fn find(tx: &mut Tx<'_>, project: i64, key: i64) -> Result<Option<KeyProject>> {
    Ok(tx.optional(sql!(PROJECTS, "project_id = $1 and key_id = $2"), (project, key))?)
}

/// The projects of a key, the first of them.
pub fn projects(tx: &mut Tx<'_>, key: i64, most: i64) -> Result<Vec<KeyProject>> {
    Ok(tx.all(sql!(PROJECTS, "key_id = $1 order by id limit $2"), (key, most))?)
}

/// Lets a key open a project; one that does stays as it is.
pub fn join(tx: &mut Tx<'_>, project: i64, key: i64, can_push: bool) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!(
            "insert into deploy_key_projects (key_id, project_id, can_push, created_at, updated_at)
             values ($1, $2, $3, $4, $4) on conflict do nothing"
        ),
        (key, project, can_push, now),
    )
}

pub fn set_can_push(tx: &mut Tx<'_>, id: i64, can_push: bool) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!("update deploy_key_projects set can_push = $2, updated_at = $3 where id = $1"),
        (id, can_push, now),
    )
}

pub fn part(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.run(sql!("delete from deploy_key_projects where id = $1"), (id,))
}
