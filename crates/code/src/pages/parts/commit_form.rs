//! The fields with which somebody commits a change: what it says and the branch it goes
//! to. The page adds its own fields and a button.

use askama::Template;
use askama::filters::HtmlSafe;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::{Errors, ui};
use kernel::http::Text;

/// Names of the fields, for pages that say what is wrong beside them.
pub const FIELDS: [&str; 2] = ["commit_message", "branch_name"];

kernel::params! {
    /// What the part sends.
    #[derive(Default)]
    pub struct CommitFields {
        /// What the commit says; something usual where it is empty.
        pub commit_message: Text,
        /// It begins a branch.
        pub new_branch: Option<bool>,
        /// The name of that.
        pub branch_name: Text,
    }
}

/// Where a change can go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Goal {
    /// To this branch, the first of a repository.
    Only(String),
    /// To this branch, or to one that begins with it.
    Either(String),
    /// To a branch that begins with this ref, which the viewer may not push to.
    New(String),
}

impl Goal {
    /// The branch that a form names.
    pub fn branch(&self, fields: &CommitFields) -> Result<String> {
        let named = fields.branch_name.trim();
        match self {
            Goal::Only(branch) => Ok(branch.clone()),
            Goal::Either(branch) if fields.new_branch != Some(true) => Ok(branch.clone()),
            _ if named.is_empty() => Err(Error::invalid("branch_name", "can't be blank")),
            _ => Ok(named.to_owned()),
        }
    }
}

impl CommitFields {
    /// What the commit says: what was typed, else this.
    pub fn message(&self, usual: &str) -> String {
        match self.commit_message.trim() {
            "" => usual.to_owned(),
            typed => typed.replace("\r\n", "\n"),
        }
    }
}

/// The part as it is shown.
#[derive(Debug, Clone, Template)]
#[template(path = "ui/commit_form.html")]
pub struct CommitForm {
    message: String,
    usual: String,
    goal: Goal,
    is_new: bool,
    branch_name: String,
    errors: Errors,
}

impl HtmlSafe for CommitForm {}

impl CommitForm {
    /// The fields with what is usual in them.
    pub fn new(app: &App, viewer: &Viewer, goal: Goal, usual: &str) -> CommitForm {
        CommitForm {
            message: String::new(),
            usual: usual.to_owned(),
            branch_name: suggested(app, viewer, &goal),
            goal,
            is_new: false,
            errors: Errors::default(),
        }
    }

    /// The same as they were typed, with what is wrong.
    pub fn typed(mut self, fields: Option<&CommitFields>, errors: &Errors) -> CommitForm {
        if let Some(fields) = fields {
            self.message = fields.commit_message.to_string();
            self.is_new = fields.new_branch == Some(true);
            if !fields.branch_name.is_empty() {
                self.branch_name = fields.branch_name.to_string();
            }
        }
        self.errors = errors.clone();
        self
    }

    fn name(&self) -> ui::Field {
        ui::input("branch_name", "Name of the new branch", &self.branch_name)
            .error(self.errors.of("branch_name"))
    }
}

/// A name for a branch that nobody else has, most likely.
fn suggested(app: &App, viewer: &Viewer, goal: &Goal) -> String {
    let (Goal::Only(from) | Goal::Either(from) | Goal::New(from)) = goal;
    let user = viewer.signed_in().map(|one| one.user.username.clone()).unwrap_or_default();
    let from: String = from.chars().take(60).collect();
    format!("{user}-{from}-patch-{}", app.now().as_second() % 100_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_goes_where_its_form_says() {
        let fields = |new_branch, name: &str| CommitFields {
            new_branch,
            branch_name: Text::from(name.to_owned()),
            ..CommitFields::default()
        };
        let either = Goal::Either("main".into());
        let branch = |goal: &Goal, fields| goal.branch(&fields).ok();
        assert_eq!(branch(&either, fields(None, "side")).as_deref(), Some("main"));
        assert_eq!(branch(&either, fields(Some(true), " side ")).as_deref(), Some("side"));
        assert_eq!(branch(&either, fields(Some(true), " ")), None);
        let new = Goal::New("main".into());
        assert_eq!(branch(&new, fields(None, "side")).as_deref(), Some("side"));
        assert_eq!(branch(&new, fields(None, "")), None);
        let only = Goal::Only("main".into());
        assert_eq!(branch(&only, fields(Some(true), "side")).as_deref(), Some("main"));
    }

    #[test]
    fn an_empty_message_is_the_usual_one() {
        let fields = CommitFields::default();
        assert_eq!(fields.message("Update a"), "Update a");
        let typed = Text::from("One\r\n\r\nTwo\r\n".to_owned());
        let fields = CommitFields { commit_message: typed, ..fields };
        assert_eq!(fields.message("Update a"), "One\n\nTwo");
    }
}
