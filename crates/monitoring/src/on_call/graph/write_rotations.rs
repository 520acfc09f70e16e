//! Mutations of rotations.

use super::read::{Turning, turning};
use super::{CHANGE, ROTATION, ROTATION_ID, iid, said};
use crate::on_call::model::{MAX_PARTICIPANTS, Period, Rotation, Schedule, Unit};
use crate::on_call::rules::rotations::{self as rules, Change, time_of_day};
use crate::on_call::store::{rotations as rows, schedules};
use crate::on_call::zones;
use identity::graph::caller;
use identity::users::find_by_username;
use identity::viewer::Viewer;
use jiff::Timestamp;
use jiff::civil::Date;
use kernel::error::{Error, Found, Result as Wrote};
use kernel::graph::{
    Context, Done, Fault, Graph, HasTypeRef, ID, INT, MutationBuilder, STRING, named, object,
};
use kernel::http::Patch;
use kernel::ids::Reference;
use serde::Deserialize;
use spaces::Project;
use std::sync::Arc;
use store::Tx;

/// What a mutation of a rotation shows.
struct Changed(Arc<Turning>);

/// A day and a time of day by clocks of the schedule's time zone.
#[derive(Clone, Deserialize)]
struct Moment {
    date: String,
    time: String,
}

#[derive(Clone, Deserialize)]
struct Length {
    length: i64,
    unit: String,
}

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Hours {
    start_time: String,
    end_time: String,
}

#[derive(Clone, Deserialize)]
struct Named {
    username: String,
}

#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Input {
    project_path: String,
    schedule_iid: String,
    id: i64,
    name: Option<String>,
    starts_at: Option<Moment>,
    ends_at: Patch<Moment>,
    rotation_length: Option<Length>,
    active_period: Patch<Hours>,
    participants: Option<Vec<Named>>,
}

const DATE: &str = "OncallRotationDateInputType";
const LENGTH: &str = "OncallRotationLengthInputType";
const PERIOD: &str = "OncallRotationActivePeriodInputType";
const USER: &str = "OncallUserInputType";

pub fn graph(g: &mut Graph) {
    inputs(g);
    let project = || said("projectPath", ID.required(), "Full path of the project.");
    let number = || said("scheduleIid", STRING.required(), "Number of the schedule.");
    let id = || said("id", ROTATION_ID.required(), "The rotation.");
    let (name, begins) = ("What people call it.", "When the first turn begins.");
    let (length, people) = ("Length of a turn.", "Who takes turns, in their order.");
    let it = mutation(g, "oncallRotationCreate", "Adds a rotation to a schedule.")
        .input(project())
        .input(number())
        .input(said("name", STRING.required(), name))
        .input(said("startsAt", named(DATE).required(), begins))
        .input(said("rotationLength", named(LENGTH).required(), length))
        .input(said(
            "participants",
            named(USER).required().list().required(),
            people,
        ));
    optional(it).run(|it: Input, context| async move {
        write(it, context, |it, tx, viewer, _| {
            let (project, schedule) = it.schedule(tx, viewer)?;
            let new = it.change(tx, &schedule)?;
            let made = rules::create(tx, viewer, &project, &schedule, &new)?;
            Ok((schedule, made))
        })
        .await
    });
    let it = mutation(g, "oncallRotationUpdate", "Changes a rotation.")
        .input(id())
        .input(said("name", STRING, name))
        .input(said("startsAt", named(DATE), begins))
        .input(said("rotationLength", named(LENGTH), length))
        .input(said("participants", named(USER).required().list(), people));
    optional(it).run(|it: Input, context| async move {
        write(it, context, |it, tx, viewer, _| {
            let found = rows::by_ids(tx, &[it.id])?.pop().found("Rotation")?;
            let schedule = schedules::by_ids(tx, &[found.schedule_id])?;
            let schedule = schedule.into_iter().next().found("Rotation")?;
            let project = Reference::Id(schedule.project_id);
            let project = spaces::project(tx, viewer, &project, CHANGE)?;
            let change = it.change(tx, &schedule)?;
            let changed = rules::update(tx, viewer, &project, &schedule, &found, &change)?;
            Ok((schedule, changed))
        })
        .await
    });
    mutation(g, "oncallRotationDestroy", "Removes a rotation.")
        .input(project())
        .input(number())
        .input(id())
        .run(|it: Input, context| async move {
            write(it, context, |it, tx, viewer, gone| {
                let (project, schedule) = it.schedule(tx, viewer)?;
                let found = rows::find(tx, schedule.id, it.id)?.found("Rotation")?;
                *gone = shown(tx, schedule.clone(), found.clone())?;
                rules::destroy(tx, viewer, &project, &schedule, &found)?;
                Ok((schedule, found))
            })
            .await
        });
}

