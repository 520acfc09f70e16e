//! `/projects/new` and `/groups/new`.

use super::{views, visibilities};
use crate::access::{self, Purpose};
use crate::model::{Namespace, PRIVATE, PUBLIC, Visibility};
use crate::rules::{self, GroupChange, ProjectChange};
use crate::store::places;
use http::{Method, StatusCode};
use identity::pages::page;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::ui::Choice;
use kernel::html::{Errors, Flash, Html, flash};
use kernel::http::{Params, Response, Routes};
use kernel::ids::Reference;
use store::Tx;
use views::NewSpace;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, "/projects/new", new_project);
    r.page(Method::POST, "/projects", create_project);
    r.page(Method::GET, "/groups/new", new_group);
    r.page(Method::POST, "/groups", create_group);
}

kernel::params! {
    /// The form, as it is opened and as it is sent.
    pub struct Form {
        /// Display name.
        pub name: Option<String>,
        /// Last part of the path.
        pub path: Option<String>,
        /// The namespace of a project.
        pub namespace_id: Option<i64>,
        /// The group above a group.
        pub parent_id: Option<i64>,
        /// What it is for.
        pub description: Option<String>,
        /// Who sees it.
        pub visibility: Option<String>,
    }
}

impl Form {
    /// Its visibility; an unknown one is as narrow as none.
    fn visibility(&self) -> Option<Visibility> {
        self.visibility.as_deref().and_then(Visibility::from_text)
    }

    fn name(&self) -> String {
        self.name.clone().unwrap_or_default().trim().to_owned()
    }

    /// The path, made of the name where it was left empty.
    fn path(&self) -> String {
        match self.path.as_deref().map(str::trim) {
            Some(path) if !path.is_empty() => path.to_owned(),
            _ => rules::path_from(&self.name()),
        }
    }

    fn description(&self) -> String {
        let text = self.description.as_deref().unwrap_or_default();
        text.replace("\r\n", "\n").trim().to_owned()
    }
}

async fn new_project(app: App, viewer: SignedInViewer, form: Params<Form>) -> Result<Response> {
    project_form(app, viewer, form.0, Errors::default(), None).await
}

async fn new_group(app: App, viewer: SignedInViewer, form: Params<Form>) -> Result<Response> {
    group_form(app, viewer, form.0, Errors::default(), None).await
}

/// The form filled with what was typed; 422 where that was refused.
fn answer(view: &NewSpace, is_refused: bool) -> Result<Response> {
    let status = if is_refused {
        StatusCode::UNPROCESSABLE_ENTITY
    } else {
        StatusCode::OK
    };
    Ok(Html::new(view)?.status(status).response())
}

fn choice(namespace: &Namespace) -> Choice {
    Choice {
        value: namespace.id.to_string(),
        label: namespace.full_path.clone(),
    }
}

async fn project_form(
    app: App,
    viewer: SignedInViewer,
    form: Form,
    errors: Errors,
    refusal: Option<Flash>,
) -> Result<Response> {
    let is_refused = refusal.is_some();
    let mut shown = page(&app, &viewer.viewer(), "New project").crumb("Projects", "/");
    shown.active = "projects";
    shown.flash = refusal.or(shown.flash);
    let asker = viewer.viewer();
    let wanted = form.namespace_id;
    let (parents, inside) = app
        .read(move |tx| {
            let mut parents = places::for_projects(tx, &asker)?;
            let asked = match wanted {
                Some(id) => fit_for_projects(tx, &asker, id)?,
                None => None,
            };
            add_missing(&mut parents, asked.as_ref());
            let inside = asked.or_else(|| parents.first().cloned());
            Ok((parents, inside))
        })
        .await?;
    let widest = access::widest_below(inside.as_ref());
    let view = NewSpace {
        page: shown,
        kind: "project",
        name: form.name.clone().unwrap_or_default(),
        path: form.path.clone().unwrap_or_default(),
        description: form.description(),
        parents: parents.iter().map(choice).collect(),
        parent: inside.map(|one| one.id.to_string()).unwrap_or_default(),
        visibility: form
            .visibility()
            .unwrap_or(Visibility::of(PRIVATE))
            .to_string(),
        // Another place may be chosen in the same form, so all are on offer
        // and the rules refuse what is too wide.
        visibilities: visibilities(if form.namespace_id.is_some() {
            widest
        } else {
            PUBLIC
        }),
        errors: errors.rename("visibility_level", "visibility"),
    };
    answer(&view, is_refused)
}

/// The namespace, if the viewer may create projects in it.
fn fit_for_projects(tx: &mut Tx<'_>, viewer: &Viewer, id: i64) -> Result<Option<Namespace>> {
    match rules::namespace_for_projects(tx, viewer, &Reference::Id(id)) {
        Ok(found) => Ok(Some(found)),
        Err(Error::NotFound(_) | Error::Forbidden(_)) => Ok(None),
        Err(other) => Err(other),
    }
}

