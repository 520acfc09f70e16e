//! Where packages that are made of a repository get it from: the room of
//! repositories plugs itself in here.

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use kernel::app::App;
use kernel::error::Result;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ref {
    Tag(String),
    Branch(String),
}

pub type Archive = BoxStream<'static, Result<Bytes>>;

/// Repositories, as this room needs them.
pub trait Source: Send + Sync {
    /// A zip archive of what a tag or branch of a project holds; nothing
    /// where there is no such tag, branch or repository.
    fn archive<'s>(
        &'s self, app: &'s App, project: i64, reference: &'s Ref,
    ) -> BoxFuture<'s, Result<Option<Archive>>>;
}

/// Where repositories are; nowhere as long as no room has them. It must be
/// among the store's plugs.
#[derive(Default)]
pub struct Repositories(pub Option<Box<dyn Source>>);

/// The archive of a tag or branch, if there is such a thing.
pub(crate) async fn archive(app: &App, project: i64, reference: &Ref) -> Result<Option<Archive>> {
    match &app.plugged::<Repositories>()?.0 {
        Some(source) => source.archive(app, project, reference).await,
        None => Ok(None),
    }
}
