//! What the pages of a place have in common: who looks at it, and what stands around them.

use super::{MANAGE, Place};
use ::store::Tx;
use identity::pages::navigation::administration;
use identity::pages::page;
use identity::viewer::{Admin, Viewer};
use kernel::app::App;
use kernel::error::Result;
use kernel::html::Page;
use kernel::html::ui::Tab;
use spaces::pages::{Section, Visit};

/// Whose things a page is about.
#[derive(Clone)]
pub enum Whose {
    Instance(Admin),
    Space(Visit),
}

impl Whose {
    pub fn viewer(&self) -> Viewer {
        match self {
            Whose::Instance(admin) => admin.viewer(),
            Whose::Space(visit) => visit.viewer.clone(),
        }
    }

    pub fn place(&self, tx: &mut Tx<'_>) -> Result<Place> {
        match self {
            Whose::Instance(admin) => Place::instance(&admin.viewer()),
            Whose::Space(visit) => visit.authorize(tx, MANAGE).map(Place::of),
        }
    }

    /// The page by its title: among those of the administration, or in a space.
    pub fn page(&self, app: &App, (of_instance, of_space): (&str, &str)) -> Page {
        let page = |title| page(app, &self.viewer(), title);
        match self {
            Whose::Instance(_) => administration(page(of_instance), of_instance),
            Whose::Space(_) => page(of_space),
        }
    }
}

impl Place {
    /// The page below its section, and the tabs among which it is the one of this name; the
    /// instance has none.
    pub(crate) fn head(
        &self, tx: &mut Tx<'_>, viewer: &Viewer, page: Page, tab: &str,
    ) -> Result<(Page, Vec<Tab>)> {
        let Some(space) = self.space() else {
            return Ok((page, Vec::new()));
        };
        let head = space.head(tx, viewer)?;
        Ok((head.page_below(page, Section::Settings), head.settings_tabs(tab)))
    }

    /// The address of a page: of the instance, or of a section of a space.
    pub(crate) fn url(&self, (of_instance, section): (&str, &str)) -> String {
        match self.space() {
            None => of_instance.to_owned(),
            Some(space) => format!("{}/-/{section}", space.url()),
        }
    }
}
