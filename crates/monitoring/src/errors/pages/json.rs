//! The same as JSON, for scripts in pages and tools that read them
//! (docs/interface/monitoring.md 6.6).

use super::{CreateIssue, ErrorPage};
use crate::errors::detail::{Detail, StackFrame};
use crate::errors::external::{self, ExternalError};
use crate::errors::issues;
use crate::errors::model::{Setting, Status, Tracked};
use crate::errors::reading;
use crate::errors::rules::errors::{not_enabled, set_status};
use crate::errors::store::errors::{self as rows, Filter, Sort};
use crate::errors::store::events;
use crate::errors::store::issues::seen;
use crate::errors::store::settings;
use crate::hours::Bar;
use http::StatusCode;
use identity::spam::captcha::Solution;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found as _, Result};
use kernel::http::routes::Surface;
use kernel::http::{Call, FromCall, Params, RequestContext, Response, refusal, reply};
use kernel::ids::Reference;
use kernel::time::wire;
use planning::guarded::Writer;
use serde_json::{Value, json};
use spaces::Project;
use spaces::access::Purpose;
use spaces::pages::{Address, Space};
use std::sync::Arc;
use store::Tx;

const PER_PAGE: i64 = 20;

kernel::params! {
    /// What the list shows.
    pub struct ListErrors {
        /// Words to look for.
        pub search_term: Option<String>,
        /// What comes first.
        pub sort: Option<String>,
        /// Where the page begins, as the page before told.
        pub cursor: Option<String>,
        /// Only these; any other word for all.
        pub issue_status: Option<String>,
    }
}

kernel::params! {
    /// What becomes of an error.
    pub struct UpdateError {
        /// The error.
        pub error_id: i64,
        /// What becomes of it. Scripts are told as JSON what is wrong with it.
        pub status: Option<String>,
    }
}

/// A script at the address of a page.
#[derive(Clone)]
pub(super) struct Script {
    app: App,
    viewer: Viewer,
    request: Arc<RequestContext>,
    address: Address,
}

impl FromCall for Script {
    async fn from_call(call: &mut Call) -> Result<Script> {
        Ok(Script {
            app: call.app.clone(),
            viewer: Viewer::from_call(call).await?,
            request: call.request.clone(),
            address: Address::of(&call.request)?,
        })
    }
}

impl Script {
    async fn read<T, F>(&self, work: F) -> Result<T>
    where
        F: FnOnce(&mut Tx<'_>, &Script) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        let script = self.clone();
        self.app.read(move |tx| work(tx, &script)).await
    }

    /// Finds the project and says what scripts are told when it may not be read.
    fn authorize(&self, tx: &mut Tx<'_>, purpose: Purpose) -> Result<(Project, Setting)> {
        let denied = || Error::Exact(401, json!({"message": "Access denied"}));
        let space = match self.address.authorize(tx, &self.viewer, purpose) {
            Err(Error::Forbidden(_) | Error::Unauthenticated) => return Err(denied()),
            other => other?,
        };
        let Space::Project(project, _) = space else {
            return Err(Error::NotFound("Project"));
        };
        match settings::of_project(tx, project.id)? {
            Some(setting) if setting.active => Ok((project, setting)),
            _ => Err(not_enabled()),
        }
    }

    fn find(&self, tx: &mut Tx<'_>, id: i64) -> Result<(Project, Tracked)> {
        let (project, _) = self.authorize(tx, Purpose::ReadErrors)?;
        let error = rows::find(tx, project.id, id)?.found("Error")?;
        Ok((project, error))
    }

    /// Scripts read refusals as JSON, though pages have addresses like these.
    fn answer(&self, status: StatusCode, found: Result<Value>) -> Result<Response> {
        match found {
            Ok(value) => reply::json(status, &value),
            Err(error) => Ok(refusal::render(error, Surface::Api, &self.request)),
        }
    }
}

pub(super) async fn list(script: Script, params: Params<ListErrors>) -> Result<Response> {
    script.answer(StatusCode::OK, listed(&script, params.0).await)
}

