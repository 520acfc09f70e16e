//! `…/-/settings/packages/cleanup`: which versions of a project's or group's
//! packages go by themselves, and what would go now.

use super::settings::kinds;
use super::views::cleanup::{Cleanup, CleanupPreview, FoundRow, RuleForm, RuleRow};
use crate::cleanup::model::{CleanupRun, Going, Owner, Rule};
use crate::cleanup::rule::{self, Change};
use crate::cleanup::run::{self, Preview};
use crate::model::PackageType;
use crate::store::cleanup_rules as rows;
use http::Method;
use identity::pages::page;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::{Moment, Page, ui};
use kernel::http::{Params, Patch, RequestContext, Response, Routes};
use kernel::time::Timestamp;
use spaces::access::Purpose;
use spaces::pages::{Address, Space, section};
use std::collections::HashMap;
use std::sync::Arc;
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

impl Form {
    /// The rule that the fields make. Numbers are read here, so that a word
    /// in their place is told beside its field.
    fn terms(&self) -> Result<Change> {
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

    fn shown(&self) -> RuleForm {
        let text = |sent: &Option<String>| sent.clone().unwrap_or_default();
        RuleForm {
            kind: self.package_type.map_or("", PackageType::as_str).to_owned(),
            keep_last: text(&self.keep_last),
            older_than_days: text(&self.older_than_days),
            not_downloaded_days: text(&self.not_downloaded_days),
            never_downloaded: self.never_downloaded.unwrap_or(false),
            keep_name_regex: text(&self.keep_name_regex),
            keep_version_regex: text(&self.keep_version_regex),
            remove_name_regex: text(&self.remove_name_regex),
            remove_version_regex: text(&self.remove_version_regex),
        }
    }

    fn rule_id(&self) -> Result<i64> {
        self.rule_id.ok_or_else(|| Error::missing("rule_id"))
    }
}

/// The cleanup rules of a group or project.
#[derive(Clone)]
struct CleanupPage {
    app: App,
    viewer: Viewer,
    address: Address,
    /// What a rule would take, and the form that drafts it.
    preview: Option<(Preview, Option<Form>)>,
}

impl CleanupPage {
    fn of(app: &App, viewer: &SignedInViewer, asked: &RequestContext) -> Result<CleanupPage> {
        Ok(CleanupPage {
            app: app.clone(),
            viewer: viewer.viewer(),
            address: Address::of(asked)?,
            preview: None,
        })
    }

    fn space(&self, tx: &mut Tx<'_>) -> Result<Space> {
        let purpose = Purpose::ManagePackageSettings;
        self.address.authorize(tx, &self.viewer, purpose)
    }

    /// What the rule in the form, or the stored one, would take.
    async fn dry_run(&self, form: &Form) -> Result<Preview> {
        let (page, form) = (self.clone(), form.clone());
        let rule = self.app.read(move |tx| {
            let owner = owner(&page.space(tx)?);
            match form.action {
                Action::Show => rule::find(tx, owner, form.rule_id()?),
                _ => form.terms()?.drafted(tx, owner),
            }
        });
        run::preview(&self.app, rule.await?, 0, MAX_SHOWN).await
    }
}

async fn show(app: App, viewer: SignedInViewer, asked: Arc<RequestContext>) -> Result<Response> {
    form::show(&app, CleanupPage::of(&app, &viewer, &asked)?).await
}

async fn change(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    form: Params<Form>,
) -> Result<Response> {
    let (mut page, Params(form)) = (CleanupPage::of(&app, &viewer, &asked)?, form);
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
        page(app, &self.viewer, "Package cleanup")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<Cleanup> {
        let (space, now) = (self.space(tx)?, tx.now());
        let rules = rule::list(tx, owner(&space))?;
        let ids: Vec<i64> = rules.iter().map(|rule| rule.id).collect();
        let runs = rows::last_runs(tx, &ids)?;
        let runs: HashMap<i64, CleanupRun> =
            runs.into_iter().map(|run| (run.rule_id, run)).collect();
        let rows = rules.iter().map(|rule| row(rule, runs.get(&rule.id), now));
        let (preview, drafted) = self.preview.clone().unzip();
        let form = typed.form.clone().or(drafted.flatten());
        Ok(Cleanup {
            page: space.crumbs(page, true),
            address: format!("{}/-/{PAGE}", space.url()),
            head: space.head(tx, &self.viewer)?,
            rules: rows.collect(),
            preview: preview.map(|preview| found(preview, now)),
            kinds: kinds(),
            form: form.as_ref().map(Form::shown).unwrap_or_default(),
            errors: typed.errors.clone(),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let space = self.space(tx)?;
        let (viewer, owner) = (&self.viewer, owner(&space));
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
                "The rule is removed."
            }
            Action::Add | Action::Preview | Action::Show => {
                rule::create(tx, viewer, owner, form.terms()?)?;
                "The rule is added. It is off until you switch it on."
            }
        };
        Outcome::led(format!("{}/-/{PAGE}", space.url()), text)
    }
}

fn owner(space: &Space) -> Owner {
    match space {
        Space::Group(group, _) => Owner::Group(group.id),
        Space::Project(project, _) => Owner::Project(project.id),
    }
}

fn row(rule: &Rule, last: Option<&CleanupRun>, now: Timestamp) -> RuleRow {
    let running = last.filter(|run| run.finished_at.is_none());
    RuleRow {
        id: rule.id,
        kind: rule.package_type.as_str().to_owned(),
        terms: rule.in_words(),
        next: Moment::maybe(rule.next_run_at, now),
        last: last.map(taken).unwrap_or_default(),
        progress: running.map(|run| (unsigned(run.names_done), unsigned(run.names_total))),
    }
}

/// What a run took.
fn taken(run: &CleanupRun) -> String {
    let size = ui::bytes(unsigned(run.removed_size));
    format!("removed {} versions, {size}", run.removed_packages)
}

fn unsigned(number: i64) -> u64 {
    number.unsigned_abs()
}

fn found(preview: Preview, now: Timestamp) -> CleanupPreview {
    let row = |going: &Going| FoundRow {
        name: going.standing.name.clone(),
        version: going.standing.version.clone(),
        published: Moment::new(going.standing.created_at, now),
        downloaded: Moment::maybe(going.standing.last_downloaded_at, now),
        size: unsigned(going.standing.size),
        reasons: going.reasons.join(", "),
    };
    let largest = preview.largest.into_iter();
    CleanupPreview {
        count: unsigned(preview.packages),
        size: unsigned(preview.size),
        largest: largest.map(|(name, size)| (name, unsigned(size))).collect(),
        rows: preview.shown.iter().map(row).collect(),
    }
}
