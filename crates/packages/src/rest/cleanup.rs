//! Cleanup rules of a project or group, their runs, and dry runs.

use crate::cleanup::model::Rule;
use crate::cleanup::rule::{self, Change};
use crate::cleanup::run;
use crate::declare::Place;
use crate::entity::cleanup::{self as entity, CleanupRunEntity, GoingEntity};
use crate::scope::Prefix;
use crate::store::cleanup_rules as rows;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Created, NoContent, Ok200, Paged, Paging, Params, Routes};

const PLACES: [Place; 2] = [
    Place::new("/projects/{id}/packages/cleanup", "a project", "project"),
    Place::new("/groups/{id}/packages/cleanup", "a group", "group"),
];

pub(super) fn routes(r: &mut Routes) {
    for place in PLACES {
        let (all, one) = (place.at("/rules"), place.at("/rules/{cleanup_rule_id}"));
        let (runs_of, draft) = (format!("{one}/runs"), place.at("/preview"));
        let lists = "Lists the package cleanup rules of {whose}";
        place.of(r.get(&all, list), lists);
        let adds = "Adds a package cleanup rule to {whose}";
        place.of(r.post(&all, create), adds);
        let shows = "Shows a package cleanup rule of {whose}";
        place.of(r.get(&one, show), shows);
        let changes = "Changes a package cleanup rule of {whose}";
        place.of(r.patch(&one, update), changes);
        let removes = "Removes a package cleanup rule of {whose}";
        place.of(r.delete(&one, destroy), removes);
        let lists = "Lists the last runs of a package cleanup rule of {whose}";
        place.of(r.get(&runs_of, runs), lists);
        let applies = "Applies a package cleanup rule of {whose} now";
        place.of(r.post(&runs_of, apply), applies);
        let lists = "Lists what a package cleanup rule of {whose} would take away";
        place.of(r.get(&format!("{one}/preview"), preview), lists);
        let lists =
            "Lists what a package cleanup rule would take away from {whose}, if it were there";
        place.of(r.post(&draft, preview_draft), lists);
    }
}

kernel::params! {
    pub struct OneRule {
        /// The rule.
        pub cleanup_rule_id: i64,
    }
}

async fn list(app: App, viewer: Viewer, prefix: Prefix, paging: Paging) -> Result<Paged<Rule>> {
    app.read(move |tx| {
        let owner = rule::owner_at(tx, &viewer, &prefix)?;
        let rules = rule::list(tx, owner)?;
        let total = rules.len() as i64;
        let page = rules.into_iter().skip(paging.offset() as usize);
        let page = page.take(paging.fetch() as usize).collect();
        Ok(Paged::numbered(page, paging, Some(total)))
    })
    .await
}

async fn create(
    app: App,
    viewer: Viewer,
    prefix: Prefix,
    change: Params<Change>,
) -> Result<Created<Rule>> {
    let Params(change) = change;
    app.write(move |tx| {
        let owner = rule::owner_at(tx, &viewer, &prefix)?;
        rule::create(tx, &viewer, owner, change.clone()).map(Created)
    })
    .await
}

async fn show(
    app: App,
    viewer: Viewer,
    prefix: Prefix,
    one: Params<OneRule>,
) -> Result<Ok200<Rule>> {
    app.read(move |tx| {
        let owner = rule::owner_at(tx, &viewer, &prefix)?;
        rule::find(tx, owner, one.cleanup_rule_id).map(Ok200)
    })
    .await
}

async fn update(
    app: App,
    viewer: Viewer,
    prefix: Prefix,
    one: Params<OneRule>,
    change: Params<Change>,
) -> Result<Ok200<Rule>> {
    let (id, Params(change)) = (one.cleanup_rule_id, change);
    app.write(move |tx| {
        let owner = rule::owner_at(tx, &viewer, &prefix)?;
        rule::update(tx, &viewer, owner, id, change.clone()).map(Ok200)
    })
    .await
}

async fn destroy(
    app: App,
    viewer: Viewer,
    prefix: Prefix,
    one: Params<OneRule>,
) -> Result<NoContent> {
    app.write(move |tx| {
        let owner = rule::owner_at(tx, &viewer, &prefix)?;
        rule::destroy(tx, &viewer, owner, one.cleanup_rule_id)?;
        Ok(NoContent)
    })
    .await
}

async fn runs(
    app: App,
    viewer: Viewer,
    prefix: Prefix,
    one: Params<OneRule>,
) -> Result<Ok200<Vec<CleanupRunEntity>>> {
    app.read(move |tx| {
        let owner = rule::owner_at(tx, &viewer, &prefix)?;
        let found = rule::find(tx, owner, one.cleanup_rule_id)?;
        let runs = rows::runs(tx, found.id)?;
        Ok(Ok200(runs.into_iter().map(entity::run).collect()))
    })
    .await
}

/// Begins a run, or shows the one that is under way.
async fn apply(
    app: App,
    viewer: Viewer,
    prefix: Prefix,
    one: Params<OneRule>,
) -> Result<Created<CleanupRunEntity>> {
    let registry = app.jobs().clone();
    app.write(move |tx| {
        let owner = rule::owner_at(tx, &viewer, &prefix)?;
        let found = rule::find(tx, owner, one.cleanup_rule_id)?;
        if !found.enabled {
            return Err(Error::Unprocessable("The rule is not enabled".into()));
        }
        run::begin(tx, &registry, &[found.id])?;
        let begun = rows::last_runs(tx, &[found.id])?.pop();
        let begun = begun.ok_or(Error::NotFound("Cleanup Run"))?;
        Ok(Created(entity::run(begun)))
    })
    .await
}

async fn preview(
    app: App,
    viewer: Viewer,
    prefix: Prefix,
    one: Params<OneRule>,
    paging: Paging,
) -> Result<Paged<GoingEntity>> {
    let rule = app.read(move |tx| {
        let owner = rule::owner_at(tx, &viewer, &prefix)?;
        rule::find(tx, owner, one.cleanup_rule_id)
    });
    let rule = rule.await?;
    going(&app, rule, paging).await
}

async fn preview_draft(
    app: App,
    viewer: Viewer,
    prefix: Prefix,
    change: Params<Change>,
    paging: Paging,
) -> Result<Paged<GoingEntity>> {
    let rule = app.read(move |tx| {
        let owner = rule::owner_at(tx, &viewer, &prefix)?;
        change.clone().drafted(tx, owner)
    });
    let rule = rule.await?;
    going(&app, rule, paging).await
}

async fn going(app: &App, rule: Rule, paging: Paging) -> Result<Paged<GoingEntity>> {
    let kind = rule.package_type;
    let preview = run::preview(app, rule, paging.offset(), paging.fetch()).await?;
    let page = Paged::numbered(preview.shown, paging, Some(preview.packages));
    Ok(page.map(|one| entity::going(one, kind)))
}
