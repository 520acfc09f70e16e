//! Who is on call over two weeks, drawn as rows of bars between days.

use crate::on_call::model::{Rotation, Schedule};
use crate::on_call::related::RelatedToRotations;
use crate::on_call::rules::rotations::shifts;
use crate::on_call::shifts::Shift;
use crate::on_call::zones::{instant, zone};
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use kernel::html::FirstDay;
use std::collections::{BTreeSet, HashMap};

/// Days that are drawn, from the beginning of a week on.
const DAYS: i64 = 14;
/// Days where people take more turns than a line of text has room for.
const FEWER_DAYS: i64 = 7;
const MANY: usize = 90;
/// Most shifts that are told in the table.
const LISTED: usize = 50;
/// Years that a page shows; schedules end in the last one.
const YEARS: std::ops::RangeInclusive<i16> = 1971..=2199;
/// Colours of people; the text says the same.
const COLOURS: usize = 6;
/// Pixels above the first row, and of a row.
const TOP: usize = 22;
const ROW: usize = 52;

/// The days that are drawn, by clocks of the schedule's time zone.
#[derive(Debug, Clone)]
pub struct Days {
    zone: TimeZone,
    now: Timestamp,
    /// When each of them begins, and when the last one ends.
    begin: Vec<(Date, Timestamp)>,
}

impl Days {
    /// From the beginning of this day's week on: of today's where it is none.
    pub fn of(
        schedule: &Schedule, week: Option<&str>, first_day: FirstDay, now: Timestamp,
    ) -> Days {
        let zone = zone(&schedule.time_zone);
        let today = now.to_zoned(zone.clone()).date();
        let asked = week.and_then(|text| text.trim().parse::<Date>().ok());
        let day = asked.filter(|day| YEARS.contains(&day.year())).unwrap_or(today);
        let first = day.checked_sub(first_day.days_before(day).days()).unwrap_or(day);
        let day = |n: i64| {
            let date = first.checked_add(n.days()).ok()?;
            Some((date, instant(schedule, date.to_datetime(Time::midnight()))?))
        };
        Days { begin: (0..=DAYS).filter_map(day).collect(), zone, now }
    }

    fn shorten(&mut self) {
        self.begin.truncate(FEWER_DAYS as usize + 1);
    }

    fn from(&self) -> Timestamp {
        self.begin.first().map_or(self.now, |day| day.1)
    }

    fn until(&self) -> Timestamp {
        self.begin.last().map_or(self.now, |day| day.1)
    }

    /// The first day so many weeks later, as addresses name it.
    fn week(&self, weeks: i64) -> Option<String> {
        let first = self.begin.first()?.0;
        let day = first.checked_add(weeks.weeks()).ok()?;
        YEARS.contains(&day.year()).then(|| day.to_string())
    }

    /// Where a time is, of a hundred percent in hundredths.
    fn place(&self, at: Timestamp) -> i64 {
        let whole = self.until().duration_since(self.from()).as_secs().max(1);
        let part = at.duration_since(self.from()).as_secs().clamp(0, whole);
        part * 10_000 / whole
    }

    fn turn(&self, shift: &Shift) -> Turn {
        let (from, until) = (self.place(shift.starts_at), self.place(shift.ends_at));
        Turn {
            x: percent(from),
            width: percent((until - from).max(20)),
            ..Turn::default()
        }
    }

    fn listed(&self, shift: &Shift, rotation: &Rotation, who: &str) -> Listed {
        Listed {
            who: who.to_owned(),
            rotation: rotation.name.clone(),
            from: moment(shift.starts_at, &self.zone),
            until: moment(shift.ends_at, &self.zone),
            is_now: shift.starts_at <= self.now && self.now < shift.ends_at,
            shift: *shift,
        }
    }

    /// `5 – 18 May 2031`, or with both months where they differ.
    fn title(&self) -> String {
        let days = self.begin.len().saturating_sub(2);
        let (Some(first), Some(last)) = (self.begin.first(), self.begin.get(days)) else {
            return String::new();
        };
        let from = match (first.0.year() == last.0.year(), first.0.month() == last.0.month()) {
            (true, true) => first.0.strftime("%-d"),
            (true, false) => first.0.strftime("%-d %b"),
            _ => first.0.strftime("%-d %b %Y"),
        };
        format!("{from} – {}", last.0.strftime("%-d %b %Y"))
    }
}

