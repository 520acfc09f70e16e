//! Where groups, user namespaces and projects stand: paths, names, lineage,
//! and what follows when one of them moves.

use crate::model::{MAX_DEPTH, Namespace, Problems, Project};
use crate::store::searched::{GROUPS, PROJECTS, index_below};
use kernel::error::{CONFLICT, Error, Result};
use kernel::ids::fold;
use kernel::search::index;
use store::{Tx, sql};

pub struct Place {
    pub parent: Option<Namespace>,
    pub name: String,
    pub path: String,
}

impl Place {
    pub fn full_path(&self) -> String {
        join(self.parent.as_ref().map(|p| p.full_path.as_str()), "/", &self.path)
    }

    pub fn full_name(&self) -> String {
        join(self.parent.as_ref().map(|p| p.full_name.as_str()), " / ", &self.name)
    }

    /// The name that nobody beside it may have; none at the top.
    fn unique_name(&self) -> Option<&str> {
        self.parent.as_ref().map(|_| self.name.as_str())
    }

    fn depth(&self) -> i64 {
        self.parent.as_ref().map_or(0, |parent| parent.depth + 1)
    }

    /// What is wrong with a group standing there.
    pub fn problems(&self, problems: &mut Problems) {
        problems.note("name", crate::model::name_error(&self.name));
        problems.note("path", crate::model::path_error(&self.path, self.parent.is_none()));
        if self.depth() >= MAX_DEPTH {
            problems.add("parent_id", "is nested too deeply (maximum is 20 levels)");
        }
    }
}

fn join(above: Option<&str>, between: &str, own: &str) -> String {
    match above {
        Some(above) => format!("{above}{between}{own}"),
        None => own.to_owned(),
    }
}

/// Whether a group, user or project other than `except` has this full path.
pub fn is_taken(tx: &mut Tx<'_>, full_path: &str) -> Result<bool> {
    let taken: Option<i64> = tx.optional(
        sql!(
            "select id from namespaces where full_path_folded = $1
             union all select id from projects where full_path_folded = $1"
        ),
        (fold(full_path),),
    )?;
    Ok(taken.is_some())
}

/// What of a place somebody else has.
#[derive(Debug, Clone, Copy, Default)]
pub struct Taken {
    /// The name, which tells those of one namespace apart.
    pub name: bool,
    pub path: bool,
}

impl Taken {
    pub fn any(self) -> bool {
        self.name || self.path
    }

    /// Refuses with a message beside each field.
    pub fn check(self) -> Result<()> {
        const TAKEN: &str = "has already been taken";
        let mut problems = Problems::default();
        problems.note("name", self.name.then_some(TAKEN));
        problems.note("path", self.path.then_some(TAKEN));
        problems.check()
    }
}

fn is_group_name_taken(tx: &mut Tx<'_>, place: &Place) -> Result<bool> {
    let Some(parent) = &place.parent else {
        return Ok(false);
    };
    let taken: Option<i64> = tx.optional(
        sql!("select id from namespaces where parent_id = $1 and unique_name = $2"),
        (parent.id, &place.name),
    )?;
    Ok(taken.is_some())
}

pub fn is_project_name_taken(tx: &mut Tx<'_>, namespace_id: i64, name: &str) -> Result<bool> {
    let taken: Option<i64> = tx.optional(
        sql!("select id from projects where namespace_id = $1 and unique_name = $2"),
        (namespace_id, name),
    )?;
    Ok(taken.is_some())
}

/// Makes the namespace of a user; `None` when its path is taken.
pub fn insert_for_user(
    tx: &mut Tx<'_>, user_id: i64, path: &str, name: &str,
) -> Result<Option<i64>> {
    let now = tx.now();
    let id: Option<i64> = tx.optional(
        sql!(
            "insert into namespaces (kind, owner_id, name, name_folded, path, full_path,
                full_path_folded, full_name, lineage, depth, visibility, created_at, updated_at)
             values ('user', $1, $2, $3, $4, $4, $5, $2, '', 0, 20, $6, $6)
             on conflict (full_path_folded) do nothing returning id"
        ),
        (user_id, name, fold(name), path, fold(path), now),
    )?;
    if let Some(id) = id {
        set_lineage(tx, id, "/")?;
    }
    Ok(id)
}

