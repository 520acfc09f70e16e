//! `…/-/oncall_schedules`: the schedules of a project, and who is on call.

use super::line::{Line, line};
use super::views::{ScheduleForm, ScheduleList, ScheduleRow};
use super::{CHANGE, READ, may_change, project_of, zones};
use crate::on_call::model::{Participant, Rotation, Schedule};
use crate::on_call::rules::paging::on_call;
use crate::on_call::rules::schedules::{self as rules, Change};
use crate::on_call::store::{rotations, schedules as rows};
use identity::entities::load_basic;
use identity::model::User;
use identity::pages::refusal::FormState;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::Result;
use kernel::html::{Html, Pages, flash};
use kernel::http::{Paging, Params, Patch, RequestContext, Response};
use kernel::time::Timestamp;
use spaces::pages::Address;
use std::collections::HashMap;
use std::sync::Arc;
use store::Tx;

/// Schedules of a page.
const SHOWN: i64 = 10;
/// Fields of the form that show what is wrong with them.
const FIELDS: &[&str] = &["name", "timezone", "description"];
/// Shifts drawn of a rotation.
const DRAWN: usize = 120;

kernel::params! {
    /// A schedule about to be made.
    pub struct Form {
        /// What people call it.
        pub name: Option<String>,
        /// Its time zone.
        pub timezone: Option<String>,
        /// What it is for.
        pub description: Option<String>,
    }
}

/// What rows of schedules refer to, read by four statements.
pub(super) struct RelatedToSchedules {
    pub(super) rotations: Vec<Rotation>,
    pub(super) people: Vec<Participant>,
    pub(super) users: HashMap<i64, User>,
    now: HashMap<i64, Vec<i64>>,
}

impl RelatedToSchedules {
    pub(super) fn read(tx: &mut Tx<'_>, schedules: &[Schedule]) -> Result<RelatedToSchedules> {
        let now = tx.now();
        let ids: Vec<i64> = schedules.iter().map(|one| one.id).collect();
        let found = rotations::of_schedules(tx, &ids)?;
        let all: Vec<i64> = found.iter().map(|one| one.id).collect();
        let people = rotations::participants(tx, &all)?;
        let named: Vec<i64> = people.iter().map(|one| one.user_id).collect();
        Ok(RelatedToSchedules {
            users: load_basic(tx, &named)?,
            now: on_call(tx, &ids, now)?,
            rotations: found,
            people,
        })
    }

    pub(super) fn name(&self, user: i64) -> Option<String> {
        self.users.get(&user).map(|user| user.username.clone())
    }

    /// A schedule as a row, with the lines of its rotations.
    pub(super) fn row(
        &self,
        schedule: &Schedule,
        all: &str,
        now: Timestamp,
        drawn: usize,
    ) -> ScheduleRow {
        let own = self.rotations.iter();
        let own = own.filter(|one| one.schedule_id == schedule.id);
        let lines: Vec<Line> = own
            .map(|one| line(schedule, one, &self.people, &self.users, now, drawn))
            .collect();
        let on_call = self.now.get(&schedule.id).into_iter().flatten();
        ScheduleRow {
            name: schedule.name.clone(),
            url: format!("{all}/{}", schedule.iid),
            description: schedule.description.clone().unwrap_or_default(),
            time_zone: schedule.time_zone.clone(),
            now: on_call.filter_map(|id| self.name(*id)).collect(),
            lines,
        }
    }
}

pub(super) async fn show(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    paging: Paging,
) -> Result<Response> {
    let address = Address::of(&asked)?;
    let number = paging.offset() / paging.per_page.max(1);
    render(app, viewer.viewer(), address, number, FormState::default()).await
}

async fn render(
    app: App,
    viewer: Viewer,
    address: Address,
    number: i64,
    typed: FormState<Form>,
) -> Result<Response> {
    let status = typed.refusal.status();
    let shown = typed.refusal.page(&app, &viewer, "On-call schedules");
    let view = app
        .read(move |tx| {
            let space = address.authorize(tx, &viewer, READ)?;
            let project = project_of(&space)?;
            let head = space.head(tx, &viewer)?;
            let url = format!("{}/-/oncall_schedules", space.url());
            let found = rows::list(tx, project.id, SHOWN, number.saturating_mul(SHOWN))?;
            let around = RelatedToSchedules::read(tx, &found)?;
            let now = tx.now();
            let text = |of: fn(&Form) -> &Option<String>| {
                let form = typed.form.as_ref();
                form.and_then(|form| of(form).clone()).unwrap_or_default()
            };
            let zone = text(|form| &form.timezone);
            Ok(ScheduleList {
                page: space.crumbs(shown, true),
                can_change: may_change(&space),
                schedules: found
                    .iter()
                    .map(|one| around.row(one, &url, now, DRAWN))
                    .collect(),
                pages: Pages {
                    page: number.unsigned_abs() + 1,
                    per_page: SHOWN.unsigned_abs(),
                    total: rows::count(tx, project.id)?.unsigned_abs(),
                    url: url.clone(),
                },
                form: ScheduleForm {
                    name: text(|form| &form.name),
                    description: text(|form| &form.description),
                    time_zone: match zone.is_empty() {
                        true => "UTC".to_owned(),
                        false => zone,
                    },
                    zones: zones(),
                },
                errors: typed.refusal.errors,
                url,
                head,
            })
        })
        .await?;
    Ok(Html::new(&view)?.status(status).response())
}

pub(super) async fn create(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    form: Params<Form>,
) -> Result<Response> {
    let Params(form) = form;
    let (viewer, address) = (viewer.viewer(), Address::of(&asked)?);
    let (asker, place, wanted) = (viewer.clone(), address.clone(), form.clone());
    let done = app
        .write(move |tx| {
            let space = place.authorize(tx, &asker, CHANGE)?;
            let new = Change {
                name: wanted.name.clone(),
                description: wanted.description.clone().map_or(Patch::Null, Patch::Value),
                time_zone: wanted.timezone.clone(),
            };
            let made = rules::create(tx, &asker, project_of(&space)?, &new)?;
            Ok(format!("{}/-/oncall_schedules/{}", space.url(), made.iid))
        })
        .await;
    match done {
        Ok(url) => flash::done(&app, &url, "The schedule is made. Add who takes turns."),
        Err(error) => {
            let typed = FormState::refused(form, error, FIELDS)?;
            render(app, viewer, address, 0, typed).await
        }
    }
}
