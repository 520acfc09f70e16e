//! Who takes turns in rotations, as REST and pages show it.

use super::model::{Participant, Rotation};
use super::store::rotations;
use identity::entities::load_basic;
use identity::model::User;
use kernel::error::Result;
use std::collections::HashMap;
use store::Tx;

/// Those who take turns in some rotations.
pub struct RelatedToRotations {
    pub people: Vec<Participant>,
    pub users: HashMap<i64, User>,
}

impl RelatedToRotations {
    /// By two statements.
    pub fn read(tx: &mut Tx<'_>, rotations: &[Rotation]) -> Result<RelatedToRotations> {
        let ids: Vec<i64> = rotations.iter().map(|one| one.id).collect();
        let people = rotations::participants(tx, &ids)?;
        let ids: Vec<i64> = people.iter().map(|one| one.user_id).collect();
        Ok(RelatedToRotations { users: load_basic(tx, &ids)?, people })
    }

    /// Who takes turns in one of them, in their order.
    pub fn of(&self, rotation: &Rotation) -> impl Iterator<Item = (&Participant, &User)> {
        let own = self.people.iter();
        let own = own.filter(move |one| one.rotation_id == rotation.id);
        own.filter_map(|one| Some((one, self.users.get(&one.user_id)?)))
    }
}
