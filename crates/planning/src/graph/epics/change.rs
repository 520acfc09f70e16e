//! The older mutations of epics, by the rules of REST; work items have taken their
//! place.

use super::EpicView;
use crate::graph::labels::numbers;
use crate::graph::{Moment, writer};
use crate::guarded;
use crate::model::Issue;
use crate::model::epics::Epic;
use crate::rules::epics::change::{EpicInput, StateEvent};
use crate::rules::epics::issues::put;
use crate::rules::epics::places::{EpicPlace, found_signed_in, found_to_write, subscribe};
use crate::rules::issues::places as issues;
use crate::rules::labelling::Labelling;
use identity::graph::caller;
use kernel::error::{Error, Result as Outcome};
use kernel::graph::{
    BOOLEAN, Context, Done, Fault, Graph, HasTypeRef, ID, Mark, MutationBuilder, STRING, named,
    object,
};
use kernel::graph_input;
use kernel::http::{Flat, Patch};
use kernel::ids::Reference;
use kernel::time::Date;
use serde_json::Value as Json;
use std::sync::Arc;

/// An epic, and the issue that was put into it.
struct Changed {
    epic: Arc<EpicView>,
    issue: Option<Arc<Issue>>,
}

impl Changed {
    fn done(epic: Epic) -> Done<Changed> {
        Done::from(Changed { epic: Arc::new(epic.into()), issue: None })
    }
}

const REPLACED: Mark = Mark::Deprecated {
    reason: "Work items took its place",
    milestone: "17.5",
    replacement: Some("WorkItem"),
};

fn one<'g>(
    g: &'g mut Graph, name: &'static str, text: &'static str,
) -> MutationBuilder<'g, Changed> {
    g.mutation::<Changed>(name, text).mark(REPLACED).answers(
        "epic",
        object::<EpicView>("Epic"),
        |it| Some(it.epic.clone()),
    )
}

graph_input! {
    struct At {
        /// Full path of the group.
        group_path: String = ID.required(),
        /// Number of the epic.
        iid: String = ID.required(),
    }
}

impl At {
    fn place(&self) -> EpicPlace {
        let group = Reference::Path(self.group_path.clone());
        EpicPlace::numbered(group, crate::graph::issue::number(&self.iid))
    }
}

graph_input! {
    struct Said {
        /// Its title.
        title: Option<String> = STRING,
        /// Its description, in Markdown.
        #[serde(default)]
        description: Patch<String> = STRING,
        /// Whether few see it.
        confidential: Option<bool> = BOOLEAN,
        /// Its colour.
        color: Option<String> = named("Color"),
        /// The day it begins, where that is fixed.
        #[serde(default)]
        start_date_fixed: Patch<Moment<Date>> = named("ISO8601Date"),
        /// Whether it begins on a fixed day.
        start_date_is_fixed: Option<bool> = BOOLEAN,
        /// The day it ends, where that is fixed.
        #[serde(default)]
        due_date_fixed: Patch<Moment<Date>> = named("ISO8601Date"),
        /// Whether it ends on a fixed day.
        due_date_is_fixed: Option<bool> = BOOLEAN,
        /// These labels, too, by their titles.
        add_labels: Option<Vec<String>> = STRING.required().list(),
        /// These labels, too.
        add_label_ids: Option<Vec<Json>> = ID.required().list(),
        /// These labels no longer.
        remove_label_ids: Option<Vec<Json>> = ID.required().list(),
    }
}

impl Said {
    fn input(self) -> Result<EpicInput, Fault> {
        Ok(EpicInput {
            title: self.title,
            description: self.description,
            confidential: self.confidential,
            color: self.color,
            start_on: self.start_date_fixed.map(|day| day.0),
            start_is_fixed: self.start_date_is_fixed,
            due_on: self.due_date_fixed.map(|day| day.0),
            due_is_fixed: self.due_date_is_fixed,
            wears: Flat(Labelling {
                add_labels: self.add_labels,
                add_label_ids: numbers(self.add_label_ids)?.unwrap_or_default(),
                remove_label_ids: numbers(self.remove_label_ids)?.unwrap_or_default(),
                ..Labelling::default()
            }),
            ..EpicInput::default()
        })
    }
}

graph_input! {
    struct Create {
        ..said: Said,
        /// Full path of the group.
        group_path: String = ID.required(),
    }
}

graph_input! {
    struct Update {
        ..at: At,
        ..said: Said,
        /// Close it or open it again.
        state_event: Option<String> = named("EpicStateEvent"),
    }
}

graph_input! {
    struct AddIssue {
        ..at: At,
        /// Full path of the issue's project.
        project_path: String = ID.required(),
        /// Number of the issue.
        issue_iid: String = STRING.required(),
    }
}

graph_input! {
    struct SetSubscription {
        ..at: At,
        /// Whether to be told.
        subscribed_state: bool = BOOLEAN.required(),
    }
}

pub fn graph(g: &mut Graph) {
    one(g, "createEpic", "Makes an epic.").handle(create);
    one(g, "updateEpic", "Changes an epic.").handle(update);
    one(g, "epicAddIssue", "Puts an issue into an epic.")
        .answers("epicIssue", object::<Issue>("EpicIssue"), |it| it.issue.clone())
        .handle(add_issue);
    let text = "Has the caller told of an epic, or no longer.";
    one(g, "epicSetSubscription", text).handle(|it: SetSubscription, context| async move {
        let (app, viewer) = caller(&context)?;
        let place = it.at.place();
        let work = app.write(move |tx| {
            let (_, epic) = found_signed_in(tx, &viewer, &place)?;
            subscribe(tx, &viewer, &epic, it.subscribed_state)?;
            Ok(epic)
        });
        Ok(Changed::done(work.await?))
    });
}

async fn create(it: Create, context: Context) -> Result<Done<Changed>, Fault> {
    let (app, _) = caller(&context)?;
    let group = Reference::Path(it.group_path);
    let (writer, wanted) = (writer(&context)?, it.said.input()?);
    let made = guarded::open(&app, writer, group, wanted, |_, _, epic| Ok(epic));
    Ok(Changed::done(made.await?.mutated()?))
}

async fn update(it: Update, context: Context) -> Result<Done<Changed>, Fault> {
    let (app, _) = caller(&context)?;
    let place = it.at.place();
    let state_event = crate::graph::enums::chosen(it.state_event, StateEvent::from_text);
    let wanted = EpicInput { state_event, ..it.said.input()? };
    if wanted.is_empty() {
        return Err(Error::invalid("base", "Nothing to change was given.").into());
    }
    let writer = writer(&context)?;
    let changed = guarded::edit(&app, writer, place, wanted, |_, _, epic| Ok(epic));
    Ok(Changed::done(changed.await?.mutated()?))
}

async fn add_issue(it: AddIssue, context: Context) -> Result<Done<Changed>, Fault> {
    let (app, viewer) = caller(&context)?;
    let place = it.at.place();
    let project = Reference::Path(it.project_path);
    let iid = crate::graph::issue::number(&it.issue_iid);
    let work = app.write(move |tx| -> Outcome<_> {
        let (_, epic) = found_to_write(tx, &viewer, &place)?;
        let (desk, issue) = issues::found_to_write(tx, &viewer, &project, iid)?;
        if !desk.is_reporter() {
            return Err(Error::forbidden(""));
        }
        put(tx, viewer.user_id(), &epic, &issue)?;
        Ok((epic, issue))
    });
    let (epic, issue) = work.await?;
    Ok(Done::from(Changed {
        epic: Arc::new(epic.into()),
        issue: Some(Arc::new(issue)),
    }))
}
