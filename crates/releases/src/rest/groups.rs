//! Releases of the projects of a group.

use crate::access::{places, seen_below};
use crate::entity::{self, ReleaseEntity, SimpleRelease};
use crate::related::Related;
use crate::store::{self, Direction, ReleaseFilter};
use identity::Caller;
use kernel::error::Result;
use kernel::http::{Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::access::{Purpose, group};

pub fn routes(r: &mut Routes) {
    r.get("/groups/{id}/releases", list)
        .summary("Lists the releases of the projects of a group");
}

kernel::params! {
    pub struct ListOfGroup {
        /// Id or path of the group.
        pub id: Reference,
        /// The last first unless said.
        pub sort: Option<Direction>,
        /// Show the first keys alone.
        pub simple: Option<bool>,
    }
}

/// A release, or the first keys of one.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ReleaseOfGroup {
    Simple(SimpleRelease),
    Whole(Box<ReleaseEntity>),
}

async fn list(
    by: Caller, asked: Params<ListOfGroup>, paging: Paging,
) -> Result<Paged<ReleaseOfGroup>> {
    by.read(move |tx, by| {
        let (app, viewer) = (&by.app, &by.viewer);
        let group = group(tx, viewer, &asked.id, Purpose::Read)?;
        let filter = ReleaseFilter { sort: asked.sort, ..ReleaseFilter::default() };
        let condition = seen_below(tx, viewer, &group.lineage);
        let page = store::list(tx, condition, &filter, paging)?;
        let projects: Vec<i64> = page.items.iter().map(|one| one.project_id).collect();
        let places = places(tx, viewer, &projects)?;
        let related = match asked.simple {
            Some(true) => Related::default(),
            _ => Related::load(tx, viewer, &page.items)?,
        };
        let shown = page.items.iter().filter_map(|release| {
            let here = places.get(&release.project_id)?;
            Some(match asked.simple {
                Some(true) => ReleaseOfGroup::Simple(entity::simple(app, here, release)),
                _ => {
                    let whole = entity::release(app, here, release, &related, None);
                    ReleaseOfGroup::Whole(Box::new(whole))
                }
            })
        });
        let shown: Vec<ReleaseOfGroup> = shown.collect();
        Ok(page.replace(|_| shown))
    })
    .await
}
