//! `…/-/settings/repository`: the default branch, and which branches and tags are protected
//! from whom.

use askama::Template;
use http::Method;
use identity::pages::page;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::{self, Choice};
use kernel::html::{Errors, Page};
use kernel::http::{Params, Response, Routes, Text};
use kernel::ids::Reference;
use repositories::formats::ref_name::RefName;
use repositories::model::RepositoryKind;
use repositories::protection::entity::{self, LevelEntity};
use repositories::protection::model::{Deed, ProtectedRef, RefKind, role_text};
use repositories::protection::rules::{self, LevelInput, RuleInput, Wish};
use repositories::store::{of_project, refs};
use spaces::Holder;
use spaces::access::{MAINTAINER, Purpose};
use spaces::branch_protection::ROLES;
use spaces::model::Project;
use spaces::pages::{PROJECT, Section, Space, SpaceHead, Visit};
use spaces::rules::{ProjectChange, update_project};
use store::Tx;

const PAGE: &str = "settings/repository";
/// Most branches that are offered as the default one.
const OFFERED: i64 = 200;

pub fn routes(r: &mut Routes) {
    let path = format!("{PROJECT}/-/{PAGE}");
    r.page(Method::GET, &path, show);
    r.page(Method::POST, &path, change);
}

kernel::choices! {
    /// What the forms of the page ask for.
    pub enum Task {
        Default = "default",
        Protect = "protect",
        Change = "change",
        Forget = "forget",
        Unprotect = "unprotect",
    }
}

