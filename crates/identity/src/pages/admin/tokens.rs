//! `/admin/users/<username>/tokens`: a token for a user, made by an
//! administrator.

use super::{NamedUser, named, page};
use crate::model::{TokenKind, User};
use crate::pages::navigation::user_tabs;
use crate::pages::tokens::{ShownSecret, TokenForm};
use crate::pages::views::NewUserToken;
use crate::settings::TokenRules;
use crate::tokens::{self, NewToken};
use crate::viewer::Admin;
use http::Method;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::Page;
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::Choice;
use kernel::http::{Flat, Params, Response, Routes, Text};
use kernel::time::Date;
use store::Tx;

const PATH: &str = "/admin/users/{username}/tokens";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PATH, show);
    r.page(Method::POST, PATH, create).reauthenticated();
}

kernel::choices! {
    /// What a token made here stands for.
    #[derive(Default)]
    pub enum Kind {
        #[default]
        Personal = "personal",
        Impersonation = "impersonation",
    }
}

impl Kind {
    fn of_token(self) -> TokenKind {
        match self {
            Kind::Personal => TokenKind::Personal,
            Kind::Impersonation => TokenKind::Impersonation,
        }
    }
}

const KINDS: &[(&str, &str)] = &[
    ("personal", "Personal: the user sees and revokes it"),
    ("impersonation", "Impersonation: only administrators see it"),
];

kernel::params! {
    #[derive(Default)]
    pub struct Form {
        pub kind: Option<Kind>,
        pub name: Text,
        pub description: Text,
        pub expires_at: Option<Date>,
        pub scopes: Option<Vec<String>>,
    }
}

kernel::params! {
    /// The form, and whose the token will be.
    pub struct Sent {
        pub user: Flat<NamedUser>,
        pub form: Flat<Form>,
    }
}

impl Form {
    fn kind(&self) -> Kind {
        self.kind.unwrap_or_default()
    }

    fn typed(&self) -> TokenForm {
        TokenForm {
            name: self.name.0.clone(),
            description: self.description.0.clone(),
            expires_at: self.expires_at.map(|day| day.to_string()).unwrap_or_default(),
            chosen: self.scopes.clone().unwrap_or_default(),
            ..TokenForm::default()
        }
    }

    fn token(&self, user: &User) -> NewToken {
        NewToken {
            name: self.name.0.clone(),
            description: Some(self.description.0.clone()).filter(|text| !text.is_empty()),
            scopes: self.scopes.clone().unwrap_or_default(),
            expires_at: self.expires_at,
            ..NewToken::of(self.kind().of_token(), user)
        }
    }
}

#[derive(Clone)]
struct TokenPage {
    admin: Admin,
    username: String,
    rules: TokenRules,
    /// A secret made just now.
    secret: Option<ShownSecret>,
}

impl TokenPage {
    async fn of(app: &App, admin: Admin, username: String) -> Result<TokenPage> {
        let rules: TokenRules = app.settings().get(app).await?;
        Ok(TokenPage { admin, username, rules, secret: None })
    }
}

async fn show(app: App, admin: Admin, path: Params<NamedUser>) -> Result<Response> {
    let page = TokenPage::of(&app, admin, path.0.username).await?;
    form::show(&app, page).await
}

async fn create(app: App, admin: Admin, sent: Params<Sent>) -> Result<Response> {
    let Sent { user, form } = sent.0;
    let page = TokenPage::of(&app, admin, user.0.username).await?;
    form::submit(&app, page, form.0).await
}

impl FormPage for TokenPage {
    type Form = Form;
    type View = NewUserToken;
    const FIELDS: &'static [&'static str] =
        &["kind", "name", "description", "expires_at", "scopes"];

    fn page(&self, app: &App) -> Page {
        let title = format!("New token of {}", self.username);
        let page = page(app, &self.admin, &title, "Users");
        page.crumb(&self.username, format!("/admin/users/{}", self.username))
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<NewUserToken> {
        let user = named(tx, &self.username)?;
        let sent = typed.form.clone().unwrap_or_default();
        let mut form = sent.typed();
        form.offer(TokenKind::Personal, user.is_admin, &self.rules);
        let mut kinds = Choice::list(KINDS);
        kinds.truncate(if self.rules.impersonation { 2 } else { 1 });
        Ok(NewUserToken {
            page,
            tabs: user_tabs(&user.username, "Account"),
            user,
            secret: self.secret.clone(),
            kind: sent.kind().to_string(),
            kinds,
            form,
            errors: typed.errors.clone(),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let user = named(tx, &self.username)?;
        if !user.is_human() {
            return Err(Error::forbidden("Tokens of bots belong to their project or group"));
        }
        if form.kind() == Kind::Impersonation && !self.rules.impersonation {
            return Err(Error::invalid("kind", "is switched off on this instance"));
        }
        let (token, secret) = tokens::create(tx, &form.token(&user))?;
        tokens::record(tx, &self.admin.author(), "access_token.create", &token)?;
        let secret = ShownSecret { name: token.name, token: secret.expose().to_owned() };
        Ok(Outcome::Shown(TokenPage { secret: Some(secret), ..self.clone() }))
    }
}
