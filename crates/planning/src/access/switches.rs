//! What the whole instance can do without.

use kernel::error::{Error, Result};
use spaces::model::Namespace;
use store::{Tx, sql};

kernel::setting! {
    /// Features that administrators switch off for everybody.
    pub struct Switches = "planning.switches" {
        pub epics: bool = true,
    }
}

identity::settings_part! {
    Switches {
        /// Groups have epics.
        epics_enabled: bool => epics,
    } sealed {}
}

impl Switches {
    fn validate(&self) -> Result<()> {
        Ok(())
    }
}

/// Refuses what has to do with epics, unless the instance, the group and all
/// groups above it have them.
pub fn need_epics(tx: &mut Tx<'_>, group: &Namespace) -> Result<()> {
    match has_epics(tx, group)? {
        true => Ok(()),
        false => Err(Error::forbidden("This feature is switched off")),
    }
}

/// Whether the instance, a group and all groups above it have epics.
pub fn has_epics(tx: &mut Tx<'_>, group: &Namespace) -> Result<bool> {
    let everywhere: Switches = kernel::settings::read(tx)?;
    let off: Option<i64> = tx.optional(
        sql!("select id from namespaces where id in_list($1) and not epics_enabled limit 1"),
        (group.ids(),),
    )?;
    Ok(everywhere.epics && off.is_none())
}
