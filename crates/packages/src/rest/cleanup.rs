//! Cleanup rules of a project or group, their runs, and dry runs.

use crate::cleanup::model::{CleanupRun, Going, Rule};
use crate::cleanup::rule::{self, Change};
use crate::cleanup::run;
use crate::client::Client;
use crate::declare::Place;
use crate::store::cleanup_rules as rows;
use kernel::error::{Error, Found, Result};
use kernel::http::{Created, NoContent, Ok200, Paged, Paging, Params, Routes};
use spaces::SpaceId;
use store::Tx;

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

async fn list(client: Client, paging: Paging) -> Result<Paged<Rule>> {
    let rules = read(&client, rule::list).await?;
    Ok(Paged::of_whole(rules, paging))
}

async fn create(client: Client, change: Params<Change>) -> Result<Created<Rule>> {
    let created = write(&client, move |tx, client, owner| {
        rule::create(tx, &client.viewer, owner, change.clone())
    });
    created.await.map(Created)
}

async fn show(client: Client, one: Params<OneRule>) -> Result<Ok200<Rule>> {
    let id = one.cleanup_rule_id;
    let found = read(&client, move |tx, owner| rule::find(tx, owner, id));
    found.await.map(Ok200)
}

async fn update(
    client: Client, one: Params<OneRule>, change: Params<Change>,
) -> Result<Ok200<Rule>> {
    let id = one.cleanup_rule_id;
    let updated = write(&client, move |tx, client, owner| {
        rule::update(tx, &client.viewer, owner, id, change.clone())
    });
    updated.await.map(Ok200)
}

async fn destroy(client: Client, one: Params<OneRule>) -> Result<NoContent> {
    let id = one.cleanup_rule_id;
    let gone =
        write(&client, move |tx, client, owner| rule::destroy(tx, &client.viewer, owner, id));
    gone.await.map(|()| NoContent)
}

async fn runs(client: Client, one: Params<OneRule>) -> Result<Ok200<Vec<CleanupRun>>> {
    let id = one.cleanup_rule_id;
    let runs = read(&client, move |tx, owner| {
        let found = rule::find(tx, owner, id)?;
        rows::runs(tx, found.id)
    });
    runs.await.map(Ok200)
}

/// Begins a run, or shows the one that is under way.
async fn apply(client: Client, one: Params<OneRule>) -> Result<Created<CleanupRun>> {
    let id = one.cleanup_rule_id;
    let begun = write(&client, move |tx, client, owner| {
        let found = rule::find(tx, owner, id)?;
        if !found.enabled {
            return Err(Error::Unprocessable("The rule is not enabled".into()));
        }
        run::begin(tx, client.app.jobs(), &[found.id])?;
        let begun = rows::last_runs(tx, &[found.id])?.pop();
        begun.found("Cleanup Run")
    });
    begun.await.map(Created)
}

async fn preview(client: Client, one: Params<OneRule>, paging: Paging) -> Result<Paged<Going>> {
    let id = one.cleanup_rule_id;
    let rule = read(&client, move |tx, owner| rule::find(tx, owner, id));
    going(&client, rule.await?, paging).await
}

async fn preview_draft(
    client: Client, change: Params<Change>, paging: Paging,
) -> Result<Paged<Going>> {
    let Params(change) = change;
    let rule = read(&client, move |tx, owner| change.drafted(tx, owner));
    going(&client, rule.await?, paging).await
}

async fn going(client: &Client, rule: Rule, paging: Paging) -> Result<Paged<Going>> {
    let preview = run::preview(&client.app, rule, paging.offset(), paging.fetch()).await?;
    Ok(Paged::numbered(preview.shown, paging, Some(preview.packages)))
}

/// Reads at a place whose rules the client sets.
async fn read<T: Send + 'static>(
    client: &Client, work: impl FnOnce(&mut Tx<'_>, SpaceId) -> Result<T> + Send + 'static,
) -> Result<T> {
    let of = client.clone();
    let read = client.app.read(move |tx| {
        let owner = rule::owner_at(tx, &of.viewer, &of.prefix)?;
        work(tx, owner)
    });
    read.await
}

/// Changes something at a place whose rules the client sets.
async fn write<T: Send + 'static>(
    client: &Client, work: impl Fn(&mut Tx<'_>, &Client, SpaceId) -> Result<T> + Send + 'static,
) -> Result<T> {
    let of = client.clone();
    let written = client.app.write(move |tx| {
        let owner = rule::owner_at(tx, &of.viewer, &of.prefix)?;
        work(tx, &of, owner)
    });
    written.await
}
