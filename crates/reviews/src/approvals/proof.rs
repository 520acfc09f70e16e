//! Who approves may have to prove again who they are.

use identity::sign_in::is_password;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::secrets::Secret;

/// How long ago somebody may have proved who they are, in seconds.
const FRESH: i64 = 10 * 60;

/// Whether somebody proves who they are: by their password, or by having done so in this
/// session a short time ago.
pub async fn is_given(app: &App, viewer: &Viewer, password: Option<&str>) -> Result<bool> {
    let signed_in = viewer.signed_in()?;
    let Some(password) = password else {
        let age = |at| app.now().duration_since(at).as_secs();
        return Ok(signed_in.proved_at.is_some_and(|at| age(at) < FRESH));
    };
    let password = Secret::new(password);
    is_password(app, signed_in.user.id, &password, &signed_in.ip_address).await
}
