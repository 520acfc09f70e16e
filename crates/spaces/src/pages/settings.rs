//! `…/-/settings`: name, address, visibility, moving, archiving, deleting.

use super::{Address, Space, section, views, visibilities};
use crate::access::{self, OWNER, Purpose};
use crate::model::{SourceKind, Visibility};
use crate::rules::{self, GroupChange, ProjectChange};
use crate::store::places;
use http::Method;
use identity::pages::page;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::Page;
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::Choice;
use kernel::http::{Params, RequestContext, Response, Routes};
use kernel::ids::Reference;
use std::collections::BTreeMap;
use std::sync::Arc;
use store::Tx;

const REGISTRY: &[(&str, &str)] = &[
    ("enabled", "Everyone who sees the project"),
    ("private", "Members only"),
    ("public", "Everyone, also where the project is not public"),
    ("disabled", "Off"),
];
const PROJECT_CREATION: &[(&str, &str)] = &[
    ("developer", "Developers and above"),
    ("maintainer", "Maintainers and owners"),
    ("owner", "Owners"),
    ("administrator", "Administrators"),
    ("noone", "Nobody"),
];
const SUBGROUP_CREATION: &[(&str, &str)] = &[
    ("maintainer", "Maintainers and owners"),
    ("owner", "Owners"),
];
pub fn routes(r: &mut Routes) {
    section(r, Method::GET, "settings", show);
    section(r, Method::POST, "settings", change);
}

#[derive(Clone)]
struct Settings {
    viewer: Viewer,
    address: Address,
}

async fn show(app: App, viewer: SignedInViewer, asked: Arc<RequestContext>) -> Result<Response> {
    form::show(&app, Settings::of(viewer, &asked)?).await
}

async fn change(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    sent: Params<Form>,
) -> Result<Response> {
    form::submit(&app, Settings::of(viewer, &asked)?, sent.0).await
}

impl Settings {
    fn of(viewer: SignedInViewer, asked: &RequestContext) -> Result<Settings> {
        Ok(Settings {
            viewer: viewer.viewer(),
            address: Address::of(asked)?,
        })
    }
}

impl FormPage for Settings {
    type Form = Form;
    type View = views::Settings;
    const FIELDS: &'static [&'static str] = &[
        "name",
        "description",
        "visibility",
        "topics",
        "path",
        "to",
        "confirm",
    ];

    fn page(&self, app: &App) -> Page {
        page(app, &self.viewer, "Settings")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<views::Settings> {
        let space = self.address.authorize(tx, &self.viewer, Purpose::Update)?;
        let mut view = filled(tx, &self.viewer, &space)?;
        view.page = space.crumbs(page, true);
        view.errors = typed.errors.clone();
        if let Some(form) = typed.form.clone() {
            form.put_into(&mut view);
        }
        Ok(view)
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let (to, text) = match self.address.kind {
            SourceKind::Group => of_group(tx, &self.viewer, &self.address, form)?,
            SourceKind::Project => of_project(tx, &self.viewer, &self.address, form)?,
        };
        Outcome::led(to, text)
    }

    fn refusal(error: Error) -> Error {
        form::rename(error, "visibility_level", "visibility")
    }
}

