//! `/projects/new` and `/groups/new`.

use super::{choice, typed_text, views, visibilities};
use crate::access::{self, Purpose};
use crate::model::{Namespace, PRIVATE, PUBLIC, SourceKind, Visibility};
use crate::rules::{self, GroupChange, GroupFields, ProjectChange};
use crate::store::places;
use http::Method;
use identity::pages::page;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::Page;
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::Choice;
use kernel::http::{Flat, Params, Patch, Response, Routes, Text};
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
    #[derive(Default)]
    pub struct Form {
        /// Display name.
        pub name: Text,
        /// Last part of the path; empty takes it from the name.
        pub path: Text,
        /// The namespace of a project.
        pub namespace_id: Option<i64>,
        /// The group above a group.
        pub parent_id: Option<i64>,
        /// What it is for.
        pub description: Text,
        /// Who sees it.
        pub visibility: Text,
    }
}

impl Form {
    /// Its visibility; an unknown one is as narrow as none.
    pub fn visibility(&self) -> Visibility {
        let known = Visibility::from_text(&self.visibility);
        known.unwrap_or(Visibility::of(PRIVATE))
    }

    /// The path, made of the name where it was left empty.
    pub fn path(&self) -> String {
        match self.path.trim() {
            "" => rules::path_from(self.name.trim()),
            path => path.to_owned(),
        }
    }

    pub fn description(&self) -> String {
        typed_text(&self.description)
    }
}

#[derive(Clone)]
struct New {
    viewer: Viewer,
    kind: SourceKind,
    /// What the address fills in.
    opened: Form,
}

impl New {
    fn of(viewer: SignedInViewer, kind: SourceKind, opened: Form) -> New {
        New { viewer: viewer.viewer(), kind, opened }
    }
}

async fn new_project(app: App, viewer: SignedInViewer, form: Params<Form>) -> Result<Response> {
    form::show(&app, New::of(viewer, SourceKind::Project, form.0)).await
}

async fn new_group(app: App, viewer: SignedInViewer, form: Params<Form>) -> Result<Response> {
    form::show(&app, New::of(viewer, SourceKind::Group, form.0)).await
}

async fn create_project(app: App, viewer: SignedInViewer, form: Params<Form>) -> Result<Response> {
    let page = New::of(viewer, SourceKind::Project, form.0.clone());
    form::submit(&app, page, form.0).await
}

async fn create_group(app: App, viewer: SignedInViewer, form: Params<Form>) -> Result<Response> {
    let page = New::of(viewer, SourceKind::Group, form.0.clone());
    form::submit(&app, page, form.0).await
}

impl FormPage for New {
    type Form = Form;
    type View = NewSpace;
    const FIELDS: &'static [&'static str] =
        &["name", "path", "description", "visibility", "parent_id"];

    fn page(&self, app: &App) -> Page {
        let (title, crumb, active, list) = match self.kind {
            SourceKind::Project => ("New project", "Projects", "projects", "/"),
            SourceKind::Group => ("New group", "Groups", "groups", "/groups"),
        };
        Page { active, ..page(app, &self.viewer, title).crumb(crumb, list) }
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<NewSpace> {
        let form = typed.form.as_ref().unwrap_or(&self.opened);
        let (parents, inside, widest) = match self.kind {
            SourceKind::Project => homes(tx, &self.viewer, form.namespace_id)?,
            SourceKind::Group => parents(tx, &self.viewer, form.parent_id)?,
        };
        Ok(NewSpace {
            page,
            kind: self.kind.word(),
            form: form.clone(),
            parents,
            parent: inside.map(|one| one.id.to_string()).unwrap_or_default(),
            visibilities: visibilities(widest),
            errors: typed.errors.clone(),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let (name, path) = (Some(form.name.trim().to_owned()), Some(form.path()));
        let (description, visibility) = (form.description(), Some(form.visibility()));
        match self.kind {
            SourceKind::Project => {
                let change = ProjectChange {
                    name,
                    path,
                    description: match description.is_empty() {
                        true => Patch::Absent,
                        false => Patch::Value(description),
                    },
                    visibility,
                    ..ProjectChange::default()
                };
                let made = rules::create_own_project(tx, &self.viewer, form.namespace_id, &change)?;
                let text = format!("Project {} is ready.", made.name);
                Outcome::led(format!("/{}", made.full_path), text)
            }
            SourceKind::Group => {
                let fields = GroupFields {
                    description: Patch::Value(description),
                    visibility,
                    ..GroupFields::default()
                };
                let change = GroupChange { name, path, fields: Flat(fields) };
                let made = rules::create_group(tx, &self.viewer, form.parent_id, &change)?;
                let text = format!("Group {} is ready.", made.name);
                Outcome::led(format!("/groups/{}", made.full_path), text)
            }
        }
    }

    fn refusal(error: Error) -> Error {
        form::rename(error, "visibility_level", "visibility")
    }
}

/// What there is to choose from, what is chosen, and the widest visibility
/// there.
type Parents = (Vec<Choice>, Option<Namespace>, i64);

/// A place named for, unless it is not for the viewer.
fn allowed(found: Result<Namespace>) -> Result<Option<Namespace>> {
    match found {
        Err(Error::NotFound(_) | Error::Forbidden(_)) => Ok(None),
        other => other.map(Some),
    }
}

/// A place named for is on offer, too, where the list was cut before it.
fn add_missing(parents: &mut Vec<Namespace>, named: Option<&Namespace>) {
    if let Some(named) = named
        && !parents.iter().any(|one| one.id == named.id)
    {
        parents.push(named.clone());
    }
}

pub(super) fn homes(tx: &mut Tx<'_>, viewer: &Viewer, wanted: Option<i64>) -> Result<Parents> {
    let mut homes = places::for_projects(tx, viewer)?;
    let named = match wanted.map(Reference::Id) {
        Some(id) => allowed(rules::namespace_for_projects(tx, viewer, &id))?,
        None => None,
    };
    add_missing(&mut homes, named.as_ref());
    let inside = named.or_else(|| homes.first().cloned());
    // Another place may be chosen in the same form, so all are on offer and
    // the rules refuse what is too wide.
    let widest = match wanted {
        Some(_) => access::widest_below(inside.as_ref()),
        None => PUBLIC,
    };
    Ok((homes.iter().map(choice).collect(), inside, widest))
}

fn parents(tx: &mut Tx<'_>, viewer: &Viewer, wanted: Option<i64>) -> Result<Parents> {
    let mut parents = places::for_groups(tx, viewer)?;
    let purpose = Purpose::CreateSubgroup;
    let named = match wanted.map(Reference::Id) {
        Some(id) => allowed(access::group(tx, viewer, &id, purpose))?,
        None => None,
    };
    add_missing(&mut parents, named.as_ref());
    let mut choices: Vec<Choice> = parents.iter().map(choice).collect();
    if rules::may_create_top_group(viewer) {
        choices.splice(0..0, Choice::list(&[("", "No group: at the top")]));
    }
    let widest = named.as_ref().map_or(PUBLIC, |group| group.visibility);
    Ok((choices, named, widest))
}
