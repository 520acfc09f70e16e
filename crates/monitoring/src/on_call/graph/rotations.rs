//! Schedules, rotations and shifts.

use super::read::{Rotations, Turning, turning};
use super::{PARTICIPANT_ID, ROTATION, ROTATION_ID, SCHEDULE, UNIT, arg};
use crate::on_call::model::{Participant, Period, Schedule};
use crate::on_call::rest::span;
use crate::on_call::rules::paging::on_call;
use crate::on_call::rules::rotations::shifts;
use crate::on_call::shifts::Shift;
use crate::on_call::store::rotations as rows;
use identity::graph::{People, Person};
use jiff::Timestamp;
use kernel::graph::{
    Args, Ask, Connection, Context, Fault, Graph, HasTypeRef, ID, INT, Key, Order, STRING, TIME,
    object,
};
use std::collections::HashMap;
use std::sync::Arc;

const PERIOD: &str = "OncallRotationActivePeriodType";
const PARTICIPANT: &str = "OncallParticipantType";
const SHIFT: &str = "IncidentManagementOncallShift";

struct OnCall {
    shift: Shift,
    person: Arc<Participant>,
}

pub fn graph(g: &mut Graph) {
    let text = "The time of day in which people are on call.";
    g.object::<Period>(PERIOD, text)
        .field("startTime", STRING, |it| Some(it.start_time.to_string()))
        .describe("From when, such as `08:30`.")
        .field("endTime", STRING, |it| Some(it.end_time.to_string()))
        .describe("Until when; of the next day if that is not later.");
    g.object::<Participant>(PARTICIPANT, "Somebody who takes turns in being on call.")
        .field("id", ID.required(), |it| PARTICIPANT_ID.of(it.id))
        .describe("Global ID.")
        .load::<People, _>("user", object::<Person>("UserCore"), |it| Some(it.user_id))
        .describe("Who.")
        .never_null();
    g.object::<OnCall>(SHIFT, "A time in which somebody is on call.")
        .field("participant", object::<Participant>(PARTICIPANT), |it| Some(it.person.clone()))
        .describe("Who.")
        .field("startsAt", TIME, |it| Some(it.shift.starts_at))
        .describe("From when.")
        .field("endsAt", TIME, |it| Some(it.shift.ends_at))
        .describe("Until when.");
    rotation(g);
    schedule(g);
}

fn rotation(g: &mut Graph) {
    g.object::<Turning>(ROTATION, "People who take turns in being on call.")
        .field("id", ID.required(), |it| ROTATION_ID.of(it.rotation.id))
        .describe("Global ID.")
        .field("name", STRING.required(), |it| it.rotation.name.clone())
        .describe("What people call it.")
        .field("startsAt", TIME, |it| Some(it.rotation.plan.starts_at))
        .describe("When the first turn begins.")
        .field("endsAt", TIME, |it| it.rotation.plan.ends_at)
        .describe("When the last one ends.")
        .field("length", INT, |it| Some(it.rotation.plan.length))
        .describe("Length of a turn.")
        .field("lengthUnit", UNIT, |it| Some(it.rotation.plan.length_unit))
        .describe("In what it is counted.")
        .field("activePeriod", object::<Period>(PERIOD), |it| {
            it.rotation.plan.active_period.map(Arc::new)
        })
        .describe("The time of day they are on call; all day if null.")
        .connections("participants", object::<Participant>(PARTICIPANT), people)
        .describe("Who takes turns, in their order.")
        .connection("shifts", object::<OnCall>(SHIFT), turns)
        .describe("Who is on call when, for a month at most.")
        .arg(arg("startTime", TIME.required(), "From when."))
        .arg(arg("endTime", TIME.required(), "Until when."));
}

fn schedule(g: &mut Graph) {
    g.object::<Schedule>(SCHEDULE, "A plan of who is on call.")
        .field("iid", ID.required(), |it| it.iid.to_string())
        .describe("Number in its project.")
        .field("name", STRING.required(), |it| it.name.clone())
        .describe("What people call it.")
        .field("description", STRING, |it| it.description.clone())
        .describe("What it is for.")
        .field("timezone", STRING.required(), |it| it.time_zone.clone())
        .describe("IANA name of its time zone.")
        .level("oncallUsers", object::<Person>("UserCore").required().list(), now)
        .describe("Who is on call now.")
        .connections("rotations", object::<Turning>(ROTATION), rotations)
        .describe("Those who take turns.")
        .never_null()
        .level("rotation", object::<Turning>(ROTATION), one)
        .describe("The rotation of this ID, if it is of this schedule.")
        .arg(arg("id", ROTATION_ID.required(), "Its global ID."));
}

