//! `…/-/settings/pipelines`: how the pipelines of a project run, and whose jobs enter it.

use super::store::settings as rows;
use crate::job_tokens::page::{Listed, listed, named};
use crate::job_tokens::rules as tokens;
use ::store::Tx;
use askama::Template;
use http::Method;
use identity::pages::page;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::{Choice, Tab};
use kernel::html::{Errors, Page, ui};
use kernel::http::{Flat, Params, Patch, Response, Routes, Text};
use spaces::SpaceId;
use spaces::access::Purpose;
use spaces::ci_settings::{AutoCancelPending, CiSettingsChange, GitStrategy};
use spaces::pages::{PROJECT, Section, Space, Visit};
use spaces::rules::{ProjectChange, update_project};

const SECTION: &str = "settings/pipelines";
const STRATEGIES: &[(&str, &str)] = &[
    ("fetch", "Fetch: what is there is used again"),
    ("clone", "Clone: from nothing each time"),
];

pub fn routes(r: &mut Routes) {
    let path = format!("{PROJECT}/-/{SECTION}");
    r.page(Method::GET, &path, show);
    r.page(Method::POST, &path, change);
}

kernel::choices! {
    /// What the forms of the page ask for.
    pub enum Action {
        Save = "save",
        /// Says whether only listed projects enter.
        Limit = "limit",
        Allow = "allow",
        Forbid = "forbid",
    }
}

kernel::params! {
    pub struct Form {
        pub action: Action,
        pub fields: Flat<Fields>,
        /// Only listed projects enter.
        pub limits: Option<bool>,
        /// The path of a project or group.
        pub target: Text,
        pub target_project_id: Option<i64>,
        pub target_group_id: Option<i64>,
    }
}

kernel::params! {
    /// How pipelines run, as it is typed.
    #[derive(Default)]
    pub struct Fields {
        pub config_path: Text,
        /// Minutes that a job may take.
        pub timeout: Option<i64>,
        pub strategy: Option<GitStrategy>,
        pub depth: Option<i64>,
        pub auto_cancel: Option<bool>,
        pub separated_caches: Option<bool>,
        pub keep_latest: Option<bool>,
        pub public_jobs: Option<bool>,
        pub dependencies: Option<bool>,
        pub forward_deployment: Option<bool>,
        pub rollback: Option<bool>,
        pub shared_runners: Option<bool>,
        pub group_runners: Option<bool>,
    }
}

impl Fields {
    fn stored(tx: &mut Tx<'_>, project_id: i64) -> Result<Fields> {
        let settings = rows::of_project(tx, project_id)?;
        Ok(Fields {
            config_path: settings.config_path.unwrap_or_default().into(),
            timeout: Some(settings.build_timeout / 60),
            strategy: GitStrategy::from_text(&settings.build_git_strategy),
            depth: settings.default_git_depth,
            auto_cancel: Some(settings.auto_cancel_pending),
            separated_caches: Some(settings.separated_caches),
            keep_latest: Some(settings.keep_latest_artifact),
            public_jobs: Some(settings.public_jobs),
            dependencies: Some(settings.dependency_exports),
            forward_deployment: Some(settings.forward_deployment_enabled),
            rollback: Some(settings.forward_deployment_rollback_allowed),
            shared_runners: Some(settings.shared_runners),
            group_runners: Some(settings.group_runners),
        })
    }

    fn change(&self) -> CiSettingsChange {
        let ticked = |flag: Option<bool>| Some(flag.unwrap_or(false));
        let auto_cancel = match self.auto_cancel.unwrap_or(false) {
            true => AutoCancelPending::Enabled,
            false => AutoCancelPending::Disabled,
        };
        CiSettingsChange {
            auto_cancel_pending_pipelines: Some(auto_cancel),
            build_git_strategy: self.strategy,
            build_timeout: self.timeout.map(|minutes| minutes.saturating_mul(60)),
            ci_config_path: Patch::Value(self.config_path.to_string()),
            ci_default_git_depth: self.depth.into(),
            ci_forward_deployment_enabled: ticked(self.forward_deployment),
            ci_forward_deployment_rollback_allowed: ticked(self.rollback),
            ci_separated_caches: ticked(self.separated_caches),
            group_runners_enabled: ticked(self.group_runners),
            keep_latest_artifact: ticked(self.keep_latest),
            public_jobs: ticked(self.public_jobs),
            dependency_exports_enabled: self.dependencies,
            shared_runners_enabled: ticked(self.shared_runners),
            ..CiSettingsChange::default()
        }
    }
}

