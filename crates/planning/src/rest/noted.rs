//! What has notes and reactions, as requests name it: an issue, an epic, or a thing of a
//! room above, most of them by [`RequestAbout`].

use super::about::{Named, RequestAbout, Wish};
use crate::guarded::{Entered, NoteablePath};
use crate::rules::comments::Talk;
use crate::store::awards::Awardable;
use identity::caller::Caller;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::http::FromCall;
use store::Tx;

/// A request about something with notes.
pub trait Noted: FromCall + Send + Sync + 'static {
    type Path: NoteablePath;
    /// Whether the room has a route of its own that begins discussions.
    const BEGINS_ITSELF: bool = false;

    fn parts(self) -> (Caller, Self::Path);

    /// Finds it, for who may see it.
    fn find(tx: &mut Tx<'_>, viewer: &Viewer, path: &Self::Path) -> Result<Entered<Self::Path>>;

    /// Its number, where notes tell that.
    fn iid(found: &<Self::Path as NoteablePath>::Found) -> Option<i64>;

    fn awardable(found: &<Self::Path as NoteablePath>::Found) -> Awardable;
}

impl<N: Named> Noted for RequestAbout<N> {
    type Path = N;
    const BEGINS_ITSELF: bool = N::BEGINS_ITSELF;

    fn parts(self) -> (Caller, N) {
        (self.caller, self.place)
    }

    fn find(tx: &mut Tx<'_>, viewer: &Viewer, path: &N) -> Result<Entered<N>> {
        path.find(tx, viewer, Wish::See)
    }

    fn iid(found: &N::Found) -> Option<i64> {
        N::iid(found)
    }

    fn awardable(found: &N::Found) -> Awardable {
        N::awardable(found)
    }
}

/// What a handler works on: what is said about the thing, the thing to react to,
/// and its number.
pub struct Spot<'s> {
    pub by: &'s Caller,
    pub talk: Talk<'s>,
    pub awardable: Awardable,
    pub iid: Option<i64>,
}

fn spot<'s, R: Noted>(by: &'s Caller, (access, found): &'s Entered<R::Path>) -> Spot<'s> {
    let (desk, topic) = (R::Path::desk(access), R::Path::topic(found));
    Spot {
        by,
        talk: Talk::new(&by.viewer, desk, topic),
        awardable: R::awardable(found),
        iid: R::iid(found),
    }
}

/// Finds it, for who may see it, and reads more.
pub async fn read<R, T, F>(at: R, work: F) -> Result<T>
where
    R: Noted,
    F: FnOnce(&mut Tx<'_>, Spot<'_>) -> Result<T> + Send + 'static,
    T: Send + 'static,
{
    let (caller, path) = at.parts();
    caller
        .read(move |tx, by| {
            let entered = R::find(tx, &by.viewer, &path)?;
            work(tx, spot::<R>(by, &entered))
        })
        .await
}

/// Finds it, for who may write there, and changes something.
pub async fn write<R, T, F>(at: R, work: F) -> Result<T>
where
    R: Noted,
    F: Fn(&mut Tx<'_>, Spot<'_>) -> Result<T> + Send + 'static,
    T: Send + 'static,
{
    let (caller, path) = at.parts();
    caller
        .write(move |tx, by| {
            let entered = path.authorize(tx, &by.viewer)?;
            work(tx, spot::<R>(by, &entered))
        })
        .await
}
