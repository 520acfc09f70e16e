//! The visible-set SQL: conditions on `projects` and `namespaces`.

use super::{GUEST, Purpose, REPORTER, deploy_level, is_in_scope, sees_level};
use crate::model::{INTERNAL, PUBLIC, SourceKind};
use crate::store::{in_force, today};
use identity::viewer::{DeployViewer, Viewer};
use store::{Fragment, Tx};

/// Condition on `projects`: those this viewer may see, or whose packages, code or wiki
/// they may read. Projects about to be deleted are never among them.
pub fn visible_projects(tx: &Tx<'_>, viewer: &Viewer, purpose: Purpose) -> Fragment {
    let today = today(tx);
    let mut shown = Fragment::new("projects.deletion_scheduled_at is null");
    if purpose == Purpose::ReadPackages {
        shown.raw(
            " and projects.packages_enabled
              and coalesce(projects.features ->> 'package_registry', '') <> 'disabled'",
        );
    }
    match purpose.feature() {
        Some("wiki") => shown.raw(" and coalesce(projects.features ->> 'wiki', '') <> 'disabled'"),
        Some("snippets") => {
            shown.raw(" and coalesce(projects.features ->> 'snippets', '') <> 'disabled'")
        }
        // They show code, and so are for who reads that.
        Some("builds") => shown.raw(
            " and coalesce(projects.features ->> 'builds', '') <> 'disabled'
              and coalesce(projects.features ->> 'repository', '') <> 'disabled'",
        ),
        Some(_) => shown.raw(" and coalesce(projects.features ->> 'repository', '') <> 'disabled'"),
        None => &mut shown,
    };
    if viewer.is_admin() {
        return shown;
    }
    // What is open by its visibility, and from which role on the rest is seen.
    let mut open = Fragment::new("projects.visibility >= ");
    open.bind(lowest_open(viewer));
    let mut needed = purpose.project_role().max(GUEST);
    if purpose == Purpose::ReadPackages {
        open = {
            let mut published =
                Fragment::new("projects.features ->> 'package_registry' = 'public' or ((");
            published
                .append(open)
                .raw(") and coalesce(projects.features ->> 'package_registry', '') <> 'private')");
            published
        };
        needed = REPORTER;
    }
    match purpose.feature() {
        Some("wiki") => open.raw(" and coalesce(projects.features ->> 'wiki', '') <> 'private'"),
        Some("snippets") => {
            open.raw(" and coalesce(projects.features ->> 'snippets', '') <> 'private'")
        }
        Some("builds") => open.raw(
            " and coalesce(projects.features ->> 'builds', '') <> 'private'
              and coalesce(projects.features ->> 'repository', '') <> 'private'",
        ),
        Some(_) => open.raw(" and coalesce(projects.features ->> 'repository', '') <> 'private'"),
        None => &mut open,
    };
    shown.raw(" and ((").append(open).raw(")");
    match viewer {
        Viewer::User(signed_in) => {
            shown.raw(" or (").append(reached(signed_in.user.id, needed, &today));
            if let Some((_, own)) = viewer.job() {
                shown.push(" and projects.id = ", own);
            }
            shown.raw(")");
        }
        Viewer::Deploy(_) if !is_in_scope(viewer, purpose) => {}
        Viewer::Deploy(deploy) if deploy_level(deploy, REPORTER) >= needed => {
            shown.raw(" or ").append(deploy_source(deploy));
        }
        _ => {}
    }
    shown.raw(")");
    shown
}

/// Condition on `namespaces`: those that their visibility alone opens to this viewer.
pub fn open_groups(viewer: &Viewer) -> Fragment {
    let mut open = Fragment::new("namespaces.visibility >= ");
    open.bind(lowest_open(viewer));
    open
}

fn lowest_open(viewer: &Viewer) -> i64 {
    if sees_level(viewer, INTERNAL) { INTERNAL } else { PUBLIC }
}

fn deploy_source(deploy: &DeployViewer) -> Fragment {
    let mut source = Fragment::default();
    if deploy.source_type == SourceKind::Project.as_str() {
        source.push("projects.id = ", deploy.source_id);
    } else {
        source
            .raw("projects.namespace_id in (select n.id from namespaces n where n.lineage like ")
            .bind(format!("%/{}/%", deploy.source_id))
            .raw(")");
    }
    source
}

/// Condition on `projects`: those where the user's effective role is at least
/// `level`.
pub fn projects_of(tx: &Tx<'_>, user_id: i64, level: i64) -> Fragment {
    reached(user_id, level, &today(tx))
}

/// Condition on `namespaces`: groups where the user's effective role is at
/// least `level`.
pub fn groups_of(tx: &Tx<'_>, user_id: i64, level: i64) -> Fragment {
    groups_reached(user_id, level, &today(tx))
}

/// Condition on `namespaces`: groups the user is a member of, not counting
/// those above or below.
pub fn groups_direct(tx: &Tx<'_>, user_id: i64) -> Fragment {
    let mut direct = Fragment::new(
        "namespaces.id in (select m.source_id from members m where m.source_type = 'Group' and ",
    );
    direct.append(counts("m", user_id, super::GUEST, &today(tx))).raw(")");
    direct
}

