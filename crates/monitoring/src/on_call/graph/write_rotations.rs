//! Mutations of rotations.

use super::read::{Turning, turning};
use super::{Changed, ROTATION, ROTATION_ID, change, iid, mutation};
use crate::access::Here;
use crate::on_call::access::{CHANGE, ScheduleAccess};
use crate::on_call::model::{Clock, MAX_PARTICIPANTS, Period, Plan, Rotation, Schedule, Unit};
use crate::on_call::rules::rotations::{self as rules, NewRotation, RotationInput};
use crate::on_call::store::{rotations as rows, schedules};
use crate::on_call::zones;
use identity::users::find_by_username;
use identity::viewer::Viewer;
use jiff::Timestamp;
use jiff::civil::Date;
use kernel::error::{Error, Found, Result as Wrote};
use kernel::graph::input::GraphInput;
use kernel::graph::{Context, Done, Fault, Graph, HasTypeRef, ID, INT, STRING, named, object};
use kernel::graph_input;
use kernel::http::{Flat, Patch};
use kernel::ids::Reference;
use std::sync::Arc;
use store::Tx;

type Answer = Result<Done<Changed<Turning>>, Fault>;

graph_input! {
    /// A day and a time of day by clocks of the schedule's time zone.
    struct Moment {
        /// The day, such as `2031-05-06`.
        date: String = STRING.required(),
        /// The time of day, such as `08:30`.
        time: String = STRING.required(),
    }
}

graph_input! {
    struct Length {
        /// How many.
        length: i64 = INT.required(),
        /// Of what.
        unit: String = named("OncallRotationUnitEnum").required(),
    }
}

graph_input! {
    struct Hours {
        /// From when, such as `08:30`.
        start_time: String = STRING.required(),
        /// Until when; of the next day if that is not later.
        end_time: String = STRING.required(),
    }
}

graph_input! {
    struct Named {
        /// Their sign-in name.
        username: String = STRING.required(),
    }
}

graph_input! {
    struct Place {
        /// Full path of the project.
        project_path: String = ID.required(),
        /// Number of the schedule.
        schedule_iid: String = STRING.required(),
    }
}

graph_input! {
    struct Limits {
        /// When the last turn ends; never if null.
        #[serde(default)]
        ends_at: Patch<Moment> = named(DATE),
        /// The time of day people are on call; all day if null.
        #[serde(default)]
        active_period: Patch<Hours> = named(PERIOD),
    }
}

graph_input! {
    struct Create {
        ..place: Place,
        ..limits: Limits,
        /// What people call it.
        name: String = STRING.required(),
        /// When the first turn begins.
        starts_at: Moment = named(DATE).required(),
        /// Length of a turn.
        rotation_length: Length = named(LENGTH).required(),
        /// Who takes turns, in their order.
        participants: Vec<Named> = named(USER).required().list().required(),
    }
}

graph_input! {
    struct Update {
        ..limits: Limits,
        /// The rotation.
        id: i64 = ROTATION_ID.required(),
        /// What people call it.
        name: Option<String> = STRING,
        /// When the first turn begins.
        starts_at: Option<Moment> = named(DATE),
        /// Length of a turn.
        rotation_length: Option<Length> = named(LENGTH),
        /// Who takes turns, in their order.
        participants: Option<Vec<Named>> = named(USER).required().list(),
    }
}

graph_input! {
    struct Destroy {
        ..place: Place,
        /// The rotation.
        id: i64 = ROTATION_ID.required(),
    }
}

const DATE: &str = "OncallRotationDateInputType";
const LENGTH: &str = "OncallRotationLengthInputType";
const PERIOD: &str = "OncallRotationActivePeriodInputType";
const USER: &str = "OncallUserInputType";

pub fn graph(g: &mut Graph) {
    let text = "A time by clocks of the schedule's time zone.";
    g.input(DATE, text, Moment::arguments());
    g.input(LENGTH, "Length of a turn.", Length::arguments());
    g.input(PERIOD, "A part of the day.", Hours::arguments());
    g.input(USER, "Somebody who takes turns.", Named::arguments());
    let shown = ("oncallRotation", object(ROTATION));
    let text = "Adds a rotation to a schedule.";
    mutation(g, "oncallRotationCreate", text, &shown).handle(create);
    mutation(g, "oncallRotationUpdate", "Changes a rotation.", &shown).handle(update);
    mutation(g, "oncallRotationDestroy", "Removes a rotation.", &shown).handle(destroy);
}

async fn create(input: Create, context: Context) -> Answer {
    change(context, move |tx, viewer| {
        let on = input.place.authorize(tx, viewer)?;
        let new = input.read(tx, &on.schedule)?;
        let made = rules::create(tx, &on, &new)?;
        with_people(tx, on.schedule, made)
    })
    .await
}

