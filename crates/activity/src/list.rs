//! Lists of what people did, as far as the viewer sees what it was done to. What is
//! hidden is left out before pages are cut.

use crate::kinds::{self, TargetType};
use crate::marks::{Key, Marks};
use identity::viewer::Viewer;
use jiff::SignedDuration;
use jiff::tz::TimeZone;
use kernel::error::Result;
use kernel::http::{Paged, Paging};
use kernel::time::{Date, Timestamp};
use planning::access::sees_issues;
use spaces::access::{GUEST, Purpose, REPORTER, projects_of, visible_groups, visible_projects};
use spaces::activity::{Action, PushData};
use spaces::search::Place;
use store::{Fragment, FromRow, Json, Tx, sql};

/// Events past which a list is no longer counted.
pub const COUNT_LIMIT: i64 = 1_000;
/// Projects up to which each is asked for its own newest events, which spares
/// those who see little the way through all that they do not see.
const FEW: i64 = 100;
/// By how much clocks of several servers may differ.
const SKEW: SignedDuration = SignedDuration::from_secs(60);

/// Nothing was done before this day, and databases know no end of earlier ones.
const FIRST_DAY: Date = jiff::civil::date(1970, 1, 1);

/// Something that somebody did.
#[derive(Debug, Clone, FromRow)]
pub struct Event {
    pub id: i64,
    pub project_id: Option<i64>,
    pub group_id: Option<i64>,
    pub author_id: i64,
    pub action: Action,
    pub target_type: String,
    pub target_id: Option<i64>,
    pub target_title: Option<String>,
    pub push_data: Option<Json<PushData>>,
    pub created_at: Timestamp,
}

/// Whose events, or of what.
#[derive(Debug, Clone)]
pub enum Of {
    /// Of a user.
    Author(i64),
    /// Of the projects that a user is a member of.
    Memberships(i64),
    Place(Place),
}

impl Of {
    /// Whether epics may be among what was done something to.
    pub fn has_epics(&self) -> bool {
        matches!(self, Of::Author(_) | Of::Place(Place::Group(_)))
    }
}

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Events {
    pub of: Of,
    pub action: Option<Action>,
    pub target_type: Option<TargetType>,
    /// Done on an earlier day.
    pub before: Option<Date>,
    /// Done on a later day.
    pub after: Option<Date>,
    pub ascending: bool,
}

impl Events {
    pub fn of(of: Of) -> Events {
        Events {
            of,
            action: None,
            target_type: None,
            before: None,
            after: None,
            ascending: false,
        }
    }

    /// One page. Where earlier pages were read a moment ago, it begins where they
    /// ended and walks none of them again.
    pub fn page(
        &self, tx: &mut Tx<'_>, viewer: &Viewer, marks: &Marks, paging: Paging,
    ) -> Result<Paged<Event>> {
        let source = self.source(tx, viewer)?;
        let key = Key::of(viewer, self);
        let now = tx.now();
        let offset = paging.offset();
        // Only of lists that are too long to be counted.
        let known = marks.get(&key, now);
        let newer = match known.as_ref().filter(|_| !self.ascending) {
            Some(known) => source.count(tx, Bound::Above(known.head), COUNT_LIMIT)?,
            None => 0,
        };
        let start = known.as_ref().and_then(|known| known.before(offset - newer));
        let (bound, skipped) = match start {
            Some((at, id)) if self.ascending => (Bound::From(id), at),
            Some((at, id)) => (Bound::UpTo(id), at + newer),
            None => (Bound::None, 0),
        };
        let rows = source.rows(tx, bound, paging.fetch(), offset - skipped)?;
        let total = match known {
            Some(_) => None,
            None => source.total(tx, &paging, rows.len() as i64)?,
        };
        if total.is_none() {
            let head = match (&known, offset) {
                (Some(known), _) => Some(known.head),
                (None, 0) => rows.first().map(|row| row.id),
                (None, _) => source.rows(tx, Bound::None, 1, 0)?.first().map(|row| row.id),
            };
            marks.put(key, head, now, offset - newer, &rows, paging.per_page);
        }
        Ok(Paged::numbered(rows, paging, total))
    }

