//! Whether projects may follow repositories elsewhere: on the instance, in all groups
//! above, and in the project itself.

use super::store as rows;
use ::store::Tx;
use kernel::error::{Error, Result};
use spaces::model::Project;

kernel::setting! {
    /// Whether projects of the instance may.
    #[derive(Copy)]
    pub struct Switches = "repositories.switches" {
        pub pull_mirrors: bool = true,
    }
}

identity::settings_part! {
    Switches {
        /// Projects may follow repositories elsewhere (pull mirrors).
        pull_mirror_enabled: bool => pull_mirrors,
    } sealed {}
}

impl Switches {
    #[expect(clippy::unnecessary_wraps, reason = "settings are checked alike")]
    fn validate(self) -> Result<()> {
        Ok(())
    }
}

/// Whether a project may.
pub fn is_on_for(tx: &mut Tx<'_>, project: &Project) -> Result<bool> {
    let is_on = kernel::settings::read::<Switches>(tx)?.pull_mirrors;
    if !is_on || !project.pull_mirror_enabled {
        return Ok(false);
    }
    Ok(!rows::is_off_in_one(tx, project.ancestors())?)
}

/// Refuses where it may not.
pub fn check(tx: &mut Tx<'_>, project: &Project) -> Result<()> {
    match is_on_for(tx, project)? {
        true => Ok(()),
        false => Err(Error::forbidden("This feature is switched off")),
    }
}
