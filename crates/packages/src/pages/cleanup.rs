//! `…/-/settings/packages/cleanup`: which versions of a project's or group's
//! packages go by themselves, and what would go now.

use super::settings::kinds;
use super::views::cleanup::Cleanup;
use crate::cleanup::model::{CleanupRun, Rule};
use crate::cleanup::rule::{self, Change};
use crate::cleanup::run::{self, Preview};
use crate::model::PackageType;
use crate::store::cleanup_rules as rows;
use http::Method;
use identity::pages::page;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::Page;
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::http::params::{Flat, FromParams, Source};
use kernel::http::{Params, Patch, Response, Routes};
use spaces::SpaceId;
use spaces::access::Purpose;
use spaces::pages::{Section, Space, Visit, section};
use std::collections::HashMap;
use store::Tx;

/// Most versions that a preview shows.
const MAX_SHOWN: i64 = 100;
const PAGE: &str = "settings/packages/cleanup";

pub fn routes(r: &mut Routes) {
    section(r, Method::GET, PAGE, show);
    section(r, Method::POST, PAGE, change);
}

kernel::choices! {
    pub enum Action {
        Preview = "preview",
        Add = "add",
        Show = "show",
        Enable = "enable",
        Disable = "disable",
        Remove = "remove",
    }
}

kernel::params! {
    pub struct Form {
        /// What is asked for.
        pub action: Action,
        /// The rule it is asked of.
        pub rule_id: Option<i64>,
        pub terms: Flat<Terms>,
    }
}

kernel::params! {
    /// The fields of a new rule, as they are sent.
    pub struct Terms {
        /// The format of a new rule.
        pub package_type: Option<PackageType>,
        /// So many of the newest versions of each name stay.
        pub keep_last: Option<String>,
        /// Names that stay.
        pub keep_name_regex: Option<String>,
        /// Versions that stay.
        pub keep_version_regex: Option<String>,
        /// Only names like this go.
        pub remove_name_regex: Option<String>,
        /// Only versions like this go.
        pub remove_version_regex: Option<String>,
        /// Only what was published more days ago goes.
        pub older_than_days: Option<String>,
        /// Only what was not downloaded for so many days goes.
        pub not_downloaded_days: Option<String>,
        /// Only what was never downloaded goes.
        pub never_downloaded: Option<bool>,
    }
}

impl Terms {
    /// The rule that the fields make. Numbers are read here, so that a word
    /// in their place is told beside its field.
    fn change(&self) -> Result<Change> {
        let number = |field: &str, text: &Option<String>| {
            let text = text.as_deref().unwrap_or_default().trim();
            match text.parse() {
                _ if text.is_empty() => Ok(Patch::Absent),
                Ok(number) => Ok(Patch::Value(number)),
                Err(_) => Err(Error::invalid(field, "must be a number")),
            }
        };
        let pattern = |text: &Option<String>| Patch::Value(text.clone().unwrap_or_default());
        Ok(Change {
            package_type: Some(self.package_type.unwrap_or(PackageType::Generic)),
            enabled: Some(false),
            keep_last: number("keep_last", &self.keep_last)?,
            older_than_days: number("older_than_days", &self.older_than_days)?,
            not_downloaded_days: number("not_downloaded_days", &self.not_downloaded_days)?,
            never_downloaded: Some(self.never_downloaded.unwrap_or(false)),
            keep_name_regex: pattern(&self.keep_name_regex),
            keep_version_regex: pattern(&self.keep_version_regex),
            remove_name_regex: pattern(&self.remove_name_regex),
            remove_version_regex: pattern(&self.remove_version_regex),
        })
    }

    pub fn kind(&self) -> &'static str {
        self.package_type.map_or("", PackageType::as_str)
    }

    /// What the form holds before anything is sent.
    pub fn blank() -> Result<Terms> {
        Terms::from_params(&Source::new()).map_err(Error::Parameters)
    }
}

impl Form {
    fn rule_id(&self) -> Result<i64> {
        self.rule_id.ok_or_else(|| Error::missing("rule_id"))
    }
}

/// The cleanup rules of a group or project.
#[derive(Clone)]
struct CleanupPage {
    app: App,
    visit: Visit,
    /// What a rule would take, and the form that drafts it.
    preview: Option<(Preview, Option<Form>)>,
}

