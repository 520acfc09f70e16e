//! Mutations that make a merge request and change its texts.

use super::accept::alone;
use super::change::{At, Changed, in_words, one, settled, shown};
use crate::access::{check_update, sets_people};
use crate::rules::create::{self as rules, Wanted};
use crate::rules::edit::edit;
use crate::rules::input::{Input, StateEvent};
use identity::graph::caller;
use kernel::error::Error;
use kernel::graph::{BOOLEAN, Context, Done, Fault, Graph, HasTypeRef, ID, STRING, TIME, named};
use kernel::graph_input;
use kernel::http::{Flat, Patch};
use kernel::ids::Reference;
use kernel::time::Timestamp;
use planning::graph::{Moment, bounded};
use planning::model::parse_span;
use planning::rules::labelling::Labelling;
use planning::rules::times;

graph_input! {
    struct Create {
        /// Full path of the project.
        project_path: String = ID.required(),
        /// Its title.
        title: String = STRING.required(),
        /// The branch that is to be merged.
        source_branch: String = STRING.required(),
        /// The branch that it is to be merged into.
        target_branch: String = STRING.required(),
        /// Its description, in Markdown.
        description: Option<String> = STRING,
        /// Titles of labels.
        labels: Option<Vec<String>> = STRING.required().list(),
        /// It is not merged before.
        merge_after: Option<Moment<Timestamp>> = TIME,
    }
}

graph_input! {
    struct Update {
        ..at: At,
        /// Another title.
        title: Option<String> = STRING,
        /// Another description; null for none.
        #[serde(default)]
        description: Patch<String> = STRING,
        /// Another branch that it is to be merged into.
        target_branch: Option<String> = STRING,
        /// Close it or open it again.
        state: Option<String> = named("MergeRequestNewState"),
        /// The time it is estimated to take, such as `1h 30m`; null for none.
        #[serde(default)]
        time_estimate: Patch<String> = STRING,
        /// Whether the source branch goes with the merge.
        remove_source_branch: Option<bool> = BOOLEAN,
        /// It is not merged before; null for at any time.
        #[serde(default)]
        merge_after: Patch<Moment<Timestamp>> = TIME,
    }
}

pub fn graph(g: &mut Graph) {
    one(g, "mergeRequestCreate", "Makes a merge request.").handle(create);
    one(g, "mergeRequestUpdate", "Changes a merge request.").handle(update);
}

async fn create(it: Create, context: Context) -> Result<Done<Changed>, Fault> {
    alone(&context)?;
    let labels = it.labels.map(|all| bounded(Some(all), "labels")).transpose()?;
    let (app, viewer) = caller(&context)?;
    let wanted = Wanted {
        source: Reference::Path(it.project_path),
        source_branch: it.source_branch,
        target_project_id: None,
        target_branch: it.target_branch,
        input: Input {
            title: Some(it.title),
            description: Patch::given(it.description),
            wears: Flat(Labelling { labels, ..Labelling::default() }),
            merge_after: Patch::given(it.merge_after.map(|at| at.0)),
            ..Input::default()
        },
    };
    let id = rules::create(&app, &viewer, wanted).await.map_err(in_words)?;
    shown(&context, id).await
}

impl Update {
    /// Seconds it is estimated to take, if that is said.
    fn estimate(&self) -> Result<Option<i64>, Error> {
        let text = match &self.time_estimate {
            Patch::Absent => return Ok(None),
            Patch::Null => return Ok(Some(0)),
            Patch::Value(text) => text,
        };
        let problem = "must have a valid format and be greater than or equal to zero.";
        let seconds = parse_span(text).filter(|seconds| *seconds >= 0);
        seconds.map(Some).ok_or_else(|| Error::invalid("time_estimate", problem))
    }
}

async fn update(it: Update, context: Context) -> Result<Done<Changed>, Fault> {
    let estimate = it.estimate()?;
    let input = Input {
        title: it.title,
        description: it.description,
        target_branch: it.target_branch,
        state_event: it.state.map(|state| match state.as_str() {
            "OPEN" => StateEvent::Reopen,
            _ => StateEvent::Close,
        }),
        remove_source_branch: it.remove_source_branch,
        merge_after: it.merge_after.map(|at| at.0),
        ..Input::default()
    };
    let work = it.at.write(&context, move |tx, viewer, here, request| {
        check_update(tx, viewer, here, request)?;
        let mut after = match input.is_empty() {
            true => request.clone(),
            false => edit(tx, viewer, here, request, input.clone())?,
        };
        if let Some(seconds) = estimate {
            if !sets_people(here.level) {
                return Err(Error::forbidden(""));
            }
            after = times::estimate(tx, viewer.user_id(), &after, seconds)?;
        }
        Ok((after.id, after.target_branch != request.target_branch))
    });
    let (id, is_elsewhere) = work.await?;
    settled(&context, id, is_elsewhere).await
}
