use super::*;
use crate::on_call::model::Clock;
use crate::on_call::zones::zone;
use proptest::prelude::*;

fn at(text: &str) -> Timestamp {
    format!("{text}:00Z").parse().unwrap()
}

fn plan(starts_at: &str, length: i64, unit: Unit) -> Plan {
    Plan {
        starts_at: at(starts_at),
        ends_at: None,
        length,
        length_unit: unit,
        active_period: None,
    }
}

fn period(from: &str, until: &str) -> Option<Period> {
    Some(Period {
        start_time: Clock(from.parse().unwrap()),
        end_time: Clock(until.parse().unwrap()),
    })
}

const BERLIN: &str = "Europe/Berlin";

/// Shifts as `person start/end`.
fn told(plan: &Plan, place: &str, people: usize, from: &str, until: &str) -> Vec<String> {
    let turns = Turns::new(plan, &zone(place), people);
    let shifts = turns.between(at(from), at(until)).into_iter();
    let text = |at: Timestamp| at.strftime("%Y-%m-%dT%H:%M").to_string();
    shifts
        .map(|it| format!("{} {}/{}", it.person, text(it.starts_at), text(it.ends_at)))
        .collect()
}

#[test]
fn people_take_turns() {
    let days = plan("2031-05-05T09:00", 2, Unit::Days);
    let shown = told(&days, "UTC", 2, "2031-05-05T00:00", "2031-05-10T00:00");
    let expected = [
        "0 2031-05-05T09:00/2031-05-07T09:00",
        "1 2031-05-07T09:00/2031-05-09T09:00",
        "0 2031-05-09T09:00/2031-05-11T09:00",
    ];
    assert_eq!(shown, expected);
    let turns = Turns::new(&days, &TimeZone::UTC, 2);
    let first = at("2031-05-05T09:00");
    assert_eq!(turns.at(first - SignedDuration::from_secs(1)), None);
    assert_eq!(turns.at(first), Some(0));
    assert_eq!(turns.at(at("2031-05-07T09:00")), Some(1));
    assert_eq!(turns.at(at("2231-05-07T09:00")), Some(1));
    let nobody = Turns::new(&days, &TimeZone::UTC, 0);
    assert_eq!(nobody.at(at("2031-05-06T00:00")), None);
}

#[test]
fn days_change_hands_at_the_same_time_of_day() {
    // Clocks go forward on 30 March 2031 in Berlin, back on 26 October.
    let days = plan("2031-03-29T08:00", 1, Unit::Days);
    let shown = told(&days, BERLIN, 3, "2031-03-29T08:00", "2031-03-31T07:00");
    let expected = ["0 2031-03-29T08:00/2031-03-30T07:00", "1 2031-03-30T07:00/2031-03-31T07:00"];
    assert_eq!(shown, expected);
    let weeks = plan("2031-10-20T07:00", 1, Unit::Weeks);
    let shown = told(&weeks, BERLIN, 2, "2031-10-21T00:00", "2031-10-22T00:00");
    assert_eq!(shown, ["0 2031-10-20T07:00/2031-10-27T08:00"]);
    let hours = plan("2031-03-30T00:00", 12, Unit::Hours);
    let shown = told(&hours, BERLIN, 2, "2031-03-30T01:00", "2031-03-30T13:00");
    let expected = ["0 2031-03-30T00:00/2031-03-30T12:00", "1 2031-03-30T12:00/2031-03-31T00:00"];
    assert_eq!(shown, expected);
}

#[test]
fn a_part_of_the_day_belongs_to_whom_it_begins_with() {
    let mut weeks = plan("2031-05-05T00:00", 1, Unit::Weeks);
    weeks.active_period = period("22:00", "06:00");
    let shown = told(&weeks, "UTC", 2, "2031-05-11T12:00", "2031-05-13T12:00");
    let expected = ["0 2031-05-11T22:00/2031-05-12T06:00", "1 2031-05-12T22:00/2031-05-13T06:00"];
    assert_eq!(shown, expected);
    let mut days = plan("2031-05-05T10:00", 1, Unit::Days);
    days.active_period = period("08:00", "17:00");
    days.ends_at = Some(at("2031-05-07T09:00"));
    let shown = told(&days, "UTC", 2, "2031-05-01T00:00", "2031-05-20T00:00");
    let expected = [
        "0 2031-05-05T10:00/2031-05-05T17:00",
        "0 2031-05-06T08:00/2031-05-06T17:00",
        "1 2031-05-07T08:00/2031-05-07T09:00",
    ];
    assert_eq!(shown, expected);
}

fn none_overlap(shifts: &[Shift]) -> bool {
    let mut pairs = shifts.windows(2);
    pairs.all(|two| two[0].ends_at <= two[1].starts_at)
}

