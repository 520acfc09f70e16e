//! Requests about one thing that their address names, such as an issue: who asks, what
//! is named, and how it is found in the transaction that then works on it.

use crate::guarded::{Entered, NoteablePath};
use crate::store::awards::Awardable;
use ::store::Tx;
use identity::caller::Caller;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::http::openapi::Operation;
use kernel::http::params::FromParams;
use kernel::http::{Call, FromCall, Params};

/// What somebody wants of a thing, and may have to be for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    See,
    /// Change it, which few may.
    Write,
    /// Change what is theirs alone, which whoever is signed in and sees it may.
    WriteOwn,
}

/// Where a thing with notes is named in an address.
pub trait Named: NoteablePath {
    /// The parameters of the path that name it.
    type Path: FromParams + Send;
    /// Whether the room has a route of its own that begins discussions.
    const BEGINS_ITSELF: bool = false;

    /// What they name in a route.
    fn at(path: Self::Path, route: &str) -> Self;

    /// Finds it, for who may do this with it.
    fn find(&self, tx: &mut Tx<'_>, viewer: &Viewer, wish: Wish) -> Result<Entered<Self>>;

    /// Its number, where notes tell that.
    fn iid(found: &Self::Found) -> Option<i64>;

    fn awardable(found: &Self::Found) -> Awardable;
}

/// The thing that a request is about, and who asks.
#[derive(Clone)]
pub struct RequestAbout<N> {
    pub caller: Caller,
    pub place: N,
}

impl<N: Named> FromCall for RequestAbout<N> {
    async fn from_call(call: &mut Call) -> Result<Self> {
        let caller = Caller::from_call(call).await?;
        // With the body, so that what cannot be read of it is refused everywhere.
        let Params(path) = Params::<N::Path>::from_call(call).await?;
        Ok(RequestAbout { caller, place: N::at(path, &call.route.path) })
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.in_path(N::Path::fields());
    }
}

impl<N: Named> RequestAbout<N> {
    /// Finds it, for who may see it, and reads more.
    pub async fn read<T, F>(self, work: F) -> Result<T>
    where
        F: FnOnce(&mut Tx<'_>, &Caller, N::Access, N::Found) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        let RequestAbout { caller, place } = self;
        let read = caller.read(move |tx, by| {
            let (access, found) = place.find(tx, &by.viewer, Wish::See)?;
            work(tx, by, access, found)
        });
        read.await
    }

    /// Finds it, for who may write there, and changes something.
    pub async fn write<T, F>(self, work: F) -> Result<T>
    where
        F: Fn(&mut Tx<'_>, &Caller, N::Access, N::Found) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        self.change(Wish::Write, work).await
    }

    /// Finds it, for who is signed in, and changes what is theirs alone.
    pub async fn write_own<T, F>(self, work: F) -> Result<T>
    where
        F: Fn(&mut Tx<'_>, &Caller, N::Access, N::Found) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        self.change(Wish::WriteOwn, work).await
    }

    async fn change<T, F>(self, wish: Wish, work: F) -> Result<T>
    where
        F: Fn(&mut Tx<'_>, &Caller, N::Access, N::Found) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        let RequestAbout { caller, place } = self;
        let written = caller.write(move |tx, by| {
            let (access, found) = place.find(tx, &by.viewer, wish)?;
            work(tx, by, access, found)
        });
        written.await
    }
}
