//! HTML pages of this room. Those of one merge request begin with [`frame`]; [`show`] is its
//! conversation with all that decides about the merge, [`changes`] what differs,
//! [`conflicts`] where both sides changed the same, [`plain`] the same as files. [`list`] has
//! them all, [`new`] makes and edits one, [`settings`] says how they go in a project.
//! [`places`] shows the lines that threads are about.
//!
//! Every form goes through the rules that REST uses, and works without a script.

pub mod changes;
pub mod conflicts;
pub mod frame;
pub mod from_issue;
pub mod list;
pub mod new;
pub mod places;
pub mod plain;
pub mod refused;
pub mod settings;
pub mod show;

use kernel::http::Routes;
use spaces::pages::PROJECT;

pub fn routes(r: &mut Routes) {
    show::routes(r);
    list::routes(r);
    new::routes(r);
    from_issue::routes(r);
    settings::routes(r);
    changes::routes(r);
    conflicts::routes(r);
    plain::routes(r);
}

/// The address of a page of one merge request, which ends like this.
pub fn one(rest: &str) -> String {
    format!("{PROJECT}/-/merge_requests/{{merge_request_iid}}{rest}")
}
