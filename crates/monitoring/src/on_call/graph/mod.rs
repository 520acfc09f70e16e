//! On-call schedules and escalation policies in GraphQL. The rules and what
//! is seen are those of REST: what is hidden there is null or left out here.

mod policies;
mod projects;
mod read;
mod rotations;
mod write_policies;
mod write_rotations;
mod write_schedules;

use super::model::{Schedule, Unit, Until};
use identity::graph::caller;
use identity::viewer::Viewer;
use kernel::error::Result as Wrote;
use kernel::graph::shape::{Leaf, Object};
use kernel::graph::{
    Argument, Context, Done, Fault, GlobalId, Graph, HasTypeRef, MutationBuilder, argument, item,
    object,
};
use std::sync::Arc;
use store::Tx;

pub const ROTATION_ID: GlobalId =
    GlobalId::new("IncidentManagementOncallRotationID", "IncidentManagement::OncallRotation");
pub const POLICY_ID: GlobalId =
    GlobalId::new("IncidentManagementEscalationPolicyID", "IncidentManagement::EscalationPolicy");
const PARTICIPANT_ID: GlobalId =
    GlobalId::new("IncidentManagementOncallParticipantID", "IncidentManagement::OncallParticipant");
const RULE_ID: GlobalId =
    GlobalId::new("IncidentManagementEscalationRuleID", "IncidentManagement::EscalationRule");

const SCHEDULE: &str = "IncidentManagementOncallSchedule";
const ROTATION: &str = "IncidentManagementOncallRotation";
const POLICY: &str = "EscalationPolicyType";

const UNIT: Leaf<Unit> = Leaf::upper("OncallRotationUnitEnum");
const UNTIL: Leaf<Until> = Leaf::upper("EscalationRuleStatus");

pub fn graph(g: &mut Graph) {
    let units = vec![
        item("HOURS", "Hours that pass."),
        item("DAYS", "Days of the schedule's time zone."),
        item("WEEKS", "Weeks of it."),
    ];
    let text = "What the length of a turn is counted in.";
    g.enumeration("OncallRotationUnitEnum", text, units);
    let states = vec![
        item("ACKNOWLEDGED", "Somebody looks after it, or it is over."),
        item("RESOLVED", "It is over."),
    ];
    let text = "What an alert must have become for a rule to page nobody.";
    g.enumeration("EscalationRuleStatus", text, states);
    for id in [ROTATION_ID, POLICY_ID] {
        id.register(g);
    }
    rotations::graph(g);
    policies::graph(g);
    projects::graph(g);
    write_schedules::graph(g);
    write_rotations::graph(g);
    write_policies::graph(g);
    g.node::<read::Rotations, _>(ROTATION_ID, object(ROTATION));
    g.node::<read::Policies, _>(POLICY_ID, object(POLICY));
}

fn arg(name: &str, shape: impl HasTypeRef, text: &str) -> Argument {
    argument(name, shape).describe(text)
}

/// What a mutation shows of what it changed.
struct Changed<T>(Arc<T>);

/// A mutation that answers what it changed in a field of this name.
fn mutation<'g, T: Send + Sync + 'static>(
    g: &'g mut Graph, name: &'static str, text: &'static str, (field, shape): &(&str, Object<T>),
) -> MutationBuilder<'g, Changed<T>> {
    g.mutation(name, text)
        .answers(field, shape.clone(), |it: &Changed<T>| Some(it.0.clone()))
}

async fn change<T: Send + Sync + 'static>(
    context: Context, work: impl Fn(&mut Tx<'_>, &Viewer) -> Wrote<T> + Send + Sync + 'static,
) -> Result<Done<Changed<T>>, Fault> {
    let (app, viewer) = caller(&context)?;
    let changed = app.write(move |tx| work(tx, &viewer)).await?;
    Ok(Done::from(Changed(Arc::new(changed))))
}

/// The number that a schedule's `iid` is; one that none has for other texts.
fn iid(text: &str) -> i64 {
    text.parse().unwrap_or(0)
}

fn schedule() -> Object<Schedule> {
    object(SCHEDULE)
}