    /// The first of them.
    pub fn newest(&self, tx: &mut Tx<'_>, viewer: &Viewer, most: i64) -> Result<Vec<Event>> {
        self.source(tx, viewer)?.rows(tx, Bound::None, most, 0)
    }

    /// Where the rows come from.
    fn source(&self, tx: &mut Tx<'_>, viewer: &Viewer) -> Result<Source> {
        let everywhere = Place::Everywhere;
        let place = match &self.of {
            Of::Place(place) => place,
            _ => &everywhere,
        };
        let mut seen = self.seen(tx, viewer, place)?;
        if let Some(action) = self.action {
            seen.push(" and activity_events.action = ", action.as_str());
        }
        self.narrow_days(tx, &mut seen)?;
        let (mut walked, few) = match &self.of {
            Of::Author(id) => {
                let mut own = Fragment::new("activity_events.author_id = ");
                own.bind(*id);
                (own, None)
            }
            Of::Place(Place::Project(project, _)) => {
                let mut own = Fragment::new("activity_events.project_id = ");
                own.bind(project.id);
                (own, None)
            }
            Of::Place(place) => {
                let mut projects = visible_projects(tx, viewer, Purpose::Read);
                projects.raw(" and ").append(place.holds());
                let mut groups = visible_groups(tx, viewer);
                groups.raw(" and ").append(place.holds_groups());
                let few = few(tx, &projects)?;
                (of_places(projects, Some(groups.clone())), few.map(|few| (few, Some(groups))))
            }
            Of::Memberships(id) => {
                let mut projects = visible_projects(tx, viewer, Purpose::Read);
                projects.raw(" and ").append(projects_of(tx, *id, GUEST));
                match few(tx, &projects)?.as_deref() {
                    // One alone is walked like its own list.
                    Some([only]) => {
                        let mut own = Fragment::new("activity_events.project_id = ");
                        own.bind(*only);
                        (own, None)
                    }
                    few => (of_places(projects, None), few.map(|few| (few.to_vec(), None))),
                }
            }
        };
        walked.raw(" and ").append(seen.clone());
        Ok(Source { ascending: self.ascending, walked, seen, few })
    }

    /// Condition on events: the viewer sees what it was done to. In a few projects they
    /// see all of it, which spares a look at each thing.
    fn seen(&self, tx: &mut Tx<'_>, viewer: &Viewer, place: &Place) -> Result<Fragment> {
        let mut seen = Fragment::new("(");
        let projects = whole(tx, viewer, place)?;
        match kinds::whole(self.target_type).filter(|_| !projects.is_empty()) {
            Some(whole) if matches!(place, Place::Project(..)) => {
                seen.append(whole);
                if let Some(readable) = kinds::readable(tx, viewer, place, self.target_type) {
                    seen.raw(" or ").append(readable);
                }
                seen.raw(")");
                return Ok(seen);
            }
            Some(whole) => seen
                .raw("(")
                .in_list("activity_events.project_id", projects)
                .raw(" and")
                .append(whole)
                .raw(") or "),
            None => &mut seen,
        };
        if let Of::Author(_) = self.of {
            seen.append(open(tx, viewer)).raw(" and ");
        }
        seen.append(kinds::seen(tx, viewer, place, self.target_type)).raw(")");
        Ok(seen)
    }

    /// ` and …`: done on the days that are asked for. Ids grow with time, which
    /// spares the way through other days.
    fn narrow_days(&self, tx: &mut Tx<'_>, seen: &mut Fragment) -> Result<()> {
        if let Some(day) = self.before {
            let end = midnight(day.max(FIRST_DAY));
            let last: Option<i64> = tx.optional(
                sql!(
                    "select id from activity_events where created_at < $1
                     order by created_at desc, id desc limit 1"
                ),
                (end.saturating_add(SKEW).unwrap_or(Timestamp::MAX),),
            )?;
            seen.push(" and activity_events.id <= ", last.unwrap_or(0))
                .push(" and activity_events.created_at < ", end);
        }
        if let Some(day) = self.after {
            let start = midnight(day.max(FIRST_DAY).tomorrow().unwrap_or(Date::MAX));
            let first: Option<i64> = tx.optional(
                sql!(
                    "select id from activity_events where created_at >= $1
                     order by created_at, id limit 1"
                ),
                (start - SKEW,),
            )?;
            seen.push(" and activity_events.id >= ", first.unwrap_or(i64::MAX))
                .push(" and activity_events.created_at >= ", start);
        }
        Ok(())
    }
}

