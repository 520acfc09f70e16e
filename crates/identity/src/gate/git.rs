//! Credentials as git sends them.

use super::refused::{Refused, Resolved};
use super::{IdentityGate, deploy_viewer};
use crate::oauth::settings::OAuth;
use crate::viewer::Viewer;
use crate::{recent_passwords, tokens};
use kernel::app::App;
use kernel::error::Error;
use kernel::secrets::Secret;

/// What the password of an account is good for where git sends it.
const GIT_SCOPES: &[&str] = &["read_repository", "write_repository"];

impl IdentityGate {
    /// What git sends: a token of any kind as the password of whomever, or the password
    /// of an account, where the instance lets it in (docs/interface/repositories.md 1.3).
    pub(super) async fn by_git(
        &self, app: &App, peer: String, username: String, password: String,
    ) -> Resolved {
        match self.by_token(app, peer.clone(), password.clone()).await {
            Err(Refused { error: Error::Unauthenticated, .. }) => {}
            known => return known,
        }
        let text = password.clone();
        let deploy = app.read_inline(move |tx| tokens::deploy_token(tx, &text)).await?;
        if let Some(deploy) = deploy.filter(|token| token.username == username) {
            return Ok(deploy_viewer(app, deploy)?);
        }
        let rules: OAuth = app.settings().get(app).await?;
        if !rules.password_for_git || username.is_empty() {
            return Err(Error::Unauthenticated.into());
        }
        let secret = Secret::new(password);
        let user = recent_passwords::check(app, &username, &secret, &peer).await?;
        let user = user.ok_or(Error::Unauthenticated)?;
        Ok(Viewer::by_key(user, GIT_SCOPES, peer))
    }
}
