//! What happens to alerts without anybody asking.

mod cleanup;
mod incidents;
mod mail;
mod watch;

pub use cleanup::CONTENTS;
pub use cleanup::ForgetAlerts;
pub use incidents::{CloseIncident, RaiseIncident};
pub use mail::{News, TellOwner, TellOwners};
pub(crate) use mail::{facts, post};
pub use watch::Watch;

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
