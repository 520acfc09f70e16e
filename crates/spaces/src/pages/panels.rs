//! Panels of rooms above, on pages that sum up what several rooms hold: the
//! first page of a project or group, that of a person, and that of somebody who
//! is signed in.

use super::head::SpaceHead;
use super::place::Space;
use identity::model::User;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::html::ui::Panel;
use store::Tx;

/// The page a panel stands on.
#[derive(Debug, Clone, Copy)]
pub enum PanelPage<'p> {
    /// `/` of the viewer: what waits for them.
    Home,
    /// The first page of a project or group: what is newest there.
    Overview(&'p Space, &'p SpaceHead),
    /// The page of a person whose activity the viewer may see.
    Person(&'p User),
}

/// Reads the panel of a list; none where the page has nothing of it, or the
/// viewer may not see any. It sends a fixed number of statements, and tells
/// nothing that the list itself would not tell this viewer.
pub type ReadPanel = fn(&mut Tx<'_>, &Viewer, PanelPage<'_>) -> Result<Option<Panel>>;

/// What rooms above plug in, in the order it stands in. Code, once there is
/// any, is what a project begins with.
#[derive(Debug, Default)]
pub struct Panels(pub Vec<ReadPanel>);

/// The panels of a page.
pub fn read(tx: &mut Tx<'_>, viewer: &Viewer, page: PanelPage<'_>) -> Result<Vec<Panel>> {
    let Panels(all) = tx.plugged()?;
    let mut panels = Vec::new();
    for read in all {
        panels.extend(read(tx, viewer, page)?);
    }
    Ok(panels)
}

/// A menu beside the heading of the first page of a project or group, of a room above.
#[derive(Debug, Clone)]
pub struct HeadMenu {
    pub label: String,
    pub picture: &'static str,
    /// Where its entries are sent, and under which name.
    pub url: String,
    pub field: &'static str,
    pub entries: Vec<HeadMenuEntry>,
    /// Text and address of the page behind it.
    pub more: (&'static str, String),
}

#[derive(Debug, Clone)]
pub struct HeadMenuEntry {
    pub value: &'static str,
    pub label: &'static str,
    /// It holds now.
    pub is_current: bool,
}

/// Reads a menu for a viewer, in a fixed number of statements; none for strangers.
pub type ReadHeadMenu = fn(&mut Tx<'_>, &Viewer, &Space) -> Result<Option<HeadMenu>>;

/// What rooms above plug in.
#[derive(Debug, Default)]
pub struct HeadMenus(pub Vec<ReadHeadMenu>);

/// The menus beside a heading.
pub fn menus(tx: &mut Tx<'_>, viewer: &Viewer, space: &Space) -> Result<Vec<HeadMenu>> {
    let HeadMenus(all) = tx.plugged()?;
    let mut menus = Vec::new();
    for read in all {
        menus.extend(read(tx, viewer, space)?);
    }
    Ok(menus)
}
