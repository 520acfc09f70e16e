//! Who is told by mail about issues, and about things of rooms above. [`Notify`]
//! decides who is told, once, and leaves a job for each of them, so that a mail
//! server that fails delays one mail only.

mod digests;
mod due;
mod forget;
mod moved;
mod notify;

use crate::tasks::{Notify, Tell, TellDue, TellMoved, TellMovedTo};
use kernel::jobs::RegistryBuilder;

pub fn jobs(registry: &mut RegistryBuilder) {
    registry.add::<Notify>();
    registry.add::<Tell>();
    registry.add::<TellDue>();
    registry.add::<TellMoved>();
    registry.add::<TellMovedTo>();
    registry.add::<digests::SendDigest>();
    registry.add_periodic::<digests::SendDigests>(digests::LOOK);
    registry.add_periodic::<due::LookForDue>(due::LOOK);
    registry.add_periodic::<forget::ForgetSent>(forget::PERIOD);
    registry.add_periodic::<forget::ForgetCounts>(forget::PERIOD);
}
