//! Pages with forms. A page says what it shows and what its forms do; [`show`]
//! and [`submit`] do the rest: what was accepted leads on with a message, what
//! was refused is shown again with 422, as it was typed, with what is wrong
//! beside the fields.

use super::flash;
use super::page::{Errors, Flash, Page};
use super::reply::Html;
use crate::app::App;
use crate::error::{Error, Result};
use crate::http::Response;
use crate::markup;
use askama::Template;
use store::Tx;

/// A page with forms, for one viewer at one address.
pub trait FormPage: Clone + Send + Sync + 'static {
    /// What its forms send.
    type Form: Clone + Send + Sync + 'static;
    /// Its template.
    type View: Template + Send + 'static;
    /// The fields of its forms; a message about another is said above them.
    const FIELDS: &'static [&'static str];
    /// Whether the page renders Markdown, for which it waits its turn.
    const RENDERS_TEXT: bool = false;

    /// The page without its content.
    fn page(&self, app: &App) -> Page;

    /// The page with what is stored, or with what was typed and refused.
    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Self::Form>) -> Result<Self::View>;

    /// Does what a form asks for.
    fn change(&self, tx: &mut Tx<'_>, form: &Self::Form) -> Result<Outcome<Self>>;

    /// A refusal in the words of the form.
    fn refusal(error: Error) -> Error {
        error
    }
}

/// What came of a form that was accepted.
pub enum Outcome<P> {
    /// It leads to this path of ours with this message.
    Led(String, String),
    /// The page as it is now, with something that is shown once.
    Shown(P),
    /// Refused for this reason, and what was done on the way to it stays done.
    Refused(String),
}

impl<P> Outcome<P> {
    /// Leads to a path with a message.
    pub fn led(to: impl Into<String>, text: impl Into<String>) -> Result<Outcome<P>> {
        Ok(Outcome::Led(to.into(), text.into()))
    }
}

/// What was typed into a form that is shown again; nothing at first.
#[derive(Debug, Clone)]
pub struct Typed<F> {
    /// The form.
    pub form: Option<F>,
    /// What is wrong with it, by field.
    pub errors: Errors,
}

/// Shows a page.
pub async fn show<P: FormPage>(app: &App, page: P) -> Result<Response> {
    let untouched = Typed { form: None, errors: Errors::default() };
    render(app, page, untouched, None).await
}

/// Does what a form of the page asks for.
pub async fn submit<P: FormPage>(app: &App, page: P, form: P::Form) -> Result<Response> {
    let (asked, sent) = (page.clone(), form.clone());
    let done = app.write(move |tx| asked.change(tx, &sent)).await;
    answer(app, page, form, done).await
}

/// Answers a form that was worked on outside of one transaction.
pub async fn answer<P: FormPage>(
    app: &App, page: P, form: P::Form, done: Result<Outcome<P>>,
) -> Result<Response> {
    match done {
        Ok(Outcome::Led(to, text)) => flash::done(app, &to, text),
        Ok(Outcome::Shown(page)) => show(app, page).await,
        Ok(Outcome::Refused(reason)) => {
            refused(app, page, form, Error::Unprocessable(reason)).await
        }
        Err(error) => refused(app, page, form, error).await,
    }
}

/// Shows again a form that was refused.
pub async fn refused<P: FormPage>(
    app: &App, page: P, form: P::Form, error: Error,
) -> Result<Response> {
    let (errors, flash) = in_form(P::refusal(error), P::FIELDS)?;
    let form = Some(form);
    render(app, page, Typed { form, errors }, flash).await
}

async fn render<P: FormPage>(
    app: &App, page: P, typed: Typed<P::Form>, refused: Option<Flash>,
) -> Result<Response> {
    let _turn = match P::RENDERS_TEXT {
        true => Some(markup::turn().await?),
        false => None,
    };
    let is_refused = refused.is_some();
    let mut around = page.page(app);
    around.flash = refused.or(around.flash);
    let view = app.read(move |tx| page.view(tx, around.clone(), &typed)).await?;
    Ok(Html::new(&view)?.refused(is_refused).response())
}

/// Says a field's messages under the name that a form has for it.
pub fn rename(error: Error, from: &str, to: &str) -> Error {
    let Error::Invalid(mut fields) = error else {
        return error;
    };
    for (name, _) in fields.iter_mut().filter(|(name, _)| name == from) {
        *name = to.to_owned();
    }
    Error::Invalid(fields)
}

/// A refusal as the form with these fields shows it: messages beside them, and
/// one above that also says what stands beside none. Other errors stay errors.
pub fn in_form(error: Error, fields: &[&str]) -> Result<(Errors, Option<Flash>)> {
    let (errors, flash) = flash::in_form(error)?;
    let lost = errors.beside(fields);
    Ok(match lost.is_empty() {
        true => (errors, flash),
        false => (errors, Flash::failed(format!("Nothing was saved: {lost}"))),
    })
}