fn inputs(g: &mut Graph) {
    let day = said("date", STRING.required(), "The day, such as `2031-05-06`.");
    let time = said(
        "time",
        STRING.required(),
        "The time of day, such as `08:30`.",
    );
    let text = "A time by clocks of the schedule's time zone.";
    g.input(DATE, text, vec![day, time]);
    let count = said("length", INT.required(), "How many.");
    let unit = named("OncallRotationUnitEnum").required();
    let unit = said("unit", unit, "Of what.");
    g.input(LENGTH, "Length of a turn.", vec![count, unit]);
    let from = said(
        "startTime",
        STRING.required(),
        "From when, such as `08:30`.",
    );
    let until = "Until when; of the next day if that is not later.";
    let until = said("endTime", STRING.required(), until);
    g.input(PERIOD, "A part of the day.", vec![from, until]);
    let name = said("username", STRING.required(), "Their sign-in name.");
    g.input(USER, "Somebody who takes turns.", vec![name]);
}

fn mutation<'g>(
    g: &'g mut Graph,
    name: &'static str,
    text: &'static str,
) -> MutationBuilder<'g, Changed> {
    let shape = object::<Turning>(ROTATION);
    g.mutation::<Changed>(name, text)
        .answers("oncallRotation", shape, |it| Some(it.0.clone()))
}

fn optional(it: MutationBuilder<'_, Changed>) -> MutationBuilder<'_, Changed> {
    let text = "When the last turn ends; never if null.";
    let it = it.input(said("endsAt", named(DATE), text));
    let text = "The time of day people are on call; all day if null.";
    it.input(said("activePeriod", named(PERIOD), text))
}

impl Input {
    fn schedule(&self, tx: &mut Tx<'_>, viewer: &Viewer) -> Wrote<(Project, Schedule)> {
        let project = Reference::Path(self.project_path.clone());
        let project = spaces::project(tx, viewer, &project, CHANGE)?;
        let number = iid(&self.schedule_iid);
        let schedule = schedules::find(tx, project.id, number)?.found("On-call schedule")?;
        Ok((project, schedule))
    }

    fn change(&self, tx: &mut Tx<'_>, schedule: &Schedule) -> Wrote<Change> {
        let at = |field: &str, it: &Moment| moment(it, schedule, field);
        Ok(Change {
            name: self.name.clone(),
            starts_at: match &self.starts_at {
                Some(it) => Some(at("starts_at", it)?),
                None => None,
            },
            ends_at: match &self.ends_at {
                Patch::Value(it) => Patch::Value(at("ends_at", it)?),
                Patch::Null => Patch::Null,
                Patch::Absent => Patch::Absent,
            },
            length: self.rotation_length.as_ref().map(|it| it.length),
            unit: self.rotation_length.as_ref().and_then(Length::unit),
            active: match &self.active_period {
                Patch::Value(it) => Patch::Value(it.period()?),
                Patch::Null => Patch::Null,
                Patch::Absent => Patch::Absent,
            },
            users: match &self.participants {
                Some(named) => Some(users(tx, named)?),
                None => None,
            },
        })
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
        let time = |text: &str| time_of_day(text).ok_or_else(wrong);
        Ok(Period {
            from: time(&self.start_time)?,
            until: time(&self.end_time)?,
        })
    }
}

/// When clocks of the schedule's time zone show this.
fn moment(it: &Moment, schedule: &Schedule, field: &str) -> Wrote<Timestamp> {
    let date = it.date.trim().parse::<Date>().ok();
    let shown = date.zip(time_of_day(&it.time));
    let zone = zones::zone(&schedule.time_zone);
    let at = shown.and_then(|(date, time)| {
        let ambiguous = zone.to_ambiguous_timestamp(date.to_datetime(time));
        ambiguous.compatible().ok()
    });
    at.ok_or_else(|| Error::invalid(field, "is no time such as 2031-05-06 and 08:30"))
}

/// The users of these names.
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

fn shown(tx: &mut Tx<'_>, schedule: Schedule, rotation: Rotation) -> Wrote<Option<Turning>> {
    let schedule = [Arc::new(schedule)];
    Ok(turning(tx, &schedule, vec![rotation])?.pop())
}

/// Does the work, which may leave what it removed, and shows the rotation.
async fn write(
    it: Input,
    context: Context,
    work: impl Fn(&Input, &mut Tx<'_>, &Viewer, &mut Option<Turning>) -> Wrote<(Schedule, Rotation)>
    + Send
    + Sync
    + 'static,
) -> Result<Done<Changed>, Fault> {
    let (app, viewer) = caller(&context)?;
    let wrote = app.write(move |tx| {
        let mut gone = None;
        let (schedule, rotation) = work(&it, tx, &viewer, &mut gone)?;
        match gone {
            Some(gone) => Ok(gone),
            None => shown(tx, schedule, rotation)?.found("Rotation"),
        }
    });
    Ok(Done::from(Changed(Arc::new(wrote.await?))))
}
