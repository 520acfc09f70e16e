//! What imports come from: each kind answers page by page, in the words of [`crate::model`].
//!
//! A source is opened for each job anew; what it has to know from one page to the next stands
//! in the cursor that it gives, and what it knows of the whole in `Import::upstream`.

mod by_number;
pub mod provider_a;
pub mod provider_b;
pub mod provider_b_cloud;
pub mod provider_b_server;
mod reading;

use crate::archive;
use crate::model::Kind;
use crate::run::{Credentials, Import, Page, SourceName, Stage, Trouble};
use kernel::app::App;
use kernel::error::Error;

/// A source of an import, open.
pub enum Source {
    ProviderA(provider_a::Upstream),
    ProviderBServer(provider_b_server::Upstream),
    ProviderBCloud(provider_b_cloud::Upstream),
    ProjectFile(archive::File),
}

impl Source {
    /// Opens that of an import, with what proves there who asks. Nothing is asked yet.
    pub async fn open(
        app: &App, import: &Import, credentials: Option<Credentials>,
    ) -> Result<Source, Trouble> {
        let needed = |credentials: Option<Credentials>| {
            credentials.ok_or_else(|| Trouble::Refused(NO_CREDENTIALS.into()))
        };
        Ok(match import.source {
            SourceName::ProviderA => {
                let credentials = needed(credentials)?;
                Source::ProviderA(provider_a::Upstream::open(app, import, credentials).await?)
            }
            SourceName::ProviderBServer => {
                let credentials = needed(credentials)?;
                let opened = provider_b_server::Upstream::open(app, import, credentials);
                Source::ProviderBServer(opened.await?)
            }
            SourceName::ProviderBCloud => {
                let credentials = needed(credentials)?;
                let opened = provider_b_cloud::Upstream::open(app, import, credentials);
                Source::ProviderBCloud(opened.await?)
            }
            SourceName::ProjectFile => Source::ProjectFile(archive::File::open(app, import).await?),
        })
    }

    /// The stages of an import, in their order; [`Stage::Finish`] is the last.
    pub fn stages(&self, import: &Import) -> &'static [Stage] {
        match self {
            Source::ProviderA(upstream) => upstream.stages(import),
            Source::ProviderBServer(upstream) => upstream.stages(import),
            Source::ProviderBCloud(upstream) => upstream.stages(import),
            Source::ProjectFile(file) => file.stages(import),
        }
    }

    /// One page of a stage, from where the page before it said that it begins.
    pub async fn page(
        &self, app: &App, import: &Import, stage: Stage, cursor: Option<&str>,
    ) -> Result<Page, Trouble> {
        match self {
            Source::ProviderA(upstream) => upstream.page(app, import, stage, cursor).await,
            Source::ProviderBServer(upstream) => upstream.page(app, import, stage, cursor).await,
            Source::ProviderBCloud(upstream) => upstream.page(app, import, stage, cursor).await,
            Source::ProjectFile(file) => file.page(app, import, stage, cursor).await,
        }
    }

    /// How many there are of each kind, as far as upstream says so cheaply: for a dry run.
    pub async fn count(&self, app: &App, import: &Import) -> Result<Vec<(Kind, i64)>, Trouble> {
        match self {
            Source::ProviderA(upstream) => upstream.count(app, import).await,
            Source::ProviderBServer(upstream) => upstream.count(app, import).await,
            Source::ProviderBCloud(upstream) => upstream.count(app, import).await,
            Source::ProjectFile(file) => file.count(app, import).await,
        }
    }
}

const NO_CREDENTIALS: &str = "What proved there who asks is not stored any more.";

/// A failure that an endpoint answers with, of a source that was asked before an import begins.
pub fn refusal(trouble: Trouble) -> Error {
    match trouble {
        Trouble::Wait(_) => Error::Limited(60),
        Trouble::Away(text) | Trouble::Refused(text) | Trouble::Lost { reason: text, .. } => {
            Error::Unprocessable(text)
        }
        Trouble::Internal(error) => error,
    }
}
