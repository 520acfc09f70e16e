//! Writing issues, epics and notes past the spam rules, the same way for every
//! interface: who may not write is told so before the text is judged, and
//! what passes is written in one transaction.

use crate::access::epics::{GroupAccess, signed_in};
use crate::access::{Desk, OwnedDesk, ProjectAccess, desk_to_write};
use crate::model::Issue;
use crate::model::epics::Epic;
use crate::rules::comments::{Comment, Said, Talk};
use crate::rules::epics::change::EpicInput;
use crate::rules::epics::places::{self as epics, EpicPlace, found_to_write as found_epic};
use crate::rules::epics::requests as epic_requests;
use crate::rules::issues::places::found_to_write;
use crate::rules::issues::{IssueInput, requests};
use crate::rules::topic::{OwnedTopic, Topic};
use crate::store::notes::Note;
use crate::targets::NoteableRow;
use identity::spam::captcha::Solution;
use identity::spam::{Actor, Guarded, Subject, guard};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Patch, RequestContext};
use kernel::ids::Reference;
use std::sync::Arc;
use store::Tx;

#[derive(Debug, Clone)]
pub struct Writer {
    pub viewer: Viewer,
    /// The client's address and what it calls itself.
    pub client: (String, String),
    pub via_api: bool,
    pub solution: Option<Solution>,
}

impl Writer {
    pub fn by_api(viewer: Viewer, request: Arc<RequestContext>) -> Writer {
        let solution = Solution::of(&request.headers);
        Writer { viewer, client: client(&request), via_api: true, solution }
    }

    pub fn by_form(
        viewer: Viewer, request: Arc<RequestContext>, solution: Option<Solution>,
    ) -> Writer {
        Writer { viewer, client: client(&request), via_api: false, solution }
    }

    /// Who answers by mail: nobody is there who could solve a captcha.
    pub fn by_mail(viewer: Viewer) -> Writer {
        let client = (String::new(), "mail".to_owned());
        Writer { viewer, client, via_api: true, solution: None }
    }

    /// What they are about to do, for the spam rules.
    pub fn subject(&self, action: &'static str, title: &str, text: &str) -> Result<Subject> {
        let (target_type, noun) = match action {
            "create_note" | "update_note" => ("Note", "note"),
            "create_epic" | "update_epic" => ("Epic", "epic"),
            "create_snippet" | "update_snippet" => ("Snippet", "snippet"),
            _ => ("Issue", "issue"),
        };
        Ok(Subject {
            actor: Actor::User(Box::new(self.viewer.signed_in()?.user.clone())),
            ip: self.client.0.clone(),
            agent: self.client.1.clone(),
            via_api: self.via_api,
            action,
            target_type,
            noun,
            title: title.to_owned(),
            text: text.to_owned(),
            solution: self.solution.clone(),
            solved: false,
        })
    }
}

fn client(request: &RequestContext) -> (String, String) {
    let agent = request.header(::http::header::USER_AGENT).unwrap_or_default();
    (request.peer.to_string(), agent.to_owned())
}

pub type Place = (Reference, i64);

/// Title and description of what is there.
type Texts = (String, Option<String>);

/// What the place of something is in, and what is there.
pub type Entered<P> = (<P as NoteablePath>::Access, <P as NoteablePath>::Found);

type AccessFor<W> = <<W as Wanted>::Place as NoteablePath>::Access;
type FoundFor<W> = <<W as Wanted>::Place as NoteablePath>::Found;

