//! `…/-/settings/protected_environments` of projects and groups: who deploys to which
//! environment, and who has to approve that.

use super::entity::Names;
use super::model::{Deed, INHERITED, Level, Rule, role_text};
use super::rules::{self, EnvironmentLevelInput, RuleInput};
use super::store as rows;
use crate::environments::model::Tier;
use crate::environments::store::environments;
use ::store::Tx;
use askama::Template;
use http::Method;
use identity::users::find_by_username;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::{self, Choice};
use kernel::html::{Errors, Page};
use kernel::http::{Paging, Params, Response, Routes, Text};
use kernel::ids::Reference;
use spaces::Holder;
use spaces::access::{self, Purpose};
use spaces::pages::{Section, Space, SpaceHead, Visit, section};

const SECTION: &str = "settings/protected_environments";
const TITLE: &str = "Protected environments";
/// Most environments whose names are offered.
const OFFERED: i64 = 100;
/// What says that no role is meant.
const NO_ROLE: &str = "Nobody by their role";

pub fn routes(r: &mut Routes) {
    section(r, Method::GET, SECTION, show);
    section(r, Method::POST, SECTION, change);
}

kernel::choices! {
    /// What the forms of the page ask for.
    pub enum Action as "ProtectionAction" {
        Protect = "protect",
        Add = "add",
        Forget = "forget",
        Count = "count",
        Unprotect = "unprotect",
    }
}

kernel::params! {
    #[derive(Default)]
    pub struct Fields {
        /// The environment or tier.
        pub name: Text,
        /// Deploy or approve.
        pub deed: Option<Deed>,
        /// The one that goes.
        pub level_id: Option<i64>,
        pub access_level: Text,
        pub username: Text,
        /// The path of a group.
        pub group: Text,
        /// Members of groups above count, too.
        pub inherited: Option<bool>,
        pub required_approvals: Option<i64>,
        pub count: Option<i64>,
    }
}

kernel::params! {
    pub struct Form {
        pub action: Action,
        pub fields: kernel::http::Flat<Fields>,
    }
}

#[derive(Clone)]
struct ProtectionPage(Visit);

async fn show(app: App, visit: Visit) -> Result<Response> {
    form::show(&app, ProtectionPage(visit)).await
}

async fn change(app: App, visit: Visit, form: Params<Form>) -> Result<Response> {
    form::submit(&app, ProtectionPage(visit), form.0).await
}

impl ProtectionPage {
    fn find(&self, tx: &mut Tx<'_>) -> Result<(Space, Holder)> {
        let space = self.0.authorize(tx, Purpose::Update)?;
        let holder = match &space {
            Space::Project(project, _) => Holder::Project(Box::new(project.clone())),
            Space::Group(group, _) => Holder::Group(Box::new(group.clone())),
        };
        Ok((space, holder))
    }
}

