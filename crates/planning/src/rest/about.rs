//! Requests about one thing that their address names, such as an issue: who asks, what
//! is named, and how it is found in the transaction that then works on it.

use ::store::Tx;
use identity::caller::Caller;
use identity::viewer::Viewer;
use kernel::error::Result;

/// What somebody wants of a thing, and may have to be for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    See,
    /// Change it, which few may.
    Write,
    /// Change what is theirs alone, which whoever is signed in and sees it may.
    WriteOwn,
}

/// Where a thing is named in an address.
pub(super) trait Named: Send + Sync + 'static {
    /// What is known of where it is.
    type Desk;
    type Thing;

    /// Finds it, for who may do this with it.
    fn find(
        &self, tx: &mut Tx<'_>, viewer: &Viewer, wish: Wish,
    ) -> Result<(Self::Desk, Self::Thing)>;
}

/// The thing that a request is about, and who asks.
pub(super) struct RequestAbout<N> {
    pub caller: Caller,
    pub place: N,
}

impl<N: Named> RequestAbout<N> {
    /// Finds it, for who may see it, and reads more.
    pub(super) async fn read<T, F>(self, work: F) -> Result<T>
    where
        F: FnOnce(&mut Tx<'_>, &Caller, N::Desk, N::Thing) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        let RequestAbout { caller, place } = self;
        let read = caller.read(move |tx, by| {
            let (desk, thing) = place.find(tx, &by.viewer, Wish::See)?;
            work(tx, by, desk, thing)
        });
        read.await
    }

    /// Finds it, for who may write there, and changes something.
    pub(super) async fn write<T, F>(self, work: F) -> Result<T>
    where
        F: Fn(&mut Tx<'_>, &Caller, N::Desk, N::Thing) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        self.change(Wish::Write, work).await
    }

    /// Finds it, for who is signed in, and changes what is theirs alone.
    pub(super) async fn write_own<T, F>(self, work: F) -> Result<T>
    where
        F: Fn(&mut Tx<'_>, &Caller, N::Desk, N::Thing) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        self.change(Wish::WriteOwn, work).await
    }

    async fn change<T, F>(self, wish: Wish, work: F) -> Result<T>
    where
        F: Fn(&mut Tx<'_>, &Caller, N::Desk, N::Thing) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        let RequestAbout { caller, place } = self;
        let written = caller.write(move |tx, by| {
            let (desk, thing) = place.find(tx, &by.viewer, wish)?;
            work(tx, by, desk, thing)
        });
        written.await
    }
}