#[derive(Clone)]
struct PipelineSettings(Visit);

async fn show(app: App, visit: Visit) -> Result<Response> {
    form::show(&app, PipelineSettings(visit)).await
}

async fn change(app: App, visit: Visit, sent: Params<Form>) -> Result<Response> {
    form::submit(&app, PipelineSettings(visit), sent.0).await
}

impl FormPage for PipelineSettings {
    type Form = Form;
    type View = SettingsView;
    const FIELDS: &'static [&'static str] = &["config_path", "timeout", "depth", "target"];

    fn page(&self, app: &App) -> Page {
        page(app, &self.0.viewer, "Pipelines")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<SettingsView> {
        let space = self.0.authorize(tx, Purpose::Update)?;
        let project = space.project()?;
        let head = space.head(tx, &self.0.viewer)?;
        let form = typed.form.as_ref();
        let saved = form.filter(|form| form.action == Action::Save);
        let allowed = form.filter(|form| form.action == Action::Allow);
        Ok(SettingsView {
            page: head.page_below(page, Section::Settings),
            tabs: head.settings_tabs("Pipelines"),
            url: format!("{}/-/{SECTION}", space.url()),
            settings_url: format!("{}/-/settings", space.url()),
            form: match saved {
                Some(form) => form.fields.0.clone(),
                None => Fields::stored(tx, project.id)?,
            },
            limits: rows::of_project(tx, project.id)?.limits_job_tokens,
            listed: listed(tx, project.id)?,
            target: allowed.map(|form| form.target.to_string()).unwrap_or_default(),
            errors: typed.errors.clone(),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let space = self.0.authorize(tx, Purpose::Update)?;
        let text = changed(tx, &self.0.viewer, &space, form)?;
        Outcome::led(format!("{}/-/{SECTION}", space.url()), text)
    }

    fn refusal(error: Error) -> Error {
        let mut error = error;
        for (from, to) in [
            ("ci_config_path", "config_path"),
            ("build_timeout", "timeout"),
            ("ci_default_git_depth", "depth"),
        ] {
            error = form::rename(error, from, to);
        }
        match error {
            Error::BadRequest(text) => Error::invalid("target", text),
            other => other,
        }
    }
}

fn changed(tx: &mut Tx<'_>, viewer: &Viewer, space: &Space, form: &Form) -> Result<&'static str> {
    let project = space.project()?;
    match form.action {
        Action::Save => {
            let ci = Flat(form.fields.change());
            let change = ProjectChange { ci, ..ProjectChange::default() };
            update_project(tx, viewer, &space.reference(), &change)?;
            Ok("Settings saved.")
        }
        Action::Limit => {
            tokens::limit(tx, viewer, project, form.limits.unwrap_or(false))?;
            Ok("Settings saved.")
        }
        Action::Allow => {
            let target = named(tx, viewer, form.target.trim())?;
            tokens::add(tx, viewer, project, target)?;
            Ok("Its jobs may enter now.")
        }
        Action::Forbid => {
            let target = form.target_project_id.map(SpaceId::Project);
            let target = target.or(form.target_group_id.map(SpaceId::Group));
            let target = target.ok_or_else(|| Error::missing("target_project_id"))?;
            tokens::remove(tx, viewer, project, target)?;
            Ok("Its jobs enter no more.")
        }
    }
}

/// The page.
#[derive(Debug, Template)]
#[template(path = "pipeline_settings.html")]
pub struct SettingsView {
    page: Page,
    tabs: Vec<Tab>,
    url: String,
    settings_url: String,
    form: Fields,
    limits: bool,
    listed: Vec<Listed>,
    target: String,
    errors: Errors,
}

impl SettingsView {
    fn strategies(&self) -> Vec<Choice> {
        Choice::list(STRATEGIES)
    }

    fn strategy(&self) -> &'static str {
        self.form.strategy.unwrap_or_default().as_str()
    }

    fn is_ticked(&self, flag: &Option<bool>) -> bool {
        flag.unwrap_or(false)
    }

    fn number(&self, value: &Option<i64>) -> String {
        value.map(|number| number.to_string()).unwrap_or_default()
    }
}
