//! Who wrote a history, and how much in each week.

use kernel::app::App;
use kernel::error::Result;
use kernel::time::{Date, Timestamp, date_of};
use moka::sync::Cache;
use repositories::formats::object_id::ObjectId;
use repositories::model::Repository;
use repositories::objects::{self, Commit, Objects, Walk};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Commits that are gone through, the newest first.
pub const MOST_COMMITS: usize = 20_000;
/// People that are told of.
const MOST_PEOPLE: usize = 100;
/// Weeks that are drawn: two years.
pub const WEEKS: i64 = 104;
const WEEK: i64 = 7 * 24 * 3600;
/// The first Monday of 1970, in seconds.
const MONDAY: i64 = 4 * 24 * 3600;
/// Histories that are remembered.
const KNOWN: u64 = 200;

/// Commits of a week, by the number of the week.
type Weeks = BTreeMap<i64, u64>;

/// Somebody who wrote commits.
#[derive(Debug, Clone, Default)]
pub struct Contributor {
    pub name: String,
    pub email: String,
    pub commits: u64,
    weeks: Weeks,
}

/// Who wrote a history.
#[derive(Debug, Clone, Default)]
pub struct Contributions {
    /// Who wrote most comes first.
    pub people: Vec<Contributor>,
    /// All there are, be they told of or not.
    pub count: usize,
    pub commits: u64,
    /// There are older commits.
    pub is_cut: bool,
    weeks: Weeks,
}

struct Known(Cache<ObjectId, Arc<Contributions>>);

impl Default for Known {
    fn default() -> Known {
        Known(Cache::new(KNOWN))
    }
}

impl Contributions {
    /// Goes through the history of a commit, merges left out.
    pub async fn of(
        app: &App, repository: &Repository, commit: ObjectId,
    ) -> Result<Arc<Contributions>> {
        let known = &app.kept::<Known>().0;
        if let Some(found) = known.get(&commit) {
            return Ok(found);
        }
        let read = move |objects: &Objects| Contributions::read(objects, commit);
        let made = Arc::new(objects::read(app, repository, read).await?);
        known.insert(commit, made.clone());
        Ok(made)
    }

    fn read(objects: &Objects, commit: ObjectId) -> Result<Contributions> {
        let walk = Walk { from: vec![commit], ..Walk::default() };
        let mut all = Contributions::default();
        let mut people: HashMap<String, Contributor> = HashMap::new();
        for (at, id) in objects.history(&walk)?.enumerate() {
            if at >= MOST_COMMITS {
                all.is_cut = true;
                break;
            }
            if let Some(commit) = objects.commit(id?)?.filter(|one| one.parents.len() < 2) {
                all.add(&commit, &mut people);
            }
        }
        all.count = people.len();
        all.people = people.into_values().collect();
        all.people.sort_by(|one, other| {
            (Reverse(one.commits), &one.email).cmp(&(Reverse(other.commits), &other.email))
        });
        all.people.truncate(MOST_PEOPLE);
        Ok(all)
    }

    fn add(&mut self, commit: &Commit, people: &mut HashMap<String, Contributor>) {
        let week = (commit.author.at.as_second() - MONDAY).div_euclid(WEEK);
        let email = commit.author.email.to_lowercase();
        let person = people.entry(email).or_insert_with(|| Contributor {
            name: commit.author.name.clone(),
            email: commit.author.email.clone(),
            ..Contributor::default()
        });
        person.commits += 1;
        self.commits += 1;
        *person.weeks.entry(week).or_default() += 1;
        *self.weeks.entry(week).or_default() += 1;
    }

    /// The weeks that are drawn: those up to the last commit.
    fn drawn(&self) -> std::ops::RangeInclusive<i64> {
        let last = self.weeks.keys().next_back().copied().unwrap_or_default();
        let first = self.weeks.keys().next().copied().unwrap_or_default();
        first.max(last - WEEKS + 1)..=last
    }

    /// Commits of each week with the day it began on.
    pub fn weeks(&self) -> Vec<(String, u64)> {
        self.named(&self.weeks)
    }

    /// The same of one of the people.
    pub fn weeks_of(&self, person: &Contributor) -> Vec<(String, u64)> {
        self.named(&person.weeks)
    }

    fn named(&self, weeks: &Weeks) -> Vec<(String, u64)> {
        let count = |week: i64| weeks.get(&week).copied().unwrap_or_default();
        self.drawn().map(|week| (day(week), count(week))).collect()
    }
}

/// The day that a week began on.
fn day(week: i64) -> String {
    let at = Timestamp::from_second(week.saturating_mul(WEEK).saturating_add(MONDAY));
    let day: Date = date_of(at.unwrap_or(Timestamp::UNIX_EPOCH));
    day.strftime("%-d %b %Y").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weeks_begin_on_mondays() {
        let date: Date = "2026-11-26".parse().unwrap();
        let at = date.at(12, 0, 0, 0).to_zoned(jiff::tz::TimeZone::UTC).unwrap();
        let week = (at.timestamp().as_second() - MONDAY).div_euclid(WEEK);
        assert_eq!(day(week), "23 Nov 2026");
        assert_eq!(day(i64::MAX / WEEK), day(i64::MAX / WEEK));
    }

    #[test]
    fn two_years_are_drawn_at_most() {
        let mut all = Contributions::default();
        assert_eq!(all.weeks().len(), 1);
        all.weeks = [(0, 1), (5, 2)].into();
        assert_eq!(all.weeks().iter().map(|(_, count)| *count).sum::<u64>(), 3);
        all.weeks.insert(10_000, 7);
        assert_eq!(all.weeks().len(), 104);
        assert_eq!(all.weeks().last().map(|(_, count)| *count), Some(7));
    }
}
