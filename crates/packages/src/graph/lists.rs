//! Packages of a project and of a group.

use super::enums::{Chosen, STATUS, TYPE};
use super::{Tally, caller, pages, shared};
use crate::model::{PackageType, Status};
use crate::store::list::{self, Filter, OrderBy};
use crate::store::pages::{self as rows, Listed, Owners, Sorted};
use kernel::graph::{
    Args, Ask, BOOLEAN, Connection, Context, Fault, Graph, ObjectBuilder, Order, STRING, argument,
    named, object,
};
use spaces::graph::{NamespaceView, ProjectView as Project};
use std::any::Any;
use std::sync::Arc;

/// Most words of a search for a name.
const MAX_WORDS: usize = 16;

pub fn graph(g: &mut Graph) {
    let project = g.on::<Project>("Project").connections(
        "packages",
        object::<Listed>("Package"),
        |parents: Vec<Arc<Project>>, ask, args, context| async move {
            let ids = parents.iter().map(|it| it.project.id).collect();
            listed(Owners::Projects(ids), ask, args, context).await
        },
    );
    filters(
        project.describe("Its packages; null where the caller may not read them."),
        "PackageSort",
    );
    let group = g.on::<NamespaceView>("Group").connections(
        "packages",
        object::<Listed>("Package"),
        |parents: Vec<Arc<NamespaceView>>, ask, args, context| async move {
            let groups = parents.iter().map(|it| it.namespace.clone()).collect();
            listed(Owners::Groups(groups), ask, args, context).await
        },
    );
    let text = "Packages of the projects in it and below that the caller may read.";
    filters(group.describe(text), "PackageGroupSort");
}

fn filters<T: Any + Send + Sync>(field: ObjectBuilder<'_, T>, sort: &'static str) {
    field
        .arg(argument("packageName", STRING).describe("Only names that contain these words."))
        .arg(argument("packageType", TYPE).describe("Only this format."))
        .arg(argument("packageVersion", STRING).describe("Only this version."))
        .arg(argument("status", STATUS).describe("Only this state."))
        .arg(
            argument("includeVersionless", BOOLEAN)
                .default(false)
                .describe("Also packages without a version."),
        )
        .arg(argument("sort", named(sort)).default("CREATED_DESC").describe("The order."));
}

fn filter(args: &Args) -> Result<Filter, Fault> {
    let name: Option<String> = args.get("packageName")?;
    let words = list::words(&name.unwrap_or_default());
    if words.len() > MAX_WORDS {
        let text = format!("`packageName` cannot have more than {MAX_WORDS} words");
        return Err(Fault::argument(text));
    }
    let version: Option<String> = args.get("packageVersion")?;
    let versionless: Option<bool> = args.get("includeVersionless")?;
    let package_type: Option<Chosen<PackageType>> = args.get("packageType")?;
    let status: Option<Chosen<Status>> = args.get("status")?;
    Ok(Filter {
        package_type: package_type.map(|it| it.0),
        words,
        version: version.filter(|text| !text.trim().is_empty()),
        include_versionless: versionless.unwrap_or(false),
        status: status.map(|it| it.0),
        ..Filter::default()
    })
}

fn sorted(args: &Args) -> Result<(Sorted, String), Fault> {
    let name: Option<String> = args.get("sort")?;
    let name = name.unwrap_or_else(|| "CREATED_DESC".to_owned());
    let (by, order) = match name.rsplit_once('_') {
        Some((by, "ASC")) => (by, Order::Asc),
        Some((by, _)) => (by, Order::Desc),
        None => ("", Order::Desc),
    };
    let by = match by {
        "NAME" => OrderBy::Name,
        "VERSION" => OrderBy::Version,
        "TYPE" => OrderBy::Type,
        "PROJECT_PATH" => OrderBy::ProjectPath,
        _ => OrderBy::CreatedAt,
    };
    Ok((Sorted { by, order }, name))
}

async fn listed(
    owners: Owners, ask: Ask, args: Args, context: Context,
) -> Result<Vec<Option<Connection<Listed>>>, Fault> {
    let filter = filter(&args)?;
    let (sorted, name) = sorted(&args)?;
    let window = ask.window(&context, &format!("packages {name}"), &sorted.keys())?;
    let tally = {
        let (owners, filter) = (owners.clone(), filter.clone());
        Tally::new(move |tx, viewer, limit| rows::counts(tx, viewer, &owners, &filter, limit))
    };
    let ids = owners.ids();
    let (app, viewer) = caller(&context)?;
    let read = app.read(move |tx| {
        let found = rows::packages(tx, &viewer, &owners, &filter, &window)?;
        Ok((found, window))
    });
    let (found, window) = read.await?;
    let found = pages(ids.clone(), shared(found), &window, |it| sorted.values(it));
    let counted = found.into_iter().zip(ids).map(|(page, owner)| {
        let tally = tally.clone();
        page.map(|page| {
            page.counted(move |context, limit| {
                let tally = tally.clone();
                async move { tally.of(&context, owner, limit).await }
            })
        })
    });
    Ok(counted.collect())
}
