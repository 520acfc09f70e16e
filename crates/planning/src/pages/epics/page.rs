//! The page of an epic for somebody signed in, and what they say there.

use super::forms::{Asked, EpicForms};
use super::show::render;
use super::{desk, find};
use crate::access::epics::GroupAccess;
use crate::guarded::{self, Writer};
use crate::model::epics::Epic;
use crate::pages::boxes::BoxForm;
use crate::pages::talk::{Here, Numbered, TalkForms, TalkPage};
use crate::rules::epics::change::EpicInput;
use crate::rules::epics::places::EpicPlace;
use crate::rules::epics::{requests, said::noteable};
use crate::rules::issues::StateEvent;
use identity::spam::Guarded;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::{Call, FromCall, Paging, Patch, Response};
use kernel::ids::Reference;
use spaces::access::Purpose;
use spaces::pages::Visit;
use store::Tx;

#[derive(Clone)]
pub struct EpicPage(Numbered);

impl FromCall for EpicPage {
    async fn from_call(call: &mut Call) -> Result<Self> {
        Numbered::from_call(call).await.map(EpicPage)
    }
}

impl EpicPage {
    pub fn visit(&self) -> &Visit {
        &self.0.visit
    }

    /// Finds it, for who sees it.
    pub fn find(&self, tx: &mut Tx<'_>) -> Result<(GroupAccess, Epic)> {
        let Visit { viewer, address } = &self.0.visit;
        let (_, desk) = desk(tx, viewer, address, Purpose::ReadMembers)?;
        let epic = find(tx, &desk, self.0.iid)?;
        Ok((desk, epic))
    }

    /// The page with what was typed and refused.
    pub async fn show_again(self, app: &App, typed: EpicForms) -> Result<Response> {
        let Numbered { visit: Visit { viewer, address }, iid, paging } = self.0;
        render(app, viewer, address, (iid, Asked::default()), paging, typed).await
    }
}

impl TalkPage for EpicPage {
    type Spot = EpicPlace;

    fn viewer(&self) -> &Viewer {
        &self.0.visit.viewer
    }

    fn paging(&self) -> &Paging {
        &self.0.paging
    }

    fn here(&self, tx: &mut Tx<'_>) -> Result<Here<EpicPlace>> {
        let (desk, epic) = self.find(tx)?;
        Ok(Here {
            spot: EpicPlace::numbered(Reference::Id(desk.group.id), epic.iid),
            url: epic.path(),
            noteable: noteable(&epic),
            is_reporter: desk.is_reporter(),
        })
    }

    fn tick(&self, tx: &mut Tx<'_>, form: &BoxForm) -> Result<()> {
        let (desk, epic) = self.find(tx)?;
        desk.planning()?;
        let text = form.apply(epic.text())?;
        let wanted = EpicInput { description: Patch::Value(text), ..EpicInput::default() };
        requests::edit(tx, self.viewer(), &desk, &epic, wanted).map(drop)
    }

    async fn change_state(
        &self, app: &App, by: Writer, spot: EpicPlace, event: StateEvent,
    ) -> Result<Guarded<()>> {
        let wanted = EpicInput { state_event: Some(event), ..EpicInput::default() };
        guarded::edit(app, by, spot, wanted, |_, _, _| Ok(())).await
    }

    async fn again(self, app: &App, talk: TalkForms) -> Result<Response> {
        self.show_again(app, EpicForms { talk, ..EpicForms::default() }).await
    }
}
