//! Pipelines of packages.

use super::{PipelineView, pipelines};
use crate::pipelines::store::of_packages as rows;
use identity::graph::{Tally, caller};
use kernel::graph::{
    Args, Ask, Connection, Context, Fault, Graph, Key, Order, Owned, by_owner, object,
};
use packages::store::pages::Listed;
use std::collections::HashMap;
use std::sync::Arc;

/// Most pipelines of a page, as in REST.
const MOST: u32 = 20;
const KEYS: [Key; 1] = [Key::int("ci_pipelines.id", Order::Desc)];

pub fn graph(g: &mut Graph) {
    for name in ["Package", "PackageBase", "PackageDetailsType"] {
        g.on::<Listed>(name)
            .connections_up_to(MOST, "pipelines", object::<PipelineView>("Pipeline"), listed)
            .describe("Pipelines that built it, the last first; at most 20 a page.");
    }
}

/// A page for each package, of pipelines that the caller sees.
async fn listed(
    of: Vec<Arc<Listed>>, ask: Ask, _: Args, context: Context,
) -> Result<Vec<Option<Connection<PipelineView>>>, Fault> {
    let window = ask.window(&context, "pipelines", &KEYS)?;
    let owners: Vec<i64> = of.iter().map(|it| it.package.id).collect();
    let (app, viewer) = caller(&context)?;
    let asked = owners.clone();
    let read = app.read(move |tx| {
        let found = rows::pipelines(tx, &viewer, &asked, &window)?;
        let order: Vec<(i64, i64)> = found.iter().map(|one| (one.owner, one.row.id)).collect();
        let views = pipelines(tx, &viewer, found.into_iter().map(|one| one.row).collect())?;
        let views: HashMap<i64, _> = views.into_iter().map(|it| (it.pipeline.id, it)).collect();
        let owned = |(owner, id): (i64, i64)| {
            let row = views.get(&id)?.clone();
            Some(Owned { owner, row })
        };
        Ok((order.into_iter().filter_map(owned).collect::<Vec<_>>(), window))
    });
    let (found, window) = read.await?;
    let found = by_owner(found);
    let page = |owner: &i64| {
        let rows = found.get(owner).cloned().unwrap_or_default();
        window.page_of(rows, |it| vec![it.pipeline.id.into()])
    };
    let pages = owners.iter().map(page).collect();
    let counted = owners.clone();
    let tally = Tally::new(move |tx, viewer, limit| rows::counts(tx, viewer, &counted, limit));
    Ok(tally.counts(pages, owners))
}