async fn update(input: Update, context: Context) -> Answer {
    change(context, move |tx, viewer| {
        let rotation = rows::by_ids(tx, &[input.id])?.pop().found("Rotation")?;
        let schedule = schedules::by_ids(tx, &[rotation.schedule_id])?.pop();
        let schedule = schedule.found("Rotation")?;
        let project = Reference::Id(schedule.project_id);
        let here = Here::authorize(tx, viewer, &project, CHANGE)?;
        let on = ScheduleAccess { here, schedule };
        let wanted = input.read(tx, &on.schedule)?;
        let changed = rules::update(tx, &on, &rotation, &wanted)?;
        with_people(tx, on.schedule, changed)
    })
    .await
}

async fn destroy(input: Destroy, context: Context) -> Answer {
    change(context, move |tx, viewer| {
        let on = input.place.authorize(tx, viewer)?;
        let rotation = on.rotation(tx, input.id)?;
        let shown = with_people(tx, on.schedule.clone(), rotation.clone())?;
        rules::destroy(tx, &on, &rotation)?;
        Ok(shown)
    })
    .await
}

impl Place {
    fn authorize(&self, tx: &mut Tx<'_>, viewer: &Viewer) -> Wrote<ScheduleAccess> {
        let project = Reference::Path(self.project_path.clone());
        ScheduleAccess::authorize(tx, viewer, &project, iid(&self.schedule_iid), CHANGE)
    }
}

fn with_people(tx: &mut Tx<'_>, schedule: Schedule, rotation: Rotation) -> Wrote<Turning> {
    let shown = turning(tx, &[Arc::new(schedule)], vec![rotation])?.pop();
    shown.found("Rotation")
}

impl Create {
    fn read(&self, tx: &mut Tx<'_>, schedule: &Schedule) -> Wrote<NewRotation> {
        let unit = self.rotation_length.unit();
        let plan = Plan {
            starts_at: self.starts_at.read(schedule, "starts_at")?,
            ends_at: self.limits.ends_at(schedule)?.over(None),
            length: self.rotation_length.length,
            length_unit: unit.ok_or_else(|| Error::invalid("length_unit", "can't be blank"))?,
            active_period: self.limits.active_period()?.over(None),
        };
        Ok(NewRotation {
            name: self.name.clone(),
            plan: Flat(plan),
            user_ids: users(tx, &self.participants)?,
        })
    }
}

impl Update {
    fn read(&self, tx: &mut Tx<'_>, schedule: &Schedule) -> Wrote<RotationInput> {
        let starts_at = self.starts_at.as_ref();
        let length = self.rotation_length.as_ref();
        let people = self.participants.as_deref();
        Ok(RotationInput {
            name: self.name.clone(),
            starts_at: starts_at.map(|it| it.read(schedule, "starts_at")).transpose()?,
            ends_at: self.limits.ends_at(schedule)?,
            length: length.map(|it| it.length),
            length_unit: length.and_then(Length::unit),
            active_period: self.limits.active_period()?,
            user_ids: people.map(|people| users(tx, people)).transpose()?,
        })
    }
}

impl Limits {
    fn ends_at(&self, schedule: &Schedule) -> Wrote<Patch<Timestamp>> {
        let read = |it: &Moment| it.read(schedule, "ends_at");
        self.ends_at.as_ref().try_map(read)
    }

    fn active_period(&self) -> Wrote<Patch<Period>> {
        self.active_period.as_ref().try_map(Hours::period)
    }
}

impl Length {
    fn unit(&self) -> Option<Unit> {
        Unit::from_text(&self.unit.to_ascii_lowercase())
    }
}

impl Hours {
    fn period(&self) -> Wrote<Period> {
        let wrong = || Error::invalid("active_period", "has a time that is none such as 08:30");
        let time = |text: &str| Clock::read(text).ok_or_else(wrong);
        Ok(Period {
            start_time: time(&self.start_time)?,
            end_time: time(&self.end_time)?,
        })
    }
}

impl Moment {
    /// When clocks of the schedule's time zone show this.
    fn read(&self, schedule: &Schedule, field: &str) -> Wrote<Timestamp> {
        let date = self.date.trim().parse::<Date>().ok();
        let shown = date.zip(Clock::read(&self.time));
        let at = shown.and_then(|(date, time)| zones::instant(schedule, date.to_datetime(time.0)));
        at.ok_or_else(|| Error::invalid(field, "is no time such as 2031-05-06 and 08:30"))
    }
}

fn users(tx: &mut Tx<'_>, named: &[Named]) -> Wrote<Vec<i64>> {
    if named.len() > MAX_PARTICIPANTS {
        let text = format!("has more than {MAX_PARTICIPANTS} users");
        return Err(Error::invalid("participants", text));
    }
    let mut users = Vec::new();
    for one in named {
        let name = one.username.trim().trim_start_matches('@');
        let unknown = || Error::invalid("participants", "names a user who does not exist");
        users.push(find_by_username(tx, name)?.ok_or_else(unknown)?.id);
    }
    Ok(users)
}
