//! Deleting packages and files.

use super::{FILE_ID, PACKAGE_ID, caller};
use crate::access::authorize;
use crate::rules::destroy;
use crate::rules::protection::DELETION_PROTECTED;
use kernel::graph::{Context, Done, Fault, Graph, HasTypeRef, ID, argument};
use kernel::ids::Reference;
use serde::Deserialize;
use spaces::access::Purpose;

/// Most packages of one mutation.
const MAX_PACKAGES: usize = 20;
/// Most files of one mutation.
const MAX_FILES: usize = 100;

/// Nothing but errors is told.
struct Destroyed;

#[derive(Deserialize)]
struct One {
    id: i64,
}

#[derive(Deserialize)]
struct Many {
    ids: Vec<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OfProject {
    project_path: String,
    ids: Vec<i64>,
}

pub fn graph(g: &mut Graph) {
    g.mutation::<Destroyed>("destroyPackage", "Deletes a package.")
        .input(argument("id", PACKAGE_ID.required()).describe("The package."))
        .run(|input: One, context| packages(vec![input.id], context));
    g.mutation::<Destroyed>(
        "destroyPackages",
        "Deletes packages of any projects; once in a query.",
    )
    .at_most(1)
    .input(argument("ids", PACKAGE_ID.required().list().required()).describe("At most 20."))
    .run(|input: Many, context| async move {
        at_most(&input.ids, MAX_PACKAGES, "packages")?;
        packages(input.ids, context).await
    });
    g.mutation::<Destroyed>("destroyPackageFile", "Deletes a file of a package.")
        .input(argument("id", FILE_ID.required()).describe("The file."))
        .run(|input: One, context| file(input.id, context));
    g.mutation::<Destroyed>(
        "destroyPackageFiles",
        "Deletes files of packages of one project.",
    )
    .input(argument("projectPath", ID.required()).describe("Full path of the project."))
    .input(argument("ids", FILE_ID.required().list().required()).describe("At most 100."))
    .run(|input: OfProject, context| async move {
        at_most(&input.ids, MAX_FILES, "files")?;
        files(input, context).await
    });
}

fn at_most(ids: &[i64], most: usize, what: &str) -> Result<(), Fault> {
    if ids.len() > most {
        let text = format!("Cannot delete more than {most} {what}");
        return Err(Fault::argument(text));
    }
    Ok(())
}

/// Protected things stay; that is told once.
fn done(some_stay: bool) -> Done<Destroyed> {
    let told = some_stay.then(|| DELETION_PROTECTED.to_owned());
    Done {
        errors: told.into_iter().collect(),
        payload: Some(Destroyed),
    }
}

fn each_once(mut ids: Vec<i64>) -> Vec<i64> {
    ids.sort_unstable();
    ids.dedup();
    ids
}

async fn packages(ids: Vec<i64>, context: Context) -> Result<Done<Destroyed>, Fault> {
    let ids = each_once(ids);
    let (app, viewer) = caller(&context)?;
    let registry = app.jobs().clone();
    let work = app.write(move |tx| destroy::packages(tx, &registry, &viewer, &ids));
    Ok(done(work.await?))
}

async fn file(id: i64, context: Context) -> Result<Done<Destroyed>, Fault> {
    let (app, viewer) = caller(&context)?;
    let registry = app.jobs().clone();
    let work = app.write(move |tx| destroy::file_anywhere(tx, &registry, &viewer, id));
    Ok(done(work.await?))
}

async fn files(input: OfProject, context: Context) -> Result<Done<Destroyed>, Fault> {
    let ids = each_once(input.ids);
    let reference = Reference::Path(input.project_path);
    let (app, viewer) = caller(&context)?;
    let registry = app.jobs().clone();
    let work = app.write(move |tx| {
        let entered = authorize(tx, &viewer, &reference, Purpose::DestroyPackage)?;
        destroy::files(tx, &registry, &viewer, &entered, &ids)
    });
    match work.await? {
        Some(some_stay) => Ok(done(some_stay)),
        None => Err(Fault::argument(
            "All files must be in the requested project",
        )),
    }
}
