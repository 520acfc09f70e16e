//! What rooms above plug in, and what this room plugs into identity.

use crate::model::{Namespace, ProjectId, path_error};
use crate::{namespaces, rules};
use identity::hooks::Destroying;
use identity::model::User;
use kernel::error::{Error, Result};
use std::collections::HashMap;
use std::sync::OnceLock;
use store::{Fragment, Tx, sql};

/// Work in the transaction that deletes a project's row.
pub type ProjectDestroying = fn(&mut Tx<'_>, ProjectId) -> Result<()>;

/// Functions of the rooms above.
#[derive(Default)]
pub struct Hooks {
    /// The project and all in it will be deleted.
    pub project_destroying: Vec<ProjectDestroying>,
    /// Bytes of packages by project, for statistics.
    pub packages_size: Option<fn(&mut Tx<'_>, &[ProjectId]) -> Result<HashMap<ProjectId, i64>>>,
}

static HOOKS: OnceLock<Hooks> = OnceLock::new();

/// Plugs the hooks in, once, when the program is wired.
pub fn register(hooks: Hooks) {
    let _ = HOOKS.set(hooks);
}

pub(crate) fn get() -> &'static Hooks {
    HOOKS.get_or_init(Hooks::default)
}

/// Adds what this room does when users come, change and go.
pub fn plug_into_identity(hooks: &mut identity::hooks::Hooks) {
    hooks.user_created.push(user_created);
    hooks.user_renamed.push(user_renamed);
    hooks.user_destroying.push(user_destroying);
    hooks.namespace_of = Some(namespace_of);
    hooks.without_projects = Some(without_projects);
}

/// A person gets a namespace named like them.
fn user_created(tx: &mut Tx<'_>, user: &User) -> Result<()> {
    if !user.is_human() {
        return Ok(());
    }
    check_path(&user.username)?;
    let made = namespaces::insert_for_user(tx, user.id, &user.username, &user.name)?;
    made.map(|_| ())
        .ok_or_else(|| Error::invalid("username", "has already been taken"))
}

/// A username is a path, too.
fn check_path(username: &str) -> Result<()> {
    match path_error(username, true) {
        Some(problem) => Err(Error::invalid("username", problem)),
        None => Ok(()),
    }
}

fn user_renamed(tx: &mut Tx<'_>, before: &User, after: &User) -> Result<()> {
    let Some(own) = own_namespace(tx, after.id)? else {
        return Ok(());
    };
    let path = (before.username != after.username).then_some(after.username.as_str());
    let name = (before.name != after.name).then_some(after.name.as_str());
    if path.is_none() && name.is_none() {
        return Ok(());
    }
    if let Some(path) = path {
        check_path(path)?;
    }
    let place = namespaces::Place {
        parent: None,
        name: name.unwrap_or(&own.name).to_owned(),
        path: path.unwrap_or(&own.path).to_owned(),
    };
    match namespaces::replace(tx, &own, &place)? {
        true => Ok(()),
        false => Err(Error::invalid("username", "has already been taken")),
    }
}

/// Refuses to delete the only owner of a group; their own projects go.
fn user_destroying(tx: &mut Tx<'_>, destroying: &Destroying) -> Result<()> {
    let id = destroying.user.id;
    let alone: Option<i64> = tx.optional(
        sql!(
            "select m.source_id from members m
             join namespaces n on n.id = m.source_id and n.deletion_scheduled_at is null
             where m.user_id = $1 and m.source_type = 'Group' and m.access_level = 50
                and m.requested_at is null and not exists (
                    select 1 from members other where other.source_type = 'Group'
                        and n.lineage like '%/' || cast(other.source_id as text) || '/%'
                        and other.access_level = 50 and other.requested_at is null
                        and other.user_id <> $1)
             limit 1"
        ),
        (id,),
    )?;
    if alone.is_some() && !destroying.hard {
        return Err(Error::Conflict(
            "User cannot be removed: sole owner of a group.".into(),
        ));
    }
    match own_namespace(tx, id)? {
        Some(own) => rules::schedule_namespace(tx, &own),
        None => Ok(()),
    }
}

fn own_namespace(tx: &mut Tx<'_>, user_id: i64) -> Result<Option<Namespace>> {
    Ok(tx.optional(
        sql!("select * from namespaces where owner_id = $1 and kind = 'user'"),
        (user_id,),
    )?)
}

fn namespace_of(tx: &mut Tx<'_>, user_id: i64) -> Result<Option<i64>> {
    Ok(own_namespace(tx, user_id)?.map(|own| own.id))
}

fn without_projects() -> Fragment {
    Fragment::new(
        "not exists (select 1 from members m where m.user_id = users.id
            and m.source_type = 'Project' and m.requested_at is null)",
    )
}
