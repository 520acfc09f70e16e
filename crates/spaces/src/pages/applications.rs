//! `/groups/<path>/-/settings/applications`: programs that a group registered,
//! for its owners.

use super::{Address, Section, group_section};
use crate::access::Purpose;
use identity::oauth::applications::Owner;
use identity::oauth::pages::{ApplicationsOwner, Guard, Place, routes_of};
use identity::viewer::SignedInViewer;
use kernel::error::Result;
use kernel::html::Page;
use kernel::http::{Call, FromCall, Routes};

const SECTION: &str = "settings/applications";

pub fn routes(r: &mut Routes) {
    routes_of::<OfGroup>(r, &group_section(SECTION));
}

/// A group's applications, for who may change the group.
struct OfGroup(ApplicationsOwner);

impl Place for OfGroup {
    fn owner(self) -> ApplicationsOwner {
        self.0
    }
}

impl FromCall for OfGroup {
    async fn from_call(call: &mut Call) -> Result<Self> {
        let who = SignedInViewer::from_call(call).await?;
        let (address, viewer) = (Address::of(&call.request)?, who.viewer());
        let guarded = (address.clone(), viewer.clone());
        let found = call.app.read(move |tx| {
            let space = address.authorize(tx, &viewer, Purpose::Update)?;
            let head = space.head(tx, &viewer)?;
            let guarded = guarded.clone();
            Ok(ApplicationsOwner {
                viewer: who.clone(),
                owner: Owner::Group(head.id),
                base: format!("{}/-/{SECTION}", space.url()),
                heading: format!("Applications of {}", head.name),
                may_trust: false,
                may_create: true,
                frame: head.page_below(Page::default(), Section::Settings),
                tabs: head.settings_tabs("Applications"),
                guard: Guard::new(move |tx| {
                    let (address, viewer) = &guarded;
                    address.authorize(tx, viewer, Purpose::Update).map(drop)
                }),
            })
        });
        Ok(OfGroup(found.await?))
    }
}
