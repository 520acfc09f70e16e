//! Releases of projects.

use super::enums::SORT;
use super::{ReleaseView, views};
use crate::access::{places, sees};
use crate::store;
use ::store::Tx;
use identity::graph::{Tally, caller};
use identity::viewer::Viewer;
use kernel::error::Result as Outcome;
use kernel::graph::{
    Args, Ask, Connection, Context, Fault, Graph, HasTypeRef, Key, Order, Owned, STRING, argument,
    named, object,
};
use spaces::graph::ProjectView as Project;
use std::collections::HashMap;
use std::sync::Arc;

pub fn graph(g: &mut Graph) {
    g.count("Release");
    g.on::<Project>("Project")
        .connections("releases", object::<ReleaseView>("Release"), listed)
        .describe("Its releases.")
        .arg(argument("sort", named(SORT)).default("RELEASED_AT_DESC").describe("The order."))
        .level("release", object::<ReleaseView>("Release"), of_tag)
        .describe("The release of a tag, for who reads the code.")
        .arg(argument("tagName", STRING.required()).describe("Its tag."));
}

/// Those of these projects whose releases the viewer sees.
fn open(tx: &mut Tx<'_>, viewer: &Viewer, projects: &[i64]) -> Outcome<Vec<i64>> {
    let places = places(tx, viewer, projects)?.into_values();
    let open = places.filter(|here| sees(&here.project, here.level));
    Ok(open.map(|here| here.project.id).collect())
}

async fn listed(
    of: Vec<Arc<Project>>, ask: Ask, args: Args, context: Context,
) -> Result<Vec<Option<Connection<ReleaseView>>>, Fault> {
    let sort: Option<String> = args.get("sort")?;
    let sort = sort.unwrap_or_else(|| "RELEASED_AT_DESC".to_owned());
    let order = if sort.ends_with("_ASC") {
        Order::Asc
    } else {
        Order::Desc
    };
    let by_creation = sort.starts_with("CREATED");
    let column = if by_creation {
        "releases.created_at"
    } else {
        "releases.released_at"
    };
    let keys = [Key::time(column, order), Key::int("releases.id", order)];
    let window = ask.window(&context, &format!("releases {sort}"), &keys)?;
    let owners: Vec<i64> = of.iter().map(|it| it.project.id).collect();
    let (app, viewer) = caller(&context)?;
    let asked = owners.clone();
    let read = app.read(move |tx| {
        let open = open(tx, &viewer, &asked)?;
        let rows = store::pages_of(tx, &open, &window)?;
        let order: Vec<(i64, i64)> = rows.iter().map(|one| (one.owner, one.row.id)).collect();
        let releases = rows.into_iter().map(|one| one.row).collect();
        let views = views(tx, &viewer, releases)?;
        let views: HashMap<i64, _> = views.into_iter().map(|it| (it.release.id, it)).collect();
        let owned = |(owner, id): (i64, i64)| {
            let row = views.get(&id)?.clone();
            Some(Owned { owner, row })
        };
        Ok((order.into_iter().filter_map(owned).collect::<Vec<_>>(), window))
    });
    let (rows, window) = read.await?;
    let rows = kernel::graph::by_owner(rows);
    let key = |it: &ReleaseView| {
        let release = &it.release;
        let at = if by_creation {
            release.created_at
        } else {
            release.released_at
        };
        vec![Key::instant(at), release.id.into()]
    };
    let pages = owners.iter().map(|owner| {
        let rows = rows.get(owner).cloned().unwrap_or_default();
        window.page_of(rows, key)
    });
    let counted = owners.clone();
    let tally = Tally::new(move |tx, viewer, limit| {
        let open = open(tx, viewer, &counted)?;
        store::counts(tx, &open, limit)
    });
    Ok(tally.counts(pages.collect(), owners))
}

async fn of_tag(
    of: Vec<Arc<Project>>, args: Args, context: Context,
) -> Result<Vec<Option<Arc<ReleaseView>>>, Fault> {
    let tag: String = args.get("tagName")?;
    let owners: Vec<i64> = of.iter().map(|it| it.project.id).collect();
    let (app, viewer) = caller(&context)?;
    let asked = owners.clone();
    let read = app.read(move |tx| {
        let open = open(tx, &viewer, &asked)?;
        let releases = store::of_tag(tx, &open, &tag)?;
        views(tx, &viewer, releases)
    });
    let found = read.await?;
    let found = found.into_iter().filter(|it| it.here.reads_code);
    let found: HashMap<i64, _> = found.map(|it| (it.release.project_id, it)).collect();
    Ok(owners.iter().map(|owner| found.get(owner).cloned()).collect())
}
