//! `…/-/settings/merge_requests`: how merge requests of a project are merged, and who has to
//! approve them.

mod approving;
mod examples;
mod merging;

use crate::approvals::editing::{self, Holder};
use ::store::Tx;
use approving::{Approvals, Refused, RuleFields, RuleForm, RuleRow, rule_rows};
use askama::Template;
use examples::Examples;
use http::Method;
use identity::pages::page;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::{self, Choice, Tab};
use kernel::html::{Errors, Page};
use kernel::http::{Flat, Params, Response, Routes};
use merging::{METHODS, Merging, SQUASHES};
use spaces::access::Purpose;
use spaces::model::Project;
use spaces::pages::{PROJECT, Section, Space, Visit};
use spaces::rules::update_project;

const SECTION: &str = "settings/merge_requests";

pub fn routes(r: &mut Routes) {
    let path = format!("{PROJECT}/-/{SECTION}");
    r.page(Method::GET, &path, show);
    r.page(Method::POST, &path, change);
}

kernel::choices! {
    /// What the forms of the page ask for.
    pub enum Action {
        Merging = "merging",
        Approvals = "approvals",
        AddRule = "add_rule",
        ChangeRule = "change_rule",
        DeleteRule = "delete_rule",
    }
}

kernel::params! {
    pub struct Form {
        pub action: Action,
        pub merging: Flat<Merging>,
        pub approvals: Flat<Approvals>,
        pub rule: Flat<RuleFields>,
    }
}

#[derive(Clone)]
struct MergeSettingsPage(Visit);

async fn show(app: App, visit: Visit) -> Result<Response> {
    form::show(&app, MergeSettingsPage(visit)).await
}

async fn change(app: App, visit: Visit, sent: Params<Form>) -> Result<Response> {
    form::submit(&app, MergeSettingsPage(visit), sent.0).await
}

/// The page.
#[derive(Debug, Template)]
#[template(path = "merge_request/settings.html")]
pub struct SettingsView {
    page: Page,
    tabs: Vec<Tab>,
    url: String,
    merging: Merging,
    examples: Examples,
    approvals: Approvals,
    rules: Vec<RuleRow>,
    /// The form of a new rule.
    added: RuleForm,
    errors: Errors,
}

impl SettingsView {
    fn methods(&self) -> Vec<Choice> {
        Choice::list(METHODS)
    }

    fn squashes(&self) -> Vec<Choice> {
        Choice::list(SQUASHES)
    }

    fn resets(&self) -> Vec<Choice> {
        Choice::list(approving::RESETS)
    }
}

impl FormPage for MergeSettingsPage {
    type Form = Form;
    type View = SettingsView;
    const FIELDS: &'static [&'static str] = &[
        "merge_commit_template",
        "squash_commit_template",
        "suggestion_commit_message",
        "merge_request_title_regex",
        "issue_branch_template",
        "approvals_before_merge",
        "name",
        "approvals_required",
        "users",
        "groups",
        "branches",
    ];

    fn page(&self, app: &App) -> Page {
        page(app, &self.0.viewer, "Merge requests")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<SettingsView> {
        let space = self.0.authorize(tx, Purpose::Update)?;
        let project = space.project()?;
        let head = space.head(tx, &self.0.viewer)?;
        let sent = |action| typed.form.as_ref().filter(move |form| form.action == action);
        let merging = match sent(Action::Merging) {
            Some(form) => form.merging.0.clone(),
            None => Merging::stored(tx, project)?,
        };
        let refused = sent(Action::ChangeRule);
        let refused = refused.map(|form| Refused { fields: &form.rule, errors: &typed.errors });
        let added = sent(Action::AddRule);
        Ok(SettingsView {
            page: head.page_below(page, Section::Settings),
            tabs: head.settings_tabs("Merge requests"),
            url: format!("{}/-/{SECTION}", space.url()),
            examples: Examples::of(&merging),
            merging,
            approvals: match sent(Action::Approvals) {
                Some(form) => form.approvals.0.clone(),
                None => Approvals::stored(tx, project)?,
            },
            rules: rule_rows(tx, &self.0.viewer, project, refused)?,
            added: RuleForm {
                fields: added.map(|form| form.rule.0.clone()).unwrap_or_default(),
                errors: added.map(|_| typed.errors.clone()).unwrap_or_default(),
                ..RuleForm::default()
            },
            errors: typed.errors.clone(),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let space = self.0.authorize(tx, Purpose::Update)?;
        let text = changed(tx, &self.0.viewer, &space, form)?;
        Outcome::led(format!("{}/-/{SECTION}", space.url()), text)
    }

    fn refusal(error: Error) -> Error {
        form::rename(error, "rule_type", "name")
    }
}

fn changed(tx: &mut Tx<'_>, viewer: &Viewer, space: &Space, form: &Form) -> Result<&'static str> {
    let project: &Project = space.project()?;
    let holder = Holder::Project(project);
    match form.action {
        Action::Merging => {
            update_project(tx, viewer, &space.reference(), &form.merging.change())?;
            Ok("Settings saved.")
        }
        Action::Approvals => {
            form.approvals.save(tx, viewer, project)?;
            Ok("Settings saved.")
        }
        Action::AddRule => {
            let (input, more) = form.rule.wanted(tx, viewer, project)?;
            editing::create(tx, viewer, holder, &input, &more)?;
            Ok("Rule added.")
        }
        Action::ChangeRule => {
            let id = form.rule.rule_id.ok_or_else(|| Error::missing("rule_id"))?;
            let (input, more) = form.rule.wanted(tx, viewer, project)?;
            editing::update(tx, viewer, holder, id, &input, &more)?;
            Ok("Rule changed.")
        }
        Action::DeleteRule => {
            let id = form.rule.rule_id.ok_or_else(|| Error::missing("rule_id"))?;
            editing::destroy(tx, viewer, holder, id)?;
            Ok("Rule deleted.")
        }
    }
}