/// A place asked for is on offer, too, where the list was cut before it.
fn add_missing(parents: &mut Vec<Namespace>, asked: Option<&Namespace>) {
    if let Some(asked) = asked
        && !parents.iter().any(|one| one.id == asked.id)
    {
        parents.push(asked.clone());
    }
}

async fn create_project(app: App, viewer: SignedInViewer, form: Params<Form>) -> Result<Response> {
    let Params(form) = form;
    let change = ProjectChange {
        name: Some(form.name()),
        path: Some(form.path()),
        description: Some(form.description()).filter(|text| !text.is_empty()),
        visibility: form.visibility(),
        ..ProjectChange::default()
    };
    let (asker, inside) = (viewer.viewer(), form.namespace_id);
    let made = app
        .write(move |tx| rules::create_own_project(tx, &asker, inside, &change))
        .await;
    match made {
        Ok(project) => {
            let text = format!("Project {} is ready.", project.name);
            flash::done(&app, &format!("/{}", project.full_path), text)
        }
        Err(error) => {
            let (errors, refusal) = flash::in_form(error)?;
            let known = ["name", "path", "description", "visibility_level"];
            let refusal = with_lost(refusal, &errors, &known);
            project_form(app, viewer, form, errors, refusal).await
        }
    }
}

/// The message above the form also says what stands beside no field.
fn with_lost(refusal: Option<Flash>, errors: &Errors, known: &[&str]) -> Option<Flash> {
    match errors.beside(known) {
        lost if lost.is_empty() => refusal,
        lost => Flash::failed(format!("Nothing was saved: {lost}")),
    }
}

async fn group_form(
    app: App,
    viewer: SignedInViewer,
    form: Form,
    errors: Errors,
    refusal: Option<Flash>,
) -> Result<Response> {
    let is_refused = refusal.is_some();
    let mut shown = page(&app, &viewer.viewer(), "New group").crumb("Groups", "/groups");
    shown.active = "groups";
    shown.flash = refusal.or(shown.flash);
    let asker = viewer.viewer();
    let wanted = form.parent_id;
    let (mut parents, inside) = app
        .read(move |tx| {
            let mut parents = places::for_groups(tx, &asker)?;
            let asked = match wanted {
                Some(id) => {
                    let found =
                        access::group(tx, &asker, &Reference::Id(id), Purpose::CreateSubgroup);
                    match found {
                        Err(Error::NotFound(_) | Error::Forbidden(_)) => None,
                        other => Some(other?),
                    }
                }
                None => None,
            };
            add_missing(&mut parents, asked.as_ref());
            let choices: Vec<Choice> = parents.iter().map(choice).collect();
            Ok((choices, asked))
        })
        .await?;
    if rules::may_create_top_group(&viewer.viewer()) {
        parents.insert(
            0,
            Choice {
                value: String::new(),
                label: "No group: at the top".into(),
            },
        );
    }
    let widest = inside.as_ref().map_or(PUBLIC, |group| group.visibility);
    let view = NewSpace {
        page: shown,
        kind: "group",
        name: form.name.clone().unwrap_or_default(),
        path: form.path.clone().unwrap_or_default(),
        description: form.description(),
        parents,
        parent: inside.map(|one| one.id.to_string()).unwrap_or_default(),
        visibility: form
            .visibility()
            .unwrap_or(Visibility::of(PRIVATE))
            .to_string(),
        visibilities: visibilities(widest),
        errors: errors.rename("visibility_level", "visibility"),
    };
    answer(&view, is_refused)
}

async fn create_group(app: App, viewer: SignedInViewer, form: Params<Form>) -> Result<Response> {
    let Params(form) = form;
    let change = GroupChange {
        name: Some(form.name()),
        path: Some(form.path()),
        description: Some(form.description()),
        visibility: form.visibility(),
        ..GroupChange::default()
    };
    let (asker, inside) = (viewer.viewer(), form.parent_id);
    let made = app
        .write(move |tx| rules::create_group(tx, &asker, inside, &change))
        .await;
    match made {
        Ok(group) => {
            let text = format!("Group {} is ready.", group.name);
            flash::done(&app, &format!("/groups/{}", group.full_path), text)
        }
        Err(error) => {
            let (errors, refusal) = flash::in_form(error)?;
            let known = [
                "name",
                "path",
                "description",
                "visibility_level",
                "parent_id",
            ];
            let refusal = with_lost(refusal, &errors, &known);
            group_form(app, viewer, form, errors, refusal).await
        }
    }
}
