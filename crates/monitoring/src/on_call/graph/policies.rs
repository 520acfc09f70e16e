//! Escalation policies and their rules.

use super::read::{Ruled, Schedules};
use super::{POLICY, POLICY_ID, RULE_ID, UNTIL, schedule};
use crate::on_call::model::Rule;
use identity::graph::{People, Person};
use kernel::graph::{Graph, HasTypeRef, ID, INT, STRING, object};

const RULE: &str = "EscalationRuleType";

pub fn graph(g: &mut Graph) {
    g.object::<Rule>(RULE, "Whom an alert pages, and when.")
        .field("id", ID, |it| Some(RULE_ID.of(it.id)))
        .describe("Global ID.")
        .field("elapsedTimeSeconds", INT, |it| Some(it.elapsed_seconds))
        .describe("How long after an alert began, in seconds.")
        .field("status", UNTIL, |it| Some(it.until))
        .describe("It pages unless the alert has become this.")
        .load::<Schedules, _>("oncallSchedule", schedule(), |it| it.target.ids().0)
        .describe("It pages whoever is on call by this schedule.")
        .load::<People, _>("user", object::<Person>("UserCore"), |it| it.target.ids().1)
        .describe("It pages this user.");
    let text = "Whom the alerts of a project page that nobody looks after.";
    g.object::<Ruled>(POLICY, text)
        .field("id", ID.required(), |it| POLICY_ID.of(it.policy.id))
        .describe("Global ID.")
        .field("name", STRING, |it| Some(it.policy.name.clone()))
        .describe("What people call it.")
        .field("description", STRING, |it| it.policy.description.clone())
        .describe("What it is for.")
        .field("rules", object::<Rule>(RULE).required().list(), |it| Some(it.rules.clone()))
        .describe("Its rules, in the order they page.");
}
