//! When schedules and freezes begin: five fields of time (contract 13.5).

use jiff::civil::{Date, DateTime};
use jiff::{ToSpan, Zoned};

/// A text that names no times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoCron;

/// Times of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cron {
    minutes: u64,
    hours: u64,
    days: u64,
    /// `L`: the last day of a month.
    last_day: bool,
    months: u64,
    weekdays: u64,
    /// `1#2`: the second Monday; -1 is the last.
    nth: Vec<(u8, i8)>,
    any_day: bool,
    any_weekday: bool,
}

/// Days that are looked through: a 29th of February comes within eight years.
const MOST_DAYS: u32 = 8 * 366 + 1;

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];
const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

impl Cron {
    pub fn parse(text: &str) -> Result<Self, NoCron> {
        let text = match text.trim() {
            "@yearly" | "@annually" => "0 0 1 1 *",
            "@monthly" => "0 0 1 * *",
            "@weekly" => "0 0 * * 0",
            "@daily" | "@midnight" => "0 0 * * *",
            "@noon" => "0 12 * * *",
            "@hourly" => "0 * * * *",
            text => text,
        };
        let fields: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        let [minutes, hours, days, months, weekdays] = fields.as_slice() else {
            return Err(NoCron);
        };
        if text.len() > 255 {
            return Err(NoCron);
        }
        let (plain_days, last_day) = without_last(days);
        let (plain_weekdays, nth) = without_nth(weekdays)?;
        let cron = Self {
            minutes: field(minutes, 0, 59, &[])?,
            // Midnight may be called 24.
            hours: folded(field(hours, 0, 24, &[])?, 24),
            days: some(&plain_days, 1, 31, &[])?,
            last_day,
            months: field(months, 1, 12, &MONTHS)?,
            weekdays: folded(some(&plain_weekdays, 0, 7, &WEEKDAYS)?, 7),
            nth,
            any_day: days.starts_with('*'),
            any_weekday: weekdays.starts_with('*'),
        };
        match cron.can_come() {
            true => Ok(cron),
            false => Err(NoCron),
        }
    }

    /// Whether there is any such day, as there is no 31st of February.
    fn can_come(&self) -> bool {
        let mut day = Date::constant(2024, 1, 1);
        for _ in 0..MOST_DAYS {
            if self.fits(day) {
                return true;
            }
            let Ok(next) = day.tomorrow() else {
                return false;
            };
            day = next;
        }
        false
    }

    fn fits(&self, day: Date) -> bool {
        let has = |set: u64, number: i8| u32::try_from(number).is_ok_and(|n| set >> n & 1 == 1);
        if !has(self.months, day.month()) {
            return false;
        }
        let by_day =
            has(self.days, day.day()) || (self.last_day && day.day() == day.days_in_month());
        let weekday = day.weekday().to_sunday_zero_offset();
        let week = (day.day() - 1) / 7 + 1;
        let is_last = day.day() + 7 > day.days_in_month();
        let nth = self.nth.iter().any(|(wanted, nth)| {
            i8::try_from(*wanted) == Ok(weekday) && (*nth == week || (*nth == -1 && is_last))
        });
        let by_weekday = has(self.weekdays, weekday) || nth;
        match (self.any_day, self.any_weekday) {
            (false, false) => by_day || by_weekday,
            _ => by_day && by_weekday,
        }
    }

    /// The next time after this one, in its time zone.
    pub fn next(&self, after: &Zoned) -> Option<Zoned> {
        let mut day = after.date();
        for _ in 0..MOST_DAYS {
            if self.fits(day)
                && let Some(time) = self.on(day, after)
            {
                return Some(time);
            }
            day = day.checked_add(1.day()).ok()?;
        }
        None
    }

    /// The first time of a day that is later than `after`.
    fn on(&self, day: Date, after: &Zoned) -> Option<Zoned> {
        for hour in (0..24_i8).filter(|hour| self.hours >> hour & 1 == 1) {
            for minute in (0..60_i8).filter(|minute| self.minutes >> minute & 1 == 1) {
                let civil = DateTime::from_parts(day, jiff::civil::time(hour, minute, 0, 0));
                let zoned = after.time_zone().to_ambiguous_zoned(civil);
                // A time that clocks leave out does not come.
                if let Ok(time) = zoned.earlier()
                    && time.datetime() == civil
                    && time > *after
                {
                    return Some(time);
                }
            }
        }
        None
    }
}

/// Takes `l` out of the days.
fn without_last(days: &str) -> (String, bool) {
    let parts: Vec<&str> = days.split(',').collect();
    let plain: Vec<&str> = parts.iter().copied().filter(|part| !is_last(part)).collect();
    (plain.join(","), plain.len() < parts.len())
}

fn is_last(part: &str) -> bool {
    matches!(part, "l" | "last" | "-1")
}

type Nth = Vec<(u8, i8)>;

