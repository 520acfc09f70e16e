//! Who takes turns in rotations, as REST and pages show it.

use super::model::{MAX_SCHEDULES, Participant, Rotation};
use super::rules::paging::on_call;
use super::store::{rotations, schedules};
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

/// Who is on call by one schedule now.
#[derive(Debug, Clone)]
pub struct OnCallNow {
    /// The schedule's number in its project.
    pub iid: i64,
    pub name: String,
    /// Sign-in names.
    pub people: Vec<String>,
}

/// Who is on call in a project now, by its schedules, of which some may have
/// nobody.
pub fn now_in(tx: &mut Tx<'_>, project_id: i64) -> Result<Vec<OnCallNow>> {
    let found = schedules::list(tx, project_id, MAX_SCHEDULES, 0)?;
    let ids: Vec<i64> = found.iter().map(|one| one.id).collect();
    let now = tx.now();
    let people = on_call(tx, &ids, now)?;
    let ids: Vec<i64> = people.values().flatten().copied().collect();
    let users = load_basic(tx, &ids)?;
    let row = |one: super::model::Schedule| {
        let own = people.get(&one.id).into_iter().flatten();
        let names = own.filter_map(|id| Some(users.get(id)?.username.clone()));
        OnCallNow { iid: one.iid, people: names.collect(), name: one.name }
    };
    Ok(found.into_iter().map(row).collect())
}