/// The page with what is stored.
fn filled(tx: &mut Tx<'_>, viewer: &Viewer, space: &Space) -> Result<views::Settings> {
    let common = views::Settings {
        head: space.head(tx, viewer)?,
        can_delete: space.level() >= OWNER,
        ..views::Settings::default()
    };
    let label = |kind: &str| format!("Choose a {kind}");
    match space {
        Space::Group(group, _) => {
            let parent = match group.parent_id {
                Some(id) => access::find_group(tx, &Reference::Id(id))?,
                None => None,
            };
            let mut targets = vec![Choice {
                value: String::new(),
                label: label("group"),
            }];
            if group.parent_id.is_some() && rules::may_create_top_group(viewer) {
                targets.push(Choice {
                    value: "top".into(),
                    label: "No group: at the top".into(),
                });
            }
            let fitting = places::for_groups(tx, viewer)?;
            let below = |lineage: &str| lineage.starts_with(&group.lineage);
            targets.extend(
                fitting
                    .iter()
                    .filter(|one| !below(&one.lineage) && group.parent_id != Some(one.id))
                    .map(target),
            );
            Ok(views::Settings {
                name: group.name.clone(),
                description: group.description.clone(),
                path: group.path.clone(),
                visibility: Visibility::of(group.visibility).to_string(),
                visibilities: visibilities(access::widest_below(parent.as_ref())),
                project_creation: group.project_creation_level.clone(),
                project_creations: Choice::list(PROJECT_CREATION),
                subgroup_creation: group.subgroup_creation_level.clone(),
                subgroup_creations: Choice::list(SUBGROUP_CREATION),
                request_access: group.request_access_enabled,
                targets,
                ..common
            })
        }
        Space::Project(project, _) => {
            let home = access::find_namespace(tx, &Reference::Id(project.namespace_id))?;
            let mut targets = vec![Choice {
                value: String::new(),
                label: label("place"),
            }];
            let fitting = places::for_projects(tx, viewer)?;
            targets.extend(
                fitting
                    .iter()
                    .filter(|one| one.id != project.namespace_id)
                    .map(target),
            );
            Ok(views::Settings {
                name: project.name.clone(),
                description: project.description.clone().unwrap_or_default(),
                path: project.path.clone(),
                visibility: Visibility::of(project.visibility).to_string(),
                visibilities: visibilities(access::widest_below(home.as_ref())),
                topics: project.topics.0.join(", "),
                registry: project.package_registry().to_owned(),
                registries: Choice::list(REGISTRY),
                request_access: project.request_access_enabled,
                targets,
                ..common
            })
        }
    }
}

fn target(namespace: &crate::model::Namespace) -> Choice {
    Choice {
        value: namespace.id.to_string(),
        label: namespace.full_path.clone(),
    }
}

kernel::choices! {
    /// What the forms of the page ask for.
    pub enum Action {
        Save = "save",
        Rename = "rename",
        Archive = "archive",
        Unarchive = "unarchive",
        Move = "move",
        Delete = "delete",
    }
}

kernel::params! {
    /// The forms of the page.
    pub struct Form {
        /// What is asked for.
        pub action: Action,
        /// Display name.
        pub name: Option<String>,
        /// What it is for.
        pub description: Option<String>,
        /// Who sees it.
        pub visibility: Option<String>,
        /// Topics with commas between them.
        pub topics: Option<String>,
        /// Who reads the package registry.
        pub registry: Option<String>,
        /// Who may create projects.
        pub project_creation: Option<String>,
        /// Who may create subgroups.
        pub subgroup_creation: Option<String>,
        /// Users may ask for access.
        pub request_access: Option<bool>,
        /// The last part of its path.
        pub path: Option<String>,
        /// Where it is to move: an id, or `top`.
        pub to: Option<String>,
        /// Its full path, typed to be sure.
        pub confirm: Option<String>,
    }
}

impl Form {
    /// Shows again what was typed in the form that was refused.
    fn put_into(self, view: &mut views::Settings) {
        match self.action {
            Action::Save => {
                view.name = self.name.unwrap_or_default();
                view.description = self.description.unwrap_or_default();
                view.topics = self.topics.unwrap_or_default();
                view.visibility = self.visibility.unwrap_or_default();
            }
            Action::Rename => view.path = self.path.unwrap_or_default(),
            _ => {}
        }
    }

    fn topics(&self) -> Option<Vec<String>> {
        let text = self.topics.as_deref()?;
        let topics = text.split(',').map(str::trim);
        Some(
            topics
                .filter(|topic| !topic.is_empty())
                .map(str::to_owned)
                .collect(),
        )
    }

    fn visibility(&self) -> Option<Visibility> {
        self.visibility.as_deref().and_then(Visibility::from_text)
    }

    fn description(&self) -> Option<String> {
        let text = self.description.as_deref()?;
        Some(text.replace("\r\n", "\n").trim().to_owned())
    }
}

/// A choice of the form, where it is one of those on offer.
fn chosen(sent: Option<&String>, offered: &[(&str, &str)]) -> Option<String> {
    sent.filter(|sent| offered.iter().any(|(value, _)| value == sent))
        .cloned()
}

/// Refuses what was not typed in full.
fn check_typed(form: &Form, full_path: &str) -> Result<()> {
    if form.confirm.as_deref().map(str::trim) == Some(full_path) {
        Ok(())
    } else {
        Err(Error::invalid("confirm", format!("must be {full_path}")))
    }
}

