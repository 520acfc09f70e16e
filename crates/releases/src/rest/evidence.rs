//! Evidence, collected when somebody asks for it.

use super::OneRelease;
use crate::entity::{self, ReleaseEntity};
use crate::rules::evidence;
use identity::Caller;
use kernel::error::Result;
use kernel::http::{Ok200, Params, Routes};

pub fn routes(r: &mut Routes) {
    r.post("/projects/{id}/releases/{tag_name}/evidence", collect)
        .summary("Collects evidence of what a release is now");
}

async fn collect(by: Caller, asked: Params<OneRelease>) -> Result<Ok200<ReleaseEntity>> {
    let (asked, viewer) = (asked.0, by.viewer.clone());
    let collected = by
        .app
        .write(move |tx| evidence::ask_for(tx, &viewer, &asked.id, &asked.tag_name));
    entity::one(&by.app, &by.viewer, collected.await?, false).await.map(Ok200)
}
