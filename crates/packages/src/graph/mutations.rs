//! Deleting packages and files.

use super::{FILE_ID, PACKAGE_ID, caller};
use crate::access::authorize;
use crate::rules::destroy::Deletion;
use crate::rules::protection::DELETION_PROTECTED;
use kernel::graph::{Context, Done, Fault, Graph, HasTypeRef, ID};
use kernel::graph_input;
use kernel::ids::Reference;
use spaces::access::Purpose;

const MAX_PACKAGES: usize = 20;
const MAX_FILES: usize = 100;

/// Nothing but errors is told.
struct Destroyed;

graph_input! {
    struct OnePackage {
        /// The package.
        id: i64 = PACKAGE_ID.required(),
    }
}

graph_input! {
    struct ManyPackages {
        /// At most 20.
        ids: Vec<i64> = PACKAGE_ID.required().list().required(),
    }
}

graph_input! {
    struct OneFile {
        /// The file.
        id: i64 = FILE_ID.required(),
    }
}

graph_input! {
    struct ManyFiles {
        /// Full path of the project.
        project_path: String = ID.required(),
        /// At most 100.
        ids: Vec<i64> = FILE_ID.required().list().required(),
    }
}

pub fn graph(g: &mut Graph) {
    g.mutation::<Destroyed>("destroyPackage", "Deletes a package.")
        .handle(|input: OnePackage, context| packages(vec![input.id], context));
    let text = "Deletes packages of any projects; once in a query.";
    g.mutation::<Destroyed>("destroyPackages", text).at_most(1).handle(
        |input: ManyPackages, context| async move {
            at_most(&input.ids, MAX_PACKAGES, "packages")?;
            packages(input.ids, context).await
        },
    );
    g.mutation::<Destroyed>("destroyPackageFile", "Deletes a file of a package.")
        .handle(|input: OneFile, context| file(input.id, context));
    let text = "Deletes files of packages of one project.";
    g.mutation::<Destroyed>("destroyPackageFiles", text).handle(files);
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
    Done { errors: told.into_iter().collect(), payload: Some(Destroyed) }
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
    let work = app.write(move |tx| Deletion::new(&registry, &viewer, None).packages(tx, &ids));
    Ok(done(work.await?))
}

async fn file(id: i64, context: Context) -> Result<Done<Destroyed>, Fault> {
    let (app, viewer) = caller(&context)?;
    let registry = app.jobs().clone();
    let work = app.write(move |tx| Deletion::new(&registry, &viewer, None).file_anywhere(tx, id));
    Ok(done(work.await?))
}

async fn files(input: ManyFiles, context: Context) -> Result<Done<Destroyed>, Fault> {
    at_most(&input.ids, MAX_FILES, "files")?;
    let ids = each_once(input.ids);
    let reference = Reference::Path(input.project_path);
    let (app, viewer) = caller(&context)?;
    let registry = app.jobs().clone();
    let work = app.write(move |tx| {
        let entered = authorize(tx, &viewer, &reference, Purpose::DestroyPackage)?;
        Deletion::new(&registry, &viewer, None).files(tx, &entered, &ids)
    });
    match work.await? {
        Some(some_stay) => Ok(done(some_stay)),
        None => Err(Fault::argument("All files must be in the requested project")),
    }
}
