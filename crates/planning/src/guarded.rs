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
        viewer: Viewer,
        request: Arc<RequestContext>,
        solution: Option<Solution>,
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

/// Makes an issue; `then` reads what is told of it.
pub async fn open<T: Send + 'static>(
    app: &App,
    writer: Writer,
    project: Reference,
    wanted: IssueInput,
    then: impl Fn(&mut Tx<'_>, ProjectAccess, Issue) -> Result<T> + Send + Sync + 'static,
) -> Result<Guarded<T>> {
    let (who, id) = (writer.viewer.clone(), project.clone());
    app.read(move |tx| desk_to_write(tx, &who, &id).map(drop)).await?;
    let text = match &wanted.description {
        Patch::Value(text) => text.as_str(),
        _ => "",
    };
    let title = wanted.title.as_deref().unwrap_or_default();
    let subject = writer.subject("create_issue", title, text)?;
    guard(app, &subject, move |tx| {
        let desk = desk_to_write(tx, &writer.viewer, &project)?;
        let issue = requests::open(tx, &writer.viewer, &desk, &wanted)?;
        then(tx, desk, issue)
    })
    .await
}

/// Changes an issue; the texts are judged if they change. Nothing wanted
/// changes nothing.
pub async fn edit<T: Send + 'static>(
    app: &App,
    writer: Writer,
    place: Place,
    wanted: IssueInput,
    then: impl Fn(&mut Tx<'_>, ProjectAccess, Issue) -> Result<T> + Send + Sync + 'static,
) -> Result<Guarded<T>> {
    let (who, at) = (writer.viewer.clone(), place.clone());
    let before = app
        .read(move |tx| {
            let (desk, issue) = found_to_write(tx, &who, &at.0, at.1)?;
            match requests::may_edit(&who, &desk, &issue) {
                true => Ok(issue),
                false => Err(Error::forbidden("")),
            }
        })
        .await?;
    let rewrites = wanted.rewrites();
    let title = wanted.title.clone().unwrap_or(before.title);
    let text = wanted.description.clone().over(before.description);
    let subject = writer.subject("update_issue", &title, &text.unwrap_or_default())?;
    let change = move |tx: &mut Tx<'_>| {
        let (desk, issue) = found_to_write(tx, &writer.viewer, &place.0, place.1)?;
        let issue = match wanted.is_empty() {
            true => issue,
            false => requests::edit(tx, &writer.viewer, &desk, &issue, &wanted)?,
        };
        // What the change hides from the one who made it still answers them.
        then(tx, desk, issue)
    };
    match rewrites {
        true => guard(app, &subject, change).await,
        false => Ok(Guarded::Made(app.write(change).await?)),
    }
}

/// Makes an epic; `then` reads what is told of it.
pub async fn open_epic<T: Send + 'static>(
    app: &App,
    writer: Writer,
    group: Reference,
    wanted: EpicInput,
    then: impl Fn(&mut Tx<'_>, GroupAccess, Epic) -> Result<T> + Send + Sync + 'static,
) -> Result<Guarded<T>> {
    let (who, id) = (writer.viewer.clone(), group.clone());
    app.read(move |tx| signed_in(tx, &who, &id)?.planning()).await?;
    let text = match &wanted.description {
        Patch::Value(text) => text.as_str(),
        _ => "",
    };
    let title = wanted.title.as_deref().unwrap_or_default();
    let subject = writer.subject("create_epic", title, text)?;
    guard(app, &subject, move |tx| {
        let desk = signed_in(tx, &writer.viewer, &group)?;
        let epic = epic_requests::open(tx, &writer.viewer, &desk, wanted.clone())?;
        then(tx, desk, epic)
    })
    .await
}

