//! `…/-/settings/packages`: the duplicates a group allows, the names a
//! project protects.

use super::views::{DuplicateRow, Duplicates, Protection, RuleRow};
use crate::model::{DeleteLevel, PackageType, ProtectionRule, PushLevel};
use crate::rules::protection;
use crate::settings::{self, Change, FORMATS, Format, PackageSettings};
use crate::store::protection as rows;
use http::Method;
use identity::pages::refusal::FormState;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::ui::Choice;
use kernel::html::{Html, flash};
use kernel::http::{Params, RequestContext, Response, Routes};
use spaces::access::Purpose;
use spaces::pages::{Address, Space, section};
use std::sync::Arc;
use store::Tx;

/// Most rules the page shows.
const MAX_RULES: i64 = 500;
const PUSHES: &[(&str, &str)] = &[
    ("", "As usual: developers"),
    ("maintainer", "Maintainers"),
    ("owner", "Owners"),
    ("admin", "Administrators"),
];
const DELETES: &[(&str, &str)] = &[
    ("", "As usual: maintainers"),
    ("owner", "Owners"),
    ("admin", "Administrators"),
];

pub fn routes(r: &mut Routes) {
    section(r, Method::GET, "settings/packages", show);
    section(r, Method::POST, "settings/packages", change);
}

kernel::choices! {
    /// What the forms of a project ask for.
    pub enum Action { Add = "add", Remove = "remove" }
}

kernel::params! {
    /// The forms of a project and of a group.
    pub struct Form {
        /// What is asked for, in a project.
        pub action: Option<Action>,
        /// The rule to remove.
        pub rule_id: Option<i64>,
        /// Names a new rule is about.
        pub pattern: Option<String>,
        /// The format it is about.
        pub package_type: Option<PackageType>,
        /// Least role that may publish.
        pub push: Option<PushLevel>,
        /// Least role that may delete.
        pub delete: Option<DeleteLevel>,
    }
}

/// What a form said, of a project or of a group.
#[derive(Debug, Clone)]
struct Sent {
    form: Form,
    settings: PackageSettings,
}

async fn show(app: App, viewer: SignedInViewer, asked: Arc<RequestContext>) -> Result<Response> {
    let typed = FormState::default();
    render(app, viewer.viewer(), Address::of(&asked)?, typed).await
}

async fn render(
    app: App,
    viewer: Viewer,
    address: Address,
    typed: FormState<Sent>,
) -> Result<Response> {
    let status = typed.refusal.status();
    let shown = typed.refusal.page(&app, &viewer, "Package settings");
    let html = app
        .read(move |tx| {
            let space = address.authorize(tx, &viewer, Purpose::ManagePackageSettings)?;
            let shown = space.crumbs(shown, true);
            let head = space.head(tx, &viewer)?;
            match &space {
                Space::Group(group, _) => {
                    let stored = settings::effective(tx, group.id)?;
                    let settings = typed.form.map_or(stored, |sent| sent.settings);
                    Html::new(&Duplicates {
                        page: shown,
                        head,
                        formats: formats(&settings),
                        errors: typed.refusal.errors,
                    })
                }
                Space::Project(project, _) => {
                    let rules = rows::list(tx, project.id, MAX_RULES, 0)?;
                    let form = typed.form.as_ref().map(|sent| &sent.form);
                    let text = |chosen: Option<&'static str>| chosen.unwrap_or_default().to_owned();
                    let pattern = form.and_then(|form| form.pattern.clone());
                    let kind = form.and_then(|form| form.package_type);
                    let push = form.and_then(|form| form.push);
                    let delete = form.and_then(|form| form.delete);
                    Html::new(&Protection {
                        page: shown,
                        head,
                        rules: rules.iter().map(rule_row).collect(),
                        pattern: pattern.unwrap_or_default(),
                        kind: text(kind.map(PackageType::as_str)),
                        kinds: kinds(),
                        push: text(push.map(PushLevel::as_str)),
                        pushes: Choice::list(PUSHES),
                        delete: text(delete.map(DeleteLevel::as_str)),
                        deletes: Choice::list(DELETES),
                    })
                }
            }
        })
        .await?;
    Ok(html.status(status).response())
}

