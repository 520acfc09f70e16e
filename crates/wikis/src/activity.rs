//! What people do with pages, as lists of activity show it to who may read the wiki.

use identity::viewer::Viewer;
use kernel::error::Result;
use spaces::access::{GUEST, Purpose, groups_of, visible_projects};
use spaces::activity::{self, Action, Target, Where};
use store::{Fragment, Tx};

/// The kind of target.
pub const WIKI_PAGE: &str = "WikiPage::Meta";

/// Writes down that somebody made, changed or deleted a page.
pub(crate) fn record(
    tx: &mut Tx<'_>, author: Option<i64>, (action, place): (Action, Where),
    (id, title): (Option<i64>, &str),
) -> Result<()> {
    let target = Target { kind: WIKI_PAGE, id, title: Some(title) };
    activity::record(tx, author, action, place, target)
}

/// Condition on `activity_events` joined with `projects`, of a project or group that the
/// viewer sees: they may read its wiki.
pub fn of_pages(tx: &Tx<'_>, viewer: &Viewer) -> Fragment {
    let mut seen = Fragment::new("((activity_events.group_id is null and ");
    seen.append(visible_projects(tx, viewer, Purpose::ReadWiki));
    seen.raw(") or activity_events.group_id in (select namespaces.id from namespaces where ");
    match viewer.user_id() {
        _ if viewer.is_admin() => seen.raw("1 = 1"),
        Some(user) => seen
            .append(spaces::access::open_groups(viewer))
            .raw(" or ")
            .append(groups_of(tx, user, GUEST)),
        None => seen.append(spaces::access::open_groups(viewer)),
    };
    seen.raw("))");
    seen
}
