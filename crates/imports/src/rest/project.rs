//! `/projects/:id/import`: how far the import of a project is, and what may be done with it.

use super::import_entity::{self, ImportEntity};
use super::record::CanceledRecord;
use crate::run::rules::{self, THING};
use crate::run::{Credentials, Import, SourceName, prepare_one, retry_one};
use ::store::Tx;
use identity::Caller;
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::http::{Created, Flat, Ok200, Params, Routes};
use kernel::ids::Reference;
use serde_json::json;
use spaces::access::{self, Purpose, find_project, may};
use spaces::model::Project;

const PATH: &str = "/projects/{id}/import";

pub(super) fn routes(r: &mut Routes) {
    r.get(PATH, show).summary("Shows how far the import of a project is");
    r.post(&format!("{PATH}/cancel"), cancel)
        .summary("Gives the import of a project up");
    r.post(&format!("{PATH}/retry"), retry)
        .summary("Has an import that failed go on, or one that finished try again what failed");
    r.post(&format!("{PATH}/relations/{{failed_id}}/retry"), retry_relation)
        .summary("Tries one thing again that could not be imported");
    r.post(&format!("{PATH}/cut_over"), cut_over)
        .summary("Has an import that keeps following bring what is missing, and end");
    r.post("/import/provider_a/cancel", cancel_provider_a)
        .summary("Gives an import from provider A up");
}

kernel::params! {
    /// A project.
    struct OfProject {
        /// Id or path.
        pub id: Reference,
    }
}

kernel::params! {
    /// How an import is tried again.
    struct Retry {
        pub project: Flat<OfProject>,
        /// The user name there, where it was given with the import.
        pub username: Option<String>,
        /// The token, or the password, that proves there who asks: it was erased as the import
        /// ended. Files of projects need none.
        pub personal_access_token: Option<String>,
    }
}

kernel::params! {
    /// A thing that could not be imported.
    struct OneRelation {
        pub project: Flat<OfProject>,
        /// Id of the failure.
        pub failed_id: i64,
    }
}

kernel::params! {
    /// The project whose import is given up.
    struct CancelProviderA {
        /// Its id.
        pub project_id: i64,
    }
}

impl Retry {
    fn credentials(&self) -> Option<Credentials> {
        let secret = self.personal_access_token.clone().filter(|text| !text.is_empty())?;
        Some(Credentials { username: self.username.clone(), secret })
    }
}

/// The project and its import, for who maintains it.
fn find(tx: &mut Tx<'_>, viewer: &Viewer, of: &OfProject) -> Result<(Project, Import)> {
    let project = access::project(tx, viewer, &of.id, Purpose::Update)?;
    let import = rules::find(tx, &project)?.found(THING)?;
    Ok((project, import))
}

/// The import as it is after a change.
fn shown(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project) -> Result<ImportEntity> {
    let project = find_project(tx, &Reference::Id(project.id))?.found("Project")?;
    import_entity::of(tx, viewer, &project)
}

async fn show(by: Caller, of: Params<OfProject>) -> Result<Ok200<ImportEntity>> {
    by.read(move |tx, by| {
        let project = access::project(tx, &by.viewer, &of.id, Purpose::Read)?;
        import_entity::of(tx, &by.viewer, &project).map(Ok200)
    })
    .await
}

async fn cancel(by: Caller, of: Params<OfProject>) -> Result<Ok200<ImportEntity>> {
    by.write(move |tx, by| {
        let project = access::project(tx, &by.viewer, &of.id, Purpose::Destroy)?;
        let import = rules::find(tx, &project)?.found(THING)?;
        rules::cancel(tx, &by.viewer, &project, import)?;
        shown(tx, &by.viewer, &project).map(Ok200)
    })
    .await
}

async fn retry(by: Caller, retry: Params<Retry>) -> Result<Created<ImportEntity>> {
    by.write(move |tx, by| {
        let (project, import) = find(tx, &by.viewer, &retry.project)?;
        let credentials = retry.credentials();
        rules::retry(tx, &by.app, (&by.viewer, &project), import, credentials.as_ref())?;
        shown(tx, &by.viewer, &project).map(Created)
    })
    .await
}

async fn retry_relation(by: Caller, one: Params<OneRelation>) -> Result<Created<ImportEntity>> {
    let asked = one.clone();
    let of = by.clone().read(move |tx, by| find(tx, &by.viewer, &asked.project));
    let (_, import) = of.await?;
    let prepared = prepare_one(&by.app, &import, one.failed_id).await?;
    by.write(move |tx, by| {
        let (project, import) = find(tx, &by.viewer, &one.project)?;
        retry_one(tx, (&by.viewer, &project), import, one.failed_id, &prepared)?;
        shown(tx, &by.viewer, &project).map(Created)
    })
    .await
}

async fn cut_over(by: Caller, of: Params<OfProject>) -> Result<Ok200<ImportEntity>> {
    by.write(move |tx, by| {
        let (project, import) = find(tx, &by.viewer, &of)?;
        rules::cut_over(tx, &by.app, (&by.viewer, &project), import)?;
        shown(tx, &by.viewer, &project).map(Ok200)
    })
    .await
}

async fn cancel_provider_a(
    by: Caller, which: Params<CancelProviderA>,
) -> Result<Ok200<CanceledRecord>> {
    by.viewer.signed_in()?;
    by.write(move |tx, by| {
        let id = Reference::Id(which.project_id);
        let project = access::project(tx, &by.viewer, &id, Purpose::Read)?;
        let import = rules::find(tx, &project)?;
        let import = import.filter(|it| it.source == SourceName::ProviderA).found("Project")?;
        if !may(tx, &by.viewer, &project, Purpose::Destroy)? {
            return Err(Error::Exact(403, json!({"message": "Unauthorized access"})));
        }
        let import = rules::cancel(tx, &by.viewer, &project, import)?;
        let project = find_project(tx, &id)?.found("Project")?;
        Ok(Ok200(CanceledRecord::of(&project, &import.origin)))
    })
    .await
}
