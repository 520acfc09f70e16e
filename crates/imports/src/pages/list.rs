//! `/projects/imports`: what the viewer had brought, the newest first.

use super::shown::Shown;
use super::{LIST, PROGRESS, SOURCES};
use crate::run::Import;
use crate::store as rows;
use ::store::Tx;
use askama::Template;
use http::Method;
use identity::pages::page;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::Result;
use kernel::html::{Html, Page, ui};
use kernel::http::{Response, Routes};
use kernel::time::Timestamp;
use spaces::access::{Purpose, visible_projects};
use spaces::model::Project;
use spaces::store::projects_where;
use std::collections::HashMap;

/// Imports that are listed.
const MOST: usize = 100;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, LIST, show);
}

/// An import in the list.
#[derive(Debug)]
struct Row {
    name: String,
    url: String,
    shown: Shown,
}

#[derive(Template)]
#[template(path = "imports.html")]
struct View {
    page: Page,
    url: &'static str,
    sources_url: &'static str,
    rows: Vec<Row>,
    has_more: bool,
    now: Timestamp,
}

async fn show(app: App, viewer: SignedInViewer) -> Result<Response> {
    let viewer = viewer.viewer();
    let page = Page { active: "projects", ..page(&app, &viewer, "Your imports") };
    let page = page.crumb("Projects", "/projects");
    let view = app.read(move |tx| {
        let mut imports = of_viewer(tx, &viewer, MOST + 1)?;
        let has_more = imports.len() > MOST;
        imports.truncate(MOST);
        let (rows, now) = (imports.into_iter().map(Row::of).collect(), tx.now());
        Ok(View { page, url: LIST, sources_url: SOURCES, rows, has_more, now })
    });
    Ok(Html::new(&view.await?)?.response())
}

/// The viewer's imports into projects that they see still.
pub fn of_viewer(tx: &mut Tx<'_>, viewer: &Viewer, most: usize) -> Result<Vec<(Import, Project)>> {
    let user_id = viewer.signed_in()?.user.id;
    let imports = rows::of_user(tx, user_id, i64::try_from(most).unwrap_or(i64::MAX))?;
    let ids: Vec<i64> = imports.iter().map(|import| import.project_id).collect();
    let mut condition = visible_projects(tx, viewer, Purpose::Read);
    condition.raw(" and").in_list("projects.id", ids.as_slice());
    let projects = projects_where(tx, condition)?;
    let mut projects: HashMap<i64, Project> =
        projects.into_iter().map(|project| (project.id, project)).collect();
    let with_project =
        |import: Import| projects.remove(&import.project_id).map(|project| (import, project));
    Ok(imports.into_iter().filter_map(with_project).collect())
}

impl Row {
    fn of((import, project): (Import, Project)) -> Row {
        Row {
            url: format!("/{}/-/{PROGRESS}", project.full_path),
            name: project.full_path,
            shown: Shown { of: import },
        }
    }
}

impl View {
    fn is_moving(&self) -> bool {
        self.rows.iter().any(|row| row.shown.is_moving())
    }

    /// What changes where more than a part of the page has to.
    fn state(&self) -> usize {
        self.rows.iter().filter(|row| row.shown.is_moving()).count()
    }
}
