//! `…/-/pipeline_schedules/new` and `…/edit`: a schedule, and what its pipelines are given.

use super::{found, url};
use crate::pipelines::store::variables::{Owner, of as variables_of};
use crate::pipelines::variables::Given;
use crate::schedules::model::{Schedule, USUAL_ZONE};
use crate::schedules::rules::{self, ScheduleChange, VariableDeed};
use crate::schedules::{access, entity};
use crate::variables::model::VariableType;
use ::store::Tx;
use askama::Template;
use identity::pages::page;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::Choice;
use kernel::html::{Errors, Page, ui};
use kernel::http::{Params, Response, Text};
use kernel::secrets::Secret;
use kernel::zones;
use spaces::access::Purpose;
use spaces::model::Project;
use spaces::pages::{Section, Space, Visit};

const TYPES: &[(&str, &str)] = &[("env_var", "Variable"), ("file", "File")];
const TIMES: &[(&str, &str)] = &[
    ("0 4 * * *", "Each day at 4:00"),
    ("0 4 * * 1", "Each Monday at 4:00"),
    ("0 4 1 * *", "On the first of each month at 4:00"),
];

kernel::choices! {
    /// What the forms of the page ask for.
    #[derive(Default)]
    pub enum Action {
        #[default]
        Save = "save",
        AddVariable = "add_variable",
        RemoveVariable = "remove_variable",
    }
}

kernel::params! {
    pub struct OneSchedule {
        pub pipeline_schedule_id: i64,
    }
}

kernel::params! {
    #[derive(Default)]
    pub struct Form {
        pub action: Option<Action>,
        pub description: Text,
        pub on_ref as "ref": Text,
        pub cron: Text,
        pub cron_timezone: Text,
        pub active: Option<bool>,
        /// A variable.
        pub key: Text,
        pub value: Text,
        pub variable_type: Option<VariableType>,
    }
}

impl Form {
    fn fresh(project: &Project) -> Form {
        Form {
            on_ref: project.default_branch.clone().unwrap_or_default().into(),
            cron: TIMES[0].0.to_owned().into(),
            cron_timezone: USUAL_ZONE.to_owned().into(),
            active: Some(true),
            ..Form::default()
        }
    }

    fn of(schedule: &Schedule) -> Form {
        Form {
            description: schedule.description.clone().into(),
            on_ref: schedule.short_ref().0.to_owned().into(),
            cron: schedule.cron.clone().into(),
            cron_timezone: schedule.cron_timezone.clone().into(),
            active: Some(schedule.active),
            ..Form::default()
        }
    }

    /// What is typed; a branch or tag that is as it was is not looked for again.
    fn input(&self, before: Option<&Schedule>) -> ScheduleChange {
        let same = before.is_some_and(|one| one.short_ref().0 == self.on_ref.trim());
        ScheduleChange {
            description: Some(self.description.to_string()),
            on_ref: Some(self.on_ref.trim().to_owned()).filter(|_| !same),
            cron: Some(self.cron.to_string()),
            cron_timezone: Some(self.cron_timezone.to_string()),
            active: Some(self.active.unwrap_or(false)),
            inputs: None,
        }
    }

    fn given(&self) -> Given {
        Given {
            key: self.key.trim().to_owned(),
            value: Secret::new(self.value.replace("\r\n", "\n")),
            variable_type: self.variable_type.unwrap_or_default(),
            raw: false,
        }
    }
}

#[derive(Clone)]
struct SchedulePage {
    app: App,
    visit: Visit,
    /// None: a new one.
    id: Option<i64>,
}

pub async fn show_new(app: App, visit: Visit) -> Result<Response> {
    form::show(&app.clone(), SchedulePage { app, visit, id: None }).await
}

pub async fn create(app: App, visit: Visit, sent: Params<Form>) -> Result<Response> {
    form::submit(&app.clone(), SchedulePage { app, visit, id: None }, sent.0).await
}

pub async fn show(app: App, visit: Visit, one: Params<OneSchedule>) -> Result<Response> {
    let id = Some(one.pipeline_schedule_id);
    form::show(&app.clone(), SchedulePage { app, visit, id }).await
}

pub async fn change(
    app: App, visit: Visit, one: Params<OneSchedule>, sent: Params<Form>,
) -> Result<Response> {
    let id = Some(one.pipeline_schedule_id);
    form::submit(&app.clone(), SchedulePage { app, visit, id }, sent.0).await
}