fn percent(hundredths: i64) -> String {
    format!("{}.{:02}%", hundredths / 100, hundredths % 100)
}

/// A drawing of some days, and the same as text.
#[derive(Debug, Clone)]
pub struct Roster {
    pub title: String,
    pub height: usize,
    pub days: Vec<Day>,
    pub rows: Vec<Row>,
    /// There are more turns than are drawn.
    pub is_cut: bool,
    /// Where the present is, if it is among these days.
    pub now: Option<String>,
    /// The time it is, by clocks of the zone.
    pub clock: String,
    pub shifts: Vec<Listed>,
    /// There are more shifts than are listed.
    pub has_more: bool,
    /// Weeks before and after, by their first days, for links.
    pub before: Option<String>,
    pub after: Option<String>,
}

#[derive(Debug, Clone)]
pub struct Day {
    pub x: String,
    pub width: String,
    pub middle: String,
    pub weekday: String,
    pub number: i8,
    pub is_today: bool,
    pub is_weekend: bool,
}

/// A rotation.
#[derive(Debug, Clone)]
pub struct Row {
    pub name: String,
    /// Where its name stands; its bars are below.
    pub y: usize,
    pub turns: Vec<Turn>,
}

#[derive(Debug, Clone, Default)]
pub struct Turn {
    pub x: String,
    pub width: String,
    pub colour: usize,
    /// Sign-in name.
    pub who: String,
    pub when: String,
}

/// A shift in the table.
#[derive(Debug, Clone)]
pub struct Listed {
    pub who: String,
    pub rotation: String,
    pub from: String,
    pub until: String,
    pub is_now: bool,
    shift: Shift,
}

/// The drawing of a schedule's rotations, with at most so many turns.
pub fn roster(
    schedule: &Schedule, rotations: &[&Rotation], related: &RelatedToRotations, mut days: Days,
    most: usize,
) -> Roster {
    let turns = |one: &Rotation, days: &Days| {
        shifts(schedule, one, &related.people, days.from(), days.until())
    };
    if rotations.iter().any(|one| turns(one, &days).len() > MANY) {
        days.shorten();
    }
    let each = most / rotations.len().max(1);
    let colours = colours(related);
    let (mut rows, mut listed, mut is_cut) = (Vec::new(), Vec::new(), false);
    for (at, rotation) in rotations.iter().enumerate() {
        let found = turns(rotation, &days).into_iter();
        let found = found.filter_map(|(shift, one)| {
            let user = related.users.get(&one.user_id)?;
            let colour = colours.get(&one.user_id).copied().unwrap_or(0);
            Some((days.listed(&shift, rotation, &user.username), days.turn(&shift), colour))
        });
        let found: Vec<(Listed, Turn, usize)> = found.collect();
        is_cut |= found.len() > each;
        let turn = |(text, turn, colour): &(Listed, Turn, usize)| Turn {
            colour: *colour,
            who: text.who.clone(),
            when: format!("{} to {}", text.from, text.until),
            ..turn.clone()
        };
        rows.push(Row {
            name: rotation.name.clone(),
            y: TOP + at * ROW + 16,
            turns: found.iter().take(each).map(turn).collect(),
        });
        // Of the present days, what is over tells nothing.
        let coming = |one: &Listed| one.shift.ends_at > days.now || days.until() <= days.now;
        listed.extend(found.into_iter().map(|(text, ..)| text).filter(coming));
    }
    listed.sort_by_key(|one| one.shift.starts_at);
    let has_more = listed.len() > LISTED;
    listed.truncate(LISTED);
    let is_among = days.from() <= days.now && days.now < days.until();
    Roster {
        title: days.title(),
        height: TOP + rows.len() * ROW + 6,
        days: drawn(&days),
        rows,
        is_cut,
        now: is_among.then(|| percent(days.place(days.now))),
        clock: days.now.to_zoned(days.zone.clone()).strftime("%H:%M").to_string(),
        shifts: listed,
        has_more,
        before: days.week(-1),
        after: days.week(1),
    }
}

/// A colour for each of these people, the same as long as they are the same.
fn colours(related: &RelatedToRotations) -> HashMap<i64, usize> {
    let people: BTreeSet<i64> = related.people.iter().map(|one| one.user_id).collect();
    people.into_iter().enumerate().map(|(at, id)| (id, at % COLOURS)).collect()
}