/// The place of a row among all that there are, as its cursor keeps it.
const PLACE: [Key; 1] = [Key::int("place", Order::Asc)];

async fn people(
    rotations: Vec<Arc<Turning>>, ask: Ask, _: Args, context: Context,
) -> Result<Vec<Option<Connection<Participant>>>, Fault> {
    let window = ask.window(&context, "on-call participants", &PLACE)?;
    let page = |it: &Arc<Turning>| {
        let whole: Vec<Arc<Participant>> = it.people.iter().cloned().map(Arc::new).collect();
        let places: HashMap<i64, i64> = whole.iter().map(|one| one.id).zip(0..).collect();
        let place = |one: &Participant| places.get(&one.id).copied().unwrap_or_default();
        Some(window.page_of_whole(&whole, place))
    };
    Ok(rotations.iter().map(page).collect())
}

async fn turns(
    it: Arc<Turning>, ask: Ask, args: Args, context: Context,
) -> Result<Option<Connection<OnCall>>, Fault> {
    let time = |name: &str| -> Result<Option<Timestamp>, Fault> {
        let text: String = args.get(name)?;
        Ok(text.parse().ok())
    };
    let now = context.app()?.now();
    let asked = span(time("startTime")?, time("endTime")?, now);
    let (from, until) = asked.map_err(|_| {
        Fault::argument("endTime must be later than startTime, and within a month of it")
    })?;
    let window = ask.window(&context, "on-call shifts", &PLACE)?;
    let found = shifts(&it.schedule, &it.rotation, &it.people, from, until);
    let whole: Vec<Arc<OnCall>> = found
        .into_iter()
        .map(|(shift, person)| Arc::new(OnCall { shift, person: Arc::new(person.clone()) }))
        .collect();
    let place = |one: &OnCall| one.shift.starts_at.as_microsecond();
    Ok(Some(window.page_of_whole(&whole, place)))
}

async fn now(
    schedules: Vec<Arc<Schedule>>, _: Args, context: Context,
) -> Result<Vec<Option<Vec<Arc<Person>>>>, Fault> {
    let ids: Vec<i64> = schedules.iter().map(|one| one.id).collect();
    let app = context.app()?.clone();
    let found = app.read(move |tx| {
        let now = tx.now();
        on_call(tx, &ids, now)
    });
    let found = found.await?;
    let people = context.load::<People>(found.values().flatten().copied()).await?;
    let of = |one: &Arc<Schedule>| {
        let users = found.get(&one.id).into_iter().flatten();
        Some(users.filter_map(|id| people.get(id).cloned()).collect())
    };
    Ok(schedules.iter().map(of).collect())
}

async fn rotations(
    schedules: Vec<Arc<Schedule>>, ask: Ask, _: Args, context: Context,
) -> Result<Vec<Option<Connection<Turning>>>, Fault> {
    let window = ask.window(&context, "on-call rotations", &PLACE)?;
    let app = context.app()?.clone();
    let all = schedules.clone();
    let found = app.read(move |tx| {
        let ids: Vec<i64> = all.iter().map(|one| one.id).collect();
        let found = rows::of_schedules(tx, &ids)?;
        turning(tx, &all, found)
    });
    let found: Vec<Arc<Turning>> = found.await?.into_iter().map(Arc::new).collect();
    let page = |schedule: &Arc<Schedule>| {
        let own = found.iter().filter(|it| it.schedule.id == schedule.id);
        let whole: Vec<Arc<Turning>> = own.cloned().collect();
        Some(window.page_of_whole(&whole, |it| it.rotation.id))
    };
    Ok(schedules.iter().map(page).collect())
}

async fn one(
    schedules: Vec<Arc<Schedule>>, args: Args, context: Context,
) -> Result<Vec<Option<Arc<Turning>>>, Fault> {
    let id: i64 = args.get("id")?;
    let found = context.load::<Rotations>([id]).await?;
    let found = found.get(&id);
    let of = |schedule: &Arc<Schedule>| {
        let own = found.filter(|it| it.schedule.id == schedule.id);
        own.cloned()
    };
    Ok(schedules.iter().map(of).collect())
}
