//! Alerts of a project, one and many.

use super::arrive::ALERT;
use crate::alerts::model::{Alert, Status};
use identity::users::find_by_username;
use jiff::Timestamp;
use kernel::error::Result;
use kernel::ids::{Reference, fold};
use planning::store::notes;
use spaces::Project;
use spaces::access::find_project;
use spaces::store::contains;
use std::collections::HashMap;
use store::{Fragment, Tx, sql};

kernel::choices! {
    /// What a list is ordered by.
    pub enum OrderBy {
        StartedAt = "started_at",
        EndedAt = "ended_at",
        CreatedAt = "created_at",
        UpdatedAt = "updated_at",
        EventCount = "event_count",
        Severity = "severity",
        Status = "status",
    }
}

/// A number that no row has.
pub const NOBODY: i64 = -1;

#[derive(Debug, Clone, Default)]
pub struct Filter {
    pub statuses: Vec<Status>,
    /// Only those in whose title, description, tool or service this is.
    pub search: String,
    pub assignee_id: Option<i64>,
    pub iid: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    pub by: OrderBy,
    /// The greatest, latest or worst first.
    pub descending: bool,
}

impl Default for Order {
    fn default() -> Order {
        Order { by: OrderBy::StartedAt, descending: true }
    }
}

impl Order {
    /// The column of `alerts` and whether it descends: the worst severity and
    /// the first status have the lowest numbers.
    pub fn column(self) -> (&'static str, bool) {
        match self.by {
            OrderBy::StartedAt => ("alerts.started_at", self.descending),
            OrderBy::EndedAt => ("alerts.ended_at", self.descending),
            OrderBy::CreatedAt => ("alerts.id", self.descending),
            OrderBy::UpdatedAt => ("alerts.updated_at", self.descending),
            OrderBy::EventCount => ("alerts.events", self.descending),
            OrderBy::Severity => ("alerts.severity", !self.descending),
            OrderBy::Status => ("alerts.status", !self.descending),
        }
    }

    fn clause(self) -> String {
        let (column, descending) = self.column();
        let way = if descending { "desc" } else { "asc" };
        let nulls = match self.by {
            OrderBy::EndedAt => " nulls last",
            _ => "",
        };
        format!(" order by {column} {way}{nulls}, alerts.id {way}")
    }
}

impl Filter {
    pub fn condition(&self) -> Fragment {
        let mut condition = Fragment::new("true");
        if !self.statuses.is_empty() {
            let codes: Vec<i64> = self.statuses.iter().map(|status| status.code()).collect();
            condition.raw(" and").in_list("alerts.status", codes);
        }
        self.narrow(&mut condition);
        if let Some(iid) = self.iid {
            condition.push(" and alerts.iid = ", iid);
        }
        condition
    }

    /// The same without regard to status and number, for counts.
    pub fn condition_of_counts(&self) -> Fragment {
        let mut condition = Fragment::new("true");
        self.narrow(&mut condition);
        condition
    }

    fn narrow(&self, condition: &mut Fragment) {
        let words = self.search.trim();
        if !words.is_empty() {
            condition
                .push(" and alerts.folded like ", contains(&fold(words)))
                .raw(" escape '\\'");
        }
        if let Some(user) = self.assignee_id {
            condition.push(" and alerts.assignee_id = ", user);
        }
    }

    /// Narrows it to what a user looks after; to nothing where nobody has this name.
    pub fn look_up(&mut self, tx: &mut Tx<'_>, username: Option<&str>) -> Result<()> {
        if let Some(name) = username {
            let user = find_by_username(tx, name)?;
            self.assignee_id = Some(user.map_or(NOBODY, |user| user.id));
        }
        Ok(())
    }

    fn of_project(&self, project_id: i64) -> Fragment {
        let mut condition = Fragment::new("alerts.project_id = ");
        condition.bind(project_id).raw(" and ").append(self.condition());
        condition
    }
}

pub fn list(
    tx: &mut Tx<'_>, project_id: i64, filter: &Filter, order: Order, limit: i64, offset: i64,
) -> Result<Vec<Alert>> {
    let mut query = Fragment::new("select alerts.* from alerts where ");
    query
        .append(filter.of_project(project_id))
        .raw(&order.clause())
        .push(" limit ", limit)
        .push(" offset ", offset);
    Ok(tx.query(query)?)
}

