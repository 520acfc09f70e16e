//! `/-/sent_notifications/KEY/unsubscribe`: ends the mails of the thread that a mail
//! was about. Its link acts without signing in, for mail programs post to it; looking
//! at the page changes nothing, for they look at links, too.

use crate::notifications::seen::seen;
use crate::notifications::sent::{self, SentNotification};
use crate::tasks::{Event, News};
use askama::Template;
use http::{HeaderValue, Method, header};
use identity::pages::page;
use identity::users;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::{Html, Page};
use kernel::http::{Params, RequestContext, Response, Routes};
use kernel::limits::{Limiter, address_key};
use kernel::read_only;
use std::sync::Arc;
use store::Tx;

const PATH: &str = "/-/sent_notifications/{key}/unsubscribe";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PATH, show);
    r.page(Method::POST, PATH, leave);
}

/// How often one address may try keys: 60 a minute.
struct Tries(Limiter);

impl Default for Tries {
    fn default() -> Tries {
        Tries(Limiter::new("unsubscribe", 60, 60))
    }
}

kernel::params! {
    /// The link.
    pub struct Link {
        /// From the mail.
        pub key: String,
        /// Set in the link at the foot of the mail: it acts for who is signed in.
        pub at_once: Option<bool>,
    }
}

#[derive(Template)]
#[template(path = "unsubscribe.html")]
struct Unsubscribe {
    page: Page,
    action: String,
    /// What the mail was about, as far as its reader may still know of it.
    name: Option<String>,
    is_left: bool,
}

async fn show(
    app: App, viewer: Viewer, request: Arc<RequestContext>, link: Params<Link>,
) -> Result<Response> {
    spend(&app, &request)?;
    let key = link.0.key;
    let wanted = key.clone();
    let sent = app.read(move |tx| sent::find(tx, &wanted)).await?;
    let is_theirs = viewer.user_id() == Some(sent.user_id);
    let acts = link.0.at_once == Some(true) && is_theirs && read_only::check(&app).await.is_ok();
    if acts {
        unsubscribe(&app, sent.clone()).await?;
    }
    answer(&app, &viewer, sent, key, acts).await
}

async fn leave(
    app: App, viewer: Viewer, request: Arc<RequestContext>, link: Params<Link>,
) -> Result<Response> {
    spend(&app, &request)?;
    let key = link.0.key;
    let wanted = key.clone();
    let sent = app.read(move |tx| sent::find(tx, &wanted)).await?;
    unsubscribe(&app, sent.clone()).await?;
    answer(&app, &viewer, sent, key, true).await
}

fn spend(app: &App, request: &RequestContext) -> Result<()> {
    let tries: Arc<Tries> = app.kept();
    let decision = tries.0.check(&address_key(request.peer), app.now());
    match decision.allowed {
        true => Ok(()),
        false => Err(Error::Limited(decision.retry_after)),
    }
}

async fn unsubscribe(app: &App, sent: SentNotification) -> Result<()> {
    app.write(move |tx| sent::unsubscribe(tx, &sent)).await
}

async fn answer(
    app: &App, viewer: &Viewer, sent: SentNotification, key: String, is_left: bool,
) -> Result<Response> {
    let name = app.read(move |tx| name(tx, &sent)).await?;
    let title = if is_left { "Unsubscribed" } else { "Unsubscribe" };
    let view = Unsubscribe {
        page: page(app, viewer, title),
        action: PATH.replace("{key}", &key),
        name,
        is_left,
    };
    let mut response = Html::new(&view)?.response();
    // The address holds the key.
    let no_referrer = HeaderValue::from_static("no-referrer");
    response.headers_mut().insert(header::REFERRER_POLICY, no_referrer);
    Ok(response)
}

/// What a mail was about, if its reader may still know of it.
fn name(tx: &mut Tx<'_>, sent: &SentNotification) -> Result<Option<String>> {
    let Some(user) = users::find(tx, sent.user_id)? else {
        return Ok(None);
    };
    let news = News {
        event: Event::New,
        about: sent.about(),
        note: None,
        actor: None,
        mark: String::new(),
    };
    let seen = seen(tx, &news, &user)?;
    Ok(seen.map(|seen| format!("{}{}", seen.told.place_path, seen.told.reference)))
}
