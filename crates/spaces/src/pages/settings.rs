//! `…/-/settings`: name, address, visibility, moving, archiving, deleting.

use super::{Section, Space, Visit, choice, section, typed_text, views, visibilities};
use crate::access::{self, OWNER, Purpose};
use crate::features::{self, Features};
use crate::model::{SourceKind, Visibility};
use crate::rules::{
    self, GroupChange, GroupFields, ProjectChange, ProjectCreation, SubgroupCreation,
};
use crate::store::places;
use http::Method;
use identity::pages::page;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::Page;
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::Choice;
use kernel::http::{Flat, Params, Patch, Response, Routes};
use kernel::ids::Reference;
use kernel::quantity::Unit;
use store::Tx;

pub(super) const PROJECT_CREATION: &[(&str, &str)] = &[
    ("developer", "Developers and above"),
    ("maintainer", "Maintainers and owners"),
    ("owner", "Owners"),
    ("administrator", "Administrators"),
    ("noone", "Nobody"),
];
pub(super) const SUBGROUP_CREATION: &[(&str, &str)] =
    &[("maintainer", "Maintainers and owners"), ("owner", "Owners")];
pub fn routes(r: &mut Routes) {
    section(r, Method::GET, "settings", show);
    section(r, Method::POST, "settings", change);
}

#[derive(Clone)]
struct Settings(Visit);

async fn show(app: App, visit: Visit) -> Result<Response> {
    form::show(&app, Settings(visit)).await
}