fn of_project(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    address: &Address,
    form: &Form,
) -> Result<(String, String)> {
    let purpose = match form.action {
        Action::Save | Action::Rename => Purpose::Update,
        Action::Archive | Action::Unarchive => Purpose::Archive,
        Action::Move => Purpose::Transfer,
        Action::Delete => Purpose::Destroy,
    };
    let space = address.authorize(tx, viewer, purpose)?;
    let Space::Project(project, _) = &space else {
        return Err(Error::NotFound("Project"));
    };
    let reference = space.reference();
    let settings = |path: &str| format!("/{path}/-/settings");
    match form.action {
        Action::Save => {
            let mut features = BTreeMap::new();
            if let Some(level) = chosen(form.registry.as_ref(), REGISTRY) {
                features.insert("package_registry".to_owned(), level);
            }
            let change = ProjectChange {
                name: form.name.clone(),
                description: form.description(),
                visibility: form.visibility(),
                topics: form.topics(),
                features,
                request_access_enabled: Some(form.request_access.unwrap_or(false)),
                ..ProjectChange::default()
            };
            let saved = rules::update_project(tx, viewer, &reference, &change)?;
            Ok((settings(&saved.full_path), "The settings are saved.".into()))
        }
        Action::Rename => {
            let change = ProjectChange {
                path: form.path.clone(),
                ..ProjectChange::default()
            };
            let saved = rules::update_project(tx, viewer, &reference, &change)?;
            let text = format!("The project is now at {}.", saved.full_path);
            Ok((settings(&saved.full_path), text))
        }
        Action::Archive | Action::Unarchive => {
            let archived = form.action == Action::Archive;
            rules::archive_project(tx, viewer, &reference, archived)?;
            let text = match archived {
                true => "The project is archived and takes no changes.",
                false => "The project takes changes again.",
            };
            Ok((settings(&project.full_path), text.into()))
        }
        Action::Move => {
            let to = match form.to.as_deref().unwrap_or_default().parse() {
                Ok(id) => Reference::Id(id),
                Err(_) => return Err(Error::invalid("to", "must be chosen")),
            };
            let saved = rules::transfer_project(tx, viewer, &reference, &to)?;
            let text = format!("The project is now at {}.", saved.full_path);
            Ok((settings(&saved.full_path), text))
        }
        Action::Delete => {
            check_typed(form, &project.full_path)?;
            rules::destroy_project(tx, viewer, project)?;
            Ok(("/".into(), format!("{} is deleted.", project.full_path)))
        }
    }
}

fn of_group(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    address: &Address,
    form: &Form,
) -> Result<(String, String)> {
    let purpose = match form.action {
        Action::Move => Purpose::Transfer,
        Action::Delete => Purpose::Destroy,
        _ => Purpose::Update,
    };
    let space = address.authorize(tx, viewer, purpose)?;
    let Space::Group(group, _) = &space else {
        return Err(Error::NotFound("Group"));
    };
    let reference = space.reference();
    let settings = |path: &str| format!("/groups/{path}/-/settings");
    match form.action {
        Action::Save => {
            let change = GroupChange {
                name: form.name.clone(),
                description: form.description(),
                visibility: form.visibility(),
                project_creation_level: chosen(form.project_creation.as_ref(), PROJECT_CREATION),
                subgroup_creation_level: chosen(form.subgroup_creation.as_ref(), SUBGROUP_CREATION),
                request_access_enabled: Some(form.request_access.unwrap_or(false)),
                ..GroupChange::default()
            };
            let saved = rules::update_group(tx, viewer, &reference, &change)?;
            Ok((settings(&saved.full_path), "The settings are saved.".into()))
        }
        Action::Rename => {
            let change = GroupChange {
                path: form.path.clone(),
                ..GroupChange::default()
            };
            let saved = rules::update_group(tx, viewer, &reference, &change)?;
            let text = format!("The group is now at {}.", saved.full_path);
            Ok((settings(&saved.full_path), text))
        }
        Action::Move => {
            let to = match form.to.as_deref() {
                Some("top") => None,
                text => match text.unwrap_or_default().parse() {
                    Ok(id) => Some(id),
                    Err(_) => return Err(Error::invalid("to", "must be chosen")),
                },
            };
            let saved = rules::transfer_group(tx, viewer, &reference, to)?;
            let text = format!("The group is now at {}.", saved.full_path);
            Ok((settings(&saved.full_path), text))
        }
        Action::Delete => {
            check_typed(form, &group.full_path)?;
            rules::destroy_group(tx, viewer, group)?;
            Ok(("/groups".into(), format!("{} is deleted.", group.full_path)))
        }
        Action::Archive | Action::Unarchive => {
            Err(Error::BadRequest("A group cannot be archived.".into()))
        }
    }
}