/// Takes `1#2` out of the weekdays.
fn without_nth(weekdays: &str) -> Result<(String, Nth), NoCron> {
    let mut plain = Vec::new();
    let mut nth = Vec::new();
    for part in weekdays.split(',') {
        match part.split_once('#') {
            None => plain.push(part),
            Some((day, number)) => {
                let day = value(day, 0, 7, &WEEKDAYS)? % 7;
                let number = match is_last(number) {
                    true => -1,
                    false => number.parse().ok().filter(|n| (1..=5).contains(n)).ok_or(NoCron)?,
                };
                nth.push((day, number));
            }
        }
    }
    Ok((plain.join(","), nth))
}

/// A field that may be empty once its special parts were taken.
fn some(text: &str, least: u8, most: u8, names: &[&str]) -> Result<u64, NoCron> {
    match text.is_empty() {
        true => Ok(0),
        false => field(text, least, most, names),
    }
}

/// A list of values, ranges and steps.
fn field(text: &str, least: u8, most: u8, names: &[&str]) -> Result<u64, NoCron> {
    let mut set = 0;
    for part in text.split(',') {
        let (range, step) = match part.split_once('/') {
            Some((range, step)) => (range, Some(step.parse::<u8>().map_err(|_| NoCron)?)),
            None => (part, None),
        };
        if step == Some(0) {
            return Err(NoCron);
        }
        let (from, to) = match range.split_once('-') {
            _ if range == "*" => (least, most),
            Some((from, to)) => (value(from, least, most, names)?, value(to, least, most, names)?),
            None => {
                let from = value(range, least, most, names)?;
                (from, if step.is_some() { most } else { from })
            }
        };
        // Only a week goes on after its end: `fri-sun`.
        let to = if to < from && most == 7 { 7 } else { to };
        if to < from {
            return Err(NoCron);
        }
        let values = (from..=to).step_by(usize::from(step.unwrap_or(1)));
        values.for_each(|value| set |= 1 << value);
    }
    Ok(set)
}

fn value(text: &str, least: u8, most: u8, names: &[&str]) -> Result<u8, NoCron> {
    if let Some(at) = names.iter().position(|name| *name == text) {
        return u8::try_from(at).map(|at| at + least).map_err(|_| NoCron);
    }
    let digits = !text.is_empty() && text.len() <= 2 && text.bytes().all(|b| b.is_ascii_digit());
    let number = text.parse().ok().filter(|_| digits);
    number.filter(|number| (least..=most).contains(number)).ok_or(NoCron)
}

/// Calls the last number zero as well.
fn folded(set: u64, last: u32) -> u64 {
    (set | (set >> last & 1)) & ((1 << last) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(cron: &str, after: &str) -> String {
        let after: Zoned = after.parse().unwrap();
        Cron::parse(cron).unwrap().next(&after).unwrap().datetime().to_string()
    }

    #[test]
    fn the_next_time_comes_in_the_zone() {
        let monday = "2026-06-01T10:30:00[Europe/Berlin]";
        for (cron, wanted) in [
            ("0 4 * * *", "2026-06-02T04:00:00"),
            ("*/15 * * * *", "2026-06-01T10:45:00"),
            ("0 24 * * *", "2026-06-02T00:00:00"),
            ("0 0 * * 7", "2026-06-07T00:00:00"),
            ("0 0 * * sun", "2026-06-07T00:00:00"),
            ("0 0 13 * fri", "2026-06-05T00:00:00"),
            ("0 0 L * *", "2026-06-30T00:00:00"),
            ("0 0 * * 1#2", "2026-06-08T00:00:00"),
            ("0 0 * * 5#L", "2026-06-26T00:00:00"),
            ("30 10 * * *", "2026-06-02T10:30:00"),
            ("0 9-17/4 * jan,jun mon-fri", "2026-06-01T13:00:00"),
            ("@monthly", "2026-07-01T00:00:00"),
            ("0 0 29 feb *", "2028-02-29T00:00:00"),
            ("5/20 * * * *", "2026-06-01T10:45:00"),
        ] {
            assert_eq!(next(cron, monday), wanted, "{cron}");
        }
        let before_summer = "2026-03-29T00:00:00[Europe/Berlin]";
        assert_eq!(next("30 2 * * *", before_summer), "2026-03-30T02:30:00");
    }

    #[test]
    fn what_names_no_time_is_refused() {
        for cron in [
            "",
            "* * * *",
            "0 0 0 * * *",
            "60 * * * *",
            "* 25 * * *",
            "0 0 31 2 *",
            "? * * * *",
            "*/0 * * * *",
            "5-1 * * * *",
            "a * * * *",
            "0 0 * * 8",
            "0 0 * 13 *",
            "0 0 1#2 * *",
            "0 0 * * 1#6",
            "@sometimes",
        ] {
            assert_eq!(Cron::parse(cron).err(), Some(NoCron), "{cron}");
        }
    }
}
