//! `approval_rules` and who they name, `merge_request_approvals`,
//! `merge_request_committers`, `approval_settings`.

pub mod given;
pub mod rules;

use super::model::Settings;
use ::store::{Tx, sql};
use kernel::error::Result;
use spaces::model::Project;
use std::collections::HashMap;

/// A row, with the project it is of.
type SettingsRow = (i64, bool, bool, bool, bool, bool, bool);

/// The settings of some projects, by project; the usual ones are left out.
pub fn settings_of(tx: &mut Tx<'_>, projects: &[i64]) -> Result<HashMap<i64, Settings>> {
    let rows: Vec<SettingsRow> = tx.all(
        sql!(
            "select project_id, reset_approvals_on_push, selective_code_owner_removals,
                disable_overriding, author_approval, disable_committers_approval,
                require_reauthentication
             from approval_settings where project_id in_list($1)"
        ),
        (projects,),
    )?;
    let settings = |row: SettingsRow| {
        let (project, reset, selective, disable, author, committers, proof) = row;
        let settings = Settings {
            reset_approvals_on_push: reset,
            selective_code_owner_removals: selective,
            disable_overriding: disable,
            author_approval: author,
            disable_committers_approval: committers,
            require_reauthentication: proof,
        };
        (project, settings)
    };
    Ok(rows.into_iter().map(settings).collect())
}

/// The settings of a project.
pub fn settings(tx: &mut Tx<'_>, project: i64) -> Result<Settings> {
    Ok(settings_of(tx, &[project])?.remove(&project).unwrap_or_default())
}

pub fn set_settings(tx: &mut Tx<'_>, project: i64, new: &Settings) -> Result<()> {
    tx.run(
        sql!(
            "insert into approval_settings (project_id, reset_approvals_on_push,
                selective_code_owner_removals, disable_overriding, author_approval,
                disable_committers_approval, require_reauthentication)
             values ($1, $2, $3, $4, $5, $6, $7)
             on conflict (project_id) do update set reset_approvals_on_push = $2,
                selective_code_owner_removals = $3, disable_overriding = $4,
                author_approval = $5, disable_committers_approval = $6,
                require_reauthentication = $7"
        ),
        (
            project,
            new.reset_approvals_on_push,
            new.selective_code_owner_removals,
            new.disable_overriding,
            new.author_approval,
            new.disable_committers_approval,
            new.require_reauthentication,
        ),
    )
}

/// The users of these folded names, by them.
pub fn users_named(tx: &mut Tx<'_>, folded: &[String]) -> Result<HashMap<String, i64>> {
    Ok(tx.pairs(
        sql!("select username_folded, id from users where username_folded in_list($1)"),
        (folded,),
    )?)
}

/// The groups with these folded paths that a project is in or shared with, by them.
pub fn groups_named(
    tx: &mut Tx<'_>, project: &Project, folded: &[String],
) -> Result<HashMap<String, i64>> {
    Ok(tx.pairs(
        sql!(
            "select full_path_folded, id from namespaces
             where full_path_folded in_list($1) and kind = 'group'
                and (id in_list($3) or id in (select group_id from shares
                    where (source_type = 'Project' and source_id = $2)
                        or (source_type = 'Group' and source_id in_list($3))))"
        ),
        (folded, project.id, project.ancestors()),
    )?)
}