impl CleanupPage {
    fn of(app: &App, visit: Visit) -> CleanupPage {
        CleanupPage { app: app.clone(), visit, preview: None }
    }

    fn space(&self, tx: &mut Tx<'_>) -> Result<Space> {
        self.visit.authorize(tx, Purpose::ManagePackageSettings)
    }

    /// What the rule in the form, or the stored one, would take.
    async fn dry_run(&self, form: &Form) -> Result<Preview> {
        let (page, form) = (self.clone(), form.clone());
        let rule = self.app.read(move |tx| {
            let owner = owner(&page.space(tx)?);
            match form.action {
                Action::Show => rule::find(tx, owner, form.rule_id()?),
                _ => form.terms.change()?.drafted(tx, owner),
            }
        });
        run::preview(&self.app, rule.await?, 0, MAX_SHOWN).await
    }
}

async fn show(app: App, visit: Visit) -> Result<Response> {
    form::show(&app, CleanupPage::of(&app, visit)).await
}

async fn change(app: App, visit: Visit, form: Params<Form>) -> Result<Response> {
    let (mut page, Params(form)) = (CleanupPage::of(&app, visit), form);
    if !matches!(form.action, Action::Preview | Action::Show) {
        return form::submit(&app, page, form).await;
    }
    match page.dry_run(&form).await {
        Ok(preview) => {
            let drafted = (form.action == Action::Preview).then_some(form);
            page.preview = Some((preview, drafted));
            form::show(&app, page).await
        }
        Err(error) => form::refused(&app, page, form, error).await,
    }
}

impl FormPage for CleanupPage {
    type Form = Form;
    type View = Cleanup;
    const FIELDS: &'static [&'static str] = &[
        "keep_last",
        "older_than_days",
        "not_downloaded_days",
        "keep_name_regex",
        "keep_version_regex",
        "remove_name_regex",
        "remove_version_regex",
    ];

    fn page(&self, app: &App) -> Page {
        page(app, &self.visit.viewer, "Package cleanup")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<Cleanup> {
        let space = self.space(tx)?;
        let rules = rule::list(tx, owner(&space))?;
        let ids: Vec<i64> = rules.iter().map(|rule| rule.id).collect();
        let runs = rows::last_runs(tx, &ids)?;
        let mut runs: HashMap<i64, CleanupRun> =
            runs.into_iter().map(|run| (run.rule_id, run)).collect();
        let with_run = |rule: Rule| {
            let run = runs.remove(&rule.id);
            (rule, run)
        };
        let (preview, drafted) = self.preview.clone().unzip();
        let form = typed.form.clone().or(drafted.flatten());
        let head = space.head(tx, &self.visit.viewer)?;
        Ok(Cleanup {
            page: head.page_below(page, Section::Settings),
            address: format!("{}/-/{PAGE}", space.url()),
            head,
            rules: rules.into_iter().map(with_run).collect(),
            preview,
            kinds: kinds(),
            form: match form {
                Some(sent) => sent.terms.0,
                None => Terms::blank()?,
            },
            now: tx.now(),
            errors: typed.errors.clone(),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let space = self.space(tx)?;
        let (viewer, owner) = (&self.visit.viewer, owner(&space));
        let text = match form.action {
            Action::Enable => {
                rule::switch(tx, viewer, owner, form.rule_id()?, true)?;
                "The rule is on: it is applied twice a day."
            }
            Action::Disable => {
                rule::switch(tx, viewer, owner, form.rule_id()?, false)?;
                "The rule is off."
            }
            Action::Remove => {
                rule::destroy(tx, viewer, owner, form.rule_id()?)?;
                "Rule removed."
            }
            Action::Add | Action::Preview | Action::Show => {
                rule::create(tx, viewer, owner, form.terms.change()?)?;
                "Rule added. It is off until you switch it on."
            }
        };
        Outcome::led(format!("{}/-/{PAGE}", space.url()), text)
    }
}

fn owner(space: &Space) -> SpaceId {
    match space {
        Space::Group(group, _) => SpaceId::Group(group.id),
        Space::Project(project, _) => SpaceId::Project(project.id),
    }
}
