//! `POST …/-/boards/issues`: a new issue in a column, by its title.

use super::{BoardQuery, MOST_PROJECTS, Shown};
use crate::access::Scope;
use crate::guarded::{self, Writer};
use crate::model::Issue;
use crate::model::boards::Key;
use crate::pages::list::filter;
use crate::pages::narrowed::at;
use crate::rules::boards::moves::Table;
use crate::rules::issues::IssueInput;
use crate::rules::labelling::Labelling;
use crate::store::boards::projects;
use identity::pages::challenge::Solved;
use identity::pages::refusal::{Refusal, outcome};
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::flash;
use kernel::http::params::Text;
use kernel::http::{Flat, Params, RequestContext, Response};
use kernel::ids::Reference;
use spaces::pages::Visit;
use std::sync::Arc;

kernel::params! {
    pub struct NewCard {
        /// The column.
        pub column: Text,
        pub title: Text,
        /// Id of the project, on a group's board.
        pub project: Option<i64>,
    }
}

/// What the form asks for: the project, its path, the label, and where it leads.
struct Wanted {
    project: i64,
    path: String,
    label: Option<(i64, String)>,
    back: String,
}

pub async fn add(
    app: App, visit: Visit, request: Arc<RequestContext>, Params(form): Params<NewCard>,
    Params(query): Params<BoardQuery>, Solved(solution): Solved,
) -> Result<Response> {
    let unusable = |()| Error::Parameters(vec!["column is invalid".into()]);
    let key: Key = form.column.parse().map_err(unusable)?;
    let title = form.title.trim().to_owned();
    let (by, asked) = (visit.clone(), Arc::new(query));
    let (board, project) = (asked.clone(), form.project);
    let wanted = app.read(move |tx| wanted(tx, &by, &board, key, project)).await?;
    let input = IssueInput {
        wears: Flat(Labelling::also_ids(wanted.label.iter().map(|(id, _)| *id).collect())),
        ..IssueInput::titled(&title)
    };
    let writer = Writer::by_form(visit.viewer.clone(), request, solution);
    let place = Reference::Id(wanted.project);
    let made = guarded::open(&app, writer, place, input, move |tx, _, issue| {
        let shown = Shown::find(tx, &visit.viewer, &visit.address, asked.board_id)?;
        let all = filter(&asked.filters(), None);
        Table {
            viewer: &visit.viewer,
            scope: &shown.scope,
            columns: &shown.columns,
        }
        .put_on_top(tx, &issue, key, &all)?;
        Ok(issue)
    })
    .await;
    match outcome(&app, made, &["title"]).await? {
        Ok(issue) => flash::done(&app, &wanted.back, said(&issue)),
        Err(refusal) => refused(&app, &wanted, &title, &refusal),
    }
}

fn said(issue: &Issue) -> String {
    format!("Issue #{} created.", issue.iid)
}

fn wanted(
    tx: &mut store::Tx<'_>, by: &Visit, query: &BoardQuery, key: Key, project: Option<i64>,
) -> Result<Wanted> {
    let shown = Shown::find(tx, &by.viewer, &by.address, query.board_id)?;
    let label = match key {
        Key::Open => None,
        Key::Closed => return Err(Error::Parameters(vec!["column is invalid".into()])),
        Key::List(_) => {
            let label = shown.columns.label(key).found("Column")?;
            Some((label.id, label.title.clone()))
        }
    };
    let (project, path) = match &shown.scope {
        Scope::Project(desk) => (desk.project.id, desk.project.full_path.clone()),
        scope => {
            let known = projects::open_to(tx, &by.viewer, scope, MOST_PROJECTS)?;
            known.into_iter().find(|(id, _)| Some(*id) == project).found("Project")?
        }
    };
    let back = at(&shown.url(), &query.filters().narrowed().query(Default::default(), None));
    Ok(Wanted { project, path, label, back })
}

/// Back on the board with the reason; where something is to be solved first, the page
/// of a new issue asks for it.
fn refused(app: &App, wanted: &Wanted, title: &str, refusal: &Refusal) -> Result<Response> {
    let said = refusal.flash.as_ref().map(|flash| flash.text.clone()).unwrap_or_default();
    if refusal.challenge.is_some() {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.append_pair("title", title);
        if let Some((_, label)) = &wanted.label {
            query.append_pair("labels", label);
        }
        let form = format!("/{}/-/issues/new?{}", wanted.path, query.finish());
        return flash::refused(app, &form, said);
    }
    let of_title = refusal.errors.of("title");
    let text = match of_title.as_str() {
        "" => said,
        problem => format!("Nothing was created. Title: {problem}."),
    };
    flash::refused(app, &wanted.back, text)
}
