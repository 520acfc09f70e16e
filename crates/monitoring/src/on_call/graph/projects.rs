//! The schedules and the policy of projects.

use super::read::{Ruled, keyed, readable, ruled};
use super::{POLICY, POLICY_ID, arg, iid, schedule};
use crate::on_call::model::Schedule;
use crate::on_call::store::{policies as policy_rows, schedules as rows};
use identity::graph::caller;
use kernel::graph::{
    Args, Ask, Connection, Context, Fault, Graph, HasTypeRef, ID, Key, Order, STRING, object,
};
use spaces::graph::ProjectView as Project;
use std::collections::HashMap;
use std::sync::Arc;

pub fn graph(g: &mut Graph) {
    let policy = || object::<Ruled>(POLICY);
    g.on::<Project>("Project")
        .connections("incidentManagementOncallSchedules", schedule(), schedules)
        .describe("Plans of who is on call; none for those who may not see them.")
        .arg(arg("iids", ID.required().list(), "Only those of these numbers."))
        .connections("incidentManagementEscalationPolicies", policy(), policies)
        .describe("Whom its alerts page; none for those who may not see it.")
        .arg(arg("name", STRING, "Only those in whose name this is."))
        .level("incidentManagementEscalationPolicy", policy(), one)
        .cost(kernel::graph::Cost::LookedUp)
        .describe("The policy of this ID, if it is of this project.")
        .arg(arg("id", POLICY_ID.required(), "Its global ID."));
}

async fn schedules(
    projects: Vec<Arc<Project>>, ask: Ask, args: Args, context: Context,
) -> Result<Vec<Option<Connection<Schedule>>>, Fault> {
    let iids: Option<Vec<String>> = args.get("iids")?;
    let iids = iids.map(|all| all.iter().map(|text| iid(text)).collect::<Vec<i64>>());
    let window = ask.window(&context, "on-call schedules", &[Key::int("s.id", Order::Asc)])?;
    let (app, viewer) = caller(&context)?;
    let all: Vec<spaces::Project> = projects.iter().map(|it| it.project.clone()).collect();
    let owners: Vec<i64> = all.iter().map(|project| project.id).collect();
    let read = app.read(move |tx| {
        let may: Vec<i64> = readable(tx, &viewer, &all)?.into_iter().collect();
        Ok((rows::pages(tx, &window, may, iids)?, window))
    });
    let (found, window) = read.await?;
    let pages = window.pages(&owners, found, |it: &Schedule| vec![it.id.into()]);
    Ok(pages.into_iter().map(Some).collect())
}

/// The policies of these projects that the viewer may see; a project has one
/// at most.
async fn of_projects(
    context: &Context, projects: &[Arc<Project>],
) -> Result<HashMap<i64, Arc<Ruled>>, Fault> {
    let (app, viewer) = caller(context)?;
    let all: Vec<spaces::Project> = projects.iter().map(|it| it.project.clone()).collect();
    let read = app.read(move |tx| {
        let may: Vec<i64> = readable(tx, &viewer, &all)?.into_iter().collect();
        let found = policy_rows::of_projects(tx, &may)?;
        ruled(tx, found)
    });
    Ok(keyed(read.await?, |it| it.policy.project_id))
}

async fn policies(
    projects: Vec<Arc<Project>>, ask: Ask, args: Args, context: Context,
) -> Result<Vec<Option<Connection<Ruled>>>, Fault> {
    let keys = [Key::int("id", Order::Asc)];
    let window = ask.window(&context, "escalation policies", &keys)?;
    let name: Option<String> = args.get("name")?;
    let name = kernel::ids::fold(name.unwrap_or_default().trim());
    let found = of_projects(&context, &projects).await?;
    let page = |it: &Arc<Project>| {
        let own = found.get(&it.project.id);
        let own = own.filter(|it| kernel::ids::fold(&it.policy.name).contains(&name));
        let whole: Vec<Arc<Ruled>> = own.cloned().into_iter().collect();
        Some(window.page_of_whole(&whole, |it| it.policy.id))
    };
    Ok(projects.iter().map(page).collect())
}

async fn one(
    projects: Vec<Arc<Project>>, args: Args, context: Context,
) -> Result<Vec<Option<Arc<Ruled>>>, Fault> {
    let id: i64 = args.get("id")?;
    let found = of_projects(&context, &projects).await?;
    let of = |it: &Arc<Project>| {
        let own = found.get(&it.project.id);
        own.filter(|it| it.policy.id == id).cloned()
    };
    Ok(projects.iter().map(of).collect())
}
