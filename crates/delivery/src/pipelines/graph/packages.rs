//! Pipelines of packages.

use super::PipelineView;
use kernel::graph::{Args, Ask, Connection, Context, Fault, Graph, Key, Order, object};
use packages::store::pages::Listed;
use std::sync::Arc;

/// Most pipelines of a page, as in REST.
const MOST: u32 = 20;

pub fn graph(g: &mut Graph) {
    for name in ["Package", "PackageBase", "PackageDetailsType"] {
        g.on::<Listed>(name)
            .connections_up_to(MOST, "pipelines", object::<PipelineView>("Pipeline"), none)
            .describe("Pipelines that built it; at most 20 a page.");
    }
}

/// An empty page for each package, if the page is asked for rightly: no package says
/// which pipeline built it.
async fn none(
    of: Vec<Arc<Listed>>, ask: Ask, _: Args, context: Context,
) -> Result<Vec<Option<Connection<PipelineView>>>, Fault> {
    ask.window(&context, "pipelines", &[Key::int("id", Order::Desc)])?;
    Ok(of.iter().map(|_| Some(Connection::empty())).collect())
}
