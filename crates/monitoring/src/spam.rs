//! What the spam rules look at where somebody makes an issue of what a program
//! or a stranger worded.

use identity::spam::{Actor, Subject};
use identity::viewer::Viewer;
use kernel::error::Result;

/// An issue that the viewer makes under this title of theirs; empty where they
/// gave none. How often they do so is judged, and what they wrote, but not
/// what was reported to the project.
pub fn issue(viewer: &Viewer, title: &str) -> Result<Subject> {
    let signed_in = viewer.signed_in()?;
    Ok(Subject {
        actor: Actor::User(Box::new(signed_in.user.clone())),
        ip: signed_in.ip_address.clone(),
        agent: String::new(),
        via_api: !signed_in.is_session(),
        action: "create_issue",
        target_type: "Issue",
        noun: "issue",
        title: title.to_owned(),
        text: String::new(),
        solution: None,
        solved: false,
    })
}
