//! An administrator acting as someone else (docs/interface/identity.md 3.1).

use crate::users;
use crate::viewer::{SignedIn, Viewer};
use http::Method;
use kernel::error::{Error, Result};
use kernel::http::Call;
use kernel::http::bodies::MAX_ANONYMOUS;
use kernel::http::routes::Surface;
use kernel::ids::Reference;
use std::sync::Arc;

/// Replaces the viewer when the request asks to act as someone else.
pub async fn apply(call: &mut Call, viewer: Viewer) -> Result<Viewer> {
    if call.route.surface != Surface::Api {
        return Ok(viewer);
    }
    if matches!(viewer, Viewer::Anonymous) && call.body_size() > Some(MAX_ANONYMOUS as u64) {
        // Nobody acts as anyone: such a body is not for them to send.
        return Ok(viewer);
    }
    let Some(target) = asked_for(call).await? else {
        return Ok(viewer);
    };
    let administrator = check(&viewer)?.clone();
    let text = target.clone();
    let user = call
        .app
        .read(move |tx| users::by_reference(tx, &reference(&text)))
        .await?
        .ok_or_else(|| Error::NotFoundText(not_found(&target)))?;
    super::check_user(&call.app, &user).await?;
    Ok(Viewer::User(Arc::new(SignedIn {
        user,
        sudo_by: Some(administrator.user.id),
        ..administrator
    })))
}

async fn asked_for(call: &mut Call) -> Result<Option<String>> {
    let quick = call.request.header("sudo").or_else(|| call.query("sudo")).map(str::to_owned);
    let with_body = matches!(call.request.method, Method::POST | Method::PUT | Method::PATCH);
    let sent = match quick {
        None if with_body && !call.route.streams => call.text("sudo").await?,
        quick => quick,
    };
    match sent.filter(|text| !text.is_empty()) {
        // PostgreSQL cannot hold NUL in text, so nobody is named so.
        Some(text) if text.contains('\0') => Err(Error::Parameters(vec!["sudo is invalid".into()])),
        sent => Ok(sent),
    }
}

fn check(viewer: &Viewer) -> Result<&SignedIn> {
    let signed_in = viewer.signed_in()?;
    if !signed_in.user.is_admin {
        return Err(Error::forbidden("Must be admin to use sudo"));
    }
    if signed_in.is_session() {
        return Err(Error::forbidden(
            "Must be authenticated using an OAuth or personal access token to use sudo",
        ));
    }
    if !signed_in.has_scope("sudo") {
        return Err(Error::InsufficientScope("sudo".into()));
    }
    Ok(signed_in)
}

fn reference(text: &str) -> Reference {
    match text.parse() {
        Ok(id) => Reference::Id(id),
        Err(_) => Reference::Path(text.to_owned()),
    }
}

fn not_found(target: &str) -> String {
    format!("404 User with ID or username '{target}' Not Found")
}
