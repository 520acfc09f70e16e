//! `…/-/settings/packages`: the duplicates a group allows, the names a
//! project protects.

use super::views::{self, Protection};
use crate::model::{DeleteLevel, PackageType, PushLevel};
use crate::rules::protection::{self, NewRule};
use crate::settings::{self, Change, Duplicates, FORMATS, Format, PackageSettings};
use crate::store::protection as rows;
use http::Method;
use identity::pages::page;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::Page;
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::Choice;
use kernel::http::{Params, Response, Routes};
use spaces::Namespace;
use spaces::access::Purpose;
use spaces::model::SourceKind;
use spaces::pages::{Section, Space, Visit, section};
use store::Tx;

const PAGE: &str = "settings/packages";
const MAX_RULES: i64 = 500;
pub fn routes(r: &mut Routes) {
    section(r, Method::GET, PAGE, show);
    section(r, Method::POST, PAGE, change);
}

kernel::choices! {
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

async fn show(app: App, visit: Visit) -> Result<Response> {
    match visit.address.kind {
        SourceKind::Group => form::show(&app, GroupPage(visit)).await,
        SourceKind::Project => form::show(&app, ProjectPage(visit)).await,
    }
}

async fn change(
    app: App, visit: Visit, form: Params<Form>, duplicates: Params<Change>,
) -> Result<Response> {
    match visit.address.kind {
        SourceKind::Group => {
            let settings = duplicates.0.whole();
            form::submit(&app, GroupPage(visit), settings).await
        }
        SourceKind::Project => form::submit(&app, ProjectPage(visit), form.0).await,
    }
}

/// Which duplicates a group allows.
#[derive(Clone)]
struct GroupPage(Visit);

impl GroupPage {
    fn group(&self, tx: &mut Tx<'_>) -> Result<(Space, Namespace)> {
        match self.0.authorize(tx, Purpose::ManagePackageSettings)? {
            Space::Group(group, level) => Ok((Space::Group(group.clone(), level), group)),
            Space::Project(..) => Err(Error::NotFound("Group")),
        }
    }
}

impl FormPage for GroupPage {
    type Form = PackageSettings;
    type View = views::Duplicates;
    const FIELDS: &'static [&'static str] = &[
        FORMATS[0].exception,
        FORMATS[1].exception,
        FORMATS[2].exception,
        FORMATS[3].exception,
    ];

    fn page(&self, app: &App) -> Page {
        page(app, &self.0.viewer, "Package settings")
    }

    fn view(
        &self, tx: &mut Tx<'_>, page: Page, typed: &Typed<PackageSettings>,
    ) -> Result<views::Duplicates> {
        let (space, group) = self.group(tx)?;
        let settings = match &typed.form {
            Some(sent) => sent.clone(),
            None => settings::effective(tx, group.id)?,
        };
        let head = space.head(tx, &self.0.viewer)?;
        Ok(views::Duplicates {
            page: head.page_below(page, Section::Settings),
            head,
            formats: formats(settings),
            errors: typed.errors.clone(),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, settings: &PackageSettings) -> Result<Outcome<Self>> {
        let (space, group) = self.group(tx)?;
        settings::replace(tx, &self.0.viewer, &group, settings)?;
        let url = format!("{}/-/{PAGE}", space.url());
        Outcome::led(url, "Settings saved.")
    }
}

/// Which names a project protects.
#[derive(Clone)]
struct ProjectPage(Visit);

impl ProjectPage {
    fn project(&self, tx: &mut Tx<'_>) -> Result<(Space, i64)> {
        let space = self.0.authorize(tx, Purpose::ManagePackageSettings)?;
        let id = space.project()?.id;
        Ok((space, id))
    }
}

impl FormPage for ProjectPage {
    type Form = Form;
    type View = Protection;
    const FIELDS: &'static [&'static str] = &[];

    fn page(&self, app: &App) -> Page {
        page(app, &self.0.viewer, "Package settings")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<Protection> {
        let (space, project_id) = self.project(tx)?;
        let rules = rows::list(tx, project_id, MAX_RULES, 0)?;
        let form = typed.form.as_ref();
        let text = |chosen: Option<&'static str>| chosen.unwrap_or_default().to_owned();
        let pattern = form.and_then(|form| form.pattern.clone());
        let kind = form.and_then(|form| form.package_type);
        let push = form.and_then(|form| form.push);
        let delete = form.and_then(|form| form.delete);
        let pushes = PushLevel::ALL.iter().map(|one| (one.as_str(), one.label()));
        let deletes = DeleteLevel::ALL.iter();
        let deletes = deletes.map(|one| (one.as_str(), one.label()));
        let head = space.head(tx, &self.0.viewer)?;
        Ok(Protection {
            page: head.page_below(page, Section::Settings),
            head,
            rules,
            pattern: pattern.unwrap_or_default(),
            kind: text(kind.map(PackageType::as_str)),
            kinds: kinds(),
            push: text(push.map(PushLevel::as_str)),
            pushes: levels("As usual: developers", pushes),
            delete: text(delete.map(DeleteLevel::as_str)),
            deletes: levels("As usual: maintainers", deletes),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let (space, project_id) = self.project(tx)?;
        let url = format!("{}/-/{PAGE}", space.url());
        if form.action == Some(Action::Remove) {
            let id = form.rule_id.ok_or_else(|| Error::missing("rule_id"))?;
            protection::delete(tx, &self.0.viewer, project_id, id)?;
            return Outcome::led(url, "Rule removed.");
        }
        let rule = NewRule {
            package_name_pattern: form.pattern.clone().unwrap_or_default(),
            package_type: form.package_type.unwrap_or(PackageType::Generic),
            minimum_access_level_for_push: form.push,
            minimum_access_level_for_delete: form.delete,
        };
        protection::create(tx, &self.0.viewer, project_id, rule)?;
        Outcome::led(url, "Rule added.")
    }
}

/// The formats, the plain one first.
pub(super) fn kinds() -> Vec<Choice> {
    let mut pairs: Vec<(&str, &str)> =
        PackageType::ALL.iter().map(|kind| (kind.as_str(), kind.as_str())).collect();
    pairs.sort_by_key(|(kind, _)| (*kind != PackageType::Generic.as_str(), *kind));
    Choice::list(&pairs)
}

fn formats(settings: PackageSettings) -> Vec<(&'static Format, Duplicates)> {
    let mut formats: Vec<_> = FORMATS.iter().zip(settings.0).collect();
    formats.sort_by_key(|(format, _)| format.label);
    formats
}

/// Levels to choose from, after what holds without a rule.
fn levels<'a>(usual: &'a str, levels: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<Choice> {
    let pairs: Vec<_> = std::iter::once(("", usual)).chain(levels).collect();
    Choice::list(&pairs)
}
