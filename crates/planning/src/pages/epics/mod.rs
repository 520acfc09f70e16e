//! `/groups/<path>/-/epics`: the epics of a group, and one with what stands below it,
//! what it is linked with and what was said about it.

mod actions;
mod below;
mod fields;
mod forms;
mod linked;
mod linking;
mod list;
mod new;
mod page;
mod reader;
mod show;
mod tree;
mod views;

use crate::access::epics::GroupAccess;
use crate::access::switches::has_epics;
use crate::model::epics::Epic;
use crate::pages::talk;
use crate::store::epics as rows;
use http::Method;
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::http::Routes;
use page::EpicPage;
use spaces::access::Purpose;
use spaces::pages::{Address, GROUP, Space};
use store::Tx;

const OFF: &str = "Epics are switched off here. What the group has of them is kept: its owners, \
                   or who administers this instance, can switch them on again.";

pub fn routes(r: &mut Routes) {
    let all = format!("{GROUP}/-/epics");
    let one = format!("{all}/{{epic_iid}}");
    r.page(Method::GET, &all, list::show);
    r.page(Method::GET, &format!("{all}/new"), new::new);
    r.page(Method::POST, &all, new::create);
    r.page(Method::GET, &one, show::show);
    r.page(Method::POST, &one, actions::change);
    r.page(Method::GET, &format!("{one}/edit"), new::edit);
    r.page(Method::POST, &format!("{one}/edit"), new::update);
    r.page(Method::POST, &format!("{one}/tree"), below::change);
    r.page(Method::POST, &format!("{one}/links"), linking::change);
    talk::routes::<EpicPage>(r, &one);
}

/// The group of a page, where it has epics.
fn desk(
    tx: &mut Tx<'_>, viewer: &Viewer, address: &Address, purpose: Purpose,
) -> Result<(Space, GroupAccess)> {
    let space = address.authorize(tx, viewer, purpose)?;
    let Space::Group(group, level) = &space else {
        return Err(Error::NotFound(""));
    };
    let desk = GroupAccess { group: group.clone(), level: *level };
    match has_epics(tx, &desk.group)? {
        true => Ok((space, desk)),
        false => Err(Error::forbidden(OFF)),
    }
}

/// The epic of this number in a group, for who sees it.
fn find(tx: &mut Tx<'_>, desk: &GroupAccess, iid: i64) -> Result<Epic> {
    let epic = rows::find(tx, desk.group.id, iid)?;
    epic.filter(|epic| desk.sees(epic)).found("")
}
