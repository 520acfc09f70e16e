//! What has notes and reactions, as requests name it: an issue, an epic, or a thing of a
//! room above.

use crate::access::{ProjectAccess, epics::GroupAccess};
use crate::guarded::{Entered, NoteablePath, Place};
use crate::model::Issue;
use crate::model::epics::Epic;
use crate::rest::epics::EpicRequest;
use crate::rest::issues::IssueRequest;
use crate::rules::comments::Talk;
use crate::rules::epics::places::{self as epics, EpicPlace};
use crate::rules::issues::places as issues;
use crate::store::awards::Awardable;
use identity::caller::Caller;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::http::FromCall;
use store::Tx;

/// A request about something with notes.
pub trait Noted: FromCall + Send + Sync + 'static {
    type Path: NoteablePath;

    fn parts(self) -> (Caller, Self::Path);

    /// Finds it, for who may see it.
    fn find(tx: &mut Tx<'_>, viewer: &Viewer, path: &Self::Path) -> Result<Entered<Self::Path>>;

    /// Its number, where notes tell that.
    fn iid(found: &<Self::Path as NoteablePath>::Found) -> Option<i64>;

    fn awardable(found: &<Self::Path as NoteablePath>::Found) -> Awardable;
}

impl Noted for IssueRequest {
    type Path = Place;

    fn parts(self) -> (Caller, Place) {
        (self.caller, self.place)
    }

    fn find(tx: &mut Tx<'_>, viewer: &Viewer, path: &Place) -> Result<(ProjectAccess, Issue)> {
        issues::found(tx, viewer, &path.0, path.1)
    }

    fn iid(found: &Issue) -> Option<i64> {
        Some(found.iid)
    }

    fn awardable(found: &Issue) -> Awardable {
        Awardable::Issue(found.id)
    }
}

impl Noted for EpicRequest {
    type Path = EpicPlace;

    fn parts(self) -> (Caller, EpicPlace) {
        (self.caller, self.place)
    }

    fn find(tx: &mut Tx<'_>, viewer: &Viewer, path: &EpicPlace) -> Result<(GroupAccess, Epic)> {
        epics::found(tx, viewer, path)
    }

    fn iid(_: &Epic) -> Option<i64> {
        None
    }

    fn awardable(found: &Epic) -> Awardable {
        Awardable::Epic(found.id)
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
