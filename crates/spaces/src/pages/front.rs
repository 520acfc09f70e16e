//! `/` for strangers: what the administrator says of this instance, and the
//! public projects.

use super::views::{self, ProjectList};
use super::{filtered, project_list};
use crate::access::{self, Purpose};
use crate::store::filters::search_projects;
use identity::instance::front::FrontPage;
use identity::pages::page;
use identity::sign_up::SignUp;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::{Html, Page};
use kernel::http::{Paging, Response};
use kernel::markup;

const LATEST: &str = "projects.last_activity_at desc, projects.id desc";

/// The page, with the public projects in whose name or path a text stands.
pub(super) async fn show(app: &App, search: String, paging: Paging) -> Result<Response> {
    let viewer = Viewer::Anonymous;
    let page = Page { active: "projects", ..page(app, &viewer, "Public projects") };
    let rules: SignUp = app.settings().get(app).await?;
    let front: FrontPage = app.settings().get(app).await?;
    let _turn = match front.text.is_empty() {
        true => None,
        false => Some(markup::turn().await?),
    };
    let view = app.read(move |tx| {
        let mut public = access::visible_projects(tx, &viewer, Purpose::Read);
        search_projects(&mut public, &search);
        let url = filtered("/", &[("search", &search)]);
        let projects = project_list(tx, &public, LATEST, &paging, url)?;
        Ok(views::Front {
            page: page.clone(),
            text: match front.text.trim() {
                "" => String::new(),
                text => markup::render(text),
            },
            may_sign_up: rules.enabled,
            projects: ProjectList { with_namespace: true, ..projects },
            search: search.clone(),
        })
    });
    Ok(Html::new(&view.await?)?.response())
}
