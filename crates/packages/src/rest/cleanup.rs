//! Cleanup rules of a project or group, their runs, and dry runs.

use crate::cleanup::model::Rule;
use crate::cleanup::rule::{self, Change};
use crate::cleanup::run;
use crate::entity::cleanup::{self as entity, CleanupRunEntity, GoingEntity};
use crate::scope::Prefix;
use crate::store::cleanup_rules as rows;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Created, NoContent, Ok200, Paged, Paging, Params, Routes};

/// With each prefix stand the words that summaries name it by and what tells
/// its operations from the other's.
const PREFIXES: [(&str, &str, &str); 2] = [
    ("/projects/{id}/packages/cleanup", "a project", "project"),
    ("/groups/{id}/packages/cleanup", "a group", "group"),
];

pub(super) fn routes(r: &mut Routes) {
    for (prefix, whose, place) in PREFIXES {
        let (all, one) = (
            format!("{prefix}/rules"),
            format!("{prefix}/rules/{{cleanup_rule_id}}"),
        );
        r.get(&all, list)
            .under(place)
            .summary(format!("Lists the package cleanup rules of {whose}"));
        r.post(&all, create)
            .under(place)
            .summary(format!("Adds a package cleanup rule to {whose}"));
        r.get(&one, show)
            .under(place)
            .summary(format!("Shows a package cleanup rule of {whose}"));
        r.patch(&one, update)
            .under(place)
            .summary(format!("Changes a package cleanup rule of {whose}"));
        r.delete(&one, destroy)
            .under(place)
            .summary(format!("Removes a package cleanup rule of {whose}"));
        r.get(&format!("{one}/runs"), runs)
            .under(place)
            .summary(format!(
                "Lists the last runs of a package cleanup rule of {whose}"
            ));
        r.post(&format!("{one}/runs"), apply)
            .under(place)
            .summary(format!("Applies a package cleanup rule of {whose} now"));
        r.get(&format!("{one}/preview"), preview)
            .under(place)
            .summary(format!(
                "Lists what a package cleanup rule of {whose} would take away"
            ));
        r.post(&format!("{prefix}/preview"), preview_draft)
            .under(place)
            .summary(format!(
                "Lists what a package cleanup rule would take away from {whose}, if it were there"
            ));
    }
}

kernel::params! {
    /// A rule.
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
        let made = rule::create(tx, &viewer, owner, change.clone())?;
        Ok(Created(made))
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
        let found = rule::find(tx, owner, one.cleanup_rule_id)?;
        Ok(Ok200(found))
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
        let changed = rule::update(tx, &viewer, owner, id, change.clone())?;
        Ok(Ok200(changed))
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
    let told = run::preview(app, rule, paging.offset(), paging.fetch()).await?;
    let page = Paged::numbered(told.shown, paging, Some(told.packages));
    Ok(page.map(|one| entity::going(one, kind)))
}