impl FormPage for ProtectionPage {
    type Form = Form;
    type View = View;
    const FIELDS: &'static [&'static str] = &["name"];

    fn page(&self, app: &App) -> Page {
        identity::pages::page(app, &self.0.viewer, TITLE)
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<View> {
        let (space, holder) = self.find(tx)?;
        let head = space.head(tx, &self.0.viewer)?;
        let rules = rows::of(tx, holder.id())?;
        let names = Names::read(tx, rules.iter().flat_map(|rule| &rule.levels))?;
        let form = typed.form.as_ref().filter(|form| form.action == Action::Protect);
        Ok(View {
            page: head.page_below(page, Section::Settings),
            url: format!("{}/-/{SECTION}", space.url()),
            is_group: matches!(holder, Holder::Group(_)),
            names: offered(tx, &holder)?,
            rules: rules.iter().map(|rule| Shown::of(rule, &names)).collect(),
            form: form.map(|form| form.fields.0.clone()).unwrap_or_default(),
            errors: typed.errors.clone(),
            head,
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let (space, holder) = self.find(tx)?;
        let (viewer, fields) = (&self.0.viewer, &form.fields);
        let name = fields.name.trim();
        let text = match form.action {
            Action::Protect => {
                let item = fields.item(tx)?;
                let input = fields.of_deed(Deed::Deploy, item);
                rules::create(tx, viewer, &holder, name, &input)?;
                format!("{name} is protected.")
            }
            Action::Add => {
                let item = fields.item(tx)?;
                let input = fields.of_deed(fields.deed.unwrap_or(Deed::Deploy), item);
                rules::update(tx, viewer, &holder, name, &input)?;
                format!("The rule for {name} is saved.")
            }
            Action::Forget => {
                let item = EnvironmentLevelInput {
                    id: fields.level_id,
                    destroy: Some(true),
                    ..EnvironmentLevelInput::default()
                };
                let input = fields.of_deed(fields.deed.unwrap_or(Deed::Deploy), item);
                rules::update(tx, viewer, &holder, name, &input)?;
                format!("The rule for {name} is saved.")
            }
            Action::Count => {
                let input = RuleInput {
                    required_approval_count: Some(fields.count.unwrap_or(0)),
                    ..RuleInput::default()
                };
                rules::update(tx, viewer, &holder, name, &input)?;
                format!("The rule for {name} is saved.")
            }
            Action::Unprotect => {
                rules::destroy(tx, viewer, &holder, name)?;
                format!("{name} is not protected any more.")
            }
        };
        Outcome::led(format!("{}/-/{SECTION}", space.url()), text)
    }

    fn refusal(error: Error) -> Error {
        match error {
            Error::Exact(422, body) => {
                let said = body["message"].as_array().cloned().unwrap_or_default();
                let said: Vec<&str> = said.iter().filter_map(|text| text.as_str()).collect();
                match said.as_slice() {
                    [text] if text.starts_with("Name ") => {
                        Error::invalid("name", text.trim_start_matches("Name "))
                    }
                    _ => Error::Unprocessable(said.join("; ")),
                }
            }
            Error::Conflict(text) => Error::Unprocessable(text),
            Error::Parameters(texts) => Error::Unprocessable(texts.join("; ")),
            other => other,
        }
    }
}

/// Names of environments that a project has.
fn offered(tx: &mut Tx<'_>, holder: &Holder) -> Result<Vec<String>> {
    let Holder::Project(project) = holder else {
        return Ok(Vec::new());
    };
    let filter = environments::EnvironmentFilter::default();
    let (found, _) = environments::page(tx, project.id, &filter, &Paging::first(OFFERED))?;
    Ok(found.into_iter().map(|one| one.name).collect())
}

impl Fields {
    fn of_deed(&self, deed: Deed, item: EnvironmentLevelInput) -> RuleInput {
        let items = Some(vec![item]);
        match deed {
            Deed::Deploy => RuleInput { deploy_access_levels: items, ..RuleInput::default() },
            Deed::Approve => RuleInput { approval_rules: items, ..RuleInput::default() },
        }
    }

    /// Who is named: a role, or a user, or a group.
    fn item(&self, tx: &mut Tx<'_>) -> Result<EnvironmentLevelInput> {
        let user_id = match self.username.trim().trim_start_matches('@') {
            "" => None,
            name => match find_by_username(tx, name)? {
                Some(user) => Some(user.id),
                None => return refused("There is no user of this name"),
            },
        };
        let group_id = match self.group.trim() {
            "" => None,
            path => match access::find_group(tx, &Reference::Path(path.to_owned()))? {
                Some(group) => Some(group.id),
                // What is hidden and what is not there are told alike: neither may be named.
                None => Some(0),
            },
        };
        let access_level = match self.access_level.trim() {
            "" => None,
            text => match text.parse() {
                Ok(role) => Some(role),
                Err(_) => return refused("There is no such role"),
            },
        };
        Ok(EnvironmentLevelInput {
            id: None,
            access_level,
            user_id,
            group_id,
            group_inheritance_type: Some(i64::from(self.inherited.unwrap_or(false)) * INHERITED),
            required_approvals: self.required_approvals,
            destroy: None,
        })
    }
}

fn refused<T>(text: &str) -> Result<T> {
    Err(Error::Unprocessable(text.to_owned()))
}

/// A rule as it is shown.
struct Shown {
    id: i64,
    name: String,
    deploy: Vec<Named>,
    approve: Vec<Named>,
    count: u64,
}

/// Who is named.
struct Named {
    id: i64,
    text: String,
    required: u64,
}

impl Shown {
    fn of(rule: &Rule, names: &Names) -> Shown {
        let named = |level: &Level| Named {
            id: level.id,
            text: names.of(level),
            required: level.required_approvals.unsigned_abs(),
        };
        Shown {
            id: rule.protected.id,
            name: rule.protected.name.clone(),
            deploy: rule.of(Deed::Deploy).map(named).collect(),
            approve: rule.of(Deed::Approve).map(named).collect(),
            count: rule.protected.required_approval_count.unsigned_abs(),
        }
    }
}

#[derive(Template)]
#[template(path = "protected_environments.html")]
struct View {
    page: Page,
    head: SpaceHead,
    url: String,
    is_group: bool,
    rules: Vec<Shown>,
    /// Environments that there are.
    names: Vec<String>,
    form: Fields,
    errors: Errors,
}

impl View {
    fn roles(&self) -> Vec<Choice> {
        let mut all = vec![Choice { value: String::new(), label: NO_ROLE.to_owned() }];
        all.extend(
            super::model::ROLES
                .iter()
                .map(|role| Choice { value: role.to_string(), label: role_text(*role).to_owned() }),
        );
        all
    }

    fn tiers(&self) -> Vec<Choice> {
        let choice = |tier: &Tier| Choice { value: tier.to_string(), label: tier.to_string() };
        Tier::ALL.iter().map(choice).collect()
    }

    fn form_title(&self) -> &'static str {
        match self.is_group {
            true => "Protect a tier",
            false => "Protect an environment",
        }
    }
}