impl SchedulePage {
    /// The project, and the schedule for who may change it.
    fn find(&self, tx: &mut Tx<'_>) -> Result<(Space, Option<Schedule>)> {
        let space = found(tx, &self.visit, Purpose::RunPipelines)?;
        let schedule = match self.id {
            Some(id) => {
                let at = (&space.reference(), id);
                Some(access::change(tx, &self.visit.viewer, at)?.1)
            }
            None => None,
        };
        Ok((space, schedule))
    }

    fn own_url(&self, space: &Space) -> String {
        match self.id {
            Some(id) => format!("{}/{id}/edit", url(space)),
            None => format!("{}/new", url(space)),
        }
    }
}

impl FormPage for SchedulePage {
    type Form = Form;
    type View = ScheduleView;
    const FIELDS: &'static [&'static str] =
        &["description", "ref", "cron", "cron_timezone", "key", "value"];

    fn page(&self, app: &App) -> Page {
        let title = if self.id.is_some() {
            "Edit schedule"
        } else {
            "New schedule"
        };
        page(app, &self.visit.viewer, title)
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<ScheduleView> {
        let (space, schedule) = self.find(tx)?;
        let stored = match &schedule {
            Some(schedule) => Form::of(schedule),
            None => Form::fresh(space.project()?),
        };
        let saved = typed
            .form
            .as_ref()
            .filter(|form| form.action.unwrap_or_default() == Action::Save);
        let variable = typed.form.as_ref().filter(|form| form.action == Some(Action::AddVariable));
        let variables = match &schedule {
            Some(schedule) => {
                let owner = Owner::Schedule(schedule.id);
                let all = variables_of(tx, self.app.secrets(), owner)?;
                all.into_iter().map(Into::into).collect()
            }
            None => Vec::new(),
        };
        let head = space.head(tx, &self.visit.viewer)?;
        Ok(ScheduleView {
            page: head.page_below(page, Section::Schedules),
            url: self.own_url(&space),
            back: url(&space),
            form: saved.cloned().unwrap_or(stored),
            variable: variable.cloned().unwrap_or_default(),
            schedule,
            variables,
            errors: typed.errors.clone(),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let (space, schedule) = self.find(tx)?;
        let (viewer, project) = (&self.visit.viewer, space.project()?);
        let secrets = self.app.secrets();
        match (form.action.unwrap_or_default(), &schedule) {
            (Action::Save, None) => {
                rules::create(tx, viewer, project, &form.input(None))?;
                Outcome::led(url(&space), "Schedule added.")
            }
            (Action::Save, Some(before)) => {
                rules::update(tx, viewer, project, before, &form.input(Some(before)))?;
                Outcome::led(url(&space), "Schedule saved.")
            }
            (Action::AddVariable, Some(schedule)) => {
                let (who, deed) = ((viewer, project), VariableDeed::Add);
                rules::set_variable(tx, secrets, who, schedule, deed, form.given())?;
                Outcome::led(self.own_url(&space), "Variable added.")
            }
            (Action::RemoveVariable, Some(schedule)) => {
                rules::remove_variable(tx, secrets, schedule, form.key.trim())?;
                Outcome::led(self.own_url(&space), "Variable removed.")
            }
            (_, None) => Err(Error::NotFound("Pipeline Schedule")),
        }
    }
}

/// The page.
#[derive(Debug, Template)]
#[template(path = "schedule_form.html")]
pub struct ScheduleView {
    page: Page,
    url: String,
    back: String,
    /// None: a new one.
    schedule: Option<Schedule>,
    form: Form,
    /// The variable that is typed.
    variable: Form,
    variables: Vec<entity::ScheduleVariable>,
    errors: Errors,
}

impl ScheduleView {
    fn zones(&self) -> Vec<Choice> {
        let choice = |name: &str| Choice { value: name.to_owned(), label: name.replace('_', " ") };
        zones::names().into_iter().map(choice).collect()
    }

    fn types(&self) -> Vec<Choice> {
        Choice::list(TYPES)
    }

    fn kind(&self) -> &'static str {
        self.variable.variable_type.unwrap_or_default().as_str()
    }

    fn is_active(&self) -> bool {
        self.form.active.unwrap_or(false)
    }

    /// Some times, as they are written.
    fn examples(&self) -> &'static [(&'static str, &'static str)] {
        TIMES
    }
}
