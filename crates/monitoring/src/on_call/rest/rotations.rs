//! Rotations of a schedule, and the shifts they come to.

use super::SchedulePath;
use crate::on_call::access::{self, CHANGE, READ};
use crate::on_call::model::{MAX_DAYS, Participant, Period, Rotation, Schedule, Unit};
use crate::on_call::rules::rotations::{self as rules, RotationInput, shifts, time_of_day};
use crate::on_call::store::rotations as rows;
use identity::Caller;
use identity::entities::{UserBasic, basic, load_basic};
use identity::model::User;
use identity::viewer::Viewer;
use jiff::civil::Time;
use jiff::{SignedDuration, Timestamp};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::params::{Flat, Param, Unusable};
use kernel::http::{Created, NoContent, Ok200, Paged, Paging, Params, Patch, Routes};
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use spaces::Project;
use spaces::access::Purpose;
use std::collections::HashMap;
use store::Tx;

const PATH: &str = "/projects/{id}/alert_management/oncall_schedules/{schedule_iid}/rotations";
const ONE: &str =
    "/projects/{id}/alert_management/oncall_schedules/{schedule_iid}/rotations/{rotation_id}";
const SHIFTS: &str = "/projects/{id}/alert_management/oncall_schedules/{schedule_iid}/shifts";

/// Days of which shifts are shown unless said otherwise.
const DAYS: i64 = 14;

pub(super) fn routes(r: &mut Routes) {
    r.get(PATH, list)
        .summary("Lists the rotations of an on-call schedule");
    r.post(PATH, create)
        .summary("Adds a rotation to an on-call schedule");
    r.get(ONE, show).summary("Shows a rotation");
    r.put(ONE, update).summary("Changes a rotation");
    r.delete(ONE, destroy).summary("Removes a rotation");
    r.get(SHIFTS, on_call)
        .summary("Tells who is on call when, for a month at most");
}

/// A time of day, such as `08:30`.
#[derive(Debug, Clone, Copy)]
pub struct Clock(Time);

impl Param for Clock {
    fn parse(value: &Value) -> Result<Self, Unusable> {
        let text = value.as_str().ok_or(Unusable::Invalid)?;
        time_of_day(text).map(Clock).ok_or(Unusable::Invalid)
    }
    fn schema() -> Value {
        json!({"type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"})
    }
}

kernel::params! {
    /// A part of the day.
    pub struct ActivePeriod {
        /// From when, such as `08:30`.
        pub start_time: Clock,
        /// Until when; of the next day if that is not later.
        pub end_time: Clock,
    }
}

impl Param for Period {
    fn parse(value: &Value) -> Result<Self, Unusable> {
        let period = ActivePeriod::parse(value)?;
        Ok(Period {
            from: period.start_time.0,
            until: period.end_time.0,
        })
    }
    fn schema() -> Value {
        ActivePeriod::schema()
    }
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
        &self,
        tx: &mut Tx<'_>,
        viewer: &Viewer,
        purpose: Purpose,
    ) -> Result<(Project, Schedule, Rotation)> {
        let (project, schedule) = self.at.authorize(tx, viewer, purpose)?;
        let rotation = access::rotation(tx, &schedule, self.rotation_id)?;
        Ok((project, schedule, rotation))
    }
}

kernel::params! {
    pub struct CreateRotation {
        pub at: Flat<SchedulePath>,
        /// What people call it.
        pub name: String,
        /// When the first turn begins.
        pub starts_at: Timestamp,
        /// When the last one ends; never unless given.
        pub ends_at: Option<Timestamp>,
        /// Length of a turn.
        pub length: i64,
        /// In what it is counted.
        pub length_unit: Unit,
        /// The time of day people are on call; all day unless given.
        pub active_period: Option<Period>,
        /// Who takes turns, in their order.
        pub user_ids: Vec<i64>,
    }
}

