//! What the form of a merge request takes, and what becomes of it.

use crate::model::{as_draft, as_ready, is_draft};
use crate::rules::input::Input;
use identity::users::ids_by_usernames;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::params::Text;
use kernel::http::{Flat, Patch};
use planning::pages::{lines, words};
use planning::rules::issues::Assignees;
use planning::rules::labelling::Labelling;

/// The fields of the form; what is wrong with another is said above them.
pub const FIELDS: &[&str] =
    &["title", "description", "assignees", "reviewers", "labels", "target_branch"];

kernel::params! {
    /// What the form says.
    #[derive(Default)]
    pub struct RequestTexts {
        pub title: Text,
        pub description: Text,
        pub draft: Option<bool>,
        /// User names, told apart by commas.
        pub assignees: Text,
        /// User names, told apart by commas.
        pub reviewers: Text,
        /// Titles of labels, told apart by commas.
        pub labels: Text,
        /// Id of a milestone; 0 for none.
        pub milestone_id: Option<i64>,
        pub squash: Option<bool>,
        pub remove_source_branch: Option<bool>,
        pub allow_collaboration: Option<bool>,
    }
}

impl RequestTexts {
    /// The texts of a merge request of this title, which says whether it is a draft.
    pub fn titled(title: &str, description: String) -> RequestTexts {
        let draft = is_draft(title);
        let bare = match draft {
            true => as_ready(title),
            false => title.to_owned(),
        };
        RequestTexts {
            title: bare.into(),
            description: description.into(),
            draft: Some(draft),
            ..RequestTexts::default()
        }
    }

    /// The same with the lines of its description as they are stored.
    pub fn stored(self) -> RequestTexts {
        RequestTexts { description: lines(&self.description).into(), ..self }
    }

    /// What it asks for. Whom it names has to be there.
    ///
    /// # Errors
    ///
    /// `Invalid` of a name that nobody has.
    pub async fn input(&self, app: &App) -> Result<Input> {
        let title = match self.draft.unwrap_or(false) {
            true => as_draft(&self.title),
            false => self.title.to_string(),
        };
        Ok(Input {
            title: Some(title),
            description: Patch::Value(self.description.to_string()),
            assignees: Assignees::Set(people(app, "assignees", &self.assignees).await?),
            reviewer_ids: Some(people(app, "reviewers", &self.reviewers).await?),
            wears: Flat(Labelling::these(words(&self.labels))),
            milestone_id: match self.milestone_id {
                Some(0) | None => Patch::Null,
                Some(id) => Patch::Value(id),
            },
            squash: self.squash,
            remove_source_branch: self.remove_source_branch,
            allow_collaboration: self.allow_collaboration,
            ..Input::default()
        })
    }
}

/// Who is named in a field, with commas between them.
async fn people(app: &App, field: &'static str, text: &str) -> Result<Vec<i64>> {
    let names: Vec<String> =
        words(text).iter().map(|name| name.trim_start_matches('@').to_owned()).collect();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let count = names.len();
    let ids = app.read(move |tx| ids_by_usernames(tx, &names)).await?;
    match ids.len() < count {
        true => Err(Error::invalid(field, "names somebody who is not here")),
        false => Ok(ids),
    }
}

/// A refusal of the rules that clients compare, as the form says it.
pub fn in_words(error: Error) -> Error {
    match error {
        Error::Exact(409 | 422, body) => {
            let texts = body["message"].as_array().into_iter().flatten();
            let texts: Vec<&str> = texts.filter_map(|text| text.as_str()).collect();
            Error::Unprocessable(texts.join(". "))
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn titles_say_whether_it_is_a_draft() {
        let draft = RequestTexts::titled("Draft: Mend", String::new());
        assert_eq!((&*draft.title, draft.draft), ("Mend", Some(true)));
        let ready = RequestTexts::titled("Mend", "a\r\nb".into()).stored();
        assert_eq!((&*ready.title, ready.draft), ("Mend", Some(false)));
        assert_eq!(&*ready.description, "a\nb");
    }

    #[test]
    fn refusals_are_said_in_words() {
        let refused = Error::Exact(422, json!({"message": ["One", "Two"]}));
        assert!(matches!(in_words(refused), Error::Unprocessable(text) if text == "One. Two"));
        assert!(matches!(in_words(Error::TooLarge), Error::TooLarge));
    }
}
