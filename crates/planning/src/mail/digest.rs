//! The mail of a day or a week.

use super::{host, settings_url, views};
use kernel::app::App;
use kernel::error::Result;
use kernel::mail::{Message, Thread};

/// What happened in one thread.
pub struct ThreadNews {
    /// `acme/anvil#5`.
    pub name: String,
    pub title: String,
    pub link: String,
    pub lines: Vec<Line>,
}

/// One thing that happened.
pub struct Line {
    pub happened: String,
    /// The beginning of what was said.
    pub said: String,
    pub link: String,
}

/// What somebody is told in one mail.
pub struct DigestLetter<'l> {
    pub app: &'l App,
    pub to: String,
    pub user: i64,
    /// The last of what it tells; names the mail, so that one that is sent again is
    /// known as the same.
    pub last: i64,
    pub threads: Vec<ThreadNews>,
}

impl DigestLetter<'_> {
    pub fn message(&self) -> Result<Message> {
        let news: usize = self.threads.iter().map(|thread| thread.lines.len()).sum();
        let subject = match (news, self.threads.as_slice()) {
            (1, [only]) => format!("Digest: 1 news of {}", only.name),
            (_, [only]) => format!("Digest: {news} news of {}", only.name),
            (_, threads) => format!("Digest: {news} news of {} threads", threads.len()),
        };
        let settings = settings_url(self.app);
        let mut text = format!("{subject}\n");
        for thread in &self.threads {
            text += &format!("\n{} ({})\n{}\n", thread.title, thread.name, thread.link);
            for line in &thread.lines {
                text += &match line.said.as_str() {
                    "" => format!("- {}\n", line.happened),
                    said => format!("- {}: {said}\n", line.happened),
                };
            }
        }
        text += &format!(
            "\n-- \nYou are told once in a while because you asked for a digest.\n\
             Choose what you are told of: {settings}\n"
        );
        let view = views::Digest { title: subject.clone(), threads: &self.threads, settings };
        let html = Some(views::render(&view)?);
        Ok(Message { to: self.to.clone(), subject, text, html })
    }

    pub fn thread(&self) -> Thread {
        Thread {
            id: format!("digest_{}_{}", self.user, self.last),
            follows: Vec::new(),
            answered_by: None,
            list: "digest".to_owned(),
            host: host(self.app),
            from: None,
            headers: vec![("X-Service-NotificationReason".to_owned(), "digest".to_owned())],
        }
    }
}
