//! What such a page shows of what was said, with the form to say more.

use super::{Draft, TalkForms};
use crate::pages::notes::Story;
use crate::store::threads::COUNTED;
use askama::Template;
use askama::filters::HtmlSafe;
use identity::pages::challenge::Challenge;
use kernel::html::ui;
use kernel::html::{Errors, Pages};
use kernel::http::paging::COUNT_LIMIT;

/// Who may say what.
#[derive(Debug, Clone, Copy)]
pub struct Writing {
    pub is_signed_in: bool,
    pub may_write: bool,
    pub may_write_inside: bool,
    /// Only members may say something.
    pub is_locked: bool,
    /// What closes or reopens it with a comment: the value of the button and its
    /// words, for who may.
    pub state: Option<(&'static str, &'static str)>,
    /// What a comment may hold.
    pub hint: &'static str,
}

/// A part of a page, below what it is about.
#[derive(Debug, Template)]
#[template(path = "talk.html")]
pub struct TalkView {
    url: String,
    csrf: String,
    writing: Writing,
    /// What was said and what became of it, one page of it.
    story: Story,
    pages: Pages,
    /// One discussion or note is shown alone.
    is_part: bool,
    /// Threads that are not resolved, counted to 99 and one more.
    to_resolve: u64,
    /// A note that was refused, or nothing.
    draft: Draft,
    errors: Errors,
    challenge: Option<Challenge>,
}

impl HtmlSafe for TalkView {}

impl TalkView {
    pub fn new(
        (url, csrf): (&str, &str), writing: Writing, (story, pages): (Story, Pages),
        typed: &TalkForms,
    ) -> TalkView {
        // The challenge stands where the text was typed.
        let of_draft = typed.open.typed.is_none() && typed.open.answer.is_none();
        TalkView {
            url: url.to_owned(),
            csrf: csrf.to_owned(),
            writing,
            story,
            pages,
            is_part: false,
            to_resolve: 0,
            draft: typed.draft.clone(),
            errors: typed.refusal.errors.clone(),
            challenge: typed.refusal.challenge.clone().filter(|_| of_draft),
        }
    }

    /// Of one discussion or note that is shown alone.
    pub fn part(self, is_part: bool) -> TalkView {
        TalkView { is_part, ..self }
    }

    /// With so many threads to resolve.
    pub fn to_resolve(self, to_resolve: u64) -> TalkView {
        TalkView { to_resolve, ..self }
    }

    /// How much happened, counted no further than lists are.
    fn tally(&self) -> String {
        match self.pages.total > COUNT_LIMIT.unsigned_abs() {
            true => "10,000+".to_owned(),
            false => self.pages.total.to_string(),
        }
    }

    /// How many threads are not resolved, if any is.
    fn open_threads(&self) -> Option<String> {
        let most = COUNTED.unsigned_abs();
        match self.to_resolve {
            0 => None,
            n if n > most => Some(format!("{most}+ threads to resolve")),
            n => Some(format!("{} to resolve", ui::count(n, "thread"))),
        }
    }
}
