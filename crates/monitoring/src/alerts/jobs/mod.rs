//! What happens to alerts without anybody asking.

mod cleanup;
mod incidents;
mod mail;
mod watch;

pub use cleanup::CONTENTS;

use crate::tasks::{CloseIncident, ForgetAlerts, RaiseIncident, TellOwner, TellOwners, Watch};
use kernel::jobs::RegistryBuilder;

/// How often silent integrations, shelved and stale alerts are looked for, in
/// seconds.
const WATCH: i64 = 30;
/// How often old alerts are looked for, in seconds.
const CLEAN: i64 = 60 * 60;

/// Makes the area's jobs known.
pub fn register(registry: &mut RegistryBuilder) {
    registry.add::<RaiseIncident>();
    registry.add::<CloseIncident>();
    registry.add::<TellOwners>();
    registry.add::<TellOwner>();
    registry.add_periodic::<Watch>(WATCH);
    registry.add_periodic::<ForgetAlerts>(CLEAN);
}
