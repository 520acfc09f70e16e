//! Duplicate settings of a group and of all below it.

use crate::settings::{self, Change, PackageSettings};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::{Ok200, Params, Routes};
use kernel::ids::Reference;
use spaces::access::Purpose;

pub(super) fn routes(r: &mut Routes) {
    r.get("/groups/{id}/package_settings", show)
        .summary("Shows which duplicate packages a group allows");
    r.put("/groups/{id}/package_settings", update)
        .summary("Changes which duplicate packages a group allows");
}

kernel::params! {
    pub struct GroupPath {
        /// The group.
        pub id: Reference,
    }
}

async fn show(app: App, viewer: Viewer, path: Params<GroupPath>) -> Result<Ok200<PackageSettings>> {
    app.read(move |tx| {
        let group = spaces::group(tx, &viewer, &path.id, Purpose::ManagePackageSettings)?;
        settings::effective(tx, group.id).map(Ok200)
    })
    .await
}

async fn update(
    app: App, viewer: Viewer, path: Params<GroupPath>, change: Params<Change>,
) -> Result<Ok200<PackageSettings>> {
    app.write(move |tx| {
        let group = spaces::group(tx, &viewer, &path.id, Purpose::ManagePackageSettings)?;
        let changed = settings::update(tx, &viewer, &group, &change)?;
        Ok(Ok200(changed))
    })
    .await
}
