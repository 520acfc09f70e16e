//! `…/-/escalation_policies`: whom the alerts of a project page.

use super::views::{OnePolicy, PolicyRow, RuleForm};
use super::{CHANGE, READ, may_change, project_of};
use crate::on_call::model::{MAX_RULES, MAX_SCHEDULES, Policy, Rule, Schedule, Target, Until};
use crate::on_call::rules::policies::{self as rules, Change, Named, Said};
use crate::on_call::store::{policies as rows, schedules};
use identity::entities::load_basic;
use identity::model::User;
use identity::pages::refusal::FormState;
use identity::users::find_by_username;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::ui::Choice;
use kernel::html::{Html, flash};
use kernel::http::{Params, Patch, RequestContext, Response};
use spaces::Project;
use spaces::pages::Address;
use std::collections::HashMap;
use std::sync::Arc;
use store::Tx;

const STATES: &[(&str, &str)] = &[
    ("acknowledged", "Nobody acknowledged it"),
    ("resolved", "It is not resolved"),
];
/// Empty rules that the form has besides.
const SPARE: usize = 2;

kernel::choices! {
    /// What the forms ask for.
    pub enum Action {
        /// To make or change the policy.
        Save = "save",
        /// To remove it.
        Remove = "remove",
    }
}

kernel::params! {
    /// A rule.
    pub struct RuleFields {
        /// After how many minutes.
        pub minutes: Option<String>,
        /// Unless the alert has become this.
        pub status: Option<Until>,
        /// Number of the schedule.
        pub schedule: Option<i64>,
        /// Name of the user.
        pub username: Option<String>,
    }
}

kernel::params! {
    /// The forms.
    pub struct Form {
        /// Which.
        pub action: Action,
        /// What people call the policy.
        pub name: Option<String>,
        /// What it is for.
        pub description: Option<String>,
        /// Its rules.
        pub rules: Option<Vec<RuleFields>>,
    }
}

/// The policy of a project and whom its rules name.
struct Stored {
    policy: Option<Policy>,
    rules: Vec<Rule>,
    users: HashMap<i64, User>,
    schedules: Vec<Schedule>,
}

impl Stored {
    fn read(tx: &mut Tx<'_>, project: &Project) -> Result<Stored> {
        let policy = rows::list(tx, project.id, 1, 0)?.pop();
        let rules = match &policy {
            Some(policy) => rules::of_policy(tx, policy)?,
            None => Vec::new(),
        };
        let users = rules.iter().filter_map(|rule| match rule.target {
            Target::User(id) => Some(id),
            Target::Schedule(_) => None,
        });
        Ok(Stored {
            users: load_basic(tx, &users.collect::<Vec<_>>())?,
            schedules: schedules::list(tx, project.id, MAX_SCHEDULES, 0)?,
            policy,
            rules,
        })
    }

    fn schedule(&self, id: i64) -> Option<&Schedule> {
        self.schedules.iter().find(|one| one.id == id)
    }

    fn username(&self, id: i64) -> String {
        let user = self.users.get(&id);
        user.map(|user| user.username.clone()).unwrap_or_default()
    }

    fn sentence(&self, rule: &Rule) -> String {
        let whom = match rule.target {
            Target::User(id) => format!("@{}", self.username(id)),
            Target::Schedule(id) => match self.schedule(id) {
                Some(one) => format!("who is on call by {}", one.name),
                None => String::new(),
            },
        };
        format!(
            "After {} minutes page {whom}, unless it is {}",
            minutes(rule),
            rule.until
        )
    }

    fn row(&self) -> Option<PolicyRow> {
        let policy = self.policy.as_ref()?;
        Some(PolicyRow {
            name: policy.name.clone(),
            description: policy.description.clone().unwrap_or_default(),
            rules: self.rules.iter().map(|rule| self.sentence(rule)).collect(),
        })
    }

    fn form(&self, rule: &Rule) -> RuleForm {
        let (schedule, username) = match rule.target {
            Target::User(id) => (String::new(), self.username(id)),
            Target::Schedule(id) => {
                let iid = self.schedule(id).map(|one| one.iid.to_string());
                (iid.unwrap_or_default(), String::new())
            }
        };
        RuleForm {
            minutes: minutes(rule),
            status: rule.until.to_string(),
            schedule,
            username,
        }
    }
}

/// After how many minutes a rule pages: whole ones, or to the second.
fn minutes(rule: &Rule) -> String {
    let (whole, seconds) = (rule.elapsed_seconds / 60, rule.elapsed_seconds % 60);
    match seconds {
        0 => whole.to_string(),
        _ => format!("{whole}:{seconds:02}"),
    }
}

/// What [`minutes`] said, in seconds.
fn seconds(text: &str) -> Option<i64> {
    let (whole, rest) = text.split_once(':').unwrap_or((text, "0"));
    let (whole, rest) = (whole.trim().parse::<u32>().ok()?, rest.parse::<u8>().ok()?);
    (rest < 60).then(|| i64::from(whole) * 60 + i64::from(rest))
}

pub(super) async fn show(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
) -> Result<Response> {
    let address = Address::of(&asked)?;
    render(app, viewer.viewer(), address, FormState::default()).await
}

