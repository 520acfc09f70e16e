//! Mutations of escalation policies.

use super::read::{Ruled, ruled};
use super::{CHANGE, POLICY, POLICY_ID, iid, said};
use crate::on_call::model::{Policy, Until};
use crate::on_call::rules::policies::{self as rules, Change, Named, Said};
use crate::on_call::store::policies as rows;
use identity::graph::caller;
use identity::users::find_by_username;
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result as Wrote};
use kernel::graph::{
    Context, Done, Fault, Graph, HasTypeRef, ID, INT, MutationBuilder, STRING, named, object,
};
use kernel::http::Patch;
use kernel::ids::Reference;
use serde::Deserialize;
use std::sync::Arc;
use store::Tx;

/// What a mutation of a policy shows.
struct Changed(Arc<Ruled>);

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    elapsed_time_seconds: i64,
    status: String,
    oncall_schedule_iid: Option<String>,
    username: Option<String>,
}

#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Input {
    project_path: String,
    id: i64,
    name: Option<String>,
    description: Patch<String>,
    rules: Option<Vec<Rule>>,
}

const RULE: &str = "EscalationRuleInput";

pub fn graph(g: &mut Graph) {
    let elapsed = "How long after an alert began, in seconds, a day at most.";
    let status = named("EscalationRuleStatus").required();
    let fields = vec![
        said("elapsedTimeSeconds", INT.required(), elapsed),
        said(
            "status",
            status,
            "It pages unless the alert has become this.",
        ),
        said(
            "oncallScheduleIid",
            ID,
            "It pages whoever is on call by this schedule.",
        ),
        said("username", STRING, "Or the user of this name."),
    ];
    g.input(RULE, "Whom an alert pages, and when.", fields);
    let (name, steps) = (
        "What people call it.",
        "Whom it pages and when, at most ten.",
    );
    let project = said("projectPath", ID.required(), "Full path of the project.");
    let it = mutation(
        g,
        "escalationPolicyCreate",
        "Makes the escalation policy of a project.",
    )
    .input(project)
    .input(said("name", STRING.required(), name))
    .input(said(
        "rules",
        named(RULE).required().list().required(),
        steps,
    ));
    described(it).run(|it: Input, context| async move {
        write(it, context, |it, tx, viewer, _| {
            let project = Reference::Path(it.project_path.clone());
            let project = spaces::project(tx, viewer, &project, CHANGE)?;
            let new = it.change(tx)?;
            rules::create(tx, viewer, &project, &new)
        })
        .await
    });
    let id = || said("id", POLICY_ID.required(), "The policy.");
    let it = mutation(g, "escalationPolicyUpdate", "Changes an escalation policy.")
        .input(id())
        .input(said("name", STRING, name))
        .input(said("rules", named(RULE).required().list(), steps));
    described(it).run(|it: Input, context| async move {
        write(it, context, |it, tx, viewer, _| {
            let policy = rows::by_ids(tx, &[it.id])?.pop();
            let policy = policy.found("Escalation policy")?;
            let project = Reference::Id(policy.project_id);
            let project = spaces::project(tx, viewer, &project, CHANGE)?;
            let change = it.change(tx)?;
            rules::update(tx, viewer, &project, &policy, &change)
        })
        .await
    });
    let text = "Removes an escalation policy.";
    mutation(g, "escalationPolicyDestroy", text)
        .input(id())
        .run(|it: Input, context| async move {
            write(it, context, |it, tx, viewer, gone| {
                let policy = rows::by_ids(tx, &[it.id])?.pop();
                let policy = policy.found("Escalation policy")?;
                let project = Reference::Id(policy.project_id);
                let project = spaces::project(tx, viewer, &project, CHANGE)?;
                *gone = ruled(tx, vec![policy.clone()])?.pop();
                rules::destroy(tx, viewer, &project, &policy)?;
                Ok(policy)
            })
            .await
        });
}

fn mutation<'g>(
    g: &'g mut Graph,
    name: &'static str,
    text: &'static str,
) -> MutationBuilder<'g, Changed> {
    let shape = object::<Ruled>(POLICY);
    g.mutation::<Changed>(name, text)
        .answers("escalationPolicy", shape, |it| Some(it.0.clone()))
}

fn described(it: MutationBuilder<'_, Changed>) -> MutationBuilder<'_, Changed> {
    it.input(said("description", STRING, "What it is for."))
}

impl Input {
    fn change(&self, tx: &mut Tx<'_>) -> Wrote<Change> {
        let rules = match &self.rules {
            Some(given) => {
                // The rules say how many there may be; no more are looked up.
                let some = given.iter().take(crate::on_call::model::MAX_RULES + 1);
                let said: Wrote<Vec<Said>> = some.map(|one| one.said(tx)).collect();
                Some(said?)
            }
            None => None,
        };
        Ok(Change {
            name: self.name.clone(),
            description: self.description.clone(),
            rules,
        })
    }
}

impl Rule {
    fn said(&self, tx: &mut Tx<'_>) -> Wrote<Said> {
        let wrong = |text: &str| Error::invalid("rules", text);
        let target = match (&self.oncall_schedule_iid, &self.username) {
            (Some(number), None) => Named::Schedule(iid(number)),
            (None, Some(name)) => {
                let name = name.trim().trim_start_matches('@');
                let unknown = || wrong("names a user who does not exist");
                Named::User(find_by_username(tx, name)?.ok_or_else(unknown)?.id)
            }
            _ => return Err(wrong("must each name a schedule or a user, not both")),
        };
        let until = Until::from_text(&self.status.to_ascii_lowercase());
        Ok(Said {
            elapsed_seconds: self.elapsed_time_seconds,
            until: until.ok_or_else(|| wrong("has a status there is not"))?,
            target,
        })
    }
}

/// Does the work, which may leave what it removed, and shows the policy.
async fn write(
    it: Input,
    context: Context,
    work: impl Fn(&Input, &mut Tx<'_>, &Viewer, &mut Option<Ruled>) -> Wrote<Policy>
    + Send
    + Sync
    + 'static,
) -> Result<Done<Changed>, Fault> {
    let (app, viewer) = caller(&context)?;
    let wrote = app.write(move |tx| {
        let mut gone = None;
        let policy = work(&it, tx, &viewer, &mut gone)?;
        match gone {
            Some(gone) => Ok(gone),
            None => ruled(tx, vec![policy])?.pop().found("Escalation policy"),
        }
    });
    Ok(Done::from(Changed(Arc::new(wrote.await?))))
}