async fn listed(script: &Script, request: ListErrors) -> Result<Value> {
    let entered = script.read(|tx, script| script.authorize(tx, Purpose::ReadErrors));
    let (project, setting) = entered.await?;
    let status = request.issue_status.as_deref().unwrap_or("unresolved");
    let sort = request.sort.as_deref().unwrap_or("last_seen");
    let filter = Filter {
        status: Status::from_text(status),
        search: request.search_term,
        sort: Sort::from_text(sort),
    };
    match setting.integrated {
        true => received(&script.app, project, filter, request.cursor).await,
        false => elsewhere(&script.app, &setting, &filter, request.cursor.as_deref()).await,
    }
}

async fn received(
    app: &App, project: Project, filter: Filter, cursor: Option<String>,
) -> Result<Value> {
    let offset = cursor.as_deref().and_then(|text| text.parse().ok());
    let offset: i64 = offset.unwrap_or(0).clamp(0, 1_000_000);
    let base_url = app.base_url().to_owned();
    app.read(move |tx| {
        let mut errors = rows::list(tx, project.id, &filter, PER_PAGE + 1, offset)?;
        let has_more = errors.len() as i64 > PER_PAGE;
        errors.truncate(PER_PAGE as usize);
        let ids = errors.iter().map(|error| error.id).collect();
        let hours = reading::hours(tx, ids)?;
        let shown: Vec<Value> = errors
            .iter()
            .map(|error| {
                let hours = hours.get(&error.id).map(Vec::as_slice).unwrap_or_default();
                entry(error, hours, &project, &base_url)
            })
            .collect();
        let cursor = |at: i64| json!({"cursor": at.to_string()});
        Ok(json!({
            "errors": shown,
            "pagination": {
                "previous": (offset > 0).then(|| cursor((offset - PER_PAGE).max(0))),
                "next": has_more.then(|| cursor(offset + PER_PAGE)),
            },
            "external_url": format!("{}/-/error_tracking", project.web_url(&base_url)),
        }))
    })
    .await
}

async fn elsewhere(
    app: &App, setting: &Setting, filter: &Filter, cursor: Option<&str>,
) -> Result<Value> {
    let listed = external::list(app, setting, filter, cursor).await?;
    let shown: Vec<Value> = listed.errors.iter().map(|one| foreign(one, setting)).collect();
    let cursor = |at: &Option<String>| at.as_ref().map(|at| json!({"cursor": at}));
    Ok(json!({
        "errors": shown,
        "pagination": {"previous": cursor(&listed.previous), "next": cursor(&listed.next)},
        "external_url": setting.external_url(),
    }))
}

fn foreign(error: &ExternalError, setting: &Setting) -> Value {
    let [project_id, name, slug] = &error.project;
    let told = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    json!({
        "id": error.id,
        "title": error.error.name,
        "type": error.kind,
        "user_count": error.error.users_count,
        "count": error.error.events_count,
        "first_seen": error.first_seen,
        "last_seen": error.last_seen,
        "message": error.error.description,
        "culprit": error.error.actor,
        "external_url": error.url,
        "project_id": told(project_id),
        "project_name": told(name).or_else(|| setting.external_project()),
        "project_slug": told(slug),
        "short_id": error.short_id,
        "status": error.status,
        "frequency": [],
    })
}

pub(super) async fn show(script: Script, params: Params<ErrorPage>) -> Result<Response> {
    let found = script.read(move |tx, script| details(tx, script, params.error_id));
    script.answer(StatusCode::OK, found.await)
}

fn details(tx: &mut Tx<'_>, script: &Script, id: i64) -> Result<Value> {
    let (project, error) = script.find(tx, id)?;
    let base_url = script.app.base_url();
    let hours = reading::hours(tx, vec![id])?.remove(&id);
    let mut shown = entry(&error, &hours.unwrap_or_default(), &project, base_url);
    let filled = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    shown["title"] = json!(error.title());
    shown["external_base_url"] = json!(project.web_url(base_url));
    shown["tags"] = json!({"level": error.level, "logger": filled(&error.logger)});
    shown["first_release_short_version"] = json!(filled(&error.first_release));
    shown["last_release_short_version"] = json!(filled(&error.last_release));
    shown["integrated"] = json!(true);
    let issue = seen(tx, &script.viewer, vec![id])?.remove(&id);
    let issue = issue.as_ref();
    shown["service_issue"] = json!(issue.map(|issue| format!("{base_url}{}", issue.path())));
    shown["service_issue_iid"] = json!(issue.map(|issue| issue.iid));
    Ok(json!({"error": shown}))
}

