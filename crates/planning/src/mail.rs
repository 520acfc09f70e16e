//! What mail about issues, and about things of rooms above, says.

use crate::store::notes::Note;
use crate::targets::NoteableSummary;
use crate::tasks::{Event, News, Tell};
use identity::model::User;
use kernel::app::App;
use kernel::error::{BestEffort, Error};
use kernel::jobs::Failure;
use kernel::mail::{Message, Thread};

/// The conversation about something, which the first mail begins. Ids are
/// told by what happened, so that all who are told of it have the same.
pub fn thread(app: &App, told: &NoteableSummary, news: &News) -> Thread {
    let begun_by = format!("{}-{}", told.noun, news.about.id);
    let id = match (news.event, news.note) {
        (Event::New, _) => begun_by.clone(),
        (_, Some(note)) => format!("{begun_by}-note-{note}"),
        // The same may happen again: its time tells them apart.
        (event, None) => {
            let at = told.updated_at.as_microsecond();
            format!("{begun_by}-{event:?}-{at}").to_lowercase()
        }
    };
    let mut parts: Vec<&str> = told.project_path.split('/').collect();
    parts.reverse();
    Thread {
        begun_by: (id != begun_by).then_some(begun_by),
        id,
        list: parts.join("."),
        host: host(app),
    }
}

fn host(app: &App) -> String {
    let url = url::Url::parse(app.base_url()).ok();
    let host = url.as_ref().and_then(url::Url::host_str);
    host.unwrap_or("localhost").to_owned()
}

pub fn letter(
    app: &App,
    to: String,
    actor: Option<&User>,
    told: &NoteableSummary,
    note: Option<&Note>,
    job: &Tell,
) -> Message {
    let news = &job.news;
    let who = actor.map_or("Somebody", |user| user.name.as_str());
    let (noun, reference) = (told.noun, told.reference.as_str());
    let name = format!("{}{reference}", told.project_path);
    let happened = match news.event {
        Event::New => format!("{who} made the {noun} {name}"),
        Event::Note => format!("{who} commented on {name}"),
        Event::Closed => format!("{who} closed the {noun} {name}"),
        Event::Reopened => format!("{who} opened the {noun} {name} again"),
        Event::Reassigned => format!("{who} changed who is assigned to {name}"),
        Event::Edited => format!("{who} named you in the {noun} {name}"),
    };
    let said = match (news.event, note) {
        (Event::Note, Some(note)) => note.body.as_str(),
        (Event::New | Event::Edited, _) => told.text.as_str(),
        _ => "",
    };
    let mut link = app.url(&told.path);
    if let Some(note) = note {
        link.push_str(&format!("#note_{}", note.id));
    }
    let said = match said.is_empty() {
        true => String::new(),
        false => format!("\n{said}\n"),
    };
    let again = if news.event == Event::New { "" } else { "Re: " };
    let project = told.project_path.rsplit('/').next().unwrap_or_default();
    Message {
        to,
        subject: format!("{again}{project} | {} ({reference})", told.title),
        text: format!(
            "{happened}:\n{said}\n{link}\n\n-- \nYou are told because {}.\n",
            job.reason.words()
        ),
        html: None,
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
