//! The button of a profile that follows a person, or no longer does.

use crate::users;
use crate::viewer::SignedInViewer;
use http::Method;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::flash;
use kernel::http::{Params, Response, Routes};

pub fn routes(r: &mut Routes) {
    r.page(Method::POST, "/users/{username}/follow", follow);
}

kernel::params! {
    pub struct Followed {
        /// Whose profile it is.
        pub username: String,
        /// Whether the viewer is to follow them.
        pub follows: bool,
    }
}

async fn follow(app: App, viewer: SignedInViewer, sent: Params<Followed>) -> Result<Response> {
    let (caller, follows, name) = (viewer.0.user.id, sent.follows, sent.username.clone());
    let done = app
        .write(move |tx| {
            let user = users::find_by_username(tx, &name)?.found("User")?;
            match follows {
                true => users::follow(tx, caller, user.id)?,
                false => users::unfollow(tx, caller, user.id)?,
            };
            Ok(user)
        })
        .await;
    let text = if follows { "You follow" } else { "You no longer follow" };
    match done {
        Ok(user) => {
            flash::done(&app, &format!("/{}", user.username), format!("{text} {}.", user.name))
        }
        Err(Error::BadRequest(reason)) => {
            flash::refused(&app, &format!("/{}", sent.username), reason)
        }
        Err(error) => Err(error),
    }
}
