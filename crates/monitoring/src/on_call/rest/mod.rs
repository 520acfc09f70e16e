//! REST of the area.

mod policies;
mod rotations;
mod schedules;

use crate::alerts::rest::ProjectPath;
pub use rotations::span;

use crate::on_call::access::ScheduleAccess;
use identity::Caller;
use kernel::error::Result;
use kernel::http::Routes;
use kernel::ids::Reference;
use spaces::access::Purpose;
use store::Tx;

pub(super) fn routes(r: &mut Routes) {
    schedules::routes(r);
    rotations::routes(r);
    policies::routes(r);
}

kernel::params! {
    pub struct SchedulePath {
        /// The project.
        pub id: Reference,
        /// The schedule's number in the project.
        pub schedule_iid: i64,
    }
}

impl SchedulePath {
    fn authorize(&self, tx: &mut Tx<'_>, by: &Caller, purpose: Purpose) -> Result<ScheduleAccess> {
        ScheduleAccess::authorize(tx, &by.viewer, &self.id, self.schedule_iid, purpose)
    }
}
