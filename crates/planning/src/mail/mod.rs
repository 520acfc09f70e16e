//! What mail about issues, epics and things of rooms above says.

mod digest;
mod headers;
mod views;

use crate::notifications::seen::Seen;
use crate::tasks::{Event, News, Reason};
use identity::model::User;
use kernel::app::App;
use kernel::error::{BestEffort, Error, Result};
use kernel::jobs::Failure;
use kernel::mail::{Message, Thread};
use kernel::secrets::random_bytes;
use spaces::model::Project;

pub use digest::{DigestLetter, Line, ThreadNews};

/// A mail to one of those who are told of something.
pub struct Letter<'l> {
    pub app: &'l App,
    pub address: String,
    pub actor: Option<&'l User>,
    /// Who has it ends the mails of the thread.
    pub key: String,
    pub news: &'l News,
    pub reason: Reason,
    /// The note that began the thread it answers in.
    pub before: Option<i64>,
    /// What was said, as HTML.
    pub html: String,
    pub seen: &'l Seen,
}

impl Seen {
    /// What was said, as it was written; nothing where a sentence tells it all.
    pub fn text(&self, event: Event) -> &str {
        match (event, &self.note) {
            (Event::Note, Some(note)) => &note.body,
            (Event::New | Event::Edited, _) => &self.told.text,
            _ => "",
        }
    }

    /// What happened, in one sentence.
    pub fn sentence(&self, event: Event, actor: Option<&User>) -> String {
        let who = called(actor);
        let (noun, reference) = (self.told.noun, self.told.reference.as_str());
        let name = format!("{}{reference}", self.told.place_path);
        match event {
            Event::New => format!("{who} made the {noun} {name}"),
            Event::Note => format!("{who} commented on {name}"),
            Event::Closed => format!("{who} closed the {noun} {name}"),
            Event::Reopened => format!("{who} opened the {noun} {name} again"),
            Event::Reassigned => format!("{who} changed who is assigned to {name}"),
            Event::Edited => format!("{who} named you in the {noun} {name}"),
            Event::Milestone => format!("{who} changed the milestone of {name}"),
            Event::Labelled => format!("{who} gave {name} a label that you are subscribed to"),
            Event::Due => format!("The {noun} {name} is due tomorrow"),
            Event::Reviewers => format!("{who} changed who reviews {name}"),
            Event::Draft => format!("{who} changed whether {name} is a draft"),
            Event::Pushed => format!("{who} pushed new commits to {name}"),
            // Who ordered a merge is told of it, too.
            Event::Merged if actor.is_none() => format!("The {noun} {name} was merged"),
            Event::Merged => format!("{who} merged the {noun} {name}"),
            Event::Approved => format!("{who} approved the {noun} {name}"),
            Event::Unapproved => format!("{who} took the approval of {name} back"),
            Event::Unmergeable => format!("The {noun} {name} cannot be merged any more"),
            Event::ThreadsResolved => format!("{who} resolved all threads of {name}"),
            Event::AutoMerge => format!("{who} has {name} merged once its checks pass"),
        }
    }

    /// Where it is read.
    pub fn link(&self, app: &App) -> String {
        let link = app.url(&self.told.path);
        match &self.note {
            Some(note) => format!("{link}#note_{}", note.id),
            None => link,
        }
    }
}

/// Who did something, as mails call them.
pub fn called(actor: Option<&User>) -> &str {
    actor.map_or("Somebody", |user| user.name.as_str())
}

/// Where somebody chooses what they are told of.
pub fn settings_url(app: &App) -> String {
    app.url(crate::notifications::SETTINGS)
}

