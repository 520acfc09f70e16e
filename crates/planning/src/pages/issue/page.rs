//! The page of an issue for somebody signed in, and what they say there.

use super::{IssueForms, render};
use crate::access::ProjectAccess;
use crate::guarded::{self, Place, Writer};
use crate::pages::boxes::BoxForm;
use crate::pages::desk;
use crate::pages::notes::StoryQuery;
use crate::pages::talk::{Here, Numbered, TalkForms, TalkPage};
use crate::rules::issues::places::found_to_write;
use crate::rules::issues::requests::{self, find};
use crate::rules::issues::{IssueInput, StateEvent, noteable};
use identity::spam::Guarded;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::{Call, FromCall, Paging, Response};
use spaces::access::Purpose;
use spaces::pages::Visit;
use store::Tx;

#[derive(Clone)]
pub struct IssuePage(Numbered);

impl FromCall for IssuePage {
    async fn from_call(call: &mut Call) -> Result<Self> {
        Numbered::from_call(call).await.map(IssuePage)
    }
}

impl IssuePage {
    /// The project, for somebody signed in.
    pub fn desk(&self, tx: &mut Tx<'_>) -> Result<ProjectAccess> {
        let Visit { viewer, address } = &self.0.visit;
        Ok(desk(tx, viewer, address, Purpose::ReadMembers)?.1)
    }

    /// The page with what was typed and refused.
    pub(super) async fn show_again(self, app: &App, typed: IssueForms) -> Result<Response> {
        let Numbered { visit: Visit { viewer, address }, iid, paging } = self.0;
        let whole = (iid, StoryQuery::default());
        render(app, viewer, address, whole, paging, typed).await
    }
}

impl TalkPage for IssuePage {
    type Spot = Place;

    fn viewer(&self) -> &Viewer {
        &self.0.visit.viewer
    }

    fn paging(&self) -> &Paging {
        &self.0.paging
    }

    fn here(&self, tx: &mut Tx<'_>) -> Result<Here<Place>> {
        let Visit { viewer, address } = &self.0.visit;
        let (space, desk) = desk(tx, viewer, address, Purpose::ReadMembers)?;
        let issue = find(tx, viewer, &desk, self.0.iid)?;
        Ok(Here {
            spot: (space.reference(), self.0.iid),
            url: format!("{}/-/issues/{}", space.url(), self.0.iid),
            noteable: noteable(&issue),
            is_reporter: desk.is_reporter(),
        })
    }

    fn tick(&self, tx: &mut Tx<'_>, form: &BoxForm) -> Result<()> {
        let (project, iid) = self.here(tx)?.spot;
        let (desk, issue) = found_to_write(tx, self.viewer(), &project, iid)?;
        let text = form.apply(issue.text())?;
        requests::tick(tx, self.viewer(), &desk, &issue, text).map(drop)
    }

    async fn change_state(
        &self, app: &App, by: Writer, spot: Place, event: StateEvent,
    ) -> Result<Guarded<()>> {
        guarded::edit(app, by, spot, IssueInput::event(event), |_, _, _| Ok(())).await
    }

    async fn again(self, app: &App, talk: TalkForms) -> Result<Response> {
        self.show_again(app, IssueForms { talk, fields: None }).await
    }
}
