//! Mutations of schedules.

use super::{CHANGE, iid, said, schedule};
use crate::on_call::model::Schedule;
use crate::on_call::rules::schedules::{self as rules, Change};
use crate::on_call::store::schedules as rows;
use identity::graph::caller;
use identity::viewer::Viewer;
use kernel::error::{Found, Result as Wrote};
use kernel::graph::{Context, Done, Fault, Graph, HasTypeRef, ID, MutationBuilder, STRING};
use kernel::http::Patch;
use kernel::ids::Reference;
use serde::Deserialize;
use spaces::Project;
use std::sync::Arc;
use store::Tx;

/// What a mutation of a schedule shows.
struct Changed(Arc<Schedule>);

#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Input {
    project_path: String,
    iid: String,
    name: Option<String>,
    description: Patch<String>,
    timezone: Option<String>,
}

impl Input {
    fn change(&self) -> Change {
        Change {
            name: self.name.clone(),
            description: self.description.clone(),
            time_zone: self.timezone.clone(),
        }
    }
}

pub fn graph(g: &mut Graph) {
    let name = "What people call it.";
    let zone = "IANA name of its time zone.";
    let it = mutation(g, "oncallScheduleCreate", "Makes an on-call schedule.")
        .input(said("name", STRING.required(), name))
        .input(said("timezone", STRING.required(), zone));
    described(it).run(|it: Input, context| async move {
        let new = it.change();
        write(it, context, move |tx, viewer, project, _| {
            rules::create(tx, viewer, project, &new)
        })
        .await
    });
    let number = || said("iid", STRING.required(), "Number of the schedule.");
    let it = mutation(g, "oncallScheduleUpdate", "Changes an on-call schedule.")
        .input(number())
        .input(said("name", STRING, name))
        .input(said("timezone", STRING, zone));
    described(it).run(|it: Input, context| async move {
        let change = it.change();
        write(it, context, move |tx, viewer, project, iid| {
            let one = rows::find(tx, project.id, iid)?.found("On-call schedule")?;
            rules::update(tx, viewer, project, &one, &change)
        })
        .await
    });
    mutation(g, "oncallScheduleDestroy", "Removes an on-call schedule.")
        .input(number())
        .run(|it: Input, context| async move {
            write(it, context, |tx, viewer, project, iid| {
                let one = rows::find(tx, project.id, iid)?.found("On-call schedule")?;
                rules::destroy(tx, viewer, project, &one)?;
                Ok(one)
            })
            .await
        });
}

fn mutation<'g>(
    g: &'g mut Graph,
    name: &'static str,
    text: &'static str,
) -> MutationBuilder<'g, Changed> {
    g.mutation::<Changed>(name, text)
        .input(said(
            "projectPath",
            ID.required(),
            "Full path of the project.",
        ))
        .answers("oncallSchedule", schedule(), |it| Some(it.0.clone()))
}

fn described(it: MutationBuilder<'_, Changed>) -> MutationBuilder<'_, Changed> {
    it.input(said("description", STRING, "What it is for."))
}

async fn write(
    it: Input,
    context: Context,
    work: impl Fn(&mut Tx<'_>, &Viewer, &Project, i64) -> Wrote<Schedule> + Send + Sync + 'static,
) -> Result<Done<Changed>, Fault> {
    let (app, viewer) = caller(&context)?;
    let (project, number) = (Reference::Path(it.project_path), iid(&it.iid));
    let wrote = app.write(move |tx| {
        let project = spaces::project(tx, &viewer, &project, CHANGE)?;
        work(tx, &viewer, &project, number)
    });
    Ok(Done::from(Changed(Arc::new(wrote.await?))))
}
