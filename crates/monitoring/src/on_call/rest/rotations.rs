//! Rotations of a schedule, and the shifts they come to.

use super::SchedulePath;
use crate::on_call::access::{CHANGE, READ, ScheduleAccess};
use crate::on_call::model::{MAX_DAYS, Rotation};
use crate::on_call::related::RelatedToRotations;
use crate::on_call::rules::rotations::{self as rules, NewRotation, RotationInput, shifts};
use crate::on_call::shifts::Shift;
use crate::on_call::store::rotations as rows;
use crate::rows::Times;
use identity::Caller;
use identity::entities::{UserBasic, basic};
use jiff::{SignedDuration, Timestamp};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::params::Flat;
use kernel::http::{Created, NoContent, Ok200, Paged, Paging, Params, Routes};
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::access::Purpose;
use store::Tx;

const PATH: &str = "/projects/{id}/alert_management/oncall_schedules/{schedule_iid}/rotations";
const ONE: &str =
    "/projects/{id}/alert_management/oncall_schedules/{schedule_iid}/rotations/{rotation_id}";
const SHIFTS: &str = "/projects/{id}/alert_management/oncall_schedules/{schedule_iid}/shifts";

/// Days of which shifts are shown unless said otherwise.
const DAYS: i64 = 14;

pub(super) fn routes(r: &mut Routes) {
    r.get(PATH, list).summary("Lists the rotations of an on-call schedule");
    r.post(PATH, create).summary("Adds a rotation to an on-call schedule");
    r.get(ONE, show).summary("Shows a rotation");
    r.put(ONE, update).summary("Changes a rotation");
    r.delete(ONE, destroy).summary("Removes a rotation");
    r.get(SHIFTS, on_call).summary("Tells who is on call when, for a month at most");
}

kernel::params! {
    pub struct RotationPath {
        pub at: Flat<SchedulePath>,
        /// The rotation.
        pub rotation_id: i64,
    }
}

impl RotationPath {
    fn authorize(
        &self, tx: &mut Tx<'_>, by: &Caller, purpose: Purpose,
    ) -> Result<(ScheduleAccess, Rotation)> {
        let on = self.at.authorize(tx, by, purpose)?;
        let rotation = on.rotation(tx, self.rotation_id)?;
        Ok((on, rotation))
    }
}

kernel::params! {
    pub struct CreateRotation {
        pub at: Flat<SchedulePath>,
        pub new: Flat<NewRotation>,
    }
}

kernel::params! {
    pub struct UpdateRotation {
        pub at: Flat<RotationPath>,
        pub change: Flat<RotationInput>,
    }
}

kernel::params! {
    pub struct ListShifts {
        pub at: Flat<SchedulePath>,
        /// From when; from now on unless given.
        pub start_time: Option<Timestamp>,
        /// Until when; two weeks later unless given, a month at most.
        pub end_time: Option<Timestamp>,
    }
}

/// Somebody who takes turns.
#[derive(Serialize, JsonSchema)]
pub struct OnCallParticipantEntity {
    /// Their number in the rotation.
    id: i64,
    /// Who.
    user: UserBasic,
}

/// People of a schedule who take turns.
#[derive(Serialize, JsonSchema)]
pub struct OnCallRotationEntity {
    #[serde(flatten)]
    rotation: Rotation,
    /// Who takes turns, in their order.
    participants: Vec<OnCallParticipantEntity>,
    #[serde(flatten)]
    times: Times,
}

/// A time in which somebody is on call.
#[derive(Serialize, JsonSchema)]
pub struct OnCallShiftEntity {
    /// By which rotation.
    rotation_id: i64,
    /// Who.
    user: UserBasic,
    /// From when.
    starts_at: String,
    /// Until when.
    ends_at: String,
}

impl OnCallRotationEntity {
    fn new(app: &App, rotation: Rotation, related: &RelatedToRotations) -> OnCallRotationEntity {
        let people = related
            .of(&rotation)
            .map(|(one, user)| OnCallParticipantEntity { id: one.id, user: basic(app, user) });
        OnCallRotationEntity {
            participants: people.collect(),
            times: rotation.times,
            rotation,
        }
    }
}

fn entity_of(app: &App, tx: &mut Tx<'_>, rotation: Rotation) -> Result<OnCallRotationEntity> {
    let related = RelatedToRotations::read(tx, std::slice::from_ref(&rotation))?;
    Ok(OnCallRotationEntity::new(app, rotation, &related))
}