/// Condition on `namespaces`: groups the user belongs to: where they have a
/// role, and those above what they are members of.
pub fn groups_joined(tx: &Tx<'_>, user_id: i64, level: i64) -> Fragment {
    let today = today(tx);
    let mut joined = Fragment::new("(");
    joined
        .append(groups_reached(user_id, level, &today))
        .raw(" or ")
        .append(holds_below(user_id, &today))
        .raw(")");
    joined
}

fn reached(user_id: i64, level: i64, today: &str) -> Fragment {
    let mut condition = Fragment::new("(projects.id in (select m.source_id from members m where ");
    condition
        .append(counts("m", user_id, level, today))
        .raw(" and m.source_type = 'Project') or projects.namespace_id in (")
        .append(own_groups(user_id, level, today))
        .push(
            ") or projects.namespace_id in (select n.id from namespaces n where n.owner_id = ",
            user_id,
        )
        .raw(") or projects.id in (select s.source_id from shares s ")
        .append(shared_with(user_id, level, today))
        .raw(" and s.source_type = 'Project') or projects.namespace_id in (")
        .append(shared_groups(user_id, level, today))
        .raw("))");
    condition
}

fn groups_reached(user_id: i64, level: i64, today: &str) -> Fragment {
    let mut condition = Fragment::new("(namespaces.id in (");
    condition
        .append(own_groups(user_id, level, today))
        .raw(") or namespaces.id in (")
        .append(shared_groups(user_id, level, today))
        .raw("))");
    condition
}

/// Memberships that count: not expired, no mere request, high enough.
fn counts(alias: &str, user_id: i64, level: i64, today: &str) -> Fragment {
    let mut condition = Fragment::default();
    condition
        .push(&format!("{alias}.user_id = "), user_id)
        .push(&format!(" and {alias}.access_level >= "), level);
    in_force(&mut condition, alias, today);
    condition
}

/// Groups the user is a member of, and all below them.
fn own_groups(user_id: i64, level: i64, today: &str) -> Fragment {
    let mut groups = Fragment::new(
        "select n.id from members m join namespaces top on top.id = m.source_id
         join namespaces n on n.lineage >= top.lineage and n.lineage < top.lineage || ':'
         where m.source_type = 'Group' and ",
    );
    groups.append(counts("m", user_id, level, today));
    groups
}

/// Joins from a share to a membership of the group it is shared with.
fn shared_with(user_id: i64, level: i64, today: &str) -> Fragment {
    let mut joined = Fragment::new(
        "join namespaces g on g.id = s.group_id
         join members m on m.source_type = 'Group'
            and g.lineage like '%/' || cast(m.source_id as text) || '/%'
         where ",
    );
    joined
        .append(counts("m", user_id, level, today))
        .push(" and s.access_level >= ", level)
        .push(" and (s.expires_at is null or s.expires_at > ", today)
        .raw(")");
    joined
}

/// Groups shared with a group of the user, and all below them.
fn shared_groups(user_id: i64, level: i64, today: &str) -> Fragment {
    let mut groups = Fragment::new(
        "select n.id from shares s join namespaces top on top.id = s.source_id
         join namespaces n on n.lineage >= top.lineage and n.lineage < top.lineage || ':' ",
    );
    groups
        .append(shared_with(user_id, level, today))
        .raw(" and s.source_type = 'Group'");
    groups
}

/// The user is a member of a group or project below the row of `namespaces`.
pub(super) fn holds_below(user_id: i64, today: &str) -> Fragment {
    let mut condition = Fragment::new(
        "(exists (select 1 from members m join namespaces n on n.id = m.source_id
            where m.source_type = 'Group' and n.lineage >= namespaces.lineage
                and n.lineage < namespaces.lineage || ':' and ",
    );
    condition
        .append(counts("m", user_id, GUEST, today))
        .raw(
            ") or exists (select 1 from members m join projects p on p.id = m.source_id
                join namespaces n on n.id = p.namespace_id
                where m.source_type = 'Project' and n.lineage >= namespaces.lineage
                    and n.lineage < namespaces.lineage || ':' and ",
        )
        .append(counts("m", user_id, GUEST, today))
        .raw("))");
    condition
}

/// Condition on `namespaces`: groups this viewer may see.
pub fn visible_groups(tx: &Tx<'_>, viewer: &Viewer) -> Fragment {
    let mut shown =
        Fragment::new("namespaces.kind = 'group' and namespaces.deletion_scheduled_at is null");
    if viewer.is_admin() {
        return shown;
    }
    shown.push(" and (namespaces.visibility >= ", lowest_open(viewer));
    if let Some(user_id) = viewer.user_id().filter(|_| viewer.job().is_none()) {
        let today = today(tx);
        shown.raw(" or ").append(groups_reached(user_id, GUEST, &today));
        shown.raw(" or ").append(holds_below(user_id, &today));
    }
    shown.raw(")");
    shown
}