async fn change(app: App, visit: Visit, sent: Params<Form>) -> Result<Response> {
    form::submit(&app, Settings(visit), sent.0).await
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
        "confirm_move",
        "two_factor_grace_period",
    ];

    fn page(&self, app: &App) -> Page {
        page(app, &self.0.viewer, "Settings")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<views::Settings> {
        let space = self.0.authorize(tx, Purpose::Update)?;
        let mut view = filled(tx, &self.0.viewer, &space)?;
        view.page = view.head.page(page, Section::Settings);
        view.errors = typed.errors.clone();
        if let Some(form) = typed.form.clone() {
            form.put_into(&mut view.form);
        }
        Ok(view)
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let viewer = &self.0.viewer;
        let archives = matches!(form.action, Action::Archive | Action::Unarchive);
        let purpose = match form.action {
            Action::Move => Purpose::Transfer,
            Action::Delete => Purpose::Destroy,
            _ if archives && self.0.address.kind == SourceKind::Project => Purpose::Archive,
            _ => Purpose::Update,
        };
        let space = self.0.authorize(tx, purpose)?;
        let word = self.0.address.kind.word();
        let moved = |full_path: &str| format!("The {word} is now at {full_path}.");
        let (full_path, text) = match form.action {
            Action::Save => (save(tx, viewer, &space, &form.fields)?, "Settings saved.".into()),
            Action::Features => {
                let change =
                    ProjectChange { features: form.features.clone(), ..ProjectChange::default() };
                let id = Reference::Id(space.project()?.id);
                let project = rules::update_project(tx, viewer, &id, &change)?;
                (project.full_path, "Features saved.".into())
            }
            Action::Rename => {
                let full_path = rename(tx, viewer, &space, form.fields.path.clone())?;
                (full_path.clone(), moved(&full_path))
            }
            Action::Move => {
                let typed = form.fields.confirm_move.as_deref();
                check_typed("confirm_move", typed, space.full_path())?;
                let full_path = transfer(tx, viewer, &space, form.fields.to.as_deref())?;
                (full_path.clone(), moved(&full_path))
            }
            Action::Archive | Action::Unarchive => {
                let text = archive(tx, viewer, &space, form.action == Action::Archive)?;
                (space.full_path().to_owned(), text.to_owned())
            }
            Action::Delete => {
                check_typed("confirm", form.fields.confirm.as_deref(), space.full_path())?;
                let list = delete(tx, viewer, &space)?;
                return Outcome::led(list, format!("{} is deleted.", space.full_path()));
            }
        };
        Outcome::led(format!("{}{full_path}/-/settings", space.prefix()), text)
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
    match space {
        Space::Group(group, _) => {
            let parent = match group.parent_id {
                Some(id) => access::find_group(tx, &Reference::Id(id))?,
                None => None,
            };
            let mut targets = Choice::list(&[("", "Choose a group")]);
            if group.parent_id.is_some() && rules::may_create_top_group(viewer) {
                targets.extend(Choice::list(&[("top", "No group: at the top")]));
            }
            let mut fitting = places::for_groups(tx, viewer)?;
            fitting.retain(|one| !one.lineage.starts_with(&group.lineage));
            fitting.retain(|one| group.parent_id != Some(one.id));
            targets.extend(fitting.iter().map(choice));
            Ok(views::Settings {
                visibilities: visibilities(access::widest_below(parent.as_ref())),
                form: Fields {
                    name: Some(group.name.clone()),
                    description: Some(group.description.clone()),
                    path: Some(group.path.clone()),
                    visibility: Some(group.visibility().to_string()),
                    project_creation: Some(group.project_creation_level.clone()),
                    subgroup_creation: Some(group.subgroup_creation_level.clone()),
                    request_access: Some(group.request_access_enabled),
                    share_lock: Some(group.share_with_group_lock),
                    two_factor: Some(group.require_two_factor),
                    two_factor_grace_period: Some(
                        Unit::Hours.show(group.two_factor_grace_period.unsigned_abs()),
                    ),
                    emails: Some(group.emails_enabled),
                    epics: Some(group.epics_enabled),
                    dependencies: Some(group.dependency_exports_enabled),
                    pull_mirrors: Some(group.pull_mirror_enabled),
                    ..Fields::default()
                },
                targets,
                ..common
            })
        }
        Space::Project(project, _) => {
            let home = access::find_namespace(tx, &Reference::Id(project.namespace_id))?;
            let mut targets = Choice::list(&[("", "Choose a place")]);
            let mut fitting = places::for_projects(tx, viewer)?;
            fitting.retain(|one| one.id != project.namespace_id);
            targets.extend(fitting.iter().map(choice));
            Ok(views::Settings {
                features: features::fields(project),
                visibilities: visibilities(access::widest_below(home.as_ref())),
                form: Fields {
                    name: Some(project.name.clone()),
                    description: project.description.clone(),
                    path: Some(project.path.clone()),
                    visibility: Some(project.visibility().to_string()),
                    topics: Some(project.topics.0.join(", ")),
                    request_access: Some(project.request_access_enabled),
                    ..Fields::default()
                },
                targets,
                ..common
            })
        }
    }
}

kernel::choices! {
    /// What the forms of the page ask for.
    pub enum Action {
        Save = "save",
        Features = "features",
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
        pub fields: Flat<Fields>,
        /// Who may use each feature of a project.
        pub features: Flat<Features>,
    }
}

kernel::params! {
    /// What the forms say, and what is stored in their words.
    #[derive(Default)]
    pub struct Fields {
        /// Display name.
        pub name: Option<String>,
        /// What it is for.
        pub description: Option<String>,
        /// Who sees it.
        pub visibility: Option<String>,
        /// Topics with commas between them.
        pub topics: Option<String>,
        /// Who may create projects.
        pub project_creation: Option<String>,
        /// Who may create subgroups.
        pub subgroup_creation: Option<String>,
        /// Users may ask for access.
        pub request_access: Option<bool>,
        /// Nothing in the group can be shared with others.
        pub share_lock: Option<bool>,
        /// Members of the group need a second factor.
        pub two_factor: Option<bool>,
        /// How long they have to set one up.
        pub two_factor_grace_period: Option<String>,
        /// Mail is sent about what happens in the group.
        pub emails: Option<bool>,
        /// Whether it has epics, of a group.
        pub epics: Option<bool>,
        /// Whether its projects have lists of dependencies, of a group.
        pub dependencies: Option<bool>,
        /// Whether its projects may follow repositories elsewhere, of a group.
        pub pull_mirrors: Option<bool>,
        /// The last part of its path.
        pub path: Option<String>,
        /// Where it is to move: an id, or `top`.
        pub to: Option<String>,
        /// Its full path, typed to be sure that it is to be deleted.
        pub confirm: Option<String>,
        /// The same, to be sure that it is to move.
        pub confirm_move: Option<String>,
    }
}

impl Form {
    /// Shows again what was typed in the form that was refused.
    fn put_into(self, shown: &mut Fields) {
        let typed = self.fields.0;
        match self.action {
            Action::Save => {
                shown.name = typed.name;
                shown.description = typed.description;
                shown.topics = typed.topics;
                shown.visibility = typed.visibility;
                shown.two_factor_grace_period = typed.two_factor_grace_period;
            }
            Action::Rename => shown.path = typed.path,
            _ => {}
        }
    }
}

impl Fields {
    fn topics(&self) -> Option<Vec<String>> {
        let text = self.topics.as_deref()?;
        let topics = text.split(',').map(str::trim);
        Some(topics.filter(|topic| !topic.is_empty()).map(str::to_owned).collect())
    }

    fn visibility(&self) -> Option<Visibility> {
        self.visibility.as_deref().and_then(Visibility::from_text)
    }

    fn grace_hours(&self) -> Result<Option<i64>> {
        let wrong = |problem: String| Error::invalid("two_factor_grace_period", problem);
        let typed = self.two_factor_grace_period.as_deref();
        let hours = typed.map(|text| Unit::Hours.parse(text)).transpose().map_err(wrong)?;
        Ok(hours.map(|hours| i64::try_from(hours).unwrap_or(i64::MAX)))
    }

    fn description(&self) -> Patch<String> {
        let text = self.description.as_deref().map(typed_text);
        text.map_or(Patch::Absent, Patch::Value)
    }
}

/// Refuses what was not typed in full.
fn check_typed(field: &str, typed: Option<&str>, full_path: &str) -> Result<()> {
    match typed.map(str::trim) == Some(full_path) {
        true => Ok(()),
        false => Err(Error::invalid(field, format!("must be {full_path}"))),
    }
}

/// Writes the settings; the full path after that.
fn save(tx: &mut Tx<'_>, viewer: &Viewer, space: &Space, form: &Fields) -> Result<String> {
    let (name, description) = (form.name.clone(), form.description());
    let (visibility, reference) = (form.visibility(), space.reference());
    let request_access_enabled = Some(form.request_access.unwrap_or(false));
    Ok(match space {
        Space::Project(..) => {
            let change = ProjectChange {
                name,
                description,
                visibility,
                topics: form.topics(),
                request_access_enabled,
                ..ProjectChange::default()
            };
            rules::update_project(tx, viewer, &reference, &change)?.full_path
        }
        Space::Group(..) => {
            let projects = form.project_creation.as_deref();
            let subgroups = form.subgroup_creation.as_deref();
            let fields = GroupFields {
                description,
                visibility,
                project_creation_level: projects.and_then(ProjectCreation::from_text),
                subgroup_creation_level: subgroups.and_then(SubgroupCreation::from_text),
                request_access_enabled,
                share_with_group_lock: form.share_lock,
                require_two_factor_authentication: form.two_factor,
                two_factor_grace_period: form.grace_hours()?,
                emails_enabled: form.emails,
                epics_enabled: form.epics,
                dependency_exports_enabled: form.dependencies,
                pull_mirror_enabled: form.pull_mirrors,
                ..GroupFields::default()
            };
            let change = GroupChange { name, fields: Flat(fields), ..GroupChange::default() };
            rules::update_group(tx, viewer, &reference, &change)?.full_path
        }
    })
}

/// Gives it another last part of its path; the full path after that.
fn rename(tx: &mut Tx<'_>, viewer: &Viewer, space: &Space, path: Option<String>) -> Result<String> {
    let reference = space.reference();
    Ok(match space {
        Space::Project(..) => {
            let change = ProjectChange { path, ..ProjectChange::default() };
            rules::update_project(tx, viewer, &reference, &change)?.full_path
        }
        Space::Group(..) => {
            let change = GroupChange { path, ..GroupChange::default() };
            rules::update_group(tx, viewer, &reference, &change)?.full_path
        }
    })
}

/// Moves it to where the form says, an id or for groups `top`; the full path
/// after that.
fn transfer(tx: &mut Tx<'_>, viewer: &Viewer, space: &Space, to: Option<&str>) -> Result<String> {
    let not_chosen = |_| Error::invalid("to", "must be chosen");
    let id = to.unwrap_or_default().parse::<i64>().map_err(not_chosen);
    let reference = space.reference();
    Ok(match space {
        Space::Project(..) => {
            rules::transfer_project(tx, viewer, &reference, &Reference::Id(id?))?.full_path
        }
        Space::Group(..) => {
            let parent = match to {
                Some("top") => None,
                _ => Some(id?),
            };
            rules::transfer_group(tx, viewer, &reference, parent)?.full_path
        }
    })
}

/// Makes a project read-only, or writable again; what is said of it.
fn archive(
    tx: &mut Tx<'_>, viewer: &Viewer, space: &Space, archived: bool,
) -> Result<&'static str> {
    let Space::Project(..) = space else {
        return Err(Error::BadRequest("A group cannot be archived.".into()));
    };
    rules::archive_project(tx, viewer, &space.reference(), archived)?;
    Ok(match archived {
        true => "Project archived: it takes no changes.",
        false => "The project takes changes again.",
    })
}

/// Deletes it; where the list of those that are left is.
fn delete(tx: &mut Tx<'_>, viewer: &Viewer, space: &Space) -> Result<&'static str> {
    match space {
        Space::Project(project, _) => rules::destroy_project(tx, viewer, project).map(|()| "/"),
        Space::Group(group, _) => rules::destroy_group(tx, viewer, group).map(|()| "/groups"),
    }
}
