//! Admin mode: an administrator's session has their rights only after they
//! asked for them, and for some hours (docs/interface/graphql.md 2). Off
//! until an administrator asks for it.
//!
//! Who has not asked is nobody special: the viewer of the request says so, and
//! nothing below looks further. Tokens need the scope `admin_mode` instead,
//! but for GraphQL, where any token of an administrator has their rights.

use crate::author::{self, Author};
use crate::sessions;
use crate::standing::AdminMode;
use crate::viewer::{Credential, SignedIn, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::routes::Surface;
use serde_json::json;
use std::sync::Arc;
use store::Tx;

/// Hours it lasts.
pub const HOURS: i64 = 6;

kernel::setting! {
    /// Whether administrators have to ask for their rights.
    pub struct Rules = "identity.admin_mode" {
        pub required: bool = false,
    }
}

impl Rules {
    fn validate(&self) -> Result<()> {
        Ok(())
    }
}

crate::settings_part! {
    Rules {
        /// Whether administrators ask for their rights before they have them.
        admin_mode: bool => required,
    } sealed {
    }
}

/// Takes an administrator's rights away unless they asked for them.
pub(crate) async fn settle(app: &App, surface: Surface, viewer: Viewer) -> Result<Viewer> {
    let signed_in = match viewer {
        Viewer::User(signed_in) => signed_in,
        other => return Ok(other),
    };
    let is_admin = signed_in.user.is_admin;
    let rules: Rules = match is_admin {
        true => app.settings().get(app).await?,
        false => Rules::default(),
    };
    if !rules.required && signed_in.admin_mode == AdminMode::NotNeeded {
        return Ok(Viewer::User(signed_in));
    }
    let mut signed_in = Arc::unwrap_or_clone(signed_in);
    signed_in.admin_mode = match (&signed_in.credential, signed_in.admin_mode) {
        _ if !rules.required => AdminMode::NotNeeded,
        (Credential::Session { .. }, AdminMode::On(Some(until))) if app.now() < until => {
            AdminMode::On(Some(until))
        }
        (Credential::Session { .. }, _) => AdminMode::Off,
        _ if surface == Surface::Graphql || signed_in.has_scope("admin_mode") => {
            AdminMode::On(None)
        }
        _ => AdminMode::Off,
    };
    signed_in.user.is_admin = is_admin && signed_in.admin_mode != AdminMode::Off;
    Ok(Viewer::User(Arc::new(signed_in)))
}

/// Gives a session its administrator's rights, or takes them away.
pub(crate) fn turn(tx: &mut Tx<'_>, signed_in: &SignedIn, on: bool) -> Result<()> {
    let session = signed_in.session_id();
    let id = session.ok_or_else(|| Error::forbidden("Only sessions turn admin mode on and off"))?;
    if signed_in.admin_mode == AdminMode::NotNeeded {
        return Err(Error::NotFound(""));
    }
    let until = on.then(|| tx.now() + jiff::SignedDuration::from_hours(HOURS));
    sessions::set_admin_until(tx, id, until)?;
    let action = match on {
        true => "admin_mode.enter",
        false => "admin_mode.leave",
    };
    author::record(tx, &Author::from(signed_in), action, &signed_in.user, json!({}))
}