fn drawn(days: &Days) -> Vec<Day> {
    let today = days.now.to_zoned(days.zone.clone()).date();
    let day = |pair: &[(Date, Timestamp)]| {
        let (date, from, until) = (pair[0].0, days.place(pair[0].1), days.place(pair[1].1));
        Day {
            x: percent(from),
            width: percent(until - from),
            middle: percent((from + until) / 2),
            weekday: date.strftime("%a").to_string(),
            number: date.day(),
            is_today: date == today,
            is_weekend: date.weekday().to_monday_zero_offset() > 4,
        }
    };
    days.begin.windows(2).map(day).collect()
}

/// A time as people of the zone read it.
pub fn moment(at: Timestamp, zone: &TimeZone) -> String {
    let at = at.to_zoned(zone.clone());
    at.strftime("%a %-d %b, %H:%M").to_string()
}

/// The same with its year, where nothing beside it says that.
pub fn dated(at: Timestamp, zone: &TimeZone) -> String {
    let at = at.to_zoned(zone.clone());
    at.strftime("%-d %b %Y, %H:%M").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::Times;

    fn schedule(time_zone: &str) -> Schedule {
        Schedule {
            id: 1,
            iid: 1,
            project_id: 1,
            name: "Nights".into(),
            description: None,
            time_zone: time_zone.into(),
            times: Times::default(),
        }
    }

    fn days(week: Option<&str>) -> Days {
        days_from(week, FirstDay::Monday)
    }

    fn days_from(week: Option<&str>, first_day: FirstDay) -> Days {
        let now = "2031-05-06T12:00:00Z".parse().unwrap();
        Days::of(&schedule("Europe/Berlin"), week, first_day, now)
    }

    #[test]
    fn weeks_begin_on_the_chosen_day() {
        for (first_day, week, title) in [
            (FirstDay::Sunday, None, "4 – 17 May 2031"),
            (FirstDay::Sunday, Some("2031-05-11"), "11 – 24 May 2031"),
            (FirstDay::Sunday, Some("2031-05-10"), "4 – 17 May 2031"),
            (FirstDay::Saturday, None, "3 – 16 May 2031"),
            (FirstDay::Saturday, Some("2031-05-10"), "10 – 23 May 2031"),
            (FirstDay::Saturday, Some("2031-05-09"), "3 – 16 May 2031"),
        ] {
            assert_eq!(days_from(week, first_day).title(), title, "{first_day} {week:?}");
        }
        let days = days_from(None, FirstDay::Sunday);
        assert_eq!(days.week(1).as_deref(), Some("2031-05-11"));
        assert!(drawn(&days)[0].is_weekend && !drawn(&days)[1].is_weekend);
    }

    #[test]
    fn two_weeks_begin_on_a_monday() {
        for (week, title) in [
            (None, "5 – 18 May 2031"),
            (Some("2031-05-11"), "5 – 18 May 2031"),
            (Some("2031-05-28"), "26 May – 8 Jun 2031"),
            (Some("2031-12-31"), "29 Dec 2031 – 11 Jan 2032"),
            (Some("9999-12-31"), "5 – 18 May 2031"),
            (Some("soon"), "5 – 18 May 2031"),
        ] {
            assert_eq!(days(week).title(), title, "{week:?}");
        }
        let days = days(None);
        assert_eq!(days.week(1).as_deref(), Some("2031-05-12"));
        assert_eq!(days.week(-1).as_deref(), Some("2031-04-28"));
        let drawn = drawn(&days);
        assert_eq!(drawn.len(), 14);
        assert!(drawn[1].is_today && drawn[5].is_weekend && !drawn[4].is_weekend);
        assert_eq!((drawn[0].x.as_str(), drawn[7].x.as_str()), ("0.00%", "50.00%"));
    }

    #[test]
    fn days_in_which_clocks_change_are_longer_or_shorter() {
        // From 31 March on clocks are an hour ahead.
        let days = days(Some("2030-03-31"));
        let hours = |at: usize| (days.begin[at + 1].1.duration_since(days.begin[at].1)).as_hours();
        assert_eq!((hours(5), hours(6), hours(7)), (24, 23, 24));
        assert_eq!(days.place(days.until()), 10_000);
        assert_eq!(days.place(Timestamp::MIN), 0);
        assert_eq!(days.place(Timestamp::MAX), 10_000);
    }
}