/// How many there are, counted no further than lists tell.
pub fn count(tx: &mut Tx<'_>, project_id: i64, filter: &Filter) -> Result<i64> {
    spaces::store::count(tx, "alerts", &filter.of_project(project_id))
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts([i64; 4]);

impl Counts {
    pub fn of(&self, status: Status) -> i64 {
        self.0[status as usize]
    }
    /// Those that somebody should look after.
    pub fn open(&self) -> i64 {
        self.of(Status::Triggered) + self.of(Status::Acknowledged)
    }
    pub fn all(&self) -> i64 {
        self.0.iter().sum()
    }
}

/// How many alerts these projects have of each status; the filter's statuses
/// and number do not matter. Projects without any are left out.
pub fn counts(tx: &mut Tx<'_>, projects: &[i64], filter: &Filter) -> Result<HashMap<i64, Counts>> {
    let mut query =
        Fragment::new("select alerts.project_id, alerts.status, count(*) from alerts where");
    query
        .in_list("alerts.project_id", projects)
        .raw(" and ")
        .append(filter.condition_of_counts())
        .raw(" group by alerts.project_id, alerts.status");
    let mut counts: HashMap<i64, Counts> = HashMap::new();
    for (project, status, count) in tx.query::<(i64, i64, i64)>(query)? {
        counts.entry(project).or_default().0[Status::of_code(status) as usize] = count;
    }
    Ok(counts)
}

pub fn find(tx: &mut Tx<'_>, project_id: i64, iid: i64) -> Result<Option<Alert>> {
    Ok(tx.optional(
        sql!("select * from alerts where project_id = $1 and iid = $2"),
        (project_id, iid),
    )?)
}

pub fn by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<Alert>> {
    Ok(tx.optional(sql!("select * from alerts where id = $1"), (id,))?)
}

pub fn by_ids(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<Alert>> {
    Ok(tx.all(sql!("select * from alerts where id in_list($1)"), (ids,))?)
}

/// The alert with its project, if both are there.
pub fn with_project(tx: &mut Tx<'_>, id: i64) -> Result<Option<(Alert, Project)>> {
    let Some(alert) = by_id(tx, id)? else {
        return Ok(None);
    };
    let project = find_project(tx, &Reference::Id(alert.project_id))?;
    Ok(project.map(|project| (alert, project)))
}

pub fn of_issue(tx: &mut Tx<'_>, issue_id: i64) -> Result<Option<Alert>> {
    Ok(tx.optional(sql!("select * from alerts where issue_id = $1"), (issue_id,))?)
}

/// Another alert that is not resolved and has this fingerprint.
pub fn other_open(tx: &mut Tx<'_>, alert: &Alert) -> Result<Option<Alert>> {
    let Some(fingerprint) = &alert.fingerprint else {
        return Ok(None);
    };
    Ok(tx.optional(
        sql!(
            "select * from alerts
             where project_id = $1 and fingerprint = $2 and status <> 2 and id <> $3"
        ),
        (alert.project_id, fingerprint, alert.id),
    )?)
}

pub fn issue_iids(tx: &mut Tx<'_>, issues: Vec<i64>) -> Result<HashMap<i64, i64>> {
    Ok(tx.pairs(sql!("select id, iid from issues where id in_list($1)"), (issues,))?)
}

/// Stores a status; `ended_at` is for resolved ones, `shelved_until` for
/// ignored ones.
pub fn set_status(
    tx: &mut Tx<'_>, id: i64, status: Status, ended_at: Option<Timestamp>,
    shelved_until: Option<Timestamp>,
) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "update alerts set status = $2, ended_at = $3, shelved_until = $4, updated_at = $5
             where id = $1"
        ),
        (id, status.code(), ended_at, shelved_until, now),
    )?;
    Ok(())
}

pub fn touch(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let now = tx.now();
    tx.execute(sql!("update alerts set updated_at = $2 where id = $1"), (id, now))?;
    Ok(())
}

pub fn set_assignee(tx: &mut Tx<'_>, id: i64, user: Option<i64>) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!("update alerts set assignee_id = $2, updated_at = $3 where id = $1"),
        (id, user, now),
    )?;
    Ok(())
}

pub fn set_issue(tx: &mut Tx<'_>, id: i64, issue: i64) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!("update alerts set issue_id = $2, updated_at = $3 where id = $1"),
        (id, issue, now),
    )?;
    Ok(())
}

pub fn shelved_past(tx: &mut Tx<'_>, limit: i64) -> Result<Vec<Alert>> {
    let now = tx.now();
    Ok(tx.all(
        sql!(
            "select * from alerts where shelved_until is not null and shelved_until <= $1
             order by shelved_until, id limit $2"
        ),
        (now, limit),
    )?)
}

/// Open alerts that were last sent before this.
pub fn stale(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<Vec<Alert>> {
    Ok(tx.all(
        sql!(
            "select * from alerts where status <> 2 and last_received_at < $1
             order by last_received_at, id limit $2"
        ),
        (before, limit),
    )?)
}

pub fn ended_before(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!(
            "select id from alerts where status = 2 and ended_at < $1
             order by ended_at, id limit $2"
        ),
        (before, limit),
    )?)
}

pub fn some_of_project(tx: &mut Tx<'_>, project_id: i64, limit: i64) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!("select id from alerts where project_id = $1 order by iid limit $2"),
        (project_id, limit),
    )?)
}

/// Removes alerts with what refers to them by kind and id.
pub fn remove(tx: &mut Tx<'_>, ids: &[i64]) -> Result<u64> {
    notes::forget(tx, ALERT, ids)?;
    Ok(tx.execute(sql!("delete from alerts where id in_list($1)"), (ids,))?)
}