pub fn insert_group(
    tx: &mut Tx<'_>, place: &Place, visibility: i64, creator_id: i64,
) -> Result<i64> {
    let now = tx.now();
    let full_path = place.full_path();
    let taken = Taken {
        name: is_group_name_taken(tx, place)?,
        path: is_taken(tx, &full_path)?,
    };
    taken.check()?;
    let id: Option<i64> = tx.optional(
        sql!(
            "insert into namespaces (kind, parent_id, name, name_folded, path, full_path,
                full_path_folded, full_name, lineage, depth, visibility, created_by_id,
                created_at, updated_at, unique_name)
             values ('group', $1, $2, $3, $4, $5, $6, $7, '', $8, $9, $10, $11, $11, $12)
             on conflict do nothing returning id"
        ),
        (
            place.parent.as_ref().map(|parent| parent.id),
            &place.name,
            fold(&place.name),
            &place.path,
            &full_path,
            fold(&full_path),
            place.full_name(),
            place.depth(),
            visibility,
            creator_id,
            now,
            place.unique_name(),
        ),
    )?;
    let id = id.ok_or_else(|| Error::Unavailable(CONFLICT.into()))?;
    let above = place.parent.as_ref().map_or("/", |parent| &parent.lineage);
    set_lineage(tx, id, above)?;
    index(tx, &GROUPS, &[id])?;
    Ok(id)
}

fn set_lineage(tx: &mut Tx<'_>, id: i64, above: &str) -> Result<()> {
    tx.execute(
        sql!("update namespaces set lineage = $2 where id = $1"),
        (id, format!("{above}{id}/")),
    )?;
    Ok(())
}

/// Renames or moves a namespace with all below it, and leaves redirects from
/// the old paths of projects. What is being deleted keeps the free path it
/// was given. Nothing happens where the new name or path is taken.
pub fn replace(tx: &mut Tx<'_>, old: &Namespace, place: &Place) -> Result<Taken> {
    let full_path = place.full_path();
    let moves = fold(&full_path) != fold(&old.full_path);
    let parent_id = place.parent.as_ref().map(|parent| parent.id);
    let renames = place.name != old.name || parent_id != old.parent_id;
    let taken = Taken {
        name: renames && is_group_name_taken(tx, place)?,
        path: moves && is_taken(tx, &full_path)?,
    };
    if taken.any() {
        return Ok(taken);
    }
    let now = tx.now();
    if full_path != old.full_path {
        move_projects(tx, old, &full_path, moves)?;
    }
    let above = place.parent.as_ref().map_or("/", |parent| parent.lineage.as_str());
    let lineage = format!("{above}{}/", old.id);
    let end = old.lineage_end();
    let from = |text: &str| text.chars().count() as i64 + 1;
    tx.execute(
        sql!(
            "update namespaces set
                full_path = $1 || substr(full_path, cast($2 as integer)),
                full_path_folded = case when deletion_scheduled_at is null
                    then $3 || substr(full_path_folded, cast($2 as integer))
                    else full_path_folded end,
                full_name = $4 || substr(full_name, cast($5 as integer)),
                lineage = $6 || substr(lineage, cast($7 as integer)),
                depth = depth + $8
             where lineage >= $9 and lineage < $10"
        ),
        (
            &full_path,
            from(&old.full_path),
            fold(&full_path),
            place.full_name(),
            from(&old.full_name),
            &lineage,
            from(&old.lineage),
            place.depth() - old.depth,
            &old.lineage,
            &end,
        ),
    )?;
    tx.execute(
        sql!(
            "update namespaces set name = $2, name_folded = $3, path = $4, parent_id = $5,
                updated_at = $6, unique_name = case when $7 then $8 else unique_name end
             where id = $1"
        ),
        (
            old.id,
            &place.name,
            fold(&place.name),
            &place.path,
            parent_id,
            now,
            renames,
            place.unique_name(),
        ),
    )?;
    index_below(tx, &lineage, &format!("{lineage}:"))?;
    Ok(taken)
}

