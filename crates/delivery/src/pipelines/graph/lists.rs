//! Lists of pipelines and jobs: of projects, of pipelines, of the instance.

use super::enums::{SCOPE, STATUS};
use super::job::{KEYS as JOB_KEYS, keys as job_keys};
use super::parts::StageView;
use super::{JobView, Listed, PipelineView, jobs, pipelines, places};
use crate::pipelines::model::Source;
use crate::pipelines::status::Status;
use crate::pipelines::store;
use crate::pipelines::store::lists::{JobFilter, PipelineFilter, PipelineScope, STAGE, stage_key};
use identity::graph::{Tally, caller};
use kernel::graph::{
    Args, Ask, BOOLEAN, Connection, Context, Fault, Graph, HasTypeRef, ID, Key, Order, STRING,
    TIME, argument, named, object,
};
use kernel::time::Timestamp;
use spaces::graph::ProjectView;
use std::collections::HashMap;
use std::sync::Arc;

const PIPELINE_KEYS: [Key; 1] = [Key::int("ci_pipelines.id", Order::Desc)];

pub fn graph(g: &mut Graph) {
    g.count("Pipeline");
    g.count("CiJob");
    g.query()
        .connection("jobs", object::<JobView>("CiJob"), |_, ask, args, context| {
            of_instance(ask, args, context)
        })
        .describe("Jobs of all projects, for administrators.")
        .arg(statuses());
    g.on::<PipelineView>("Pipeline")
        .connections(
            "jobs",
            object::<JobView>("CiJob"),
            |of: Vec<Arc<PipelineView>>, ask, args, context| async move {
                let owners = of.iter().map(|it| it.pipeline.id).collect();
                let seen = of.iter().filter(|it| it.place.sees_jobs);
                let open = Some(seen.map(|it| it.pipeline.id).collect());
                let of = Of { column: "ci_jobs.pipeline_id", open, pipelines: Vec::new() };
                jobs_of(owners, of, ask, args, context).await
            },
        )
        .describe("Its jobs, the last first.")
        .arg(statuses())
        .arg(retried());
    g.on::<StageView>("CiStage")
        .connections(
            "jobs",
            object::<JobView>("CiJob"),
            |of: Vec<Arc<StageView>>, ask, args, context| async move {
                let stages: Vec<i64> =
                    of.iter().map(|it| stage_key(it.pipeline_id, it.index)).collect();
                let pipelines = of.iter().map(|it| it.pipeline_id).collect();
                // Who is shown a stage sees its jobs.
                let of = Of { column: STAGE, open: Some(stages.clone()), pipelines };
                jobs_of(stages, of, ask, args, context).await
            },
        )
        .describe("Its jobs, the last first.")
        .arg(statuses())
        .arg(retried());
    let of_project = g.on::<ProjectView>("Project").connections(
        "pipelines",
        object::<PipelineView>("Pipeline"),
        of_projects,
    );
    of_project
        .describe("Its pipelines, the last first.")
        .arg(argument("ref", STRING).describe("Only of this branch or tag."))
        .arg(argument("scope", named(SCOPE)).describe("Which, in one word."))
        .arg(argument("sha", STRING).describe("Only of this commit."))
        .arg(argument("source", STRING).describe("Only those that this began."))
        .arg(argument("status", STATUS).describe("Only those that are so far."))
        .arg(argument("updatedAfter", TIME).describe("Only changed since."))
        .arg(argument("updatedBefore", TIME).describe("Only unchanged since."))
        .arg(argument("username", STRING).describe("Only of this user."))
        .connections(
            "jobs",
            object::<JobView>("CiJob"),
            |of: Vec<Arc<ProjectView>>, ask, args, context| async move {
                let owners = of.iter().map(|it| it.project.id).collect();
                let of = Of {
                    column: "ci_jobs.project_id",
                    open: None,
                    pipelines: Vec::new(),
                };
                jobs_of(owners, of, ask, args, context).await
            },
        )
        .describe("Its jobs, the last first.")
        .arg(statuses())
        .level("pipeline", object::<PipelineView>("Pipeline"), one)
        .describe("A pipeline by its number, or the newest of a commit.")
        .arg(argument("iid", ID).describe("Its number in the project."))
        .arg(argument("sha", STRING).describe("Its commit."));
}

fn statuses() -> kernel::graph::Argument {
    argument("statuses", named("CiJobStatus").required().list()).describe("Only those so far.")
}

fn retried() -> kernel::graph::Argument {
    argument("retried", BOOLEAN).describe("Also, or only, those that were run again.")
}

/// Whose jobs are listed.
struct Of {
    /// What holds the owner of a job.
    column: &'static str,
    /// The owners whose jobs the viewer sees; of projects that is still to be asked.
    open: Option<Vec<i64>>,
    /// Of stages: their pipelines, which the index of jobs is by.
    pipelines: Vec<i64>,
}

/// A word of the interface as it is stored.
fn word(text: Option<String>) -> Option<String> {
    text.map(|text| text.to_ascii_lowercase())
}

fn wanted(args: &Args) -> Result<Vec<Status>, Fault> {
    let texts: Option<Vec<String>> = args.get("statuses")?;
    let read = |text: String| Status::from_text(&text.to_ascii_lowercase());
    Ok(texts.unwrap_or_default().into_iter().filter_map(read).collect())
}

fn time(args: &Args, name: &str) -> Result<Option<Timestamp>, Fault> {
    let text: Option<String> = args.get(name)?;
    let read =
        |text: String| text.parse().map_err(|_| Fault::argument(format!("{name} is no time")));
    text.map(read).transpose()
}

