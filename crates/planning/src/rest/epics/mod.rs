//! Epics of groups: one, create, change, remove. Lists are in [`list`], what stands
//! below them in [`issues`] and [`children`], links in [`links`], what became of them
//! in [`events`]. All of it is there by two addresses.

mod children;
mod events;
mod issues;
mod links;
mod list;

use super::Subscribes;
use super::about::{Named, RequestAbout, Wish};
use super::todos::mark;
use crate::access::epics::{GroupAccess, to_read};
use crate::entity::epics::{self as entity, EpicEntity, RelatedToEpics};
use crate::guarded::{self, Writer};
use crate::model::epics::Epic;
use crate::rules::epics::change::{CHANGES, EpicInput, StateEvent};
use crate::rules::epics::places::{
    self, EpicPlace, found, found_signed_in, found_to_write, is_subscribed,
};
use crate::rules::epics::requests;
use crate::store::awards::Awardable;
use identity::caller::Caller;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::http::conditional::check_unmodified;
use kernel::http::{Changed, Created, Flat, NoContent, Ok200, Params, RequestContext, Routes};
use kernel::ids::Reference;
use kernel::time::Timestamp;
use std::sync::Arc;
use store::Tx;

/// Where the epics of a group are, and what operations there are called after.
pub(super) const BASES: [(&str, &str); 2] =
    [("/groups/{id}/epics", "epics"), ("/groups/{id}/-/epics", "epics_again")];

/// What lies below one of the addresses.
#[derive(Clone, Copy)]
struct Base {
    path: &'static str,
    name: &'static str,
}

impl Base {
    fn one(self, rest: &str) -> String {
        format!("{}/{{epic_iid}}{rest}", self.path)
    }

    fn named(self, handler: &str) -> String {
        format!("{}_{handler}", self.name)
    }
}

pub(super) fn routes(r: &mut Routes) {
    links::routes_of_groups(r);
    for (path, name) in BASES {
        let base = Base { path, name };
        list::routes(r, base);
        of_one(r, base);
        issues::routes(r, base);
        children::routes(r, base);
        links::routes(r, base);
        events::routes(r, base);
    }
}

fn of_one(r: &mut Routes, base: Base) {
    let one = |rest: &str| base.one(rest);
    r.post(base.path, create).named(&base.named("create")).summary("Makes an epic");
    r.get(&one(""), show).named(&base.named("show")).summary("Shows an epic");
    r.put(&one(""), update).named(&base.named("update")).summary("Changes an epic");
    r.delete(&one(""), destroy)
        .named(&base.named("destroy"))
        .summary("Deletes an epic; what is in it stays");
    r.post(&one("/subscribe"), subscription)
        .named(&base.named("subscribe"))
        .summary("Subscribes the caller to an epic");
    r.post(&one("/unsubscribe"), subscription)
        .named(&base.named("unsubscribe"))
        .summary("Ends the caller's subscription to an epic");
    // A client calls them so.
    for word in ["todo", "todos"] {
        r.post(&one(&format!("/{word}")), mark::<EpicPlace>)
            .named(&base.named(word))
            .summary("Puts an epic among the caller's to-dos");
    }
}

kernel::params! {
    pub struct EpicPath {
        /// Id or path of the group.
        pub id: Reference,
        /// Number of the epic; of notes, discussions and events its id.
        pub epic_iid: i64,
    }
}

/// What clients name by the id of an epic, and not by its number.
const BY_ID: [&str; 4] =
    ["/notes", "/discussions", "/resource_label_events", "/resource_state_events"];

/// The epic that a request is about, and who asks.
pub(in crate::rest) type EpicRequest = RequestAbout<EpicPlace>;

impl Named for EpicPlace {
    type Path = EpicPath;

    fn at(path: EpicPath, route: &str) -> EpicPlace {
        let (_, below) = route.split_once("{epic_iid}").unwrap_or_default();
        let is_id = BY_ID.iter().any(|part| below.starts_with(part));
        EpicPlace { group: path.id, number: path.epic_iid, is_id }
    }

    fn find(&self, tx: &mut Tx<'_>, viewer: &Viewer, wish: Wish) -> Result<(GroupAccess, Epic)> {
        match wish {
            Wish::See => found(tx, viewer, self),
            Wish::Write => found_to_write(tx, viewer, self),
            Wish::WriteOwn => found_signed_in(tx, viewer, self),
        }
    }

    fn iid(_: &Epic) -> Option<i64> {
        None
    }

    fn awardable(epic: &Epic) -> Awardable {
        Awardable::Epic(epic.id)
    }
}