impl CreateRotation {
    fn input(&self) -> RotationInput {
        RotationInput {
            name: Some(self.name.clone()),
            starts_at: Some(self.starts_at),
            ends_at: self.ends_at.map_or(Patch::Null, Patch::Value),
            length: Some(self.length),
            length_unit: Some(self.length_unit),
            active_period: self.active_period.map_or(Patch::Null, Patch::Value),
            user_ids: Some(self.user_ids.clone()),
        }
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

/// The part of the day in which people are on call.
#[derive(Serialize, JsonSchema)]
pub struct ActivePeriodEntity {
    /// From when.
    start_time: String,
    /// Until when; of the next day if that is not later.
    end_time: String,
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
    /// Its number.
    id: i64,
    /// What people call it.
    name: String,
    /// When the first turn begins.
    starts_at: String,
    /// When the last one ends.
    ends_at: Option<String>,
    /// Length of a turn.
    length: i64,
    /// In what it is counted.
    length_unit: Unit,
    /// The time of day people are on call; all day without.
    active_period: Option<ActivePeriodEntity>,
    /// Who takes turns, in their order.
    participants: Vec<OnCallParticipantEntity>,
    /// When it was made.
    created_at: String,
    /// When it was changed.
    updated_at: String,
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

/// Those who take turns in some rotations, read by two statements.
struct RelatedToRotations {
    people: Vec<Participant>,
    users: HashMap<i64, User>,
}

impl RelatedToRotations {
    fn read(tx: &mut Tx<'_>, rotations: &[Rotation]) -> Result<RelatedToRotations> {
        let ids: Vec<i64> = rotations.iter().map(|one| one.id).collect();
        let people = rows::participants(tx, &ids)?;
        let ids: Vec<i64> = people.iter().map(|one| one.user_id).collect();
        Ok(RelatedToRotations {
            users: load_basic(tx, &ids)?,
            people,
        })
    }

    fn entity(&self, app: &App, rotation: Rotation) -> OnCallRotationEntity {
        let own = self
            .people
            .iter()
            .filter(|one| one.rotation_id == rotation.id);
        let own = own.filter_map(|one| {
            Some(OnCallParticipantEntity {
                id: one.id,
                user: basic(app, self.users.get(&one.user_id)?),
            })
        });
        let plan = &rotation.plan;
        OnCallRotationEntity {
            id: rotation.id,
            participants: own.collect(),
            starts_at: wire::text(plan.starts_at),
            ends_at: plan.ends_at.map(wire::text),
            length: plan.length,
            length_unit: plan.unit,
            active_period: plan.active.map(|period| ActivePeriodEntity {
                start_time: hours(period.from),
                end_time: hours(period.until),
            }),
            created_at: wire::text(rotation.created_at),
            updated_at: wire::text(rotation.updated_at),
            name: rotation.name,
        }
    }
}

/// A time of day, such as `08:30`.
pub fn hours(time: Time) -> String {
    format!("{:02}:{:02}", time.hour(), time.minute())
}

fn entity_of(app: &App, tx: &mut Tx<'_>, rotation: Rotation) -> Result<OnCallRotationEntity> {
    let related = RelatedToRotations::read(tx, std::slice::from_ref(&rotation))?;
    Ok(related.entity(app, rotation))
}

async fn list(
    by: Caller,
    path: Params<SchedulePath>,
    paging: Paging,
) -> Result<Paged<OnCallRotationEntity>> {
    by.read(move |tx, by| {
        let (_, schedule) = path.authorize(tx, &by.viewer, READ)?;
        let found = rows::list(tx, schedule.id, paging.fetch(), paging.offset())?;
        let total = rows::count(tx, schedule.id)?;
        let related = RelatedToRotations::read(tx, &found)?;
        let page = Paged::numbered(found, paging, Some(total));
        Ok(page.map(|one| related.entity(&by.app, one)))
    })
    .await
}

async fn create(
    by: Caller,
    params: Params<CreateRotation>,
) -> Result<Created<OnCallRotationEntity>> {
    by.write(move |tx, by| {
        let (project, schedule) = params.at.authorize(tx, &by.viewer, CHANGE)?;
        let made = rules::create(tx, &by.viewer, &project, &schedule, &params.input())?;
        Ok(Created(entity_of(&by.app, tx, made)?))
    })
    .await
}

async fn show(by: Caller, path: Params<RotationPath>) -> Result<Ok200<OnCallRotationEntity>> {
    by.read(move |tx, by| {
        let (_, _, rotation) = path.authorize(tx, &by.viewer, READ)?;
        Ok(Ok200(entity_of(&by.app, tx, rotation)?))
    })
    .await
}

async fn update(by: Caller, params: Params<UpdateRotation>) -> Result<Ok200<OnCallRotationEntity>> {
    by.write(move |tx, by| {
        let (project, schedule, rotation) = params.at.authorize(tx, &by.viewer, CHANGE)?;
        let (viewer, change) = (&by.viewer, &params.change);
        let changed = rules::update(tx, viewer, &project, &schedule, &rotation, change)?;
        Ok(Ok200(entity_of(&by.app, tx, changed)?))
    })
    .await
}

async fn destroy(by: Caller, path: Params<RotationPath>) -> Result<NoContent> {
    by.write(move |tx, by| {
        let (project, schedule, rotation) = path.authorize(tx, &by.viewer, CHANGE)?;
        rules::destroy(tx, &by.viewer, &project, &schedule, &rotation)?;
        Ok(NoContent)
    })
    .await
}

/// The times asked for, a month at most.
pub fn span(
    from: Option<Timestamp>,
    until: Option<Timestamp>,
    now: Timestamp,
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
        return Err(Error::invalid(
            "end_time",
            "is more than a month after start_time",
        ));
    }
    Ok((from, until))
}

/// Who is on call when: a page of the shifts of all rotations, in the order
/// they begin.
async fn on_call(
    by: Caller,
    params: Params<ListShifts>,
    paging: Paging,
) -> Result<Paged<OnCallShiftEntity>> {
    by.read(move |tx, by| {
        let (_, schedule) = params.at.authorize(tx, &by.viewer, READ)?;
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
        let total = i64::try_from(all.len()).unwrap_or(i64::MAX);
        let skipped = usize::try_from(paging.offset()).unwrap_or(usize::MAX);
        let taken = usize::try_from(paging.fetch()).unwrap_or(usize::MAX);
        let rows = all.into_iter().skip(skipped).take(taken);
        let rows = rows.filter_map(|(shift, rotation_id, user)| {
            Some(OnCallShiftEntity {
                rotation_id,
                user: basic(&by.app, related.users.get(&user)?),
                starts_at: wire::text(shift.starts_at),
                ends_at: wire::text(shift.ends_at),
            })
        });
        Ok(Paged::numbered(rows.collect(), paging, Some(total)))
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
        for until in [
            "2031-06-05T00:00:01Z",
            "2031-05-05T00:00:00Z",
            "2030-01-01T00:00:00Z",
        ] {
            assert!(span(Some(now), Some(at(until)), now).is_err(), "{until}");
        }
        assert!(span(Some(Timestamp::MAX), None, now).is_err());
    }
}
