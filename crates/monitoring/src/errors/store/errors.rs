//! Errors of a project, one and many.

use crate::errors::model::{Status, Tracked};
use crate::errors::store::counts::{self, Changes};
use jiff::{SignedDuration, Timestamp};
use kernel::error::Result;
use kernel::http::paging::COUNT_LIMIT;
use kernel::ids::fold;
use spaces::store::contains;
use store::{Fragment, Tx, sql};

/// Most errors of each status that a search looks through: those seen last.
const SEARCHED: i64 = 20_000;
kernel::choices! {
    pub enum Sort {
        LastSeen = "last_seen",
        FirstSeen = "first_seen",
        Frequency = "frequency",
    }
}

kernel::params! {
    pub struct Filter {
        /// Only those of this status.
        pub status: Option<Status>,
        /// Only those whose name, description or place has this in it.
        pub search: Option<String>,
        /// What comes first: seen last, first seen last, or most frequent.
        pub sort: Option<Sort>,
    }
}

impl Filter {
    fn column(&self) -> &'static str {
        match self.sort {
            Some(Sort::LastSeen) => "last_seen_at",
            Some(Sort::FirstSeen) => "first_seen_at",
            Some(Sort::Frequency) => "events_count",
            // The newest.
            None => "id",
        }
    }

    fn statuses(&self) -> &[Status] {
        match &self.status {
            Some(status) => std::slice::from_ref(status),
            None => Status::ALL,
        }
    }

    pub fn words(&self) -> &str {
        self.search.as_deref().unwrap_or_default().trim()
    }
}

/// Those of a status that have these words in them, as `… e where …`. Words are
/// looked for in those that were seen last.
pub(super) fn of_status(project_id: i64, status: Status, words: &str) -> Fragment {
    let mut found = Fragment::new("");
    if words.is_empty() {
        found.push("error_tracking_errors e where e.project_id = ", project_id);
        found.push(" and e.status = ", status);
        return found;
    }
    found
        .push("(select * from error_tracking_errors where project_id = ", project_id)
        .push(" and status = ", status)
        .push(" order by last_seen_at desc, id desc limit ", SEARCHED)
        .raw(") as e where ")
        .append(matches(words));
    found
}

/// Whether an error `e` has these words in it.
pub(super) fn matches(words: &str) -> Fragment {
    let mut condition = Fragment::new("e.folded");
    condition.push(" like ", contains(&fold(words))).raw(" escape '\\'");
    condition
}

/// One page. The first rows of each status come from an index in the order
/// asked for, so nothing that is not shown is sorted.
pub fn list(
    tx: &mut Tx<'_>, project_id: i64, filter: &Filter, limit: i64, offset: i64,
) -> Result<Vec<Tracked>> {
    let order = format!(" order by {} desc, id desc limit ", filter.column());
    let mut query = Fragment::new("");
    for (at, status) in filter.statuses().iter().enumerate() {
        let union = if at == 0 { "" } else { " union all " };
        query
            .raw(&format!("{union}select * from (select {} from ", Tracked::COLUMNS))
            .append(of_status(project_id, *status, filter.words()))
            .push(&order, limit.saturating_add(offset))
            .raw(&format!(") as of_{status}"));
    }
    query.push(&order, limit).push(" offset ", offset);
    Ok(tx.query(query)?)
}

/// How many there are, told no further than lists tell.
pub fn count(tx: &mut Tx<'_>, project_id: i64, filter: &Filter) -> Result<i64> {
    if filter.words().is_empty() {
        let total = counts::of(tx, project_id, filter.status)?;
        return Ok(total.min(COUNT_LIMIT + 1));
    }
    let mut total = 0;
    for status in filter.statuses() {
        let mut found = Fragment::new("select count(*) from ");
        found.append(of_status(project_id, *status, filter.words()));
        total += tx.query::<i64>(found)?.into_iter().sum::<i64>();
    }
    Ok(total.min(COUNT_LIMIT + 1))
}

pub fn find(tx: &mut Tx<'_>, project_id: i64, id: i64) -> Result<Option<Tracked>> {
    Ok(by_id(tx, id)?.filter(|error| error.project_id == project_id))
}

/// Stores what people say of an error. What is resolved has not come back yet.
pub fn set_status(tx: &mut Tx<'_>, error: &Tracked, status: Status) -> Result<()> {
    let mut changes = Changes::default();
    changes.moved(error.project_id, error.status, status);
    changes.write(tx)?;
    tx.execute(
        sql!(
            "update error_tracking_errors set status = $2,
                regressed_at = case when $2 = 'resolved' then null else regressed_at end,
                regressed_release =
                    case when $2 = 'resolved' then null else regressed_release end
             where id = $1"
        ),
        (error.id, status),
    )?;
    Ok(())
}

/// Events of these errors by hour, in the `hours` up to now: error, hour and
/// number, in the order of hours.
pub fn by_hour(tx: &mut Tx<'_>, ids: Vec<i64>, hours: i64) -> Result<Vec<(i64, Timestamp, i64)>> {
    let from = tx
        .now()
        .checked_sub(SignedDuration::from_hours(hours))
        .unwrap_or(Timestamp::UNIX_EPOCH);
    let mut query = Fragment::new(
        "select error_id, began_at, events_count from error_tracking_hours where began_at > ",
    );
    query.bind(from).raw(" and").in_list("error_id", ids);
    query.raw(" order by began_at");
    Ok(tx.query(query)?)
}

/// An error of any project, for who then asks whose it is.
pub fn by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<Tracked>> {
    Ok(tx.optional(
        sql!("select ", Tracked::COLUMNS, " from error_tracking_errors e where e.id = $1"),
        (id,),
    )?)
}
