//! Errors in GraphQL (docs/interface/monitoring.md 6.6). Who may not read them gets null.

mod elsewhere;
mod lists;
mod mutations;

use crate::errors::detail::{Detail, StackFrame};
use crate::errors::external::ExternalError;
use crate::errors::model::{Setting, Status, Tracked};
use crate::errors::reading;
use crate::errors::store::issues::{Linked, seen};
use crate::errors::store::read;
use crate::errors::store::{errors as rows, events};
use crate::hours::Bar;
use elsewhere::There;
use identity::graph::caller;
use jiff::Timestamp;
use kernel::graph::shape::{Leaf, Object};
use kernel::graph::{
    Args, Context, Fault, GlobalId, Graph, HasTypeRef, ID, ObjectBuilder, STRING, argument, item,
    named, object,
};
use spaces::graph::ProjectView as Project;
use std::sync::Arc;

pub const ERROR_ID: GlobalId =
    GlobalId::new("ServiceErrorTrackingDetailedErrorID", "Service::ErrorTracking::DetailedError");

const STATUS: Leaf<Status> = Leaf::upper("TrackerErrorStatus");

pub struct ErrorView {
    error: Tracked,
    project: Arc<spaces::Project>,
    base_url: String,
    /// What a tracker elsewhere says of it, if it is kept there.
    there: Option<There>,
}

impl ErrorView {
    /// One that was received here.
    fn new(error: Tracked, project: Arc<spaces::Project>, base_url: &str) -> ErrorView {
        ErrorView { error, project, base_url: base_url.to_owned(), there: None }
    }

    /// What the tracker elsewhere says, or what is said of errors received
    /// here.
    fn told(
        &self, there: impl Fn(&ExternalError) -> String, here: impl Fn(&spaces::Project) -> String,
    ) -> String {
        match &self.there {
            Some(There(_, found)) => there(found),
            None => here(&self.project),
        }
    }
}

struct Errors {
    project: Arc<spaces::Project>,
    setting: Setting,
    base_url: String,
}

impl Errors {
    /// One of them that was received here.
    fn view(&self, error: Tracked) -> ErrorView {
        ErrorView::new(error, self.project.clone(), &self.base_url)
    }

    /// Whether an error that was received here is one of them.
    fn has(&self, error: &Tracked) -> bool {
        self.setting.integrated && self.project.id == error.project_id
    }
}

struct Stack {
    error_id: i64,
    received_at: Timestamp,
    frames: Vec<StackFrame>,
}

struct Line(i64, String);

fn detailed_error() -> Object<ErrorView> {
    object("TrackerDetailedError")
}

pub fn graph(g: &mut Graph) {
    ERROR_ID.register(g);
    closed_lists(g);
    parts(g);
    let text = "An error in a list.";
    common(g.object::<ErrorView>("TrackerError", text)).value(
        "title",
        "Name and description, cut to 64 characters.",
        |it| it.told(|it| it.error.name.clone(), |_| it.error.short_title()),
    );
    let text = "An error with all that is known of it.";
    detailed(common(g.object::<ErrorView>("TrackerDetailedError", text)));
    collection(g);
    mutations::graph(g);
    g.on::<Project>("Project")
        .level("trackerErrors", object::<Errors>("TrackerErrorCollection"), collections)
        .describe("Errors its programs report; null where the caller may not read them.")
        .level("trackerDetailedError", detailed_error(), one_of_project)
        .describe("One of its errors.")
        .arg(argument("id", ERROR_ID.required()).describe("Its global ID."));
}

fn closed_lists(g: &mut Graph) {
    let states = vec![
        item("RESOLVED", "It should not come back."),
        item("RESOLVED_IN_NEXT_RELEASE", "It is gone with the next release."),
        item("UNRESOLVED", "It is open."),
        item("IGNORED", "Nobody needs to hear of it."),
    ];
    g.enumeration("TrackerErrorStatus", "States of an error.", states);
    let sorts = vec![
        item("LAST_SEEN", "Seen last first."),
        item("FIRST_SEEN", "First seen last first."),
        item("FREQUENCY", "Most events first."),
    ];
    g.enumeration("TrackerErrorSort", "Orders of errors.", sorts);
}

