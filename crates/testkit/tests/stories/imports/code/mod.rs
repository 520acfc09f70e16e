//! What comes with the code of a project: repositories, large files, releases, members, rules of
//! branches, and files that texts name.

mod attachments;
mod git;
mod objects;

use imports::model::Object;
use imports::run::Import;
use imports::writers::{self, Desk};
use kernel::error::{Found, Result};
use kernel::ids::Reference;
use serde_json::{Value, json};
use spaces::access::find_project;
use store::{Json, sql};
use testkit::{TestProject, TestServer};

const CREATED: &str = "2020-01-02T03:04:05Z";
const CHANGED: &str = "2020-02-03T04:05:06Z";

/// An import of a project that nobody goes on with, as root; people there by their names and
/// who they are here.
async fn import(t: &TestServer, project: &TestProject, people: Value) -> Import {
    let project_id = project.id;
    let made = t.app().write(move |tx| {
        let now = tx.now();
        tx.execute(
            sql!(
                "insert into imports (project_id, source, host, user_id, origin, base_url, upstream,
                    options, user_map, status, is_live, round, round_started_at, stats, failures,
                    attempts, progressed_at, created_at, updated_at)
                 values ($1, 'provider_a', 'code.example', 1, 'acme/forge', '', $2, $2, $3,
                    'started', false, 0, $4, $2, 0, 0, $4, $4, $4)"
            ),
            (project_id, Json(json!({})), Json(people.clone()), now),
        )?;
        Ok(tx.one::<Import>(
            sql!("select ", Import::COLUMNS, " from imports where project_id = $1"),
            (project_id,),
        )?)
    });
    made.await.expect("an import")
}

/// Writes what comes, as pages of an import do.
async fn bring(t: &TestServer, import: &Import, objects: Value) -> Result<()> {
    let objects: Vec<Object> = serde_json::from_value(objects).expect("objects");
    let prepared = writers::prepare(t.app(), import, &objects).await?;
    let import = import.clone();
    let written = t.app().write(move |tx| {
        let place = Reference::Id(import.project_id);
        let project = find_project(tx, &place)?.found("Project")?;
        let mut desk = Desk::open(tx, &import, &project, &prepared)?;
        objects.iter().try_for_each(|object| writers::write(tx, &mut desk, object))
    });
    written.await
}

fn person(name: &str) -> Value {
    json!({"id": name, "username": name})
}
