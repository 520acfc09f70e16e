//! A form that was not accepted, as pages of every room show it again.

use super::challenge::Challenge;
use super::page;
use crate::spam::{Guarded, Refused};
use crate::viewer::Viewer;
use http::StatusCode;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::{Errors, Flash, Page, flash};

/// Why a form is shown again, as its page says it.
#[derive(Debug, Default)]
pub struct Refusal {
    /// What is wrong, by field.
    pub errors: Errors,
    /// What is said above.
    pub flash: Option<Flash>,
    /// Solved, the same is taken.
    pub challenge: Option<Challenge>,
}

impl Refusal {
    /// An error as the form with these fields shows it; what stands beside none
    /// of them is said above. Other errors stay errors.
    pub fn of(error: Error, fields: &[&str]) -> Result<Refusal> {
        let (errors, flash) = flash::in_form(error)?;
        let lost = errors.beside(fields);
        let flash = match lost.is_empty() {
            true => flash,
            false => Flash::failed(format!("Nothing was saved: {lost}")),
        };
        Ok(Refusal {
            errors,
            flash,
            challenge: None,
        })
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

/// What was made, or why the form with these fields is shown again.
pub async fn outcome<T>(
    app: &App,
    done: Result<Guarded<T>>,
    fields: &[&str],
) -> Result<std::result::Result<T, Refusal>> {
    match done {
        Ok(Guarded::Made(made)) => Ok(Ok(made)),
        Ok(Guarded::Refused(refused)) => Refusal::spam(app, &refused).await.map(Err),
        Err(error) => Refusal::of(error, fields).map(Err),
    }
}
