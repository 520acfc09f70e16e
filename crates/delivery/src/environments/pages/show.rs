//! `…/-/environments/ID`: one environment, what was put into it, and what waits for
//! somebody to approve it.

use super::list::stopped_text;
use super::{Here, below, short, state_tone, status_tone, tiers};
use crate::environments::approve::{self, DecisionInput, Look};
use crate::environments::entity::Shown;
use crate::environments::model::{Deployment, Environment, State, Tier};
use crate::environments::rules::{self, EnvironmentInput};
use crate::environments::store::deployments::{self, DeploymentFilter};
use crate::environments::store::environments as rows;
use crate::pipelines::access::sees_jobs;
use crate::pipelines::store::{jobs, pipelines};
use crate::protection::approvals::{Approval, Asked};
use crate::protection::guard::Place;
use crate::protection::model::{Decision, Level};
use ::store::Tx;
use askama::Template;
use http::Method;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::Choice;
use kernel::html::{Errors, Page, Pages, ui};
use kernel::http::{Paging, Params, Patch, Response, Routes, Text};
use kernel::time::Timestamp;
use spaces::access::MAINTAINER;
use spaces::model::Sort;
use spaces::pages::{Address, Section};
use std::collections::HashMap;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, &below("/{environment_id}"), show);
    r.page(Method::POST, &below("/{environment_id}"), change);
}

kernel::choices! {
    /// What the forms of the page ask for.
    pub enum Action as "EnvironmentAction" {
        Save = "save",
        Stop = "stop",
        Delete = "delete",
        Approve = "approve",
        Reject = "reject",
    }
}

kernel::params! {
    pub struct OneEnvironment {
        pub environment_id: i64,
    }
}

kernel::params! {
    pub struct Form {
        pub environment_id: i64,
        pub action: Action,
        pub external_url: Text,
        pub tier: Option<Tier>,
        pub description: Text,
        pub deployment_id: Option<i64>,
        pub comment: Text,
    }
}

#[derive(Clone)]
struct ShowPage {
    viewer: Viewer,
    address: Address,
    paging: Paging,
    id: i64,
}

async fn show(
    app: App, viewer: Viewer, address: Address, asked: Params<OneEnvironment>, paging: Paging,
) -> Result<Response> {
    let id = asked.environment_id;
    form::show(&app, ShowPage { viewer, address, paging, id }).await
}

async fn change(
    app: App, viewer: SignedInViewer, address: Address, form: Params<Form>, paging: Paging,
) -> Result<Response> {
    let page = ShowPage {
        viewer: viewer.viewer(),
        address,
        paging,
        id: form.environment_id,
    };
    form::submit(&app, page, form.0).await
}

impl ShowPage {
    fn find(&self, tx: &mut Tx<'_>) -> Result<(Here, Environment)> {
        let here = Here::find(tx, &self.viewer, &self.address)?;
        let found = rows::one(tx, here.project.id, self.id)?.found("Environment")?;
        Ok((here, found))
    }

    fn decide(&self, tx: &mut Tx<'_>, form: &Form, status: Decision) -> Result<()> {
        let (here, environment) = self.find(tx)?;
        let id = form.deployment_id.ok_or_else(|| Error::missing("deployment_id"))?;
        let found = deployments::one(tx, here.project.id, id)?;
        let deployment =
            found.filter(|one| one.environment_id == environment.id).found("Deployment")?;
        let input = DecisionInput {
            status: Some(status),
            comment: Some(form.comment.replace("\r\n", "\n").trim().to_owned()),
            represented_as: None,
        };
        approve::decide(tx, &self.viewer, &here.project, &deployment, &input).map(drop)
    }
}

