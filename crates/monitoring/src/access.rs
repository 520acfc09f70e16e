//! Who may do what, for all areas of the room.

use identity::model::User;
use kernel::error::Result;
use spaces::Project;
use spaces::access::{DEVELOPER, role_in_project};
use store::Tx;

/// Whether a user may see the alerts of a project.
pub fn may_look_after(tx: &mut Tx<'_>, user: &User, project: &Project) -> Result<bool> {
    if user.refusal().is_some() {
        return Ok(false);
    }
    Ok(user.is_admin || role_in_project(tx, user.id, project)? >= DEVELOPER)
}
