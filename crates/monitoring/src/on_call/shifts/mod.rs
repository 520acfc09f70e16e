//! Who is on call when: computed, never stored, from how turns are taken, a
//! time zone and the number of people.
//!
//! Turns of days and weeks change hands at the same time of day, so that those
//! in which clocks change are an hour longer or shorter; turns of hours count
//! hours that pass. Where people are on call for a part of the day, the whole
//! of it belongs to whoever's turn it begins in.

use super::model::{MAX_DAYS, Period, Plan, Unit};
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, Timestamp, ToSpan};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shift {
    /// Place of the person among those who take turns.
    pub person: usize,
    pub starts_at: Timestamp,
    pub ends_at: Timestamp,
}

/// Turns of a number of people in a time zone.
#[derive(Debug, Clone)]
pub struct Turns<'p> {
    plan: &'p Plan,
    zone: TimeZone,
    people: usize,
    /// When the first turn begins, by clocks of the zone.
    begin: DateTime,
}

impl<'p> Turns<'p> {
    pub fn new(plan: &'p Plan, zone: &TimeZone, people: usize) -> Turns<'p> {
        Turns {
            plan,
            zone: zone.clone(),
            people,
            begin: plan.starts_at.to_zoned(zone.clone()).datetime(),
        }
    }

    pub fn at(&self, at: Timestamp) -> Option<usize> {
        let next = at.checked_add(SignedDuration::from_nanos(1)).ok()?;
        self.between(at, next).first().map(|shift| shift.person)
    }

    /// The shifts that a part of lies between two times, in order and whole.
    /// Of a longer time than [`MAX_DAYS`], only those of its beginning.
    pub fn between(&self, from: Timestamp, until: Timestamp) -> Vec<Shift> {
        let most = from.checked_add(SignedDuration::from_hours(24 * MAX_DAYS));
        let until = until.min(most.unwrap_or(until));
        if self.people == 0 || from >= until {
            return Vec::new();
        }
        let shifts = match self.plan.active_period {
            None => self.turns(from, until),
            Some(period) => self.periods(period, from, until),
        };
        let touches = |shift: &Shift| shift.ends_at > from && shift.starts_at < until;
        shifts.into_iter().filter(touches).collect()
    }

    /// Whole turns from the one that `from` is in.
    fn turns(&self, from: Timestamp, until: Timestamp) -> Vec<Shift> {
        let mut shifts = Vec::new();
        let mut turn = self.turn_of(from).unwrap_or(0);
        while let Some((starts_at, ends_at)) = self.start(turn).zip(self.start(turn + 1)) {
            if starts_at >= until {
                break;
            }
            shifts.extend(self.clipped(turn, starts_at, ends_at));
            turn += 1;
        }
        shifts
    }

    /// The part of each day from two before `from`: that of the day before may
    /// last into it, and a place that changes sides leaves a whole day out.
    fn periods(&self, period: Period, from: Timestamp, until: Timestamp) -> Vec<Shift> {
        let mut shifts = Vec::new();
        let date = from.to_zoned(self.zone.clone()).date();
        let mut day = date.checked_sub(2.days()).ok();
        while let Some(date) = day {
            day = date.tomorrow().ok();
            let Some(begins) = self.instant(date, period.start_time.0) else {
                break;
            };
            if begins >= until {
                break;
            }
            let last = match period.end_time.0 > period.start_time.0 {
                true => Some(date),
                false => day,
            };
            let ends = last.and_then(|last| self.instant(last, period.end_time.0));
            let next = day.and_then(|day| self.instant(day, period.start_time.0));
            // Where clocks skip the end, it would fall behind the next beginning.
            let Some(ends) = ends.zip(next).map(|(ends, next)| ends.min(next)) else {
                break;
            };
            let turn = self.turn_of(begins.max(self.plan.starts_at));
            shifts.extend(turn.and_then(|turn| self.clipped(turn, begins, ends)));
        }
        shifts
    }

    /// A shift as far as the rotation lasts, unless nothing is left of it.
    fn clipped(&self, turn: i64, starts_at: Timestamp, ends_at: Timestamp) -> Option<Shift> {
        let starts_at = starts_at.max(self.plan.starts_at);
        let ends_at = ends_at.min(self.plan.ends_at.unwrap_or(ends_at));
        let person = usize::try_from(turn).ok()? % self.people;
        (starts_at < ends_at).then_some(Shift { person, starts_at, ends_at })
    }

    /// When a turn begins, counted from 0; none beyond the end of time.
    fn start(&self, turn: i64) -> Option<Timestamp> {
        let count = turn.checked_mul(self.plan.length)?;
        let days = match self.plan.length_unit {
            Unit::Hours => {
                let hours = SignedDuration::try_from_hours(count)?;
                return self.plan.starts_at.checked_add(hours).ok();
            }
            Unit::Days => count,
            Unit::Weeks => count.checked_mul(7)?,
        };
        // The first begins when it was said to, also in an hour that comes twice.
        if days == 0 {
            return Some(self.plan.starts_at);
        }
        let date = self.begin.date();
        let date = date.checked_add(Span::new().try_days(days).ok()?).ok()?;
        self.instant(date, self.begin.time())
    }

    /// When clocks of the zone show this: the first time if they do twice, and
    /// as much later as they skip if they never do.
    fn instant(&self, date: Date, time: Time) -> Option<Timestamp> {
        let shown = self.zone.to_ambiguous_timestamp(date.to_datetime(time));
        shown.compatible().ok()
    }

    /// The turn that a time is in; none before the first.
    fn turn_of(&self, at: Timestamp) -> Option<i64> {
        if at < self.plan.starts_at {
            return None;
        }
        let length = self.plan.length.max(1);
        let hours = at.duration_since(self.plan.starts_at).as_hours();
        let mut turn = match self.plan.length_unit {
            Unit::Hours => hours / length,
            Unit::Days => hours / 24 / length,
            Unit::Weeks => hours / 24 / 7 / length,
        };
        // Days are not all of 24 hours.
        while turn > 0 && self.start(turn).is_none_or(|start| start > at) {
            turn -= 1;
        }
        while self.start(turn + 1).is_some_and(|next| next <= at) {
            turn += 1;
        }
        Some(turn)
    }
}

#[cfg(test)]
mod tests;