/// What is said of an issue or an epic, new or not: the spam rules treat both alike,
/// and only this tells them apart.
pub trait Wanted: Send + Sync + 'static {
    /// Names one that is there; a new one is made in its project or group.
    type Place: NoteablePath;
    /// What the spam rules call making one, and changing one.
    const ACTIONS: [&'static str; 2];

    /// Refuses who may not make any there.
    fn may_open(tx: &mut Tx<'_>, viewer: &Viewer, room: &Reference) -> Result<()>;

    fn open(&self, tx: &mut Tx<'_>, by: &Viewer, room: &Reference) -> Result<Entered<Self::Place>>;

    /// What others read there now, for who may change it.
    fn before(tx: &mut Tx<'_>, viewer: &Viewer, place: &Self::Place) -> Result<Texts>;

    fn edit(&self, tx: &mut Tx<'_>, by: &Viewer, at: &Self::Place) -> Result<Entered<Self::Place>>;

    /// What others will read.
    fn texts(&self) -> (Option<String>, Patch<String>);
}

impl Wanted for IssueInput {
    type Place = Place;
    const ACTIONS: [&'static str; 2] = ["create_issue", "update_issue"];

    fn may_open(tx: &mut Tx<'_>, viewer: &Viewer, project: &Reference) -> Result<()> {
        desk_to_write(tx, viewer, project).map(drop)
    }

    fn open(&self, tx: &mut Tx<'_>, by: &Viewer, project: &Reference) -> Result<Entered<Place>> {
        let desk = desk_to_write(tx, by, project)?;
        let issue = requests::open(tx, by, &desk, self)?;
        Ok((desk, issue))
    }

    fn before(tx: &mut Tx<'_>, viewer: &Viewer, place: &Place) -> Result<Texts> {
        let (desk, issue) = found_to_write(tx, viewer, &place.0, place.1)?;
        match requests::may_edit(viewer, &desk, &issue) {
            true => Ok((issue.title, issue.description)),
            false => Err(Error::forbidden("")),
        }
    }

    /// Nothing wanted changes nothing.
    fn edit(&self, tx: &mut Tx<'_>, by: &Viewer, at: &Place) -> Result<Entered<Place>> {
        let (desk, issue) = found_to_write(tx, by, &at.0, at.1)?;
        let issue = match self.is_empty() {
            true => issue,
            false => requests::edit(tx, by, &desk, &issue, self)?,
        };
        Ok((desk, issue))
    }

    fn texts(&self) -> (Option<String>, Patch<String>) {
        (self.title.clone(), self.description.clone())
    }
}

impl Wanted for EpicInput {
    type Place = EpicPlace;
    const ACTIONS: [&'static str; 2] = ["create_epic", "update_epic"];

    fn may_open(tx: &mut Tx<'_>, viewer: &Viewer, group: &Reference) -> Result<()> {
        signed_in(tx, viewer, group)?.planning()
    }

    fn open(&self, tx: &mut Tx<'_>, by: &Viewer, group: &Reference) -> Result<Entered<EpicPlace>> {
        let desk = signed_in(tx, by, group)?;
        let epic = epic_requests::open(tx, by, &desk, self.clone())?;
        Ok((desk, epic))
    }

    fn before(tx: &mut Tx<'_>, viewer: &Viewer, place: &EpicPlace) -> Result<Texts> {
        let (_, epic) = found_epic(tx, viewer, place)?;
        Ok((epic.title, epic.description))
    }

    fn edit(&self, tx: &mut Tx<'_>, by: &Viewer, at: &EpicPlace) -> Result<Entered<EpicPlace>> {
        let (desk, epic) = found_epic(tx, by, at)?;
        let epic = epic_requests::edit(tx, by, &desk, &epic, self.clone())?;
        Ok((desk, epic))
    }

    fn texts(&self) -> (Option<String>, Patch<String>) {
        (self.title.clone(), self.description.clone())
    }
}

/// Makes an issue or an epic; `then` reads what is told of it.
pub async fn open<W: Wanted, T: Send + 'static>(
    app: &App, writer: Writer, room: Reference, wanted: W,
    then: impl Fn(&mut Tx<'_>, AccessFor<W>, FoundFor<W>) -> Result<T> + Send + Sync + 'static,
) -> Result<Guarded<T>> {
    let (who, id) = (writer.viewer.clone(), room.clone());
    app.read(move |tx| W::may_open(tx, &who, &id)).await?;
    let [action, _] = W::ACTIONS;
    let subject = judged(&writer, action, wanted.texts(), Texts::default())?;
    guard(app, &subject, move |tx| {
        let (desk, made) = wanted.open(tx, &writer.viewer, &room)?;
        then(tx, desk, made)
    })
    .await
}

/// Changes an issue or an epic; the texts are judged if they change.
pub async fn edit<W: Wanted, T: Send + 'static>(
    app: &App, writer: Writer, place: W::Place, wanted: W,
    then: impl Fn(&mut Tx<'_>, AccessFor<W>, FoundFor<W>) -> Result<T> + Send + Sync + 'static,
) -> Result<Guarded<T>> {
    let (who, at) = (writer.viewer.clone(), place.clone());
    let before = app.read(move |tx| W::before(tx, &who, &at)).await?;
    let (texts, [_, action]) = (wanted.texts(), W::ACTIONS);
    let rewrites = texts.0.is_some() || matches!(texts.1, Patch::Value(_));
    let subject = judged(&writer, action, texts, before)?;
    let change = move |tx: &mut Tx<'_>| {
        let (desk, changed) = wanted.edit(tx, &writer.viewer, &place)?;
        // What the change hides from the one who made it still answers them.
        then(tx, desk, changed)
    };
    match rewrites {
        true => guard(app, &subject, change).await,
        false => Ok(Guarded::Made(app.write(change).await?)),
    }
}

/// The texts as they will be, for the spam rules.
fn judged(
    writer: &Writer, action: &'static str, (title, text): (Option<String>, Patch<String>),
    before: Texts,
) -> Result<Subject> {
    let title = title.unwrap_or(before.0);
    let text = text.over(before.1).unwrap_or_default();
    writer.subject(action, &title, &text)
}

/// Where a note is written: about an issue by its [`Place`], about an epic, or about
/// a thing of a room above.
pub trait NoteablePath: Clone + Send + Sync + 'static {
    /// The project or group it is in.
    type Access;
    type Found;

    /// What is there, for somebody who may write notes about it.
    fn authorize(&self, tx: &mut Tx<'_>, viewer: &Viewer) -> Result<(Self::Access, Self::Found)>;

    fn desk(access: &Self::Access) -> Desk<'_>;

    /// The same as notes know it.
    fn topic(found: &Self::Found) -> Topic<'_>;
}

impl NoteablePath for Place {
    type Access = ProjectAccess;
    type Found = Issue;

    fn authorize(&self, tx: &mut Tx<'_>, viewer: &Viewer) -> Result<(ProjectAccess, Issue)> {
        found_to_write(tx, viewer, &self.0, self.1)
    }

    fn desk(access: &ProjectAccess) -> Desk<'_> {
        access.into()
    }

    fn topic(issue: &Issue) -> Topic<'_> {
        Topic::Issue(issue)
    }
}

impl NoteablePath for EpicPlace {
    type Access = GroupAccess;
    type Found = Epic;

    fn authorize(&self, tx: &mut Tx<'_>, viewer: &Viewer) -> Result<(GroupAccess, Epic)> {
        epics::found_signed_in(tx, viewer, self)
    }

    fn desk(access: &GroupAccess) -> Desk<'_> {
        access.into()
    }

    fn topic(epic: &Epic) -> Topic<'_> {
        epic.into()
    }
}

impl NoteablePath for NoteableRow {
    type Access = OwnedDesk;
    type Found = NoteableRow;

    fn authorize(&self, tx: &mut Tx<'_>, viewer: &Viewer) -> Result<(OwnedDesk, NoteableRow)> {
        Ok(((self.talk.enter)(tx, viewer, self.id)?, *self))
    }

    fn desk(access: &OwnedDesk) -> Desk<'_> {
        access.into()
    }

    fn topic(thing: &NoteableRow) -> Topic<'_> {
        Topic::Thing(*thing)
    }
}

