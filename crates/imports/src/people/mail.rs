//! What people are told by mail.

use super::model::SourceUserStatus;
use super::store as rows;
use super::tasks::TellOfReassignment;
use ::store::Tx;
use identity::model::UserState;
use identity::users;
use kernel::error::Result;
use kernel::ids::Reference;
use kernel::mail::Message;
use spaces::access::find_group;

/// Where it is answered.
pub const PAGE: &str = "/-/profile/placeholders";

/// That somebody is asked whether they are somebody elsewhere, if they still are.
pub fn of_question(
    tx: &mut Tx<'_>, job: &TellOfReassignment, address: &str,
) -> Result<Option<Message>> {
    let found = rows::by_id(tx, job.source_user)?.filter(|row| row.user_id == Some(job.to));
    let asked = found.filter(|row| row.status == SourceUserStatus::AwaitingApproval);
    let Some(row) = asked else {
        return Ok(None);
    };
    let to = users::find(tx, job.to)?.filter(|user| user.state == UserState::Active);
    let group = find_group(tx, &Reference::Id(row.namespace_id))?;
    let (Some(to), Some(group)) = (to, group) else {
        return Ok(None);
    };
    let (there, host, place) = (&row.username, &row.host, &group.full_path);
    Ok(Some(Message {
        to: to.email,
        subject: format!("Are you {there} of {host}?"),
        text: format!(
            "Projects were imported from {host} into the group {place}. An owner of the group \
             says that you are {there} there. If it is so, what {there} did comes to stand \
             under your name, which cannot be undone.\n\nAccept or decline here:\n{address}\n"
        ),
        html: None,
    }))
}