/// An epic as lists of a group show it.
fn shown(tx: &mut Tx<'_>, by: &Caller, group_id: i64, epic: &Epic) -> Result<EpicEntity> {
    let epics = std::slice::from_ref(epic);
    let around = RelatedToEpics::read(tx, &by.viewer, Some(group_id), epics)?;
    Ok(entity::epic(&by.app, epic, &around, false))
}

/// An epic with all there is to show.
fn whole(tx: &mut Tx<'_>, by: &Caller, epic: &Epic) -> Result<EpicEntity> {
    let subscribed = match by.viewer.user_id() {
        Some(user_id) => is_subscribed(tx, user_id, epic)?,
        None => false,
    };
    let shown = shown(tx, by, epic.group_id, epic)?;
    Ok(EpicEntity { subscribed: Some(subscribed), ..shown })
}

kernel::params! {
    pub struct CreateEpic {
        /// Id or path of the group.
        pub id: Reference,
        /// Its title.
        pub title: String,
        pub input: Flat<EpicInput>,
    }
}

kernel::params! {
    pub struct UpdateEpic {
        /// Another title.
        pub title: Option<String>,
        pub input: Flat<EpicInput>,
        /// Titles of labels: these no longer.
        pub remove_labels: Option<Vec<String>>,
        /// When it was changed; for owners.
        pub updated_at: Option<Timestamp>,
        /// Close it or open it again.
        pub state_event: Option<StateEvent>,
    }
}

async fn create(
    by: Caller, request: Arc<RequestContext>, Params(params): Params<CreateEpic>,
) -> Result<Created<EpicEntity>> {
    let wanted = EpicInput { title: Some(params.title), ..params.input.0 };
    opened(by, request, params.id, wanted, whole).await
}

/// Makes an epic that the spam rules let pass; as it is shown.
async fn opened(
    by: Caller, request: Arc<RequestContext>, group: Reference, wanted: EpicInput,
    shown: fn(&mut Tx<'_>, &Caller, &Epic) -> Result<EpicEntity>,
) -> Result<Created<EpicEntity>> {
    let (app, writer) = (by.app.clone(), Writer::by_api(by.viewer.clone(), request));
    let made = guarded::open(&app, writer, group, wanted, move |tx, _, epic| shown(tx, &by, &epic));
    Ok(Created(made.await?.rest()?))
}

async fn show(at: EpicRequest) -> Result<Ok200<EpicEntity>> {
    at.read(|tx, by, _, epic| whole(tx, by, &epic).map(Ok200)).await
}

async fn update(
    at: EpicRequest, request: Arc<RequestContext>, Params(params): Params<UpdateEpic>,
) -> Result<Ok200<EpicEntity>> {
    let mut wanted = EpicInput {
        title: params.title,
        updated_at: params.updated_at,
        state_event: params.state_event,
        ..params.input.0
    };
    wanted.wears.remove_labels = params.remove_labels.unwrap_or_default();
    if wanted.is_empty() {
        return at.write(|_, _, _, _| Err(Error::none_of(CHANGES))).await;
    }
    let EpicRequest { caller: by, place } = at;
    let (app, writer) = (by.app.clone(), Writer::by_api(by.viewer.clone(), request));
    let after =
        guarded::edit(&app, writer, place, wanted, move |tx, _, epic| whole(tx, &by, &epic));
    Ok(Ok200(after.await?.rest()?))
}

async fn destroy(at: EpicRequest, request: Arc<RequestContext>) -> Result<NoContent> {
    at.write_own(move |tx, by, desk, epic| {
        if requests::may_destroy(&desk) {
            check_unmodified(&request, epic.updated_at)?;
        }
        requests::destroy(tx, &by.viewer, &desk, &epic)?;
        Ok(NoContent)
    })
    .await
}

async fn subscription(
    at: EpicRequest, Subscribes(wanted): Subscribes,
) -> Result<Changed<EpicEntity>> {
    let shown = at.write_own(move |tx, by, _, epic| {
        match places::subscribe(tx, &by.viewer, &epic, wanted)? {
            true => whole(tx, by, &epic).map(Some),
            false => Ok(None),
        }
    });
    Ok(shown.await?.into())
}

/// The group that a request is about, with who asks, for who sees epics there.
async fn in_group<T, F>(by: Caller, group: Reference, work: F) -> Result<T>
where
    F: FnOnce(&mut Tx<'_>, &Caller, GroupAccess) -> Result<T> + Send + 'static,
    T: Send + 'static,
{
    by.read(move |tx, by| {
        let desk = to_read(tx, &by.viewer, &group)?;
        work(tx, by, desk)
    })
    .await
}
