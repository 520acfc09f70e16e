//! Lists of runners: the caller's own, all, those of a project and those of a group.

use super::super::entity::RunnerEntity;
use super::super::model::{RunnerType, Tags};
use super::super::store::lists::{self, Contacted, Filter};
use crate::place::Place;
use ::store::{Fragment, Tx};
use identity::Caller;
use identity::viewer::{Admin, SignedInViewer};
use kernel::error::{Error, Result};
use kernel::http::{Paged, Paging, Params, Routes};
use serde_json::json;
use spaces::SpaceRef;
use spaces::pages::Space;

const READ: &[&str] = &["api", "read_api", "manage_runner"];

pub fn routes(r: &mut Routes) {
    r.get("/runners", own)
        .scopes(READ)
        .summary("Lists runners that the caller manages");
    r.get("/runners/all", all).scopes(READ).summary("Lists all runners");
    for (prefix, kind) in [("/projects/{id}", "project"), ("/groups/{id}", "group")] {
        r.below(prefix, kind, |r| {
            r.get("/runners", of_space).summary("Lists the runners that take its jobs");
        });
    }
}

kernel::choices! {
    /// How a runner stands.
    pub enum StatusFilter as "CiRunnerStatusFilter" {
        Online = "online",
        Offline = "offline",
        Stale = "stale",
        NotConnected = "not_connected",
        NeverContacted = "never_contacted",
        Active = "active",
        Paused = "paused",
    }
}

kernel::params! {
    pub struct RunnerFilter {
        /// Whose jobs they take.
        pub kind as "type": Option<RunnerType>,
        /// How they stand.
        pub status: Option<StatusFilter>,
        /// Whether they take no jobs.
        pub paused: Option<bool>,
        /// They have all of these tags.
        pub tag_list: Option<Vec<String>>,
        /// How the version of their program begins.
        pub version_prefix: Option<String>,
        /// How they stand or whose they are, by the old name.
        pub scope: Option<String>,
    }
}

impl RunnerFilter {
    fn filter(self) -> Result<Filter> {
        let mut filter = Filter {
            runner_type: self.kind,
            paused: self.paused,
            tags: self.tag_list.map(Tags::new).unwrap_or_default(),
            version_prefix: self.version_prefix.filter(|prefix| !prefix.is_empty()),
            ..Filter::default()
        };
        if let Some(status) = self.status {
            narrow(&mut filter, status);
        }
        if let Some(scope) = self.scope.filter(|scope| !scope.is_empty()) {
            scoped(&mut filter, &scope)?;
        }
        Ok(filter)
    }
}

fn narrow(filter: &mut Filter, status: StatusFilter) {
    match status {
        StatusFilter::Online => filter.contacted = Some(Contacted::Online),
        StatusFilter::Offline => filter.contacted = Some(Contacted::Offline),
        StatusFilter::Stale => filter.contacted = Some(Contacted::Stale),
        StatusFilter::NotConnected | StatusFilter::NeverContacted => {
            filter.contacted = Some(Contacted::Never);
        }
        StatusFilter::Active => filter.paused = Some(false),
        StatusFilter::Paused => filter.paused = Some(true),
    }
}

fn scoped(filter: &mut Filter, scope: &str) -> Result<()> {
    if let Some(status) = StatusFilter::from_text(scope) {
        narrow(filter, status);
        return Ok(());
    }
    let kind = match scope {
        "shared" => Some(RunnerType::Instance),
        "specific" => Some(RunnerType::Project),
        other => RunnerType::from_text(other),
    };
    let text = "Scope contains invalid value";
    let wrong = || Error::Exact(400, json!({"message": text}));
    filter.runner_type = Some(kind.ok_or_else(wrong)?);
    Ok(())
}

/// Says which runners a list is about, for who asks.
type Condition = Box<dyn Fn(&mut Tx<'_>, &Caller) -> Result<Fragment> + Send>;

async fn listed(
    by: Caller, filter: Params<RunnerFilter>, paging: Paging, condition: Condition,
) -> Result<Paged<RunnerEntity>> {
    let (app, filter) = (by.app.clone(), filter.0.filter()?);
    Paged::read(&app, paging, move |tx, paging| {
        let condition = condition(tx, &by)?;
        let (rows, total) = lists::page(tx, &condition, &filter, paging)?;
        let now = tx.now();
        Ok((rows.iter().map(|row| RunnerEntity::of(row, now)).collect(), total))
    })
    .await
}

async fn own(
    by: Caller, viewer: SignedInViewer, filter: Params<RunnerFilter>, paging: Paging,
) -> Result<Paged<RunnerEntity>> {
    let user = viewer.0.user.id;
    listed(by, filter, paging, Box::new(move |tx, _| Ok(lists::managed_by(tx, user)))).await
}

async fn all(
    by: Caller, _: Admin, filter: Params<RunnerFilter>, paging: Paging,
) -> Result<Paged<RunnerEntity>> {
    listed(by, filter, paging, Box::new(|_, _| Ok(lists::all()))).await
}

async fn of_space(
    by: Caller, of: SpaceRef, filter: Params<RunnerFilter>, paging: Paging,
) -> Result<Paged<RunnerEntity>> {
    let condition = move |tx: &mut Tx<'_>, by: &Caller| {
        let place = Place::find(tx, &by.viewer, of.named())?;
        Ok(match place.space() {
            Some(Space::Project(project, _)) => lists::of_project(project),
            Some(Space::Group(group, _)) => lists::of_group(group),
            None => lists::all(),
        })
    };
    listed(by, filter, paging, Box::new(condition)).await
}