pub(super) async fn stack(script: Script, params: Params<ErrorPage>) -> Result<Response> {
    let found = script.read(move |tx, script| {
        let (_, error) = script.find(tx, params.error_id)?;
        let event = events::newest(tx, error.id)?.found("Event")?;
        let detail = Detail::unpack(&event.payload).unwrap_or_default();
        let place = |place: &StackFrame| {
            json!({
                "function": *place.function,
                "filename": place.file(),
                "lineNo": place.line.0,
                "colNo": place.column.0,
                "context": place.source(),
            })
        };
        Ok(json!({"error": {
            "issue_id": error.id.to_string(),
            "date_received": wire::text(event.occurred_at),
            "stack_trace_entries": detail.stack().iter().map(place).collect::<Vec<_>>(),
        }}))
    });
    script.answer(StatusCode::OK, found.await)
}

pub(super) async fn update(script: Script, params: Params<UpdateError>) -> Result<Response> {
    script.answer(StatusCode::OK, updated(&script, params.0).await)
}

async fn updated(script: &Script, wanted: UpdateError) -> Result<Value> {
    let id = wanted.error_id;
    let status = wanted.status.ok_or_else(|| Error::missing("status"))?;
    let unknown = || Error::Parameters(vec!["status does not have a valid value".into()]);
    let status = Status::from_text(&status).ok_or_else(unknown)?;
    let (app, by) = (&script.app, script.clone());
    let changed = app.write(move |tx| {
        let (project, setting) = by.authorize(tx, Purpose::ManageErrors)?;
        let closed = match setting.integrated {
            true => set_status(tx, &by.viewer, &project, id, status)?.closed_issue_iid,
            false => None,
        };
        Ok((setting, closed))
    });
    let (setting, closed) = changed.await?;
    if !setting.integrated {
        external::set_status(app, &setting, id, status).await?;
    }
    Ok(json!({"updated": true, "closed_issue_iid": closed}))
}

pub(super) async fn create_issue(script: Script, params: Params<CreateIssue>) -> Result<Response> {
    script.answer(StatusCode::CREATED, created(&script, params.0).await)
}

async fn created(script: &Script, request: CreateIssue) -> Result<Value> {
    let (app, solution) = (&script.app, Solution::of(&script.request.headers));
    let by = Writer::by_form(script.viewer.clone(), script.request.clone(), solution);
    let entered = script.read(|tx, script| script.authorize(tx, Purpose::ManageErrors));
    let (project, _) = entered.await?;
    let project = Reference::Id(project.id);
    let wanted = request.wanted();
    let made = issues::create(app, by, &project, request.error_id, &wanted);
    let issue = made.await?.rest()?.issue;
    Ok(json!({"issue": {
        "id": issue.id,
        "iid": issue.iid,
        "title": issue.title,
        "confidential": issue.confidential,
        "web_url": planning::entity::issues::web_url(app, &issue),
    }}))
}

fn entry(error: &Tracked, hours: &[Bar], project: &Project, base_url: &str) -> Value {
    let frequency: Vec<Value> =
        hours.iter().map(|bar| json!([bar.at.as_second(), bar.count])).collect();
    json!({
        "id": error.id.to_string(),
        "title": error.short_title(),
        "type": "",
        "user_count": error.users_count,
        "count": error.events_count,
        "first_seen": wire::text(error.first_seen_at),
        "last_seen": wire::text(error.last_seen_at),
        "message": error.description,
        "culprit": error.actor,
        "external_url": format!("{base_url}{}", error.path(&project.full_path)),
        "project_id": project.id.to_string(),
        "project_name": project.name,
        "project_slug": project.path,
        "short_id": "",
        "status": error.status,
        "frequency": frequency,
    })
}
