//! Who may push to the default branch of a project that names nobody itself.

use super::model::{Beginning, Deed, Level, NO_ONE, ProtectedRef, RefKind};
use super::store as rows;
use ::store::Tx;
use kernel::error::{Found, Result};
use kernel::ids::Reference;
use spaces::SpaceId;
use spaces::access;
use spaces::branch_protection::BranchProtection;
use spaces::model::Project;
use spaces::store::groups::branch_protection;

/// What new projects get, as the nearest group above says that says anything.
#[derive(Debug, Clone)]
pub struct Defaults(BranchProtection);

pub fn of_project(tx: &mut Tx<'_>, project: &Project) -> Result<Defaults> {
    let own = branch_protection(tx, &project.ancestors())?;
    Ok(Defaults(own.unwrap_or_default()))
}

impl Defaults {
    /// Who may push while there is nothing yet.
    pub(super) fn beginning(&self) -> Option<Beginning> {
        if !self.0.is_protecting() {
            return None;
        }
        let named = self.0.allowed_to_push.iter().map(|level| level.access_level);
        let least = named.filter(|level| *level != NO_ONE).min().unwrap_or(i64::MAX);
        let developers = self.0.developer_can_initial_push.then_some(access::DEVELOPER);
        Some(Beginning { role: least.min(developers.unwrap_or(i64::MAX)) })
    }
}

/// Protects the first branch of a project, unless a rule for it is there already.
pub fn protect_first(tx: &mut Tx<'_>, project_id: i64, branch: &str) -> Result<()> {
    let project = access::find_project(tx, &Reference::Id(project_id))?.found("Project")?;
    let Defaults(defaults) = of_project(tx, &project)?;
    if !defaults.is_protecting() {
        return Ok(());
    }
    let rule = ProtectedRef {
        id: 0,
        kind: RefKind::Branch,
        project_id: Some(project_id),
        group_id: None,
        name: branch.to_owned(),
        allow_force_push: defaults.allow_force_push,
        code_owner_approval_required: false,
    };
    let Some(id) = rows::insert(tx, SpaceId::Project(project_id), RefKind::Branch, &rule)? else {
        return Ok(());
    };
    let of_deeds = [
        (Deed::Push, &defaults.allowed_to_push),
        (Deed::Merge, &defaults.allowed_to_merge),
    ];
    for (deed, levels) in of_deeds {
        for level in levels {
            rows::insert_level(tx, id, &Level::of_role(deed, level.access_level))?;
        }
    }
    rows::insert_level(tx, id, &Level::of_role(Deed::Unprotect, access::MAINTAINER))
}
