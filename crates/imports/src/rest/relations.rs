//! `/projects/import-relation` and `/projects/:id/relation-imports`: parts of files come into
//! projects that are there.

use super::in_query::InQuery;
use crate::archive::arriving;
use crate::archive::relations::model::Status;
use crate::archive::relations::{Relation, RelationImport, rules};
use crate::archive::rules::{FileCame, Source};
use crate::archive::settings::{Deed, count};
use crate::run::SourceName;
use crate::settings::need;
use identity::Caller;
use kernel::error::{Error, Result};
use kernel::http::params::FromParams;
use kernel::http::{Created, Ok200, Params, Parts, RequestContext, Routes};
use kernel::ids::Reference;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::access::{self, Purpose};
use spaces::model::Project;
use std::sync::Arc;

pub(super) fn routes(r: &mut Routes) {
    r.post("/projects/import-relation", import)
        .streams()
        .answers(409, "Something is imported into the project already")
        .answers(429, "The caller began too many of late")
        .summary("Brings a part of a file that is sent into a project");
    r.get("/projects/{id}/relation-imports", list)
        .summary("Lists the parts of files that were brought into a project, the newest first");
}

kernel::params! {
    /// A part of a file, and where it goes.
    struct ImportedPart {
        /// The full path of the project.
        pub path: String,
        /// The part that is brought.
        pub relation: Relation,
    }
}

kernel::params! {
    /// A project.
    struct OfProject {
        /// Id or path of the project.
        pub id: Reference,
    }
}

/// A part of a file that was brought, or is.
#[derive(Debug, Serialize, JsonSchema)]
struct RelationImportEntity {
    id: i64,
    project_path: String,
    relation: Relation,
    status: Status,
    created_at: String,
    updated_at: String,
}

fn entity(project: &Project, row: &RelationImport) -> RelationImportEntity {
    RelationImportEntity {
        id: row.id,
        project_path: project.full_path.clone(),
        relation: row.relation,
        status: row.status,
        created_at: wire::text(row.created_at),
        updated_at: wire::text(row.updated_at),
    }
}

async fn import(
    by: Caller, query: InQuery<ImportedPart>, request: Arc<RequestContext>, parts: Parts,
) -> Result<Created<RelationImportEntity>> {
    let user_id = by.viewer.signed_in()?.user.id;
    by.clone().read(|tx, _| need(tx, SourceName::ProjectFile)).await?;
    count(&by.app, user_id, Deed::Import).await?;
    let mut form = arriving::read(&by.app, &request, parts).await?;
    let mut sent = query.said;
    sent.extend(std::mem::take(&mut form.fields));
    let part = ImportedPart::from_params(&sent).map_err(Error::Parameters)?;
    let file = form.take_file()?;
    let reference = Reference::Path(part.path.trim_matches('/').to_owned());
    let asked = reference.clone();
    by.clone()
        .read(move |tx, by| access::project(tx, &by.viewer, &asked, Purpose::Update).map(drop))
        .await?;
    let (stored, manifest) = arriving::keep(&by.app, file).await?;
    let source = Source {
        origin: manifest.project.full_path.clone(),
        came: FileCame::Stored(stored),
        manifest: Some(manifest),
        correlation_id: Some(request.request_id.clone()).filter(|id| !id.is_empty()),
    };
    by.write(move |tx, by| {
        let project = access::project(tx, &by.viewer, &reference, Purpose::Update)?;
        let row = rules::begin(tx, by, &project, part.relation, &source)?;
        Ok(Created(entity(&project, &row)))
    })
    .await
}

async fn list(by: Caller, of: Params<OfProject>) -> Result<Ok200<Vec<RelationImportEntity>>> {
    by.viewer.signed_in()?;
    by.read(move |tx, by| {
        let project = access::project(tx, &by.viewer, &of.id, Purpose::Update)?;
        let rows = rules::list(tx, &project)?;
        Ok(Ok200(rows.iter().map(|row| entity(&project, row)).collect()))
    })
    .await
}
