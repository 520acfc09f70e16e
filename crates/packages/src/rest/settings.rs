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
    /// A group.
    pub struct GroupPath {
        /// The group.
        pub id: Reference,
    }
}

kernel::params! {
    /// New duplicate settings.
    pub struct UpdateSettings {
        /// The group.
        pub id: Reference,
        /// maven: whether duplicates are allowed.
        pub maven_duplicates_allowed: Option<bool>,
        /// maven: names or versions exempt from it.
        pub maven_duplicate_exception_regex: Option<String>,
        /// generic: whether duplicates are allowed.
        pub generic_duplicates_allowed: Option<bool>,
        /// generic: names or versions exempt from it.
        pub generic_duplicate_exception_regex: Option<String>,
        /// nuget: whether duplicates are allowed.
        pub nuget_duplicates_allowed: Option<bool>,
        /// nuget: names or versions exempt from it.
        pub nuget_duplicate_exception_regex: Option<String>,
        /// terraform_module: whether duplicates are allowed.
        pub terraform_module_duplicates_allowed: Option<bool>,
        /// terraform_module: names or versions exempt from it.
        pub terraform_module_duplicate_exception_regex: Option<String>,
    }
}

/// The settings that hold in the group.
async fn show(app: App, viewer: Viewer, path: Params<GroupPath>) -> Result<Ok200<PackageSettings>> {
    app.read(move |tx| {
        let group = spaces::group(tx, &viewer, &path.id, Purpose::ManagePackageSettings)?;
        settings::effective(tx, group.id).map(Ok200)
    })
    .await
}

/// Gives the group settings of its own.
async fn update(
    app: App,
    viewer: Viewer,
    params: Params<UpdateSettings>,
) -> Result<Ok200<PackageSettings>> {
    let Params(params) = params;
    let (reference, change) = (params.id.clone(), change(params));
    app.write(move |tx| {
        let group = spaces::group(tx, &viewer, &reference, Purpose::ManagePackageSettings)?;
        let changed = settings::update(tx, &viewer, &group, &change)?;
        Ok(Ok200(changed))
    })
    .await
}

fn change(params: UpdateSettings) -> Change {
    Change {
        maven_duplicates_allowed: params.maven_duplicates_allowed,
        maven_duplicate_exception_regex: params.maven_duplicate_exception_regex,
        generic_duplicates_allowed: params.generic_duplicates_allowed,
        generic_duplicate_exception_regex: params.generic_duplicate_exception_regex,
        nuget_duplicates_allowed: params.nuget_duplicates_allowed,
        nuget_duplicate_exception_regex: params.nuget_duplicate_exception_regex,
        terraform_module_duplicates_allowed: params.terraform_module_duplicates_allowed,
        terraform_module_duplicate_exception_regex: params
            .terraform_module_duplicate_exception_regex,
    }
}
