//! `…/-/pipeline_schedules`: the schedules of a project.

use super::{found, url};
use crate::pipelines::model::Pipeline;
use crate::schedules::model::Schedule;
use crate::schedules::store as rows;
use crate::schedules::{access, rules};
use ::store::Tx;
use askama::Template;
use identity::User;
use identity::entities::load_basic;
use identity::pages::page;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::{Moment, Page, Pages, ui};
use kernel::http::{Paging, Params, Response};
use spaces::access::{DEVELOPER, MAINTAINER, Purpose};
use spaces::pages::{Section, Visit};

kernel::choices! {
    /// What the buttons of the page do.
    pub enum Action {
        Play = "play",
        Take = "take",
        Delete = "delete",
    }
}

kernel::params! {
    pub struct Form {
        pub action: Action,
        pub schedule_id: Option<i64>,
    }
}

#[derive(Clone)]
struct Schedules {
    visit: Visit,
    paging: Paging,
}

pub async fn show(app: App, visit: Visit, paging: Paging) -> Result<Response> {
    form::show(&app, Schedules { visit, paging }).await
}

pub async fn change(
    app: App, visit: Visit, sent: Params<Form>, paging: Paging,
) -> Result<Response> {
    form::submit(&app, Schedules { visit, paging }, sent.0).await
}

impl FormPage for Schedules {
    type Form = Form;
    type View = SchedulesView;
    const FIELDS: &'static [&'static str] = &[];

    fn page(&self, app: &App) -> Page {
        page(app, &self.visit.viewer, "Pipeline schedules")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, _: &Typed<Form>) -> Result<SchedulesView> {
        let viewer = &self.visit.viewer;
        let space = found(tx, &self.visit, Purpose::ReadPipelines)?;
        let (mut found, total) = rows::page(tx, space.project()?.id, None, &self.paging)?;
        found.truncate(usize::try_from(self.paging.per_page).unwrap_or(usize::MAX));
        let owners: Vec<i64> = found.iter().filter_map(|one| one.owner_id).collect();
        let people = load_basic(tx, &owners)?;
        let mut last = rows::last_pipelines(tx, found.iter().map(|one| one.id).collect())?;
        let (level, now) = (space.level(), tx.now());
        let row = |schedule: Schedule| {
            let own = schedule.owner_id.is_some() && schedule.owner_id == viewer.user_id();
            Row {
                next: Moment::maybe(schedule.next_run_at.filter(|_| schedule.active), now),
                last: last.remove(&schedule.id),
                owner: schedule.owner_id.and_then(|id| people.get(&id)).cloned(),
                may_run: level >= DEVELOPER,
                may_take: level >= DEVELOPER && !own,
                may_change: level >= MAINTAINER || (level >= DEVELOPER && own),
                schedule,
            }
        };
        let head = space.head(tx, viewer)?;
        Ok(SchedulesView {
            page: head.page(page, Section::Schedules),
            url: url(&space),
            rows: found.into_iter().map(row).collect(),
            may_create: level >= DEVELOPER,
            pages: Pages::of(&self.paging, total, url(&space)),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let viewer = &self.visit.viewer;
        let space = found(tx, &self.visit, Purpose::RunPipelines)?;
        let id = form.schedule_id.ok_or_else(|| Error::missing("schedule_id"))?;
        let reference = space.reference();
        let at = (&reference, id);
        let text = match form.action {
            Action::Play => {
                let (_, schedule) = access::run(tx, viewer, at)?;
                rules::play(tx, viewer, &schedule)?;
                "A pipeline of the schedule begins."
            }
            Action::Take => {
                let (_, schedule) = access::run(tx, viewer, at)?;
                rules::take(tx, viewer, &schedule)?;
                "The schedule is yours."
            }
            Action::Delete => {
                let (_, schedule) = access::change(tx, viewer, at)?;
                rules::destroy(tx, viewer, &schedule)?;
                "Schedule deleted."
            }
        };
        Outcome::led(url(&space), text)
    }
}

/// A schedule in the table.
#[derive(Debug)]
pub struct Row {
    schedule: Schedule,
    next: Option<Moment>,
    last: Option<Pipeline>,
    owner: Option<User>,
    may_run: bool,
    may_take: bool,
    may_change: bool,
}

/// The page.
#[derive(Debug, Template)]
#[template(path = "schedules.html")]
pub struct SchedulesView {
    page: Page,
    url: String,
    rows: Vec<Row>,
    may_create: bool,
    pages: Pages,
}
