//! A form that was not accepted, as pages of every room show it again.

use super::challenge::Challenge;
use super::page;
use crate::spam::{Guarded, Refused};
use crate::viewer::Viewer;
use http::StatusCode;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::{Errors, Flash, Page, form};

/// Why a form is shown again, as its page says it.
#[derive(Debug, Clone, Default)]
pub struct Refusal {
    pub errors: Errors,
    pub flash: Option<Flash>,
    /// Solved, the same is taken.
    pub challenge: Option<Challenge>,
}

impl Refusal {
    /// An error as the form with these fields shows it; what stands beside none
    /// of them is said above. Other errors stay errors.
    pub fn of(error: Error, fields: &[&str]) -> Result<Refusal> {
        let (errors, flash) = form::in_form(error, fields)?;
        Ok(Refusal { errors, flash, challenge: None })
    }

    /// Says a field's messages under the name that the form has for it.
    pub fn rename(self, from: &str, to: &str) -> Refusal {
        Refusal { errors: self.errors.rename(from, to), ..self }
    }

    /// Spam, which a solved challenge may open.
    pub async fn spam(app: &App, refused: &Refused) -> Result<Refusal> {
        Ok(Refusal {
            errors: Errors::default(),
            flash: Flash::failed(refused.text()),
            challenge: Challenge::after(app, refused).await?,
        })
    }

    /// Of the page that shows it.
    pub fn status(&self) -> StatusCode {
        match self.flash {
            Some(_) => StatusCode::UNPROCESSABLE_ENTITY,
            None => StatusCode::OK,
        }
    }

    /// The page that says it above.
    pub fn page(&self, app: &App, viewer: &Viewer, title: &str) -> Page {
        let mut page = page(app, viewer, title);
        page.flash = self.flash.clone().or(page.flash);
        page
    }
}

/// What a page shows in its form: as it is stored, or as it was typed and
/// refused.
#[derive(Debug)]
pub struct FormState<F> {
    pub form: Option<F>,
    /// Why it is shown again.
    pub refusal: Refusal,
}

impl<F> Default for FormState<F> {
    fn default() -> FormState<F> {
        FormState { form: None, refusal: Refusal::default() }
    }
}

impl<F> FormState<F> {
    /// What was typed into the form with these fields, and refused so.
    pub fn refused(form: F, error: Error, fields: &[&str]) -> Result<FormState<F>> {
        Ok(FormState { form: Some(form), refusal: Refusal::of(error, fields)? })
    }
}

/// What was made, or why the form with these fields is shown again.
pub async fn outcome<T>(
    app: &App, done: Result<Guarded<T>>, fields: &[&str],
) -> Result<std::result::Result<T, Refusal>> {
    match done {
        Ok(Guarded::Made(made)) => Ok(Ok(made)),
        Ok(Guarded::Refused(refused)) => Refusal::spam(app, &refused).await.map(Err),
        Err(error) => Refusal::of(error, fields).map(Err),
    }
}
