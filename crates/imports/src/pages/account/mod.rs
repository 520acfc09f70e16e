//! `/projects/import/provider_…`: who has an account elsewhere lists what it reads, and
//! chooses what is imported.
//!
//! What proves there who asks is typed once; the page carries it on sealed ([`form`]).

mod begun;
mod form;
mod view;

use self::form::{Action, Form, MOST_CHOSEN};
use super::LIST;
use crate::offers::{Account, Offers, Provider};
use crate::settings;
use crate::upstream::Failed;
use ::store::Tx;
use begun::Tried;
pub(super) use begun::reason;
use http::Method;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::Page;
use kernel::html::form::{self as pages, FormPage, Outcome, Typed};
use kernel::http::{Params, RequestContext, Response, Routes};
use std::sync::Arc;
use view::View;

const PATH: &str = "/projects/import/{provider}";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PATH, show);
    r.page(Method::POST, PATH, change);
}

kernel::params! {
    pub struct At {
        pub provider: String,
    }
}

#[derive(Clone)]
struct AccountPage {
    app: App,
    viewer: Viewer,
    provider: Provider,
    /// The request, for imports to be found by in the log.
    request_id: String,
    /// What is typed already.
    form: Form,
    /// Once the account is known.
    found: Option<Found>,
    /// What there is of what was chosen.
    tried: Vec<Tried>,
}

/// A page of what an account offers.
#[derive(Clone)]
struct Found {
    base: String,
    offers: Offers,
    page: usize,
    /// The account as the page carries it.
    connection: String,
}

async fn show(
    app: App, viewer: SignedInViewer, at: Params<At>, request: Arc<RequestContext>,
) -> Result<Response> {
    let page = AccountPage::of(&app, &viewer, &at, &request).await?;
    pages::show(&app, page).await
}

async fn change(
    app: App, viewer: SignedInViewer, at: Params<At>, sent: Params<Form>,
    request: Arc<RequestContext>,
) -> Result<Response> {
    let mut page = AccountPage::of(&app, &viewer, &at, &request).await?;
    let form = sent.0;
    page.form = form.clone();
    let account = match page.account(&form) {
        Ok(account) => account,
        Err(error) => return pages::refused(&app, page, form, error).await,
    };
    // Another server is asked, outside of transactions.
    let offers = account.offers(&app, form.search.trim(), form.wanted_page()).await;
    let offers = match offers {
        Ok(offers) => offers,
        Err(failed) => return pages::refused(&app, page, form, refusal(failed)).await,
    };
    let user_id = viewer.0.user.id;
    page.found = Some(Found {
        base: account.base.clone(),
        connection: form::seal(app.secrets(), user_id, &account, app.now())?,
        page: form.wanted_page(),
        offers,
    });
    let done = page.done(&account, &form).await;
    pages::answer(&app, page, form, done).await
}

impl AccountPage {
    async fn of(
        app: &App, viewer: &SignedInViewer, at: &At, request: &RequestContext,
    ) -> Result<AccountPage> {
        let provider = Provider::from_text(&at.provider).ok_or(Error::NotFound(""))?;
        app.read(move |tx| settings::need(tx, provider.source())).await?;
        Ok(AccountPage {
            app: app.clone(),
            viewer: viewer.viewer(),
            provider,
            request_id: request.request_id.clone(),
            form: Form::default(),
            found: None,
            tried: Vec::new(),
        })
    }

    /// The account that is typed, or that the page carried on.
    fn account(&self, form: &Form) -> Result<Account> {
        if form.action == Action::Connect {
            return begun::account(&self.app, self.provider, form);
        }
        let user_id = self.viewer.signed_in()?.user.id;
        let (secrets, now) = (self.app.secrets(), self.app.now());
        let carried = form::unseal(secrets, user_id, self.provider, &form.connection, now);
        carried.ok_or_else(|| Error::invalid("secret", "has to be typed again"))
    }

    /// What a repository is called there, as far as the page says so.
    fn name_of(&self, key: &str) -> String {
        let rows = self.found.as_ref().map(|found| found.offers.rows.as_slice());
        let row = rows.unwrap_or_default().iter().find(|row| row.key == key);
        row.map_or_else(|| key.to_owned(), |row| row.name.clone())
    }

    /// Does what a form asks for.
    async fn done(&self, account: &Account, form: &Form) -> Result<Outcome<AccountPage>> {
        match form.action {
            Action::Connect | Action::Search | Action::Before | Action::After => {
                Ok(Outcome::Shown(self.clone()))
            }
            Action::Try => {
                let chosen = chosen(form)?;
                let tried = begun::look(self, account, chosen, form).await?;
                Ok(Outcome::Shown(AccountPage { tried, ..self.clone() }))
            }
            Action::Import => {
                let chosen = chosen(form)?;
                let told = begun::begin(self, account, chosen, form).await?;
                Outcome::led(LIST, told)
            }
        }
    }
}

/// What is chosen: something, and not too much of it.
fn chosen(form: &Form) -> Result<&[String]> {
    match form.chosen() {
        [] => Err(Error::invalid("repositories", "choose at least one")),
        chosen if chosen.len() > MOST_CHOSEN => {
            let text = format!("choose at most {MOST_CHOSEN} at once");
            Err(Error::invalid("repositories", text))
        }
        chosen if chosen.len() > 1 && !form.new_name.trim().is_empty() => {
            Err(Error::invalid("new_name", "is for one repository, and several are chosen"))
        }
        chosen => Ok(chosen),
    }
}

/// What upstream refused, in the words of the form.
fn refusal(failed: Failed) -> Error {
    match failed {
        Failed::Blocked(why) => Error::invalid("address", format!("is blocked: {why}")),
        Failed::Status { status: 401 | 403, .. } => {
            Error::invalid("secret", "is refused there, or may not list repositories")
        }
        Failed::Internal(error) => error,
        failed => Error::Unprocessable(format!("The other server: {failed}")),
    }
}

impl FormPage for AccountPage {
    type Form = Form;
    type View = View;
    const FIELDS: &'static [&'static str] = &[
        "address",
        "username",
        "secret",
        "workspace",
        "repositories",
        "target_namespace",
        "new_name",
        "timeout_strategy",
        "user_map",
    ];

    fn page(&self, app: &App) -> Page {
        let title = format!("Import from {}", self.provider.source().title());
        super::below_sources(app, &self.viewer, &title)
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<View> {
        View::of(tx, self, page, typed)
    }

    fn change(&self, _: &mut Tx<'_>, _: &Form) -> Result<Outcome<Self>> {
        Err(Error::internal("other servers are asked outside of transactions"))
    }
}
