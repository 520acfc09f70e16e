//! What proves to git over HTTP who asks, where they proved it by an SSH key before:
//! signed, good for half an hour, and below one address only.

use crate::access;
use crate::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// Seconds that it is good for.
pub const LIFETIME: i64 = 1800;
/// What they are signed under.
const LABEL: &str = "git pass";

/// A user, and what they may do below an address.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GitPass {
    pub user: i64,
    /// How the paths begin that it is good for.
    pub below: String,
    /// A scope of tokens.
    pub scope: String,
    /// Seconds since 1970.
    ends: i64,
}

impl GitPass {
    pub fn new(app: &App, user: i64, below: String, scope: &str) -> GitPass {
        let ends = app.now().as_second() + LIFETIME;
        GitPass { user, below, scope: scope.to_owned(), ends }
    }

    /// As it is sent, as a password.
    pub fn text(&self, app: &App) -> Result<String> {
        let data = serde_json::to_vec(self).map_err(Error::internal)?;
        Ok(app.secrets().sign(LABEL, &data))
    }
}

/// Who asks for a path by a pass; none if it is no pass of ours.
pub(crate) async fn viewer(
    app: &App, address: String, path: &str, text: &str,
) -> Result<Option<Viewer>> {
    let Some(data) = app.secrets().verify(LABEL, text) else {
        return Ok(None);
    };
    let pass: GitPass = serde_json::from_slice(&data).map_err(Error::internal)?;
    if pass.ends <= app.now().as_second() || !path.starts_with(&pass.below) {
        return Err(Error::Unauthenticated);
    }
    let user = app.read_inline(move |tx| access::active_user(tx, pass.user)).await?;
    let user = user.ok_or(Error::Unauthenticated)?;
    Ok(Some(Viewer::by_key(user, &[&pass.scope], address)))
}