fn move_projects(tx: &mut Tx<'_>, old: &Namespace, full_path: &str, redirect: bool) -> Result<()> {
    let now = tx.now();
    let end = old.lineage_end();
    if redirect {
        tx.execute(
            sql!(
                "insert into project_redirects (full_path_folded, project_id, created_at)
                 select p.full_path_folded, p.id, $3 from projects p
                 join namespaces n on n.id = p.namespace_id
                 where n.lineage >= $1 and n.lineage < $2 and p.deletion_scheduled_at is null
                 on conflict (full_path_folded) do update set project_id = excluded.project_id"
            ),
            (&old.lineage, &end, now),
        )?;
    }
    tx.execute(
        sql!(
            "update projects set
                full_path = $1 || substr(full_path, cast($2 as integer)),
                full_path_folded = $3 || substr(full_path_folded, cast($2 as integer)),
                updated_at = $6
             where deletion_scheduled_at is null and namespace_id in
                (select n.id from namespaces n where n.lineage >= $4 and n.lineage < $5)"
        ),
        (
            full_path,
            old.full_path.chars().count() as i64 + 1,
            fold(full_path),
            &old.lineage,
            &end,
            now,
        ),
    )?;
    tx.execute(
        sql!(
            "delete from project_redirects where full_path_folded in
                (select p.full_path_folded from projects p
                 join namespaces n on n.id = p.namespace_id
                 where n.lineage >= $1 and n.lineage < $2)"
        ),
        (&old.lineage, &end),
    )?;
    Ok(())
}

/// Moves or renames one project and leaves a redirect from its old path.
/// Nothing happens where the new name or path is taken.
pub fn replace_project(
    tx: &mut Tx<'_>, project: &Project, namespace: (i64, &str), name: &str, path: &str,
) -> Result<Taken> {
    let full_path = format!("{}/{path}", namespace.1);
    let (old, new) = (fold(&project.full_path), fold(&full_path));
    let renames = name != project.name || namespace.0 != project.namespace_id;
    let taken = Taken {
        name: renames && is_project_name_taken(tx, namespace.0, name)?,
        path: old != new && is_taken(tx, &full_path)?,
    };
    if taken.any() {
        return Ok(taken);
    }
    let now = tx.now();
    tx.execute(
        sql!(
            "update projects set namespace_id = $2, path = $3, path_folded = $4, full_path = $5,
                full_path_folded = $6, updated_at = $7, name = $8, name_folded = $9,
                unique_name = case when $10 then $8 else unique_name end where id = $1"
        ),
        (
            project.id,
            namespace.0,
            path,
            fold(path),
            &full_path,
            &new,
            now,
            name,
            fold(name),
            renames,
        ),
    )?;
    if old != new {
        tx.execute(sql!("delete from project_redirects where full_path_folded = $1"), (&new,))?;
        tx.execute(
            sql!(
                "insert into project_redirects (full_path_folded, project_id, created_at)
                 values ($1, $2, $3)
                 on conflict (full_path_folded) do update set project_id = excluded.project_id"
            ),
            (&old, project.id, now),
        )?;
    }
    index(tx, &PROJECTS, &[project.id])?;
    Ok(taken)
}

/// Ids from the root to this namespace, for settings that are inherited.
pub fn root_and_lineage(tx: &mut Tx<'_>, namespace_id: i64) -> Result<(i64, Vec<i64>)> {
    let lineage: Option<String> =
        tx.optional(sql!("select lineage from namespaces where id = $1"), (namespace_id,))?;
    let ids = crate::model::ids_of(&lineage.unwrap_or_default());
    Ok((ids.first().copied().unwrap_or(namespace_id), ids))
}
