//! The form in which lines are commented on.

use super::aims::Aim;
use super::look::Look;
use super::points::PointFields;
use crate::positions::Shas;
use askama::Template;
use askama::filters::HtmlSafe;
use identity::pages::challenge::Challenge;
use kernel::html::ui;
use repositories::diffs::FileDiff;

/// The form of one comment, or the one that a script copies.
#[derive(Debug, Clone, Template)]
#[template(path = "ui/say.html")]
pub struct SayForm {
    /// Tells it from others of the page.
    id: String,
    url: String,
    csrf: String,
    /// The names of the last line and of the first one.
    comment: String,
    from: String,
    /// What it is about, in words.
    words: String,
    /// Where in a picture it is.
    point: PointFields,
    shas: Shas,
    ignores_space: bool,
    text: String,
    error: String,
    challenge: Option<Challenge>,
    /// Where the same begins with a suggestion.
    suggest: Option<String>,
    cancel: String,
    /// What keeps it for a review says so.
    draft_label: &'static str,
}

impl HtmlSafe for SayForm {}

impl SayForm {
    /// Of no line yet.
    pub fn blank(
        look: &Look, (url, csrf): (&str, &str), shas: Shas, draft_label: &'static str,
    ) -> SayForm {
        SayForm {
            id: "new".to_owned(),
            url: url.to_owned(),
            csrf: csrf.to_owned(),
            comment: String::new(),
            from: String::new(),
            words: String::new(),
            point: PointFields::blank("new"),
            shas,
            ignores_space: look.ways(url).ignores_space(),
            text: String::new(),
            error: String::new(),
            challenge: None,
            suggest: None,
            cancel: String::new(),
            draft_label,
        }
    }

    /// With what was typed and refused.
    pub fn typed(self, text: &str, error: String, challenge: Option<Challenge>) -> SayForm {
        SayForm { text: text.to_owned(), error, challenge, ..self }
    }

    /// With the fields of a point.
    pub fn at_point(self, point: PointFields) -> SayForm {
        SayForm { point, ..self }
    }

    /// Of lines of a file.
    pub fn about(self, aim: &Aim, file: &FileDiff, look: &Look) -> SayForm {
        let suggestion = aim.suggestion(file);
        let here = look.here(&self.url);
        let (comment, from) = (aim.at.to_string(), aim.start_name());
        let suggests = look.suggest == Some(true);
        let suggest = suggestion.is_some() && !suggests;
        let address = format!("{here}comment={comment}&from={from}&suggest=1#{comment}");
        SayForm {
            id: comment.clone(),
            cancel: format!("{}#{comment}", look.ways(&self.url).url()),
            words: aim.words(file),
            text: suggestion.filter(|_| suggests).unwrap_or_default(),
            suggest: suggest.then_some(address),
            comment,
            from,
            ..self
        }
    }
}