/// An issue, an epic or another thing, whichever something is about.
#[derive(Clone)]
pub enum Spot {
    Issue(Place),
    Epic(EpicPlace),
    Thing(NoteableRow),
}

impl NoteablePath for Spot {
    type Access = OwnedDesk;
    type Found = OwnedTopic;

    fn authorize(&self, tx: &mut Tx<'_>, viewer: &Viewer) -> Result<(OwnedDesk, OwnedTopic)> {
        match self {
            Spot::Issue(place) => {
                let (desk, issue) = place.authorize(tx, viewer)?;
                Ok((OwnedDesk::Project(desk), OwnedTopic::Issue(Box::new(issue))))
            }
            Spot::Epic(place) => {
                let (desk, epic) = place.authorize(tx, viewer)?;
                Ok((OwnedDesk::Group(desk), OwnedTopic::Epic(Box::new(epic))))
            }
            Spot::Thing(thing) => {
                let (desk, thing) = thing.authorize(tx, viewer)?;
                Ok((desk, OwnedTopic::Thing(thing)))
            }
        }
    }

    fn desk(access: &OwnedDesk) -> Desk<'_> {
        access.into()
    }

    fn topic(found: &OwnedTopic) -> Topic<'_> {
        found.topic()
    }
}

/// Does something to the notes of a thing, for who may write there; the thing is
/// handed back with what came of it.
fn talking<S: NoteablePath, T>(
    tx: &mut Tx<'_>, viewer: &Viewer, spot: &S,
    work: impl FnOnce(&mut Tx<'_>, Talk<'_>) -> Result<T>,
) -> Result<(S::Found, T)> {
    let (desk, found) = spot.authorize(tx, viewer)?;
    let done = work(tx, Talk::new(viewer, S::desk(&desk), S::topic(&found)))?;
    Ok((found, done))
}

