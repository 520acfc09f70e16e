//! `…/-/merge_requests/<number>.diff` and `.patch`: what a merge request changes, as git
//! writes it, for `git apply` and `git am`.

use super::frame;
use crate::diffs::{RawForm, raw};
use crate::store::versions;
use http::Method;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::http::{Params, Response, Routes};
use repositories::model::RepositoryKind;
use repositories::store::of_project;
use spaces::access::Purpose;
use spaces::pages::{Address, PROJECT};

pub fn routes(r: &mut Routes) {
    let one = format!("{PROJECT}/-/merge_requests/{{merge_request_iid}}");
    r.page(Method::GET, &format!("{one}.diff"), diff);
    r.page(Method::GET, &format!("{one}.patch"), patch);
}

kernel::params! {
    struct Numbered {
        /// Number of the merge request.
        pub merge_request_iid: i64,
    }
}

async fn diff(
    app: App, viewer: Viewer, address: Address, Params(path): Params<Numbered>,
) -> Result<Response> {
    send(&app, viewer, address, path.merge_request_iid, RawForm::Diff).await
}

async fn patch(
    app: App, viewer: Viewer, address: Address, Params(path): Params<Numbered>,
) -> Result<Response> {
    send(&app, viewer, address, path.merge_request_iid, RawForm::Patch).await
}

/// The newest version, for who may see the merge request.
async fn send(
    app: &App, viewer: Viewer, address: Address, iid: i64, form: RawForm,
) -> Result<Response> {
    let read = app.read(move |tx| {
        let found = frame::find(tx, &viewer, &address, iid, Purpose::DownloadCode)?;
        let project = found.here.project.id;
        let repository = of_project(tx, project, RepositoryKind::Project)?.found("Repository")?;
        Ok((repository.id, versions::latest(tx, found.request.id)?.found("")?))
    });
    let (repository, version) = read.await?;
    raw(app, repository, version.base_id, version.head_id, form).await
}
