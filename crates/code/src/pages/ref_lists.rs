//! What the pages of branches and of tags have in common: a list that is narrowed, and
//! forms that make and delete what stands in it.

use super::feed::FeedParams;
use super::parts::older::PagePart;
use super::{CodeHead, CodeVisit};
use kernel::error::{Error, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::{Errors, Pages};
use kernel::http::{Flat, Params, Response, Text};
use repositories::edits::{self, Refused};
use repositories::formats::ref_name::{BadRefName, RefName};

/// Rows of a page.
pub const ROWS: usize = 20;

kernel::params! {
    /// Which of them.
    #[derive(Default)]
    pub struct Filter {
        /// A part of the name.
        pub search: Text,
        /// Of branches, `active` or `stale`.
        pub state: Option<String>,
        pub sort: Option<String>,
        pub part: Flat<PagePart>,
        pub feed: Flat<FeedParams>,
    }
}

kernel::choices! {
    pub enum Action {
        Create = "create",
        Delete = "delete",
    }
}

kernel::params! {
    /// What the forms of both pages send.
    pub struct Form {
        pub action: Action,
        /// The branch, or
        pub branch: Text,
        /// the tag.
        pub tag_name: Text,
        /// What a new one begins with or marks.
        pub from as "ref": Text,
        /// What a tag says.
        pub message: Text,
    }
}

impl Form {
    pub fn name(&self) -> &str {
        match self.branch.trim() {
            "" => self.tag_name.trim(),
            name => name,
        }
    }

    /// What a new one begins with.
    pub fn from(&self) -> Result<&str> {
        match self.from.trim() {
            "" => Err(Error::invalid("ref", "can't be blank")),
            from => Ok(from),
        }
    }
}

/// What is shown on a page.
pub struct Shown<R> {
    pub visit: CodeVisit,
    pub head: CodeHead,
    pub rows: Vec<R>,
    /// Rows in all.
    pub total: usize,
    pub filter: Filter,
    pub sort: &'static str,
}

/// What stands around the rows.
pub struct Around {
    pub url: String,
    pub pages: Pages,
    pub search: String,
    pub can_push: bool,
    pub errors: Errors,
    default: String,
    form: Option<Form>,
}

impl Around {
    /// What was typed for a new one: its name, what it begins with, what it says.
    pub fn typed(&self) -> (&str, &str, &str) {
        let form = self.form.as_ref().filter(|form| form.action == Action::Create);
        let usual = ("", self.default.as_str(), "");
        form.map_or(usual, |form| (form.name(), &*form.from, &*form.message))
    }
}

impl<R> Shown<R> {
    /// The rows before those that are shown.
    pub fn around(&self, url: String, narrowed: String, typed: &Typed<Form>) -> Around {
        let page = self.filter.part.skip(ROWS) / ROWS + 1;
        let repository = self.head.code.repository.as_ref();
        let default = repository.and_then(|one| one.head.as_branch()).unwrap_or("main");
        Around {
            pages: Pages::new(page as i64, ROWS as i64, self.total as i64, narrowed),
            search: self.filter.search.trim().to_owned(),
            can_push: self.head.can_push,
            default: default.to_owned(),
            form: typed.form.clone(),
            errors: typed.errors.clone(),
            url,
        }
    }

    /// Deletes what a form names.
    pub async fn delete(&self, name: std::result::Result<RefName, BadRefName>) -> Result<()> {
        let name = name.map_err(|_| Error::NotFound("Ref"))?;
        let (visit, project) = (&self.visit, &self.head.code.project);
        let gone = edits::delete_ref(&visit.app, &visit.viewer, project, name).await?;
        gone.map_err(|refused| Error::Unprocessable(refused.text))
    }
}

/// A refusal beside the field of this name, or of what a new one begins with.
pub fn of_field(refused: Refused, name: &str) -> Error {
    let text = refused.text;
    let is_of_target = text.contains("invalid reference name")
        || (text.starts_with("Target ") && text.ends_with(" is invalid"));
    match (refused.is_forbidden, is_of_target) {
        (true, _) => Error::Unprocessable(text),
        (_, true) => Error::invalid("ref", "is no branch, tag or commit"),
        (_, false) => Error::invalid(name, text),
    }
}

/// One of the two pages.
pub trait RefPage: FormPage<Form = Form> {
    fn read(visit: CodeVisit, filter: Filter) -> impl Future<Output = Result<Self>> + Send;

    fn head(&self) -> &CodeHead;

    /// Does what a form asks for, for who may push.
    fn act(&self, form: &Form) -> impl Future<Output = Result<Outcome<Self>>> + Send;
}

/// Does what a form of such a page asks for.
pub async fn change<P: RefPage>(visit: CodeVisit, form: Params<Form>) -> Result<Response> {
    visit.viewer.signed_in()?;
    let app = visit.app.clone();
    let page = P::read(visit, Filter::default()).await?;
    if !page.head().can_push {
        return Err(Error::Forbidden(String::new()));
    }
    let done = page.act(&form).await;
    form::answer(&app, page, form.0, done).await
}