/// Changes an epic; the texts are judged if they change.
pub async fn edit_epic<T: Send + 'static>(
    app: &App,
    writer: Writer,
    place: EpicPlace,
    wanted: EpicInput,
    then: impl Fn(&mut Tx<'_>, GroupAccess, Epic) -> Result<T> + Send + Sync + 'static,
) -> Result<Guarded<T>> {
    let (who, at) = (writer.viewer.clone(), place.clone());
    let (_, before) = app.read(move |tx| found_epic(tx, &who, &at)).await?;
    let rewrites = wanted.title.is_some() || matches!(wanted.description, Patch::Value(_));
    let title = wanted.title.clone().unwrap_or(before.title);
    let text = wanted.description.clone().over(before.description);
    let subject = writer.subject("update_epic", &title, &text.unwrap_or_default())?;
    let change = move |tx: &mut Tx<'_>| {
        let (desk, epic) = found_epic(tx, &writer.viewer, &place)?;
        let epic = epic_requests::edit(tx, &writer.viewer, &desk, &epic, wanted.clone())?;
        then(tx, desk, epic)
    };
    match rewrites {
        true => guard(app, &subject, change).await,
        false => Ok(Guarded::Made(app.write(change).await?)),
    }
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
    type Access = ProjectAccess;
    type Found = NoteableRow;

    fn authorize(&self, tx: &mut Tx<'_>, viewer: &Viewer) -> Result<(ProjectAccess, NoteableRow)> {
        Ok(((self.talk.enter)(tx, viewer, self.id)?, *self))
    }

    fn desk(access: &ProjectAccess) -> Desk<'_> {
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
                Ok((OwnedDesk::Project(desk), OwnedTopic::Thing(thing)))
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

pub async fn comment<S: NoteablePath, T: Send + 'static>(
    app: &App,
    writer: Writer,
    spot: S,
    comment: Comment,
    then: impl Fn(&mut Tx<'_>, S::Found, Said) -> Result<T> + Send + Sync + 'static,
) -> Result<Guarded<T>> {
    let (who, at) = (writer.viewer.clone(), spot.clone());
    app.read(move |tx| at.authorize(tx, &who).map(drop)).await?;
    let subject = writer.subject("create_note", "", &comment.body)?;
    guard(app, &subject, move |tx| {
        let (desk, found) = spot.authorize(tx, &writer.viewer)?;
        let said =
            Talk::new(&writer.viewer, S::desk(&desk), S::topic(&found)).write(tx, &comment)?;
        then(tx, found, said)
    })
    .await
}

/// Writes another text of a note, which belongs to the discussion if one is
/// named.
pub async fn rewrite<S: NoteablePath, T: Send + 'static>(
    app: &App,
    writer: Writer,
    spot: S,
    (note_id, within): (i64, Option<String>),
    body: String,
    then: impl Fn(&mut Tx<'_>, S::Found, Note) -> Result<T> + Send + Sync + 'static,
) -> Result<Guarded<T>> {
    let (who, at, inside) = (writer.viewer.clone(), spot.clone(), within.clone());
    app.read(move |tx| {
        let (desk, found) = at.authorize(tx, &who)?;
        let talk = Talk::new(&who, S::desk(&desk), S::topic(&found));
        talk.find_within(tx, note_id, inside.as_deref()).map(drop)
    })
    .await?;
    let subject = writer.subject("update_note", "", &body)?;
    guard(app, &subject, move |tx| {
        let (desk, found) = spot.authorize(tx, &writer.viewer)?;
        let talk = Talk::new(&writer.viewer, S::desk(&desk), S::topic(&found));
        talk.find_within(tx, note_id, within.as_deref())?;
        let note = talk.rewrite(tx, note_id, &body)?;
        then(tx, found, note)
    })
    .await
}

/// Resolves a thread, or opens it again.
pub async fn resolve<S: NoteablePath>(
    app: &App,
    viewer: Viewer,
    spot: S,
    discussion_id: String,
    is_resolved: bool,
) -> Result<()> {
    app.write(move |tx| {
        let (desk, found) = spot.authorize(tx, &viewer)?;
        let talk = Talk::new(&viewer, S::desk(&desk), S::topic(&found));
        talk.resolve(tx, &discussion_id, is_resolved)
    })
    .await
}

pub async fn destroy<S: NoteablePath>(
    app: &App,
    viewer: Viewer,
    spot: S,
    note_id: i64,
) -> Result<()> {
    app.write(move |tx| {
        let (desk, found) = spot.authorize(tx, &viewer)?;
        Talk::new(&viewer, S::desk(&desk), S::topic(&found)).destroy(tx, note_id)
    })
    .await
}