#[test]
fn what_clocks_skip_or_show_twice_is_nobodys_twice() {
    // In Berlin 02:30 does not exist on 30 March and comes twice on 26 October.
    let mut days = plan("2031-03-25T00:00", 1, Unit::Days);
    days.active_period = period("03:00", "02:30");
    let turns = Turns::new(&days, &zone(BERLIN), 2);
    let spring = turns.between(at("2031-03-28T00:00"), at("2031-04-02T00:00"));
    assert!(none_overlap(&spring));
    days.active_period = period("02:30", "02:15");
    let turns = Turns::new(&days, &zone(BERLIN), 2);
    let autumn = turns.between(at("2031-10-24T00:00"), at("2031-10-29T00:00"));
    assert!(none_overlap(&autumn));
    // A whole day was left out in Samoa at the end of 2011.
    let days = plan("2011-12-29T10:00", 1, Unit::Days);
    let turns = Turns::new(&days, &zone("Pacific/Apia"), 3);
    let shifts = turns.between(at("2011-12-29T10:00"), at("2012-01-03T00:00"));
    let mut pairs = shifts.windows(2);
    assert!(pairs.all(|two| two[0].ends_at == two[1].starts_at));
}

#[test]
fn only_a_month_is_computed_at_once() {
    let hours = plan("2031-01-01T00:00", 1, Unit::Hours);
    let turns = Turns::new(&hours, &TimeZone::UTC, 1);
    let shifts = turns.between(at("2031-02-01T00:00"), at("2131-01-01T00:00"));
    assert_eq!(shifts.len(), 24 * 31);
    assert!(turns.between(Timestamp::MAX, Timestamp::MAX).is_empty());
    let last = turns.between(at("9999-12-30T00:00"), Timestamp::MAX);
    assert!(!last.is_empty());
    let far = plan("2031-01-01T00:00", i64::MAX, Unit::Weeks);
    let turns = Turns::new(&far, &TimeZone::UTC, 1);
    assert_eq!(turns.at(at("2032-01-01T00:00")), None);
}

const PLACES: &[&str] = &[
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "America/Sao_Paulo",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Africa/Casablanca",
    "Asia/Kathmandu",
];

fn plans() -> impl Strategy<Value = Plan> {
    let unit = prop::sample::select(Unit::ALL.to_vec());
    let active = prop::option::of((0_i8..24, 0_i8..60, 0_i8..24, 0_i8..60));
    // From 1990 to 2060, when most zones change their clocks.
    let starts = 631_152_000_i64..2_840_140_800;
    let parts = (starts, prop::option::of(0_i64..40_000), 1_i64..40, unit, active);
    parts.prop_map(|(start, lasts, length, unit, active)| {
        let starts_at = Timestamp::from_second(start).unwrap();
        let period = |(h, m, to_h, to_m)| Period {
            start_time: Clock(Time::new(h, m, 0, 0).unwrap()),
            end_time: Clock(Time::new(to_h, to_m, 0, 0).unwrap()),
        };
        Plan {
            starts_at,
            ends_at: lasts.map(|hours| starts_at + SignedDuration::from_hours(hours)),
            length,
            length_unit: unit,
            active_period: active.map(period),
        }
    })
}

proptest! {
    #[test]
    fn shifts_follow_one_another(
        plan in plans(), place in prop::sample::select(PLACES.to_vec()), people in 1_usize..5,
        after in -2_000_i64..400_000, hours in 1_i64..744,
    ) {
        let turns = Turns::new(&plan, &zone(place), people);
        let from = plan.starts_at + SignedDuration::from_hours(after);
        let until = from + SignedDuration::from_hours(hours);
        let shifts = turns.between(from, until);
        prop_assert_eq!(&shifts, &turns.between(from, until));
        for shift in &shifts {
            prop_assert!(shift.starts_at < shift.ends_at && shift.person < people);
            prop_assert!(shift.ends_at > from && shift.starts_at < until);
            prop_assert!(shift.starts_at >= plan.starts_at);
            prop_assert!(plan.ends_at.is_none_or(|end| shift.ends_at <= end));
            prop_assert_eq!(turns.at(shift.starts_at), Some(shift.person));
        }
        for two in shifts.windows(2) {
            match plan.active_period {
                // No gap and no overlap.
                None => prop_assert_eq!(two[0].ends_at, two[1].starts_at),
                Some(_) => prop_assert!(two[0].ends_at <= two[1].starts_at),
            }
        }
        // What is asked of a part is what is known of the whole.
        let middle = from + SignedDuration::from_hours(hours / 2);
        let within = shifts.iter().find(|it| it.starts_at <= middle && middle < it.ends_at);
        prop_assert_eq!(turns.at(middle), within.map(|it| it.person));
        if plan.active_period.is_none() {
            let lasts = middle >= plan.starts_at && plan.ends_at.is_none_or(|end| middle < end);
            prop_assert_eq!(within.is_some(), lasts);
        }
    }
}
