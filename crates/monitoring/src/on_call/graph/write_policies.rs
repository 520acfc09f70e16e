//! Mutations of escalation policies.

use super::read::{Ruled, ruled};
use super::{Changed, POLICY, POLICY_ID, change, iid, mutation};
use crate::access::Here;
use crate::on_call::access::CHANGE;
use crate::on_call::model::{MAX_RULES, Policy, Until};
use crate::on_call::rules::policies::{self as rules, PolicyInput, RuleInput};
use crate::on_call::store::policies as rows;
use identity::users::find_by_username;
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result as Wrote};
use kernel::graph::input::GraphInput;
use kernel::graph::{Context, Done, Fault, Graph, HasTypeRef, ID, INT, STRING, named, object};
use kernel::graph_input;
use kernel::http::Patch;
use kernel::ids::Reference;
use store::Tx;

type Answer = Result<Done<Changed<Ruled>>, Fault>;

graph_input! {
    struct Rule {
        /// How long after an alert began, in seconds, a day at most.
        elapsed_time_seconds: i64 = INT.required(),
        /// It pages unless the alert has become this.
        status: String = named("EscalationRuleStatus").required(),
        /// It pages whoever is on call by this schedule.
        oncall_schedule_iid: Option<String> = ID,
        /// Or the user of this name.
        username: Option<String> = STRING,
    }
}

graph_input! {
    struct Create {
        /// Full path of the project.
        project_path: String = ID.required(),
        /// What people call it.
        name: String = STRING.required(),
        /// Whom it pages and when, at most ten.
        rules: Vec<Rule> = named(RULE).required().list().required(),
        /// What it is for.
        #[serde(default)]
        description: Patch<String> = STRING,
    }
}

graph_input! {
    struct Which {
        /// The policy.
        id: i64 = POLICY_ID.required(),
    }
}

graph_input! {
    struct Update {
        ..which: Which,
        /// What people call it.
        name: Option<String> = STRING,
        /// Whom it pages and when, at most ten.
        rules: Option<Vec<Rule>> = named(RULE).required().list(),
        /// What it is for.
        #[serde(default)]
        description: Patch<String> = STRING,
    }
}

const RULE: &str = "EscalationRuleInput";

pub fn graph(g: &mut Graph) {
    g.input(RULE, "Whom an alert pages, and when.", Rule::arguments());
    let shown = ("escalationPolicy", object(POLICY));
    let text = "Makes the escalation policy of a project.";
    mutation(g, "escalationPolicyCreate", text, &shown).handle(create);
    let text = "Changes an escalation policy.";
    mutation(g, "escalationPolicyUpdate", text, &shown).handle(update);
    let text = "Removes an escalation policy.";
    mutation(g, "escalationPolicyDestroy", text, &shown).handle(destroy);
}

async fn create(input: Create, context: Context) -> Answer {
    let project = Reference::Path(input.project_path.clone());
    change(context, move |tx, viewer| {
        let here = Here::authorize(tx, viewer, &project, CHANGE)?;
        let new = PolicyInput {
            name: Some(input.name.clone()),
            description: input.description.clone(),
            rules: Some(rules_of(tx, &input.rules)?),
        };
        let made = rules::create(tx, &here, &new)?;
        with_rules(tx, made)
    })
    .await
}

async fn update(input: Update, context: Context) -> Answer {
    change(context, move |tx, viewer| {
        let (here, policy) = input.which.authorize(tx, viewer)?;
        let rules = input.rules.as_deref();
        let wanted = PolicyInput {
            name: input.name.clone(),
            description: input.description.clone(),
            rules: rules.map(|rules| rules_of(tx, rules)).transpose()?,
        };
        let changed = rules::update(tx, &here, &policy, &wanted)?;
        with_rules(tx, changed)
    })
    .await
}

async fn destroy(which: Which, context: Context) -> Answer {
    change(context, move |tx, viewer| {
        let (here, policy) = which.authorize(tx, viewer)?;
        let shown = with_rules(tx, policy.clone())?;
        rules::destroy(tx, &here, &policy)?;
        Ok(shown)
    })
    .await
}

impl Which {
    fn authorize(&self, tx: &mut Tx<'_>, viewer: &Viewer) -> Wrote<(Here, Policy)> {
        let policy = rows::by_ids(tx, &[self.id])?.pop();
        let policy = policy.found("Escalation policy")?;
        let project = Reference::Id(policy.project_id);
        Ok((Here::authorize(tx, viewer, &project, CHANGE)?, policy))
    }
}

fn with_rules(tx: &mut Tx<'_>, policy: Policy) -> Wrote<Ruled> {
    ruled(tx, vec![policy])?.pop().found("Escalation policy")
}

/// The rules with the users of their names; no more than say that there are
/// too many.
fn rules_of(tx: &mut Tx<'_>, given: &[Rule]) -> Wrote<Vec<RuleInput>> {
    let some = given.iter().take(MAX_RULES + 1);
    some.map(|rule| rule.read(tx)).collect()
}

impl Rule {
    fn read(&self, tx: &mut Tx<'_>) -> Wrote<RuleInput> {
        let wrong = |text: &str| Error::invalid("rules", text);
        let user_id = match &self.username {
            Some(name) => {
                let name = name.trim().trim_start_matches('@');
                let unknown = || wrong("names a user who does not exist");
                Some(find_by_username(tx, name)?.ok_or_else(unknown)?.id)
            }
            None => None,
        };
        let status = Until::from_text(&self.status.to_ascii_lowercase());
        Ok(RuleInput {
            elapsed_time_seconds: self.elapsed_time_seconds,
            status: status.ok_or_else(|| wrong("has a status there is not"))?,
            oncall_schedule_iid: self.oncall_schedule_iid.as_deref().map(iid),
            user_id,
        })
    }
}