impl Letter<'_> {
    pub fn message(&self) -> Result<Message> {
        let event = self.news.event;
        let happened = self.seen.sentence(event, self.actor);
        let told = &self.seen.told;
        let again = if event == Event::New { "" } else { "Re: " };
        let subject =
            format!("{again}{} | {} ({})", self.seen.place.name(), told.title, told.reference);
        let view = views::Notification {
            title: subject.clone(),
            happened: happened.clone(),
            said: &self.html,
            link: self.seen.link(self.app),
            unsubscribe: format!("{}?at_once=1", self.unsubscribe_url()),
            settings: settings_url(self.app),
            reason: self.reason.words(),
            noun: told.noun,
        };
        let said = match self.seen.text(event) {
            "" => String::new(),
            text => format!("{}\n\n", text.trim_end()),
        };
        let text = format!(
            "{happened}{}\n\n{said}{}\n\n-- \nYou are told because {}.\n\
             Unsubscribe from this thread: {}\nChoose what you are told of: {}\n",
            if said.is_empty() { "." } else { ":" },
            view.link,
            view.reason,
            view.unsubscribe,
            view.settings,
        );
        let html = Some(views::render(&view)?);
        Ok(Message { to: self.address.clone(), subject, text, html })
    }

    fn unsubscribe_url(&self) -> String {
        self.app.url(&format!("/-/sent_notifications/{}/unsubscribe", self.key))
    }

    /// The conversation about something, which the first mail begins. Ids are told by
    /// what happened, so that all who are told of it have the same.
    pub fn thread(&self) -> Thread {
        let noun = self.seen.told.noun.replace(' ', "_");
        let begins = format!("{noun}_{}", self.news.about.id);
        let (id, follows) = match (self.news.event, self.news.note) {
            (Event::New, _) => (begins, Vec::new()),
            (_, Some(note)) => {
                let before = self.before.map(|id| format!("note_{id}"));
                (format!("note_{note}"), [begins].into_iter().chain(before).collect())
            }
            (_, None) => (named(&self.news.mark), vec![begins]),
        };
        Thread {
            id,
            follows,
            answered_by: self.reply_address().map(|_| format!("reply-{}", self.key)),
            list: self.seen.told.place_path.clone(),
            host: host(self.app),
            from: self.actor.map(|user| user.name.clone()),
            headers: self.headers(),
        }
    }
}

/// A mail that no other belongs to is named by chance.
fn named(mark: &str) -> String {
    match mark.is_empty() {
        true => hex::encode(random_bytes::<12>()),
        false => mark.to_owned(),
    }
}

fn host(app: &App) -> String {
    let url = url::Url::parse(app.base_url()).ok();
    let host = url.as_ref().and_then(url::Url::host_str);
    host.unwrap_or("localhost").to_owned()
}

/// The mail that a project stands elsewhere.
pub fn moved_letter(
    app: &App, to: String, actor: Option<&User>, project: &Project, from: &str,
) -> Result<(Message, Thread)> {
    let announcement = Announcement {
        subject: format!("{} | The project moved to {}", project.name, project.full_path),
        happened: format!("{} moved the project {from} to {}", called(actor), project.full_path),
        link: app.url(&format!("/{}", project.full_path)),
        reason: "you are a member of the project",
    };
    announcement.letter(app, to, actor, project)
}

/// What is told of a project in one sentence.
#[derive(Debug, Clone)]
pub struct Announcement {
    pub subject: String,
    pub happened: String,
    /// Where more is read.
    pub link: String,
    /// Why somebody is told: `you are …`.
    pub reason: &'static str,
}

impl Announcement {
    /// The mail to one of those who are told, which no other belongs to.
    pub fn letter(
        self, app: &App, to: String, actor: Option<&User>, project: &Project,
    ) -> Result<(Message, Thread)> {
        let Announcement { subject, happened, link, reason } = self;
        let view = views::Notice {
            title: subject.clone(),
            happened: happened.clone(),
            link,
            settings: settings_url(app),
            reason,
        };
        let text = format!(
            "{happened}.\n\n{}\n\n-- \nYou are told because {reason}.\nChoose what you are told \
             of: {}\n",
            view.link, view.settings
        );
        let message = Message { to, subject, text, html: Some(views::render(&view)?) };
        let thread = Thread {
            id: named(""),
            follows: Vec::new(),
            answered_by: None,
            list: project.full_path.clone(),
            host: host(app),
            from: actor.map(|user| user.name.clone()),
            headers: headers::of_project(project),
        };
        Ok((message, thread))
    }
}

/// Sends a mail; an address the mail server refuses for good is let go.
pub async fn deliver(app: &App, message: Message, thread: Thread) -> Result<(), Failure> {
    match app.mailer().send_in(&message, &thread).await {
        Err(refused @ (Error::BadRequest(_) | Error::Unprocessable(_))) => {
            Err::<(), _>(refused).best_effort("send a mail");
            Ok(())
        }
        sent => Ok(sent?),
    }
}
