//! Protection rules of a project.

use crate::access::authorize;
use crate::model::ProtectionRule;
use crate::rules::protection::{self, Change, NewRule};
use crate::store::protection as rows;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::params::Flat;
use kernel::http::{Created, NoContent, Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use spaces::access::Purpose;

const BASE: &str = "/projects/{id}/packages/protection/rules";
const ONE: &str = "/projects/{id}/packages/protection/rules/{package_protection_rule_id}";

pub(super) fn routes(r: &mut Routes) {
    r.get(BASE, list).summary("Lists the package protection rules of a project");
    r.post(BASE, create).summary("Adds a package protection rule");
    r.patch(ONE, update).summary("Changes a package protection rule");
    r.delete(ONE, destroy).summary("Removes a package protection rule");
}

kernel::params! {
    pub struct ProjectPath {
        /// The project.
        pub id: Reference,
    }
}

kernel::params! {
    pub struct CreateRule {
        pub at: Flat<ProjectPath>,
        pub rule: Flat<NewRule>,
    }
}

kernel::params! {
    pub struct UpdateRule {
        pub at: Flat<RulePath>,
        pub change: Flat<Change>,
    }
}

kernel::params! {
    pub struct RulePath {
        /// The project.
        pub id: Reference,
        /// The rule.
        pub package_protection_rule_id: i64,
    }
}

async fn list(
    app: App, viewer: Viewer, path: Params<ProjectPath>, paging: Paging,
) -> Result<Paged<ProtectionRule>> {
    Paged::read(&app, paging, move |tx, part| {
        let entered = authorize(tx, &viewer, &path.id, Purpose::ManagePackageSettings)?;
        let project_id = entered.project.id;
        let rules = rows::list(tx, project_id, part.fetch(), part.offset())?;
        Ok((rules, rows::count(tx, project_id)?))
    })
    .await
}

async fn create(
    app: App, viewer: Viewer, params: Params<CreateRule>,
) -> Result<Created<ProtectionRule>> {
    app.write(move |tx| {
        let entered = authorize(tx, &viewer, &params.at.id, Purpose::ManagePackageSettings)?;
        let rule = params.rule.0.clone();
        protection::create(tx, &viewer, entered.project.id, rule).map(Created)
    })
    .await
}

async fn update(
    app: App, viewer: Viewer, params: Params<UpdateRule>,
) -> Result<Ok200<ProtectionRule>> {
    app.write(move |tx| {
        let at = &params.at;
        let entered = authorize(tx, &viewer, &at.id, Purpose::ManagePackageSettings)?;
        let (id, change) = (at.package_protection_rule_id, params.change.0.clone());
        protection::update(tx, &viewer, entered.project.id, id, change).map(Ok200)
    })
    .await
}

async fn destroy(app: App, viewer: Viewer, path: Params<RulePath>) -> Result<NoContent> {
    app.write(move |tx| {
        let entered = authorize(tx, &viewer, &path.id, Purpose::ManagePackageSettings)?;
        let id = path.package_protection_rule_id;
        protection::delete(tx, &viewer, entered.project.id, id)?;
        Ok(NoContent)
    })
    .await
}
