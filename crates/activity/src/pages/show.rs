//! The pages.

use super::filter::ActivityFilter;
use super::views::{ActivityPage, EventRows};
use crate::list::{Event, Events, Of};
use crate::marks::Marks;
use crate::telling::Story;
use http::Method;
use identity::access::sees_activity_of;
use identity::feed_tokens;
use identity::model::{User, UserState};
use identity::pages::page;
use identity::users;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::html::ui::Tab;
use kernel::html::{Html, Page, Pages};
use kernel::http::{Flat, Paged, Paging, Params, Response, Routes};
use kernel::ids::Reference;
use spaces::access::Purpose;
use spaces::pages::{Address, Section, Space, section};
use spaces::search::Place;
use std::sync::Arc;
use store::Tx;

const DASHBOARD: &str = "/dashboard/activity";

pub fn routes(r: &mut Routes) {
    section(r, Method::GET, "activity", of_place);
    r.page(Method::GET, DASHBOARD, of_dashboard);
    r.page(Method::GET, "/users/{username}/activity", of_person);
}

kernel::choices! {
    /// Whose activity the dashboard shows.
    #[derive(Default)]
    pub enum Whose {
        /// Of everybody in projects of the viewer.
        #[default]
        Projects = "projects",
        Own = "own",
    }
}

kernel::params! {
    pub struct DashboardList {
        pub scope: Option<Whose>,
        pub filter: Flat<ActivityFilter>,
    }
}

kernel::params! {
    pub struct PersonsList {
        pub username: String,
        pub filter: Flat<ActivityFilter>,
    }
}

/// A page of a list: what it is about, how it is narrowed, and which page.
struct List {
    viewer: Viewer,
    marks: Arc<Marks>,
    filter: ActivityFilter,
    paging: Paging,
}

impl List {
    /// The page; `events` are none where the viewer may not know of any.
    fn view(
        self, tx: &mut Tx<'_>, page: Page, (url, here): (String, &str), events: Option<Events>,
    ) -> Result<ActivityPage> {
        let List { viewer, marks, filter, paging } = self;
        let with_epics = events.as_ref().is_some_and(|events| events.of.has_epics());
        let found = match events {
            Some(events) => events.page(tx, &viewer, &marks, paging.clone())?,
            None => Paged::numbered(Vec::new(), paging.clone(), Some(0)),
        };
        let story = Story::read(tx, &found.items)?;
        Ok(ActivityPage {
            whose: Vec::new(),
            kinds: filter.tabs(&url, with_epics),
            chips: filter.chips(&url),
            rows: EventRows::new(&story, &found.items, here, tx.now()),
            pages: Pages::of(&paging, rows_in_all(&found, &paging), filter.at(&url)),
            page,
            filter,
            url,
        })
    }
}

/// How many there are, as far as the pager needs it: of a list that is too long to
/// be counted, one more than a page after this one needs.
fn rows_in_all(found: &Paged<Event>, paging: &Paging) -> i64 {
    let read = paging.offset().saturating_add(found.items.len() as i64);
    let beyond = read.saturating_add(i64::from(found.has_more()));
    match found.total() {
        Some(total) => total,
        None if found.has_more() => beyond.max(crate::list::COUNT_LIMIT + 1),
        None => beyond,
    }
}

async fn of_place(
    app: App, viewer: Viewer, address: Address, params: Params<ActivityFilter>, paging: Paging,
) -> Result<Response> {
    let shown = page(&app, &viewer, "Activity");
    let list = List { viewer, marks: app.kept::<Marks>(), filter: params.0, paging };
    let handle = app.clone();
    let view = app.read(move |tx| {
        let space = address.authorize(tx, &list.viewer, Purpose::Read)?;
        let page = space.head(tx, &list.viewer)?.page(shown, Section::Activity);
        let feed = format!("/{}.atom", space.full_path());
        let page = feed_tokens::offer(&handle, &list.viewer, page, &feed);
        let here = space.url();
        let events = list.filter.events(Of::Place(place(&space)));
        list.view(tx, page, (format!("{here}/-/activity"), &here), Some(events))
    });
    Ok(Html::new(&view.await?)?.response())
}

/// A project or group as lists take it.
pub fn place(space: &Space) -> Place {
    match space {
        Space::Project(project, level) => Place::Project(Box::new(project.clone()), *level),
        Space::Group(group, _) => Place::Group(Box::new(group.clone())),
    }
}

async fn of_dashboard(
    app: App, caller: SignedInViewer, Params(params): Params<DashboardList>, paging: Paging,
) -> Result<Response> {
    let whose = params.scope.unwrap_or_default();
    let viewer = caller.viewer();
    let shown = page(&app, &viewer, "Activity").crumb("Home", "/");
    let shown = match whose {
        Whose::Projects => feed_tokens::offer(&app, &viewer, shown, "/dashboard/projects.atom"),
        Whose::Own => {
            let own = format!("/{}.atom", caller.0.user.username);
            feed_tokens::offer(&app, &viewer, shown, &own)
        }
    };
    let list = List {
        viewer,
        marks: app.kept::<Marks>(),
        filter: params.filter.0,
        paging,
    };
    let view = app.read(move |tx| {
        let of = match whose {
            Whose::Projects => Of::Memberships(caller.0.user.id),
            Whose::Own => Of::Author(caller.0.user.id),
        };
        let events = list.filter.events(of);
        let tab = |label: &str, one: Whose| {
            Tab::new(label, format!("{DASHBOARD}?scope={one}"), one == whose)
        };
        let tabs = vec![tab("Your projects", Whose::Projects), tab("Your own", Whose::Own)];
        let url = format!("{DASHBOARD}?scope={whose}");
        let view = list.view(tx, shown, (url, ""), Some(events))?;
        Ok(ActivityPage { whose: tabs, ..view })
    });
    Ok(Html::new(&view.await?)?.response())
}

/// A person whose page shows to the viewer.
fn person(tx: &mut Tx<'_>, viewer: &Viewer, username: &str) -> Result<User> {
    let user = users::by_reference(tx, &Reference::Path(username.to_owned()))?;
    let is_shown =
        |user: &User| user.is_human() && (user.state != UserState::Banned || viewer.is_admin());
    user.filter(is_shown).found("User")
}

/// What somebody did, unless they hide it from the viewer.
pub fn seen(tx: &mut Tx<'_>, viewer: &Viewer, user: &User) -> Result<Option<Of>> {
    let is_private = users::is_private(tx, user)?;
    Ok(sees_activity_of(viewer, user, is_private).then_some(Of::Author(user.id)))
}

async fn of_person(
    app: App, viewer: Viewer, Params(params): Params<PersonsList>, paging: Paging,
) -> Result<Response> {
    let shown = page(&app, &viewer, "Activity");
    let list = List {
        viewer,
        marks: app.kept::<Marks>(),
        filter: params.filter.0,
        paging,
    };
    let handle = app.clone();
    let view = app.read(move |tx| {
        let user = person(tx, &list.viewer, &params.username)?;
        let of = seen(tx, &list.viewer, &user)?;
        let home = format!("/{}", user.username);
        let page = feed_tokens::offer(&handle, &list.viewer, shown, &format!("{home}.atom"));
        let page = page.crumb(&user.name, home);
        let url = format!("/users/{}/activity", user.username);
        let events = of.map(|of| list.filter.events(of));
        list.view(tx, page, (url, ""), events)
    });
    Ok(Html::new(&view.await?)?.response())
}
