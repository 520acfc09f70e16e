//! The page of a merge request for somebody signed in, and what they say there.

use super::{RequestForms, render};
use crate::noteable::noteable;
use crate::pages::frame::{self, Found};
use crate::pages::refused::spoken;
use crate::place::{Place, Wish};
use crate::rules::edit;
use crate::rules::input::{self, Input};
use crate::store::events;
use ::store::Tx;
use identity::spam::Guarded;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::{Call, FromCall, Paging, Response};
use planning::guarded::Writer;
use planning::pages::boxes::BoxForm;
use planning::pages::notes::StoryQuery;
use planning::pages::talk::{Here, Numbered, TalkForms, TalkPage};
use planning::rules::issues::StateEvent;
use planning::store::issues::timeline::EventRows;
use spaces::access::Purpose;
use spaces::pages::Visit;

#[derive(Clone)]
pub struct RequestPage(Numbered);

impl FromCall for RequestPage {
    async fn from_call(call: &mut Call) -> Result<Self> {
        Numbered::from_call(call).await.map(RequestPage)
    }
}

impl RequestPage {
    /// Finds it, for who sees it and is signed in.
    pub fn find(&self, tx: &mut Tx<'_>) -> Result<Found> {
        let Visit { viewer, address } = &self.0.visit;
        frame::find(tx, viewer, address, self.0.iid, Purpose::ReadMembers)
    }

    /// Where it is, and its address.
    pub async fn place(&self, app: &App) -> Result<(Place, String)> {
        let page = self.clone();
        app.read(move |tx| {
            let found = page.find(tx)?;
            Ok((page.spot(&found), found.url()))
        })
        .await
    }

    fn spot(&self, found: &Found) -> Place {
        Place { project: found.space.reference(), iid: self.0.iid }
    }

    /// The page with what was typed and refused.
    pub(super) async fn show_again(self, app: &App, typed: RequestForms) -> Result<Response> {
        let Numbered { visit: Visit { viewer, address }, iid, paging } = self.0;
        let whole = (iid, StoryQuery::default());
        render(app, viewer, address, whole, paging, typed).await
    }
}

impl TalkPage for RequestPage {
    type Spot = Place;
    const EVENTS: Option<EventRows> = Some(events::LABELS);

    fn viewer(&self) -> &Viewer {
        &self.0.visit.viewer
    }

    fn paging(&self) -> &Paging {
        &self.0.paging
    }

    fn here(&self, tx: &mut Tx<'_>) -> Result<Here<Place>> {
        let found = self.find(tx)?;
        Ok(Here {
            spot: self.spot(&found),
            url: found.url(),
            noteable: noteable(&found.request),
            is_reporter: found.here.is_reporter(),
        })
    }

    fn tick(&self, tx: &mut Tx<'_>, form: &BoxForm) -> Result<()> {
        let Found { here, request, .. } = self.find(tx)?;
        let text = form.apply(request.text())?;
        edit::tick(tx, self.viewer(), &here, &request, text)
    }

    async fn change_state(
        &self, app: &App, by: Writer, spot: Place, event: StateEvent,
    ) -> Result<Guarded<()>> {
        let wanted = Input::event(match event {
            StateEvent::Close => input::StateEvent::Close,
            StateEvent::Reopen => input::StateEvent::Reopen,
        });
        app.write(move |tx| {
            let (here, request) = spot.find(tx, &by.viewer, Wish::Write)?;
            edit::edit(tx, &by.viewer, &here, &request, wanted.clone()).map(drop)
        })
        .await
        .map(Guarded::Made)
        .map_err(|error| spoken(error, "You may not do that to this merge request"))
    }

    async fn again(self, app: &App, talk: TalkForms) -> Result<Response> {
        self.show_again(app, RequestForms { talk, ..RequestForms::default() }).await
    }
}
