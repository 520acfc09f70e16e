//! The page behind the link of an invitation.

use crate::access::role_name;
use crate::invitations::{self, Subject};
use crate::store::invitations::Invitation;
use askama::Template;
use http::{HeaderValue, Method, header};
use identity::pages::page;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::Result;
use kernel::html::{Html, Page};
use kernel::http::reply::redirect;
use kernel::http::{Params, Response, Routes};

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, "/-/invites/{token}", show);
    r.page(Method::POST, "/-/invites/{token}", answer);
}

#[derive(Debug, Template)]
#[template(path = "invitation.html")]
struct Invited {
    page: Page,
    /// `/-/invites/…`.
    action: String,
    invitation: Invitation,
    subject: Subject,
}

impl Invited {
    fn role(&self) -> &'static str {
        role_name(self.invitation.access_level)
    }
}

kernel::params! {
    /// The link's token.
    pub struct Link {
        /// From the mail.
        pub token: String,
    }
}

/// Opening the link changes nothing: mail programs open links, too.
async fn show(app: App, viewer: Viewer, params: Params<Link>) -> Result<Response> {
    let token = params.0.token;
    let action = format!(
        "/-/invites/{}",
        percent_encoding::utf8_percent_encode(&token, percent_encoding::NON_ALPHANUMERIC)
    );
    if viewer.user().is_none() {
        let back: String = url::form_urlencoded::byte_serialize(action.as_bytes()).collect();
        return redirect(&format!("/users/sign_in?return_to={back}"));
    }
    let (invitation, subject) = app.read(move |tx| invitations::by_token(tx, &token)).await?;
    let view = Invited {
        page: page(&app, &viewer, "Invitation"),
        action,
        invitation,
        subject,
    };
    let mut response = Html::new(&view)?.response();
    // The address holds the token.
    let no_referrer = HeaderValue::from_static("no-referrer");
    response.headers_mut().insert(header::REFERRER_POLICY, no_referrer);
    Ok(response)
}

kernel::choices! {
    /// What is done with an invitation.
    pub enum Reply { Accept = "accept", Decline = "decline" }
}

kernel::params! {
    /// The form of the page.
    pub struct Answered {
        /// From the mail.
        pub token: String,
        /// What is done.
        pub answer: Reply,
    }
}

async fn answer(app: App, viewer: SignedInViewer, params: Params<Answered>) -> Result<Response> {
    let params = params.0;
    let to = app
        .write(move |tx| {
            let (invitation, subject) = invitations::by_token(tx, &params.token)?;
            let user = &viewer.0.user;
            match params.answer {
                Reply::Accept => {
                    invitations::accept(tx, user, &invitation, &subject)?;
                    Ok(subject.path)
                }
                Reply::Decline => {
                    invitations::decline(tx, user, &invitation, &subject)?;
                    Ok("/".to_owned())
                }
            }
        })
        .await?;
    redirect(&to)
}