async fn list(
    by: Caller, path: Params<SchedulePath>, paging: Paging,
) -> Result<Paged<OnCallRotationEntity>> {
    by.read(move |tx, by| {
        let schedule = path.authorize(tx, by, READ)?.schedule;
        let page = rows::page(tx, schedule.id, paging)?;
        let related = RelatedToRotations::read(tx, &page.items)?;
        Ok(page.map(|one| OnCallRotationEntity::new(&by.app, one, &related)))
    })
    .await
}

async fn create(
    by: Caller, params: Params<CreateRotation>,
) -> Result<Created<OnCallRotationEntity>> {
    by.write(move |tx, by| {
        let on = params.at.authorize(tx, by, CHANGE)?;
        let made = rules::create(tx, &on, &params.new)?;
        Ok(Created(entity_of(&by.app, tx, made)?))
    })
    .await
}

async fn show(by: Caller, path: Params<RotationPath>) -> Result<Ok200<OnCallRotationEntity>> {
    by.read(move |tx, by| {
        let (_, rotation) = path.authorize(tx, by, READ)?;
        Ok(Ok200(entity_of(&by.app, tx, rotation)?))
    })
    .await
}

async fn update(by: Caller, params: Params<UpdateRotation>) -> Result<Ok200<OnCallRotationEntity>> {
    by.write(move |tx, by| {
        let (on, rotation) = params.at.authorize(tx, by, CHANGE)?;
        let changed = rules::update(tx, &on, &rotation, &params.change)?;
        Ok(Ok200(entity_of(&by.app, tx, changed)?))
    })
    .await
}

async fn destroy(by: Caller, path: Params<RotationPath>) -> Result<NoContent> {
    by.write(move |tx, by| {
        let (on, rotation) = path.authorize(tx, by, CHANGE)?;
        rules::destroy(tx, &on, &rotation)?;
        Ok(NoContent)
    })
    .await
}

/// The times asked for, a month at most.
pub fn span(
    from: Option<Timestamp>, until: Option<Timestamp>, now: Timestamp,
) -> Result<(Timestamp, Timestamp)> {
    let from = from.unwrap_or(now);
    let after = |days: i64| {
        let end = from.checked_add(SignedDuration::from_hours(24 * days));
        end.unwrap_or(Timestamp::MAX)
    };
    let until = until.unwrap_or_else(|| after(DAYS));
    if until <= from {
        return Err(Error::invalid("end_time", "must be later than start_time"));
    }
    if until > after(MAX_DAYS) {
        return Err(Error::invalid("end_time", "is more than a month after start_time"));
    }
    Ok((from, until))
}

/// Who is on call when: a page of the shifts of all rotations, in the order
/// they begin.
async fn on_call(
    by: Caller, params: Params<ListShifts>, paging: Paging,
) -> Result<Paged<OnCallShiftEntity>> {
    by.read(move |tx, by| {
        let schedule = params.at.authorize(tx, by, READ)?.schedule;
        let (from, until) = span(params.start_time, params.end_time, tx.now())?;
        let rotations = rows::of_schedules(tx, &[schedule.id])?;
        let related = RelatedToRotations::read(tx, &rotations)?;
        let mut all = Vec::new();
        for rotation in &rotations {
            let found = shifts(&schedule, rotation, &related.people, from, until);
            let found = found.into_iter();
            all.extend(found.map(|(shift, one)| (shift, rotation.id, one.user_id)));
        }
        all.sort_by_key(|(shift, rotation, _)| (shift.starts_at, *rotation));
        let shown = |(shift, rotation_id, user): (Shift, i64, i64)| {
            Some(OnCallShiftEntity {
                rotation_id,
                user: basic(&by.app, related.users.get(&user)?),
                starts_at: wire::text(shift.starts_at),
                ends_at: wire::text(shift.ends_at),
            })
        };
        let page = Paged::of_whole(all, paging);
        Ok(page.replace(|rows| rows.into_iter().filter_map(shown).collect()))
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_is_asked_for_at_most() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let now = at("2031-05-05T00:00:00Z");
        let two_weeks = (now, at("2031-05-19T00:00:00Z"));
        assert_eq!(span(None, None, now).unwrap(), two_weeks);
        let month = Some(at("2031-06-05T00:00:00Z"));
        assert!(span(Some(now), month, now).is_ok());
        for until in ["2031-06-05T00:00:01Z", "2031-05-05T00:00:00Z", "2030-01-01T00:00:00Z"] {
            assert!(span(Some(now), Some(at(until)), now).is_err(), "{until}");
        }
        assert!(span(Some(Timestamp::MAX), None, now).is_err());
    }
}