async fn render(
    app: App,
    viewer: Viewer,
    address: Address,
    typed: FormState<Form>,
) -> Result<Response> {
    let status = typed.refusal.status();
    let shown = typed.refusal.page(&app, &viewer, "Escalation policy");
    let view = app
        .read(move |tx| {
            let space = address.authorize(tx, &viewer, READ)?;
            let head = space.head(tx, &viewer)?;
            let stored = Stored::read(tx, project_of(&space)?)?;
            let row = stored.row();
            let (name, description, mut rules) = match (&typed.form, &row) {
                (Some(form), _) => (
                    form.name.clone().unwrap_or_default(),
                    form.description.clone().unwrap_or_default(),
                    form.typed(),
                ),
                (None, Some(row)) => (
                    row.name.clone(),
                    row.description.clone(),
                    stored.rules.iter().map(|rule| stored.form(rule)).collect(),
                ),
                (None, None) => (String::new(), String::new(), Vec::new()),
            };
            let most = (rules.len() + SPARE).min(MAX_RULES).max(rules.len());
            rules.resize_with(most, || RuleForm {
                status: Until::Acknowledged.to_string(),
                ..RuleForm::default()
            });
            let mut choices = Choice::list(&[("", "A user")]);
            choices.extend(stored.schedules.iter().map(|one| Choice {
                value: one.iid.to_string(),
                label: one.name.clone(),
            }));
            Ok(OnePolicy {
                page: space.crumbs(shown, true),
                can_change: may_change(&space),
                url: format!("{}/-/escalation_policies", space.url()),
                policy: row,
                name,
                description,
                rules,
                states: Choice::list(STATES),
                schedules: choices,
                errors: typed.refusal.errors,
                head,
            })
        })
        .await?;
    Ok(Html::new(&view)?.status(status).response())
}

impl RuleFields {
    /// Nothing was typed into it.
    fn is_empty(&self) -> bool {
        let blank = |text: &Option<String>| text.as_deref().unwrap_or_default().trim().is_empty();
        self.schedule.is_none() && blank(&self.minutes) && blank(&self.username)
    }

    fn said(&self, tx: &mut Tx<'_>) -> Result<Said> {
        let wrong = |text: String| Error::invalid("rules", text);
        let name = self.username.as_deref().unwrap_or_default().trim();
        let name = name.trim_start_matches('@');
        let target = match (self.schedule, name) {
            (Some(iid), "") => Named::Schedule(iid),
            (None, name) if !name.is_empty() => {
                let unknown = || wrong(format!("name {name}, who does not exist"));
                Named::User(find_by_username(tx, name)?.ok_or_else(unknown)?.id)
            }
            _ => {
                let text = "must each name a schedule or a user, not both";
                return Err(wrong(text.into()));
            }
        };
        let after = self.minutes.as_deref().unwrap_or_default().trim();
        let after = match after.is_empty() {
            true => Some(0),
            false => seconds(after),
        };
        Ok(Said {
            elapsed_seconds: after.ok_or_else(|| wrong("must have whole minutes".into()))?,
            until: self.status.unwrap_or(Until::Acknowledged),
            target,
        })
    }
}

impl Form {
    fn given(&self) -> impl Iterator<Item = &RuleFields> {
        let all = self.rules.iter().flatten();
        all.filter(|rule| !rule.is_empty()).take(MAX_RULES + 1)
    }

    fn typed(&self) -> Vec<RuleForm> {
        let text = |given: &Option<String>| given.clone().unwrap_or_default();
        let typed = self.given().map(|rule| RuleForm {
            minutes: text(&rule.minutes),
            status: rule.status.unwrap_or(Until::Acknowledged).to_string(),
            schedule: rule.schedule.map(|iid| iid.to_string()).unwrap_or_default(),
            username: text(&rule.username),
        });
        typed.collect()
    }
}

pub(super) async fn change(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    form: Params<Form>,
) -> Result<Response> {
    let Params(form) = form;
    let (viewer, address) = (viewer.viewer(), Address::of(&asked)?);
    let (asker, place, wanted) = (viewer.clone(), address.clone(), form.clone());
    let done = app
        .write(move |tx| {
            let space = place.authorize(tx, &asker, CHANGE)?;
            let said = apply(tx, &asker, project_of(&space)?, &wanted)?;
            Ok((format!("{}/-/escalation_policies", space.url()), said))
        })
        .await;
    match done {
        Ok((url, said)) => flash::done(&app, &url, said),
        Err(error) => {
            let typed = FormState::refused(form, error, &["name", "description"])?;
            render(app, viewer, address, typed).await
        }
    }
}

fn apply(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, form: &Form) -> Result<&'static str> {
    let policy = rows::list(tx, project.id, 1, 0)?.pop();
    if form.action == Action::Remove {
        if let Some(policy) = policy {
            rules::destroy(tx, viewer, project, &policy)?;
        }
        return Ok("The escalation policy is removed.");
    }
    let said: Result<Vec<Said>> = form.given().map(|rule| rule.said(tx)).collect();
    let change = Change {
        name: Some(form.name.clone().unwrap_or_default()),
        description: form.description.clone().map_or(Patch::Null, Patch::Value),
        rules: Some(said?),
    };
    match policy {
        Some(policy) => rules::update(tx, viewer, project, &policy, &change)?,
        None => rules::create(tx, viewer, project, &change)?,
    };
    Ok("The escalation policy is saved.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_are_read_as_they_are_written() {
        let rule = |elapsed_seconds| Rule {
            id: 1,
            policy_id: 1,
            elapsed_seconds,
            until: Until::Resolved,
            target: Target::User(1),
        };
        for elapsed in [0, 59, 60, 90, 3_600, 86_400] {
            assert_eq!(seconds(&minutes(&rule(elapsed))), Some(elapsed));
        }
        for wrong in ["", "a", "-1", "1:60", "1:2:3", "99999999999"] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
    }
}
