//! What the mails of this room say; each is sent by a job of its own.

use crate::access::role_name;
use crate::invitations::Subject;
use crate::store::MemberRow;
use crate::store::invitations::Invitation;
use crate::tasks::{MemberNews, News};
use identity::model::User;
use kernel::app::App;
use kernel::error::{BestEffort, Error};
use kernel::jobs::Failure;
use kernel::mail::Message;

pub fn invitation_mail(invitation: &Invitation, subject: &Subject, link: &str) -> Message {
    let (kind, place) = (subject.kind.word(), &subject.full_path);
    let role = role_name(invitation.access_level);
    let invited = match &invitation.created_by_name {
        Some(name) => format!("{name} invited you to the {kind} {place}"),
        None => format!("You are invited to the {kind} {place}"),
    };
    let until = match &invitation.expires_at {
        Some(day) => format!(" until {day}"),
        None => String::new(),
    };
    Message {
        to: invitation.email.clone(),
        text: format!(
            "{invited} as {role}{until}.\n\nOpen this address to accept or decline:\n{link}\n\n\
             It is meant for you alone. If you did not expect this mail, ignore it.\n"
        ),
        subject: invited,
        html: None,
    }
}

pub fn request_mail(
    news: News, base_url: &str, subject: &Subject, user: &User, to: &User,
) -> Message {
    let place = format!("the {} {}", subject.kind.word(), subject.full_path);
    let title = match news {
        News::Requested => format!("{} asks for access to {place}", user.name),
        News::Granted => format!("Access to {place} was granted"),
        News::Denied => format!("Access to {place} was denied"),
    };
    // Who was turned down need not be able to open the address.
    let text = match news {
        News::Requested => format!(
            "{} (@{}) asks for access to {place}.\n\n{base_url}{}\n",
            user.name, user.username, subject.path
        ),
        News::Granted => {
            format!("You are a member of {place} now.\n\n{base_url}{}\n", subject.path)
        }
        News::Denied => format!("Your request for access to {place} was turned down.\n"),
    };
    Message { to: to.email.clone(), subject: title, text, html: None }
}

/// What is so of somebody's membership.
pub struct Membership<'m> {
    pub news: MemberNews,
    pub subject: &'m Subject,
    pub to: &'m User,
    pub actor: Option<&'m User>,
    pub row: &'m MemberRow,
}

impl Membership<'_> {
    pub fn mail(&self, base_url: &str) -> Message {
        let place = format!("the {} {}", self.subject.kind.word(), self.subject.full_path);
        let role = role_name(self.row.access_level);
        let who = self.actor.map_or("Somebody", |user| user.name.as_str());
        let end = self.row.expires_at.as_deref();
        let until = end.map(|day| format!(" until {day}")).unwrap_or_default();
        let (subject, text) = match self.news {
            MemberNews::Added => (
                format!("You are a member of {place}"),
                format!("{who} added you to {place} as {role}{until}."),
            ),
            MemberNews::Changed => (
                format!("Your role in {place} changed"),
                format!("{who} changed your role in {place}: you are {role} there{until}."),
            ),
            MemberNews::Ending => (
                format!("Your access to {place} ends soon"),
                format!(
                    "You are {role} in {place}{until}. Ask somebody who manages its members \
                         if you need it for longer."
                ),
            ),
        };
        let text = format!("{text}\n\n{base_url}{}\n", self.subject.path);
        Message { to: self.to.email.clone(), subject, text, html: None }
    }
}

/// Sends a mail; an address the mail server refuses for good is let go.
pub async fn deliver(app: &App, message: Message) -> Result<(), Failure> {
    match app.mailer().send(&message).await {
        Err(refused @ (Error::BadRequest(_) | Error::Unprocessable(_))) => {
            Err::<(), _>(refused).best_effort("send a mail");
            Ok(())
        }
        sent => Ok(sent?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SourceKind;

    fn subject() -> Subject {
        Subject {
            kind: SourceKind::Group,
            id: 1,
            full_path: "acme/tools".into(),
            path: "/groups/acme/tools".into(),
            emails_enabled: true,
        }
    }

    #[test]
    fn an_invitation_names_inviter_place_role_and_end() {
        let invitation = Invitation {
            id: 1,
            source_type: SourceKind::Group,
            source_id: 1,
            email: "joe@example.com".into(),
            access_level: 30,
            expires_at: Some("2031-01-02".into()),
            created_by_id: Some(2),
            created_at: kernel::time::Timestamp::UNIX_EPOCH,
            created_by_name: Some("Jane".into()),
        };
        let mail = invitation_mail(&invitation, &subject(), "http://x/-/invites/t");
        assert_eq!(mail.to, "joe@example.com");
        assert_eq!(mail.subject, "Jane invited you to the group acme/tools");
        assert!(mail.text.contains("as Developer until 2031-01-02."), "{}", mail.text);
        assert!(mail.text.contains("\nhttp://x/-/invites/t\n"));
    }
}
