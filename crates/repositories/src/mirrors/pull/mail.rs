//! What people are told of mirrors by mail.

use super::store as rows;
use super::tasks::TellOfMirror;
use ::store::Tx;
use identity::model::UserState;
use kernel::error::Result;
use kernel::mail::Message;
use spaces::invitations;
use spaces::model::SourceKind;

/// That one was switched off, if it still is and they want mail of the project.
pub fn of_stop(tx: &mut Tx<'_>, job: &TellOfMirror, base_url: &str) -> Result<Option<Message>> {
    let Some(mirror) = rows::find(tx, job.mirror)?.filter(|mirror| mirror.gave_up()) else {
        return Ok(None);
    };
    let subject = invitations::subject(tx, SourceKind::Project, mirror.project_id)?;
    let to = identity::users::find(tx, job.to)?;
    let (Some(subject), Some(to)) = (subject, to) else {
        return Ok(None);
    };
    if !subject.emails_enabled || to.state != UserState::Active {
        return Ok(None);
    }
    let (place, failures) = (&subject.full_path, mirror.failures);
    let why = mirror.last_error.unwrap_or_default();
    Ok(Some(Message {
        to: to.email,
        subject: format!("{place} does not follow its mirror any more"),
        text: format!(
            "The project {place} follows {}. That failed {failures} times in a row, the last \
             time for this reason:\n\n{why}\n\nSo it is switched off. Somebody who maintains \
             the project can switch it on again:\n{base_url}{}/-/settings/mirrors\n",
            mirror.server.shown_url, subject.path
        ),
        html: None,
    }))
}