kernel::params! {
    /// The forms of the page.
    pub struct Form {
        /// What is asked for.
        pub action: Task,
        /// The branch that shall be the default one.
        pub default_branch: Text,
        /// Branches or tags.
        pub kind: Option<RefKind>,
        /// The name or pattern of a rule.
        pub name: Text,
        /// Role that may push.
        pub push: Option<i64>,
        /// Role that may merge.
        pub merge: Option<i64>,
        /// Role that may make tags.
        pub create: Option<i64>,
        /// Whether those who push may push what does not follow.
        pub allow_force_push: Option<bool>,
        /// The access of somebody, taken away.
        pub level_id: Option<i64>,
        /// What that is for.
        pub deed: Option<Deed>,
    }
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
    type View = View;
    const FIELDS: &'static [&'static str] = &["default_branch", "name"];

    fn page(&self, app: &App) -> Page {
        page(app, &self.0.viewer, "Repository settings")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<View> {
        let (space, place) = self.find(tx)?;
        let head = space.head(tx, &self.0.viewer)?;
        let project = space.project()?;
        let rules = rules::all(tx, &place)?;
        let (branches, tags) = rules.into_iter().partition(|rule| rule.kind == RefKind::Branch);
        let (default_branch, offered) = branches_of(tx, project)?;
        let form = typed.form.as_ref();
        let protecting = form.filter(|form| form.action == Task::Protect);
        let of = |kind| protecting.filter(|form| form.kind == Some(kind)).cloned();
        Ok(View {
            page: head.page_below(page, Section::Settings),
            head,
            default_branch: match form.filter(|form| form.action == Task::Default) {
                Some(form) => form.default_branch.to_string(),
                None => default_branch,
            },
            offered,
            branches: branch_rules(tx, branches)?,
            tags: tag_rules(tx, tags)?,
            new_branch: of(RefKind::Branch),
            new_tag: of(RefKind::Tag),
            errors: typed.errors.clone(),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let (space, place) = self.find(tx)?;
        let viewer = &self.0.viewer;
        let (kind, name) = (form.kind.unwrap_or(RefKind::Branch), form.name.trim());
        let text = match form.action {
            Task::Default => {
                let id = Reference::Id(space.project()?.id);
                let default_branch = Some(form.default_branch.trim().to_owned());
                let change = ProjectChange { default_branch, ..ProjectChange::default() };
                update_project(tx, viewer, &id, &change)?;
                "The default branch is saved.".to_owned()
            }
            Task::Protect => {
                rules::create(tx, viewer, &place, kind, name, &form.new_rule(kind))?;
                format!("{name} is protected.")
            }
            Task::Change => {
                let rule = own(tx, &place, kind, name)?;
                let input = form.changes(tx, kind, &rule)?;
                rules::update(tx, viewer, &place, kind, name, &input)?;
                format!("The rule for {name} is saved.")
            }
            Task::Forget => {
                rules::update(tx, viewer, &place, kind, name, &form.without())?;
                format!("The rule for {name} is saved.")
            }
            Task::Unprotect => {
                rules::destroy(tx, viewer, &place, kind, name)?;
                format!("{name} is not protected any more.")
            }
        };
        Outcome::led(format!("{}/-/{PAGE}", space.url()), text)
    }

    fn refusal(error: Error) -> Error {
        match error {
            Error::Exact(422, body) => {
                let said = body["message"].as_array().cloned().unwrap_or_default();
                let said: Vec<&str> = said.iter().filter_map(|text| text.as_str()).collect();
                match said.as_slice() {
                    ["Name is invalid"] => Error::invalid("name", "is invalid"),
                    _ => Error::Unprocessable(said.join("; ")),
                }
            }
            Error::BadRequest(text) if text.contains("default branch") => {
                Error::invalid("default_branch", "is no branch of this repository")
            }
            other => other,
        }
    }
}

impl Settings {
    fn find(&self, tx: &mut Tx<'_>) -> Result<(Space, Holder)> {
        let space = self.0.authorize(tx, Purpose::Update)?;
        let place = Holder::Project(Box::new(space.project()?.clone()));
        Ok((space, place))
    }
}

/// The rule of this name that the project has itself.
fn own(tx: &mut Tx<'_>, place: &Holder, kind: RefKind, name: &str) -> Result<ProtectedRef> {
    let is_it =
        |rule: &ProtectedRef| rule.kind == kind && rule.name == name && rule.group_id.is_none();
    rules::all(tx, place)?.into_iter().find(is_it).found("")
}

/// The default branch, and those that could be.
fn branches_of(tx: &mut Tx<'_>, project: &Project) -> Result<(String, Vec<Choice>)> {
    let Some(repository) = of_project(tx, project.id, RepositoryKind::Project)? else {
        return Ok((project.default_branch.clone().unwrap_or_default(), Vec::new()));
    };
    let mut names = refs::first_branches(tx, repository.id, OFFERED + 1)?;
    let is_whole = names.len() as i64 <= OFFERED;
    names.retain(|_| is_whole);
    let choice = |name: RefName| {
        let name = name.as_branch().unwrap_or_default().to_owned();
        Choice { value: name.clone(), label: name }
    };
    let head = repository.head.as_branch().unwrap_or_default().to_owned();
    Ok((head, names.into_iter().map(choice).collect()))
}

impl Form {
    fn deeds(&self, kind: RefKind) -> Vec<(Deed, Option<i64>)> {
        match kind {
            RefKind::Branch => vec![(Deed::Push, self.push), (Deed::Merge, self.merge)],
            RefKind::Tag => vec![(Deed::Create, self.create)],
        }
    }

    fn new_rule(&self, kind: RefKind) -> RuleInput {
        let wish = |(deed, role)| Wish { deed, role, items: None };
        let mut wishes: Vec<Wish> = self.deeds(kind).into_iter().map(wish).collect();
        if kind == RefKind::Branch {
            wishes.push(Wish { deed: Deed::Unprotect, role: None, items: None });
        }
        RuleInput {
            allow_force_push: self.force(kind),
            wishes,
            ..RuleInput::default()
        }
    }

    fn force(&self, kind: RefKind) -> Option<bool> {
        (kind == RefKind::Branch).then(|| self.allow_force_push.unwrap_or(false))
    }

    /// The role of each deed becomes the one chosen; users, groups and keys stay.
    fn changes(&self, tx: &mut Tx<'_>, kind: RefKind, rule: &ProtectedRef) -> Result<RuleInput> {
        let all = repositories::protection::store::levels(tx, std::slice::from_ref(rule))?;
        let all = all.get(&rule.id).map(Vec::as_slice).unwrap_or_default();
        let mut wishes = Vec::new();
        for (deed, role) in self.deeds(kind) {
            let Some(role) = role else { continue };
            let is_role = |level: &&repositories::protection::model::Level| {
                level.purpose == deed
                    && level.user_id.is_none()
                    && level.group_id.is_none()
                    && level.deploy_key_id.is_none()
            };
            let ids: Vec<i64> = all.iter().filter(is_role).map(|level| level.id).collect();
            let mut items = vec![item(ids.first().copied(), Some(role), None)];
            items.extend(ids.iter().skip(1).map(|id| item(Some(*id), None, Some(true))));
            wishes.push(Wish { deed, role: None, items: Some(items) });
        }
        Ok(RuleInput {
            allow_force_push: self.force(kind),
            wishes,
            ..RuleInput::default()
        })
    }

    /// The access of somebody goes.
    fn without(&self) -> RuleInput {
        let items = Some(vec![item(self.level_id, None, Some(true))]);
        let deed = self.deed.unwrap_or(Deed::Push);
        let wishes = vec![Wish { deed, role: None, items }];
        RuleInput { wishes, ..RuleInput::default() }
    }
}

fn item(id: Option<i64>, access_level: Option<i64>, destroy: Option<bool>) -> LevelInput {
    LevelInput {
        id,
        access_level,
        destroy,
        user_id: None,
        group_id: None,
        deploy_key_id: None,
    }
}

/// A rule as it is shown.
struct Rule {
    kind: RefKind,
    name: String,
    /// Sets its fields apart from those of others.
    key: String,
    allows_force: bool,
    /// It is of the group above, where alone it is changed.
    is_inherited: bool,
    deeds: Vec<Access>,
}

/// Who may do something.
struct Access {
    label: &'static str,
    /// Name of its field.
    field: &'static str,
    deed: Deed,
    /// Of a role; empty where only others may.
    role: String,
    /// All who may.
    text: String,
    others: Vec<LevelEntity>,
}

impl Access {
    fn of(deed: Deed, levels: Vec<LevelEntity>) -> Access {
        let (label, field) = match deed {
            Deed::Push => ("Push", "push"),
            Deed::Merge => ("Merge", "merge"),
            Deed::Create => ("Create", "create"),
            Deed::Unprotect => ("Change the rule", "unprotect"),
        };
        let texts = levels.iter().map(|level| level.access_level_description.as_str());
        let text = texts.collect::<Vec<_>>().join(", ");
        let is_role = |level: &LevelEntity| {
            level.user_id.is_none() && level.group_id.is_none() && level.deploy_key_id.is_none()
        };
        let (roles, others): (Vec<_>, Vec<_>) = levels.into_iter().partition(is_role);
        let role = roles.first().and_then(|level| level.access_level);
        Access {
            label,
            field,
            deed,
            role: role.map(|role| role.to_string()).unwrap_or_default(),
            text: if text.is_empty() { role_text(0).to_owned() } else { text },
            others,
        }
    }

    fn choices(&self) -> Vec<Choice> {
        let mut choices = roles();
        if self.role.is_empty() {
            choices.insert(0, Choice { value: String::new(), label: "As it is".into() });
        }
        choices
    }
}

fn roles() -> Vec<Choice> {
    let choice = |role: &i64| Choice { value: role.to_string(), label: role_text(*role).into() };
    ROLES.iter().rev().map(choice).collect()
}

fn branch_rules(tx: &mut Tx<'_>, rules: Vec<ProtectedRef>) -> Result<Vec<Rule>> {
    let rule = |one: entity::ProtectedBranchEntity| Rule {
        kind: RefKind::Branch,
        name: one.name,
        key: format!("branch-{}", one.id),
        allows_force: one.allow_force_push,
        is_inherited: one.inherited,
        deeds: vec![
            Access::of(Deed::Push, one.push_access_levels),
            Access::of(Deed::Merge, one.merge_access_levels),
        ],
    };
    Ok(entity::branches(tx, rules)?.into_iter().map(rule).collect())
}

fn tag_rules(tx: &mut Tx<'_>, rules: Vec<ProtectedRef>) -> Result<Vec<Rule>> {
    let rule = |(at, one): (usize, entity::ProtectedTagEntity)| Rule {
        kind: RefKind::Tag,
        name: one.name,
        key: format!("tag-{at}"),
        allows_force: false,
        is_inherited: false,
        deeds: vec![Access::of(Deed::Create, one.create_access_levels)],
    };
    Ok(entity::tags(tx, rules)?.into_iter().enumerate().map(rule).collect())
}

#[derive(Template)]
#[template(path = "repository_settings.html")]
struct View {
    page: Page,
    head: SpaceHead,
    default_branch: String,
    offered: Vec<Choice>,
    branches: Vec<Rule>,
    tags: Vec<Rule>,
    new_branch: Option<Form>,
    new_tag: Option<Form>,
    errors: Errors,
}

impl View {
    fn url(&self) -> String {
        format!("{}/-/{PAGE}", self.head.url)
    }

    fn roles(&self) -> Vec<Choice> {
        roles()
    }

    fn typed_push(&self) -> i64 {
        self.new_branch.as_ref().and_then(|form| form.push).unwrap_or(MAINTAINER)
    }

    fn typed_merge(&self) -> i64 {
        self.new_branch.as_ref().and_then(|form| form.merge).unwrap_or(MAINTAINER)
    }

    fn typed_create(&self) -> i64 {
        self.new_tag.as_ref().and_then(|form| form.create).unwrap_or(MAINTAINER)
    }

    fn typed_name(&self, form: &Option<Form>) -> String {
        form.as_ref().map(|form| form.name.to_string()).unwrap_or_default()
    }

    fn wrong_name(&self, form: &Option<Form>) -> String {
        form.as_ref().map(|_| self.errors.of("name")).unwrap_or_default()
    }
}
