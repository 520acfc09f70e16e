//! What such a page shows of what was said, with the form to say more.

use super::{Draft, TalkForms};
use crate::pages::notes::Story;
use crate::store::threads::COUNTED;
use askama::Template;
use askama::filters::HtmlSafe;
use identity::pages::challenge::Challenge;
use identity::viewer::Viewer;
use kernel::html::ui;
use kernel::html::{Errors, Pages};
use kernel::http::paging::COUNT_LIMIT;
use std::collections::HashMap;

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

impl Writing {
    /// Of something that has neither internal notes nor a state.
    pub fn plain(viewer: &Viewer, may_write: bool) -> Writing {
        Writing {
            is_signed_in: viewer.user_id().is_some(),
            may_write,
            may_write_inside: false,
            is_locked: false,
            state: None,
            hint: "Markdown.",
        }
    }
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
    /// Where the first of them is, if it is on another page.
    elsewhere: Option<String>,
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
            elsewhere: None,
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

    /// The first of them is on another page, at this address.
    pub fn elsewhere(self, elsewhere: Option<String>) -> TalkView {
        TalkView { elsewhere, ..self }
    }

    /// The discussions of the story.
    pub fn discussions(&self) -> Vec<String> {
        self.story.discussions()
    }

    /// Says what discussions are about, as [`Story::stand`] does.
    pub fn stand(&mut self, about: &HashMap<String, String>) {
        self.story.stand(about);
    }

    /// Where the first thread is that is not resolved.
    fn first_unresolved(&self) -> Option<String> {
        let here = self.story.first_unresolved().map(|id| format!("#discussion_{id}"));
        here.or_else(|| self.elsewhere.clone())
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