fn parts(g: &mut Graph) {
    g.object::<Bar>("TrackerErrorFrequency", "Events within an hour.")
        .value("time", "When the hour began.", |it| it.at)
        .value("count", "How many there were.", |it| it.count);
    g.object::<Tracked>("TrackerErrorTags", "What an error is marked with.")
        .value("level", "How bad the newest event was.", |it| Some(it.level.clone()))
        .value("logger", "What logged it.", |it| filled(&it.logger));
    g.object::<Line>("TrackerErrorStackTraceContext", "A line of source.")
        .value("line", "Its number.", |it| it.0)
        .value("code", "The line.", |it| it.1.clone());
    let text = "One call of a stack.";
    let line = object::<Line>("TrackerErrorStackTraceContext");
    g.object::<StackFrame>("TrackerErrorStackTraceEntry", text)
        .value("function", "The function.", |it| filled(&it.function))
        .value("fileName", "The file.", |it| filled(it.file()))
        .value("line", "The line.", |it| it.line.0.map(|line| line.to_string()))
        .value("col", "The column.", |it| it.column.0.map(|column| column.to_string()))
        .field("traceContext", line.required().list(), |it| {
            let lines = it.source().into_iter();
            Some(lines.map(|(n, code)| Arc::new(Line(n, code))).collect())
        })
        .describe("Lines of source around it.");
    let entry = object::<StackFrame>("TrackerErrorStackTraceEntry");
    g.object::<Stack>("TrackerErrorStackTrace", "The stack of an error's newest event.")
        .value("issueId", "Number of the error.", |it| it.error_id.to_string())
        .value("dateReceived", "When the event happened.", |it| {
            kernel::time::wire::text(it.received_at)
        })
        .field("stackTraceEntries", entry.required().list().required(), |it| {
            it.frames.iter().cloned().map(Arc::new).collect()
        })
        .describe("Its calls, the outermost first.");
}

