//! A client of a registry: who asks, at which prefix, and how.

use crate::access::{RegistryAccess, authorize};
use crate::download;
use crate::model::PackageFile;
use crate::scope::{Prefix, Scope, missing, scope};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::openapi::Operation;
use kernel::http::{Call, FromCall, RequestContext, Response};
use kernel::ids::Reference;
use spaces::access::Purpose;
use std::sync::Arc;
use store::Tx;

/// What handlers of the documents that all prefixes have are given.
#[derive(Clone)]
pub struct Client {
    pub app: App,
    pub viewer: Viewer,
    pub prefix: Prefix,
    pub request: Arc<RequestContext>,
}

impl FromCall for Client {
    async fn from_call(call: &mut Call) -> Result<Client> {
        let viewer = Viewer::from_call(call).await?;
        let prefix = Prefix::from_call(call).await?;
        Ok(Client {
            app: call.app.clone(),
            viewer,
            prefix,
            request: call.request.clone(),
        })
    }

    fn describe(operation: &mut Operation<'_>) {
        Prefix::describe(operation);
    }
}

impl Client {
    /// Reads what the client may see below its prefix.
    pub async fn read<T: Send + 'static>(
        &self, work: impl FnOnce(&mut Tx<'_>, &Scope, &Client) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let client = self.clone();
        let read = self.app.read(move |tx| {
            let scope = scope(tx, &client.viewer, &client.prefix)?;
            work(tx, &scope, &client)
        });
        read.await
    }

    /// Reads in a project that the client enters for a purpose.
    pub async fn enter<T: Send + 'static>(
        &self, project: &Reference, purpose: Purpose,
        work: impl FnOnce(&mut Tx<'_>, RegistryAccess) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (viewer, project) = (self.viewer.clone(), project.clone());
        let read = self.app.read(move |tx| {
            let entered = authorize(tx, &viewer, &project, purpose)?;
            work(tx, entered)
        });
        read.await
    }

    /// Changes something in a project that the client enters for a purpose; the
    /// work may run more than once.
    pub async fn change<T: Send + 'static>(
        &self, project: &Reference, purpose: Purpose,
        work: impl Fn(&mut Tx<'_>, &RegistryAccess, &Client) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (client, project) = (self.clone(), project.clone());
        let written = self.app.write(move |tx| {
            let entered = authorize(tx, &client.viewer, &project, purpose)?;
            work(tx, &entered, &client)
        });
        written.await
    }

    /// Refuses who may not ask at this prefix at all.
    pub async fn admit(&self) -> Result<()> {
        self.read(|_, _, _| Ok(())).await
    }

    /// How the client is refused what is not there for it; see
    /// [`crate::scope::missing`].
    pub fn missing(&self, tx: &mut Tx<'_>) -> Result<Error> {
        missing(tx, &self.viewer, &self.prefix)
    }

    pub async fn send(&self, file: &PackageFile) -> Result<Response> {
        download::serve(&self.app, &self.request, file).await
    }
}