/// The formats, the plain one first.
pub(super) fn kinds() -> Vec<Choice> {
    let mut pairs: Vec<(&str, &str)> = PackageType::ALL
        .iter()
        .map(|kind| (kind.as_str(), kind.as_str()))
        .collect();
    pairs.sort_by_key(|(kind, _)| (*kind != PackageType::Generic.as_str(), *kind));
    Choice::list(&pairs)
}

fn formats(settings: &PackageSettings) -> Vec<DuplicateRow> {
    let row = |(format, own): (&Format, &settings::Duplicates)| DuplicateRow {
        label: format.label,
        allowed_field: format.allowed.to_owned(),
        allowed: own.allowed,
        exception_field: format.exception.to_owned(),
        exception: own.exception.clone(),
    };
    let mut rows: Vec<DuplicateRow> = FORMATS.iter().zip(&settings.0).map(row).collect();
    rows.sort_by_key(|row| row.label);
    rows
}

fn rule_row(rule: &ProtectionRule) -> RuleRow {
    let label = |value: Option<&str>, all: &[(&str, &str)]| {
        let found = value.and_then(|value| all.iter().find(|(one, _)| *one == value));
        found.map_or(String::new(), |(_, label)| (*label).to_owned())
    };
    let push = rule.minimum_access_level_for_push.map(PushLevel::as_str);
    let delete = rule
        .minimum_access_level_for_delete
        .map(DeleteLevel::as_str);
    RuleRow {
        id: rule.id,
        pattern: rule.package_name_pattern.clone(),
        kind: rule.package_type.as_str().to_owned(),
        push: label(push, PUSHES),
        delete: label(delete, DELETES),
    }
}

async fn change(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    form: Params<Form>,
    duplicates: Params<Change>,
) -> Result<Response> {
    let (Params(form), Params(duplicates)) = (form, duplicates);
    let settings = duplicates.whole();
    let form = Sent { form, settings };
    let (viewer, address) = (viewer.viewer(), Address::of(&asked)?);
    let (asker, wanted, place) = (viewer.clone(), form.clone(), address.clone());
    let done = app
        .write(move |tx| apply(tx, &asker, &place, &wanted))
        .await;
    match done {
        Ok((url, text)) => flash::done(&app, &url, text),
        Err(error) => {
            let typed = FormState::refused(form, error, &FORMATS.map(|format| format.exception))?;
            render(app, viewer, address, typed).await
        }
    }
}

fn apply(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    address: &Address,
    Sent { form, settings }: &Sent,
) -> Result<(String, &'static str)> {
    let space = address.authorize(tx, viewer, Purpose::ManagePackageSettings)?;
    let url = format!("{}/-/settings/packages", space.url());
    match &space {
        Space::Group(group, _) => {
            settings::replace(tx, viewer, group, settings)?;
            Ok((url, "The settings are saved."))
        }
        Space::Project(project, _) if form.action == Some(Action::Remove) => {
            let id = form.rule_id.ok_or_else(|| Error::missing("rule_id"))?;
            protection::delete(tx, viewer, project.id, id)?;
            Ok((url, "The rule is removed."))
        }
        Space::Project(project, _) => {
            let rule = ProtectionRule {
                id: 0,
                project_id: project.id,
                package_name_pattern: form.pattern.clone().unwrap_or_default(),
                package_type: form.package_type.unwrap_or(PackageType::Generic),
                minimum_access_level_for_push: form.push,
                minimum_access_level_for_delete: form.delete,
            };
            protection::create(tx, viewer, rule)?;
            Ok((url, "The rule is added."))
        }
    }
}