fn midnight(day: Date) -> Timestamp {
    day.to_zoned(TimeZone::UTC).map_or(Timestamp::MAX, |start| start.timestamp())
}

/// Condition on events joined with `projects`: of places that the viewer sees.
fn open(tx: &Tx<'_>, viewer: &Viewer) -> Fragment {
    let projects = visible_projects(tx, viewer, Purpose::Read);
    let mut open = Fragment::new("(");
    open.append(of_places(projects, Some(visible_groups(tx, viewer))))
        // What is a person's own is in no place; whether it is seen is asked of the thing.
        .raw(" or (activity_events.project_id is null and activity_events.group_id is null))");
    open
}

fn of_places(projects: Fragment, groups: Option<Fragment>) -> Fragment {
    let mut open = Fragment::new("((activity_events.project_id is not null and ");
    open.append(projects).raw(")");
    if let Some(groups) = groups {
        open.raw(
            " or (activity_events.group_id is not null and exists (select 1 from namespaces
                where namespaces.id = activity_events.group_id and ",
        )
        .append(groups)
        .raw("))");
    }
    open.raw(")");
    open
}

/// Projects whose issues and notes the viewer sees all of, if they are few.
fn whole(tx: &mut Tx<'_>, viewer: &Viewer, place: &Place) -> Result<Vec<i64>> {
    if let Place::Project(project, level) = place {
        let is_whole = *level >= REPORTER && sees_issues(project, *level);
        return Ok(is_whole.then_some(project.id).into_iter().collect());
    }
    let Some(user) = viewer.user_id() else {
        return Ok(Vec::new());
    };
    let mut projects = visible_projects(tx, viewer, Purpose::Read);
    projects
        .raw(" and ")
        .append(projects_of(tx, user, REPORTER))
        .raw(" and coalesce(projects.features ->> 'issues', '') <> 'disabled'");
    Ok(few(tx, &projects)?.unwrap_or_default())
}

/// The projects of a condition, if they are few.
fn few(tx: &mut Tx<'_>, projects: &Fragment) -> Result<Option<Vec<i64>>> {
    let mut query = Fragment::new("select projects.id from projects where ");
    query.append(projects.clone()).push(" limit ", FEW + 1);
    let ids: Vec<i64> = tx.query(query)?;
    Ok((ids.len() as i64 <= FEW).then_some(ids))
}

/// Where a walk begins.
#[derive(Debug, Clone, Copy)]
enum Bound {
    None,
    Above(i64),
    From(i64),
    UpTo(i64),
}

impl Bound {
    /// ` and …`
    fn narrow(self, condition: &mut Fragment) {
        match self {
            Bound::None => condition,
            Bound::Above(id) => condition.push(" and activity_events.id > ", id),
            Bound::From(id) => condition.push(" and activity_events.id >= ", id),
            Bound::UpTo(id) => condition.push(" and activity_events.id <= ", id),
        };
    }
}

const TABLES: &str =
    "activity_events left join projects on projects.id = activity_events.project_id";

struct Source {
    ascending: bool,
    /// Which events, where all are walked.
    walked: Fragment,
    /// What is asked of each.
    seen: Fragment,
    /// The few projects whose events they are, and a condition on the groups.
    few: Option<(Vec<i64>, Option<Fragment>)>,
}