pub async fn comment<S: NoteablePath, T: Send + 'static>(
    app: &App, writer: Writer, spot: S, comment: Comment,
    then: impl Fn(&mut Tx<'_>, S::Found, Said) -> Result<T> + Send + Sync + 'static,
) -> Result<Guarded<T>> {
    let (who, at) = (writer.viewer.clone(), spot.clone());
    app.read(move |tx| at.authorize(tx, &who).map(drop)).await?;
    let subject = writer.subject("create_note", "", &comment.body)?;
    guard(app, &subject, move |tx| {
        let write = |tx: &mut Tx<'_>, talk: Talk<'_>| talk.write(tx, &comment);
        let (found, said) = talking(tx, &writer.viewer, &spot, write)?;
        then(tx, found, said)
    })
    .await
}

/// Writes another text of a note, which belongs to the discussion if one is
/// named.
pub async fn rewrite<S: NoteablePath, T: Send + 'static>(
    app: &App, writer: Writer, spot: S, (note_id, within): (i64, Option<String>), body: String,
    then: impl Fn(&mut Tx<'_>, S::Found, Note) -> Result<T> + Send + Sync + 'static,
) -> Result<Guarded<T>> {
    let (who, at, inside) = (writer.viewer.clone(), spot.clone(), within.clone());
    app.read(move |tx| {
        talking(tx, &who, &at, |tx, talk| talk.find_within(tx, note_id, inside.as_deref()))
            .map(drop)
    })
    .await?;
    let subject = writer.subject("update_note", "", &body)?;
    guard(app, &subject, move |tx| {
        let (found, note) = talking(tx, &writer.viewer, &spot, |tx, talk| {
            talk.find_within(tx, note_id, within.as_deref())?;
            talk.rewrite(tx, note_id, &body)
        })?;
        then(tx, found, note)
    })
    .await
}

/// Resolves a thread, or opens it again.
pub async fn resolve<S: NoteablePath>(
    app: &App, viewer: Viewer, spot: S, discussion_id: String, is_resolved: bool,
) -> Result<()> {
    app.write(move |tx| {
        talking(tx, &viewer, &spot, |tx, talk| talk.resolve(tx, &discussion_id, is_resolved))
            .map(drop)
    })
    .await
}

pub async fn destroy<S: NoteablePath>(
    app: &App, viewer: Viewer, spot: S, note_id: i64,
) -> Result<()> {
    app.write(move |tx| talking(tx, &viewer, &spot, |tx, talk| talk.destroy(tx, note_id)).map(drop))
        .await
}
