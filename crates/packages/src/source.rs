//! Where packages that are made of a repository get it from: the room of
//! repositories plugs itself in here.

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use kernel::app::App;
use kernel::error::Result;
use std::sync::OnceLock;

/// A tag or branch of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ref {
    /// A tag.
    Tag(String),
    /// A branch.
    Branch(String),
}

/// The bytes of an archive as they are made.
pub type Archive = BoxStream<'static, Result<Bytes>>;

/// Repositories, as this room needs them.
pub trait Source: Send + Sync {
    /// A zip archive of what a tag or branch of a project holds; nothing
    /// where there is no such tag, branch or repository.
    fn archive<'s>(
        &'s self,
        app: &'s App,
        project: i64,
        reference: &'s Ref,
    ) -> BoxFuture<'s, Result<Option<Archive>>>;
}

/// No project has a repository.
struct Nowhere;

impl Source for Nowhere {
    fn archive<'s>(
        &'s self,
        _: &'s App,
        _: i64,
        _: &'s Ref,
    ) -> BoxFuture<'s, Result<Option<Archive>>> {
        Box::pin(async { Ok(None) })
    }
}

static SOURCE: OnceLock<Box<dyn Source>> = OnceLock::new();

/// Plugs repositories in, once, when the program is wired.
pub fn register(source: Box<dyn Source>) {
    let _ = SOURCE.set(source);
}

pub(crate) fn get() -> &'static dyn Source {
    SOURCE.get_or_init(|| Box::new(Nowhere)).as_ref()
}