impl FormPage for ShowPage {
    type Form = Form;
    type View = View;
    const FIELDS: &'static [&'static str] = &["external_url", "tier", "description"];

    fn page(&self, app: &App) -> Page {
        identity::pages::page(app, &self.viewer, "Environment")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<View> {
        let (here, environment) = self.find(tx)?;
        let filter = DeploymentFilter {
            environment: Some(environment.name.clone()),
            sort: Some(Sort::Desc),
            ..DeploymentFilter::default()
        };
        let (mut found, total) = deployments::page(tx, here.project.id, &filter, &self.paging)?;
        found.truncate(usize::try_from(self.paging.per_page).unwrap_or(usize::MAX));
        let deployments = self.rows(tx, &here, found)?;
        let rights = here.rights(tx, &self.viewer, &[&environment])?;
        let may = rights.may(&environment);
        let mut page = here.head.page_below(page, Section::Environments);
        page.title.clone_from(&environment.name);
        let url = format!("{}/{}", here.url(), environment.id);
        Ok(View {
            page,
            project_url: here.head.url.clone(),
            deployments,
            pages: Pages::of(&self.paging, total, url.clone()),
            url,
            is_protected: rights.is_protected(&environment),
            can_change: may,
            can_delete: may && here.level >= MAINTAINER && environment.state == State::Stopped,
            form: typed.form.clone().filter(|form| form.action == Action::Save),
            errors: typed.errors.clone(),
            now: tx.now(),
            environment,
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let (here, environment) = self.find(tx)?;
        let url = format!("{}/{}", here.url(), environment.id);
        let text = match form.action {
            Action::Approve => {
                self.decide(tx, form, Decision::Approved)?;
                "You approved the deployment.".to_owned()
            }
            Action::Reject => {
                self.decide(tx, form, Decision::Rejected)?;
                "You rejected the deployment.".to_owned()
            }
            Action::Save | Action::Stop | Action::Delete if !here.can_run => {
                return Err(Error::forbidden(""));
            }
            Action::Save => {
                let input = form.input();
                rules::update(tx, &self.viewer, &here.project, &environment, &input)?;
                "The environment is saved.".to_owned()
            }
            Action::Stop => {
                let after = rules::stop(tx, &self.viewer, &here.project, &environment, false)?;
                stopped_text(&after)
            }
            Action::Delete if here.level < MAINTAINER => return Err(Error::forbidden("")),
            Action::Delete => {
                rules::destroy(tx, &self.viewer, &here.project, &environment)?;
                let text = format!("{} is deleted.", environment.name);
                return Outcome::led(here.url(), text);
            }
        };
        Outcome::led(url, text)
    }
}

impl ShowPage {
    fn rows(&self, tx: &mut Tx<'_>, here: &Here, found: Vec<Deployment>) -> Result<Vec<Row>> {
        let jobs = jobs::some(tx, found.iter().filter_map(|one| one.job_id).collect())?;
        let pipelines = pipelines::some(tx, jobs.iter().map(|job| job.pipeline_id).collect())?;
        let by: HashMap<i64, Option<i64>> =
            pipelines.into_iter().map(|one| (one.id, one.user_id)).collect();
        let jobs: HashMap<i64, (String, Option<i64>)> = jobs
            .into_iter()
            .map(|job| (job.id, (job.name, by.get(&job.pipeline_id).copied().flatten())))
            .collect();
        let shown = Shown::read(tx, &self.viewer, here.project.clone(), found)?;
        let who = shown.guards.standing(tx, &self.viewer, &here.project)?;
        let sees_jobs = sees_jobs(tx, &self.viewer, &here.project)?;
        let row = |one: &Deployment| {
            let environment = shown.environments.get(&one.environment_id);
            let rules = environment.map(|it| shown.guards.over(&Place::of(it))).unwrap_or_default();
            let decided = shown.approvals.get(&one.id).map(Vec::as_slice).unwrap_or_default();
            let job = one.job_id.and_then(|id| jobs.get(&id));
            let began = [one.user_id, job.and_then(|(_, user)| *user)];
            let is_own = who.user_id.is_some()
                && began.contains(&who.user_id)
                && !here.project.allow_pipeline_trigger_approve_deployment;
            let look = Look { rules: &rules, decided, who: &who, is_own };
            let asked = Asked::of(&rules, decided);
            let name = |id: i64| shown.people.get(&id).map(|user| user.name.clone());
            let rule = |(level, own): &(&Level, Vec<&Approval>)| Wanted {
                of: shown.names.of(level),
                there: own.len(),
                required: level.required_approvals,
            };
            Row {
                can_decide: approve::is_open(one, &look),
                job: job.filter(|_| sees_jobs).map(|(name, _)| name.clone()),
                by: one
                    .user_id
                    .and_then(|id| shown.people.get(&id))
                    .map(|user| (user.name.clone(), format!("/{}", user.username))),
                wanted: match one.status.is_finished() {
                    true => Vec::new(),
                    false => asked.levels.iter().map(rule).collect(),
                },
                decisions: decided
                    .iter()
                    .map(|it| Decided {
                        by: name(it.user_id).unwrap_or_default(),
                        is_approval: it.status == Decision::Approved,
                        comment: it.comment.clone().unwrap_or_default(),
                        at: it.created_at,
                    })
                    .collect(),
                missing: match one.approved_at {
                    None => asked.missing().unsigned_abs(),
                    Some(_) => 0,
                },
                deployment: one.clone(),
            }
        };
        Ok(shown.deployments.iter().map(row).collect())
    }
}

impl Form {
    fn input(&self) -> EnvironmentInput {
        EnvironmentInput {
            external_url: Patch::Value(self.external_url.trim().to_owned()),
            tier: self.tier,
            description: Patch::Value(self.description.replace("\r\n", "\n").trim().to_owned()),
        }
    }
}

/// Whose approvals are asked for.
pub struct Wanted {
    of: String,
    there: usize,
    required: i64,
}

pub struct Decided {
    by: String,
    is_approval: bool,
    comment: String,
    at: Timestamp,
}

pub struct Row {
    deployment: Deployment,
    job: Option<String>,
    by: Option<(String, String)>,
    wanted: Vec<Wanted>,
    missing: u64,
    decisions: Vec<Decided>,
    can_decide: bool,
}

impl Row {
    fn short(&self) -> &str {
        short(&self.deployment.sha)
    }

    fn tone(&self) -> &'static str {
        status_tone(self.deployment.status)
    }

    /// Whether there is anything to say beside the line of it.
    fn has_more(&self) -> bool {
        self.can_decide || !self.decisions.is_empty() || self.waits()
    }

    fn waits(&self) -> bool {
        self.missing > 0 && !self.deployment.status.is_finished()
    }
}

#[derive(Template)]
#[template(path = "environment.html")]
pub struct View {
    page: Page,
    url: String,
    project_url: String,
    environment: Environment,
    deployments: Vec<Row>,
    pages: Pages,
    is_protected: bool,
    can_change: bool,
    can_delete: bool,
    form: Option<Form>,
    errors: Errors,
    now: Timestamp,
}

impl View {
    fn tone(&self) -> &'static str {
        state_tone(self.environment.state)
    }

    fn tiers(&self) -> Vec<Choice> {
        tiers(false)
    }

    fn can_stop(&self) -> bool {
        self.can_change && self.environment.state != State::Stopped
    }

    fn typed_url(&self) -> String {
        match &self.form {
            Some(form) => form.external_url.to_string(),
            None => self.environment.external_url.clone().unwrap_or_default(),
        }
    }

    fn typed_description(&self) -> String {
        match &self.form {
            Some(form) => form.description.to_string(),
            None => self.environment.description.clone().unwrap_or_default(),
        }
    }

    fn tier(&self) -> &'static str {
        let sent = self.form.as_ref().and_then(|form| form.tier);
        sent.unwrap_or(self.environment.tier).as_str()
    }
}