fn filter(args: &Args) -> Result<PipelineFilter, Fault> {
    let source: Option<String> = args.get("source")?;
    let known = source.as_deref().map(Source::from_text);
    if known == Some(None) {
        return Err(Fault::argument("source is not one of those that there are"));
    }
    Ok(PipelineFilter {
        on_ref: args.get("ref")?,
        sha: args.get("sha")?,
        username: args.get("username")?,
        scope: word(args.get("scope")?).and_then(|text| PipelineScope::from_text(&text)),
        status: word(args.get("status")?).and_then(|text| Status::from_text(&text)),
        source: known.flatten(),
        updated_after: time(args, "updatedAfter")?,
        updated_before: time(args, "updatedBefore")?,
        ..PipelineFilter::default()
    })
}

async fn of_projects(
    of: Vec<Arc<ProjectView>>, ask: Ask, args: Args, context: Context,
) -> Result<Vec<Option<Connection<PipelineView>>>, Fault> {
    let filter = filter(&args)?;
    let window = ask.window(&context, "pipelines", &PIPELINE_KEYS)?;
    let owners: Vec<i64> = of.iter().map(|it| it.project.id).collect();
    let (app, viewer) = caller(&context)?;
    let (asked, narrowed) = (owners.clone(), filter.clone());
    let read = app.read(move |tx| {
        let open: Vec<i64> = places(tx, &viewer, &asked)?.into_keys().collect();
        let rows = store::lists::pipelines_of(tx, &open, &narrowed, &window)?;
        let read = (rows, open, window);
        Listed::of(read, (|row| row.id, |it: &PipelineView| it.pipeline.id), |rows| {
            pipelines(tx, &viewer, rows)
        })
    });
    let listed = read.await?;
    let open = listed.open();
    let tally =
        Tally::new(move |tx, _, limit| store::lists::pipeline_counts(tx, &open, &filter, limit));
    Ok(listed.pages(&owners, |it| vec![it.pipeline.id.into()], tally))
}

/// Jobs of projects, pipelines or stages, of those whose jobs the viewer sees.
async fn jobs_of(
    owners: Vec<i64>, Of { column, open, pipelines }: Of, ask: Ask, args: Args, context: Context,
) -> Result<Vec<Option<Connection<JobView>>>, Fault> {
    let are_projects = open.is_none();
    let retried: Option<bool> = if are_projects { None } else { args.get("retried")? };
    let filter = JobFilter {
        statuses: wanted(&args)?,
        with_retried: are_projects || retried == Some(true),
        pipelines,
        ..JobFilter::default()
    };
    let window = ask.window(&context, "jobs", &JOB_KEYS)?;
    let (app, viewer) = caller(&context)?;
    let (asked, narrowed) = (owners.clone(), filter.clone());
    let read = app.read(move |tx| {
        let open: Vec<i64> = match open {
            Some(open) => open,
            None => {
                let places = places(tx, &viewer, &asked)?.into_values();
                places.filter(|it| it.sees_jobs).map(|it| it.project.id).collect()
            }
        };
        let rows = store::lists::jobs_of(tx, (column, &open), &narrowed, &window)?;
        let read = (rows, open, window);
        Listed::of(read, (|row| row.id, |it: &JobView| it.job.id), |rows| jobs(tx, &viewer, rows))
    });
    let listed = read.await?;
    let open = listed.open();
    let tally = Tally::new(move |tx, _, limit| {
        store::lists::job_counts(tx, (column, &open), &filter, limit)
    });
    Ok(listed.pages(&owners, job_keys, tally))
}

async fn of_instance(
    ask: Ask, args: Args, context: Context,
) -> Result<Option<Connection<JobView>>, Fault> {
    let (app, viewer) = caller(&context)?;
    if !viewer.is_admin() {
        return Ok(Some(Connection::empty()));
    }
    let filter = JobFilter {
        statuses: wanted(&args)?,
        with_retried: true,
        ..JobFilter::default()
    };
    let window = ask.window(&context, "jobs", &JOB_KEYS)?;
    let narrowed = filter.clone();
    let read = app.read(move |tx| {
        let rows = store::lists::all_jobs(tx, &narrowed, &window)?;
        Ok((jobs(tx, &viewer, rows)?, window))
    });
    let (rows, window) = read.await?;
    let page = window.page_of(rows, job_keys);
    Ok(Some(page.counted(move |context: Context, limit| {
        let filter = filter.clone();
        async move {
            let (app, _) = caller(&context)?;
            Ok(app.read(move |tx| store::lists::count_jobs(tx, &filter, limit)).await?)
        }
    })))
}

async fn one(
    of: Vec<Arc<ProjectView>>, args: Args, context: Context,
) -> Result<Vec<Option<Arc<PipelineView>>>, Fault> {
    let (iid, sha): (Option<String>, Option<String>) = (args.get("iid")?, args.get("sha")?);
    if iid.is_some() == sha.is_some() {
        return Err(Fault::argument("Provide either `iid` or `sha`"));
    }
    let owners: Vec<i64> = of.iter().map(|it| it.project.id).collect();
    let (app, viewer) = caller(&context)?;
    let asked = owners.clone();
    let read = app.read(move |tx| {
        let rows = match (iid, sha) {
            (Some(iid), _) => match iid.parse::<i64>() {
                Ok(iid) => store::lists::numbered(tx, &asked, iid)?,
                Err(_) => Vec::new(),
            },
            (None, sha) => store::lists::of_commit(tx, &asked, &sha.unwrap_or_default())?,
        };
        pipelines(tx, &viewer, rows)
    });
    let found = read.await?.into_iter();
    let found: HashMap<i64, _> = found.map(|it| (it.pipeline.project_id, it)).collect();
    Ok(owners.iter().map(|owner| found.get(owner).cloned()).collect())
}
