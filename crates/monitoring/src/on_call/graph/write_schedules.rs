//! Mutations of schedules.

use super::{Changed, change, iid, mutation, schedule};
use crate::access::Here;
use crate::on_call::access::{CHANGE, ScheduleAccess};
use crate::on_call::model::Schedule;
use crate::on_call::rules::schedules::{self as rules, ScheduleInput};
use identity::viewer::Viewer;
use kernel::error::Result as Wrote;
use kernel::graph::{Context, Done, Fault, Graph, HasTypeRef, ID, STRING};
use kernel::graph_input;
use kernel::http::Patch;
use kernel::ids::Reference;
use store::Tx;

type Answer = Result<Done<Changed<Schedule>>, Fault>;

graph_input! {
    struct Place {
        /// Full path of the project.
        project_path: String = ID.required(),
        /// Number of the schedule.
        iid: String = STRING.required(),
    }
}

impl Place {
    fn authorize(&self, tx: &mut Tx<'_>, viewer: &Viewer) -> Wrote<ScheduleAccess> {
        let project = Reference::Path(self.project_path.clone());
        ScheduleAccess::authorize(tx, viewer, &project, iid(&self.iid), CHANGE)
    }
}

graph_input! {
    struct Create {
        /// Full path of the project.
        project_path: String = ID.required(),
        /// What people call it.
        name: String = STRING.required(),
        /// IANA name of its time zone.
        timezone: String = STRING.required(),
        /// What it is for.
        #[serde(default)]
        description: Patch<String> = STRING,
    }
}

graph_input! {
    struct Update {
        ..place: Place,
        /// What people call it.
        name: Option<String> = STRING,
        /// IANA name of its time zone.
        timezone: Option<String> = STRING,
        /// What it is for.
        #[serde(default)]
        description: Patch<String> = STRING,
    }
}

pub fn graph(g: &mut Graph) {
    let shown = ("oncallSchedule", schedule());
    let text = "Makes an on-call schedule.";
    mutation(g, "oncallScheduleCreate", text, &shown).handle(create);
    let text = "Changes an on-call schedule.";
    mutation(g, "oncallScheduleUpdate", text, &shown).handle(update);
    let text = "Removes an on-call schedule.";
    mutation(g, "oncallScheduleDestroy", text, &shown).handle(destroy);
}

async fn create(input: Create, context: Context) -> Answer {
    let project = Reference::Path(input.project_path);
    let new = ScheduleInput {
        name: Some(input.name),
        timezone: Some(input.timezone),
        description: input.description,
    };
    change(context, move |tx, viewer| {
        let here = Here::authorize(tx, viewer, &project, CHANGE)?;
        rules::create(tx, &here, &new)
    })
    .await
}

async fn update(input: Update, context: Context) -> Answer {
    let wanted = ScheduleInput {
        name: input.name,
        timezone: input.timezone,
        description: input.description,
    };
    change(context, move |tx, viewer| {
        let on = input.place.authorize(tx, viewer)?;
        rules::update(tx, &on, &wanted)
    })
    .await
}

async fn destroy(place: Place, context: Context) -> Answer {
    change(context, move |tx, viewer| {
        let on = place.authorize(tx, viewer)?;
        rules::destroy(tx, &on)?;
        Ok(on.schedule)
    })
    .await
}