fn filled(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn common(error: ObjectBuilder<'_, ErrorView>) -> ObjectBuilder<'_, ErrorView> {
    let bar = object::<Bar>("TrackerErrorFrequency");
    error
        .field("id", ID.required(), |it| ERROR_ID.of(it.error.id))
        .describe("Global ID.")
        .value("trackerId", "Its number in the tracker.", |it| it.error.id.to_string())
        .value("type", "What a tracker elsewhere calls its kind; else blank.", |it| {
            it.told(|it| it.kind.clone(), |_| String::new())
        })
        .value("culprit", "Where it happens.", |it| it.error.actor.clone())
        .value("message", "Text of the newest event.", |it| filled(&it.error.description))
        .field("status", STATUS.required(), |it| it.error.status)
        .describe("What people said of it.")
        .value("count", "Events so far.", |it| it.error.events_count)
        .value("userCount", "People it happened to.", |it| it.error.users_count)
        .value("firstSeen", "When it was first seen.", |it| it.error.first_seen_at)
        .value("lastSeen", "When it was last seen.", |it| it.error.last_seen_at)
        .value("shortId", "What a tracker elsewhere calls it in short; else blank.", |it| {
            it.told(|it| it.short_id.clone(), |_| String::new())
        })
        .field("externalUrl", STRING.required(), |it| {
            let here = |project: &spaces::Project| {
                format!("{}{}", it.base_url, it.error.path(&project.full_path))
            };
            it.told(|it| it.url.clone(), here)
        })
        .describe("Its page.")
        .level("frequency", bar.required().list().required(), frequencies)
        .describe("Events of the last 24 hours.")
        .field("trackerProjectId", ID.required(), |it| {
            it.told(|it| it.project[0].clone(), |it| it.id.to_string())
        })
        .describe("Number of the project in the tracker.")
        .value("trackerProjectName", "Its name there.", |it| {
            it.told(|it| it.project[1].clone(), |it| it.name.clone())
        })
        .value("trackerProjectSlug", "The last part of its address there.", |it| {
            it.told(|it| it.project[2].clone(), |it| it.path.clone())
        })
}

/// What only one error alone shows.
fn detailed(error: ObjectBuilder<'_, ErrorView>) {
    let tags = object::<Tracked>("TrackerErrorTags");
    error
        .value("title", "Name and description.", |it| it.error.title())
        .value("externalBaseUrl", "Where the tracker's pages begin.", |it| {
            it.project.web_url(&it.base_url)
        })
        .field("tags", tags.required(), |it| Arc::new(it.error.clone()))
        .describe("What the newest event is marked with.")
        .value("firstReleaseShortVersion", "Release of the first event.", |it| {
            filled(&it.error.first_release)
        })
        .value("lastReleaseShortVersion", "Release of the newest event.", |it| {
            filled(&it.error.last_release)
        })
        .field("firstReleaseLastCommit", STRING, |_| None)
        .describe("Commit of that release; null until there are repositories.")
        .field("lastReleaseLastCommit", STRING, |_| None)
        .describe("Commit of that release; null until there are repositories.")
        .field("serviceCommit", STRING, |_| None)
        .describe("Commit it began with; null until there are repositories.")
        .field("serviceCommitPath", STRING, |_| None)
        .describe("Page of that commit; null until there are repositories.")
        .level("serviceIssuePath", STRING, |errors: Vec<Arc<ErrorView>>, _, context| {
            issues(errors, context, |issue| issue.path())
        })
        .describe("Path of the page of the issue about it.")
        .level("serviceIssueIid", ID, |errors: Vec<Arc<ErrorView>>, _, context| {
            issues(errors, context, |issue| issue.iid.to_string())
        })
        .describe("Number of the issue about it.")
        .value("integrated", "Whether it was received here.", |_| Some(true));
}

fn collection(g: &mut Graph) {
    let text = "Errors that the programs of a project report.";
    g.object::<Errors>("TrackerErrorCollection", text)
        .field("externalUrl", STRING, |it| {
            let own = || format!("{}/-/error_tracking", it.project.web_url(&it.base_url));
            match it.setting.integrated {
                true => Some(own()),
                false => it.setting.external_url(),
            }
        })
        .describe("Where the tracker lists them.")
        .level("detailedError", detailed_error(), one_of_collection)
        .describe("One of them.")
        .arg(argument("id", ERROR_ID.required()).describe("Its global ID."))
        .level("errorStackTrace", object::<Stack>("TrackerErrorStackTrace"), stacks)
        .describe("The stack of one of them.")
        .arg(argument("id", ERROR_ID.required()).describe("Its global ID."))
        .connections("errors", object::<ErrorView>("TrackerError"), lists::listed)
        .describe("Those that are open.")
        .arg(argument("searchTerm", STRING).describe("Only those that have this in them."))
        .arg(
            argument("sort", named("TrackerErrorSort"))
                .default("LAST_SEEN")
                .describe("The order."),
        );
    g.count("TrackerError");
}

/// Those of the projects whose errors the viewer may read.
async fn collections(
    parents: Vec<Arc<Project>>, _: Args, context: Context,
) -> Result<Vec<Option<Arc<Errors>>>, Fault> {
    let (app, viewer) = caller(&context)?;
    let base_url = app.base_url().to_owned();
    let ids: Vec<i64> = parents.iter().map(|it| it.project.id).collect();
    let found = app.read(move |tx| read::readable(tx, &viewer, ids)).await?;
    let shown = parents.into_iter().map(|project| {
        let setting = found.get(&project.project.id)?.clone();
        Some(Arc::new(Errors {
            project: Arc::new(project.project.clone()),
            setting,
            base_url: base_url.clone(),
        }))
    });
    Ok(shown.collect())
}

type Found = Result<Vec<Option<Arc<ErrorView>>>, Fault>;

async fn one_of_project(parents: Vec<Arc<Project>>, args: Args, context: Context) -> Found {
    let collections = collections(parents, args.clone(), context.clone()).await?;
    one_of(collections, args, context).await
}

async fn one_of_collection(parents: Vec<Arc<Errors>>, args: Args, context: Context) -> Found {
    one_of(parents.into_iter().map(Some).collect(), args, context).await
}

/// One error, beneath the project it belongs to.
async fn one_of(parents: Vec<Option<Arc<Errors>>>, args: Args, context: Context) -> Found {
    let id: i64 = args.get("id")?;
    let (app, _) = caller(&context)?;
    let found = app.read(move |tx| rows::by_id(tx, id)).await?;
    let shown = parents.into_iter().map(|parent| {
        let (parent, error) = (parent?, found.clone()?);
        parent.has(&error).then(|| Arc::new(parent.view(error)))
    });
    Ok(shown.collect())
}

async fn stacks(
    parents: Vec<Arc<Errors>>, args: Args, context: Context,
) -> Result<Vec<Option<Arc<Stack>>>, Fault> {
    let id: i64 = args.get("id")?;
    let (app, _) = caller(&context)?;
    let read = app.read(move |tx| {
        let error = rows::by_id(tx, id)?;
        let event = match &error {
            Some(error) => events::newest(tx, error.id)?,
            None => None,
        };
        Ok(error.zip(event))
    });
    let Some((error, event)) = read.await? else {
        return Ok(parents.iter().map(|_| None).collect());
    };
    // A payload that cannot be read shows no stack.
    let detail = Detail::unpack(&event.payload).unwrap_or_default();
    let stack = Arc::new(Stack {
        error_id: error.id,
        received_at: event.occurred_at,
        frames: detail.stack().to_vec(),
    });
    let of = |parent: &Arc<Errors>| parent.has(&error).then(|| stack.clone());
    Ok(parents.iter().map(of).collect())
}

async fn frequencies(
    errors: Vec<Arc<ErrorView>>, _: Args, context: Context,
) -> Result<Vec<Vec<Arc<Bar>>>, Fault> {
    // Nothing is counted here of what is kept elsewhere.
    let own = |it: &Arc<ErrorView>| it.there.is_none().then_some(it.error.id);
    let ids: Vec<i64> = errors.iter().filter_map(own).collect();
    let (app, _) = caller(&context)?;
    let found = app.read(move |tx| reading::hours(tx, ids)).await?;
    let bars = |it: &Arc<ErrorView>| {
        let bars = own(it).and_then(|id| found.get(&id));
        let bars = bars.map(Vec::as_slice).unwrap_or_default();
        bars.iter().copied().map(Arc::new).collect()
    };
    Ok(errors.iter().map(bars).collect())
}

/// Something about the issue about each of these errors, where the viewer may
/// see one.
async fn issues<T>(
    errors: Vec<Arc<ErrorView>>, context: Context, told: fn(&Linked) -> T,
) -> Result<Vec<Option<T>>, Fault> {
    let ids: Vec<i64> = errors.iter().map(|it| it.error.id).collect();
    let (app, viewer) = caller(&context)?;
    let asked = ids.clone();
    let found = app.read(move |tx| seen(tx, &viewer, asked)).await?;
    Ok(ids.iter().map(|id| found.get(id).map(told)).collect())
}