impl Source {
    fn direction(&self) -> &'static str {
        if self.ascending { "" } else { " desc" }
    }

    /// Which rows is found by their ids, out of an index as far as that goes; only
    /// those of the page are read.
    fn rows(&self, tx: &mut Tx<'_>, bound: Bound, limit: i64, offset: i64) -> Result<Vec<Event>> {
        let direction = self.direction();
        let mut query = Fragment::new(
            "select activity_events.* from activity_events where activity_events.id in (",
        );
        match self.few {
            None => query.append(self.ids(&self.walked, bound, limit)).push(" offset ", offset),
            Some(_) => query
                .raw("select newest.id from (")
                .append(self.newest(bound, offset.saturating_add(limit)))
                .raw(&format!(") as newest order by newest.id{direction}"))
                .push(" limit ", limit)
                .push(" offset ", offset),
        };
        query.raw(&format!(") order by activity_events.id{direction}"));
        Ok(tx.query(query)?)
    }

    /// How many there are, unless they are more than anybody counts; a page of them
    /// had so many.
    fn total(&self, tx: &mut Tx<'_>, paging: &Paging, read: i64) -> Result<Option<i64>> {
        let offset = paging.offset();
        if read <= paging.per_page && (read > 0 || offset == 0) {
            return Ok(Some(offset.saturating_add(read)));
        }
        if offset.saturating_add(read) > COUNT_LIMIT && read > 0 {
            return Ok(None);
        }
        let total = self.count(tx, Bound::None, COUNT_LIMIT + 1)?;
        Ok((total <= COUNT_LIMIT).then_some(total))
    }

    /// How many there are from a bound on, counted so far.
    fn count(&self, tx: &mut Tx<'_>, bound: Bound, limit: i64) -> Result<i64> {
        let mut query = Fragment::new("select count(*) from (select newest.id from (");
        query
            .append(self.newest(bound, limit))
            .raw(") as newest")
            .push(" limit ", limit)
            .raw(") as counted");
        Ok(tx.query::<i64>(query)?.into_iter().next().unwrap_or(0))
    }

    /// A statement that reads the ids of so many at least, if there are as many.
    fn newest(&self, bound: Bound, limit: i64) -> Fragment {
        let Some((projects, groups)) = &self.few else {
            return self.ids(&self.walked, bound, limit);
        };
        let mut of_them = Fragment::new("(");
        of_them.in_list("activity_events.project_id", projects.clone());
        if let Some(groups) = groups {
            of_them
                .raw(" or activity_events.group_id in (select namespaces.id from namespaces where ")
                .append(groups.clone())
                .raw(")");
        }
        of_them
            .raw(") and ")
            .append(self.seen.clone())
            .raw(" and ")
            .append(self.reached(projects, bound, limit));
        self.ids(&of_them, bound, limit)
    }

    /// Condition on events: no further than one of these projects alone has so many
    /// from a bound on. It ends the walk, whatever else the projects hold.
    fn reached(&self, projects: &[i64], bound: Bound, limit: i64) -> Fragment {
        let (compare, furthest, nowhere) = match self.ascending {
            true => ("<=", "min", i64::MAX),
            false => (">=", "max", 0),
        };
        let mut own = Fragment::new("activity_events.project_id = projects.id and ");
        own.append(self.seen.clone());
        bound.narrow(&mut own);
        let mut reached = Fragment::new(&format!(
            "activity_events.id {compare} (select coalesce({furthest}(last.id), "
        ));
        reached
            .bind(nowhere)
            .raw(") from (select (select activity_events.id from activity_events where ")
            .append(own)
            .raw(&format!(" order by activity_events.id{}", self.direction()))
            .push(" limit 1 offset ", limit - 1)
            .raw(") as id from projects where")
            .in_list("projects.id", projects)
            .raw(") as last)");
        reached
    }

    /// A statement that reads the first ids of a condition.
    fn ids(&self, condition: &Fragment, bound: Bound, limit: i64) -> Fragment {
        let mut first = Fragment::new(&format!("select activity_events.id from {TABLES} where "));
        let mut condition = condition.clone();
        bound.narrow(&mut condition);
        first
            .append(condition)
            .raw(&format!(" order by activity_events.id{}", self.direction()))
            .push(" limit ", limit);
        first
    }
}
