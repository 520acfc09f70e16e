//! Setting one's picture, and serving pictures.

use super::users::sent_avatar;
use crate::users::{self, AVATARS};
use crate::viewer::SignedInViewer;
use http::{HeaderValue, Method, StatusCode, header};
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::{Files, Ok200, Params, Patch, Response, Routes};
use schemars::JsonSchema;
use serde::Serialize;

pub fn routes(r: &mut Routes) {
    r.put("/user/avatar", set).summary("Sets the caller's picture");
    r.plain(Method::GET, &format!("{AVATARS}/{{user_id}}/{{file}}"), show)
        .unchecked();
}

kernel::params! {
    pub struct SetAvatar {
        /// A file of a multipart body; blank for none.
        pub avatar: Patch<String>,
    }
}

/// Where a picture is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AvatarEntity {
    /// Its address.
    pub avatar_url: Option<String>,
}

async fn set(
    app: App, viewer: SignedInViewer, params: Params<SetAvatar>, files: Files,
) -> Result<Ok200<AvatarEntity>> {
    let sent = sent_avatar(&files, &params.avatar)?;
    let avatar = sent.ok_or_else(|| Error::missing("avatar"))?;
    let by = viewer.author();
    let user = app
        .write(move |tx| users::set_avatar(tx, &by, &viewer.0.user, avatar.as_ref()))
        .await?;
    Ok(Ok200(AvatarEntity { avatar_url: users::avatar_url(&app, &user) }))
}

kernel::params! {
    pub struct AvatarPath {
        pub user_id: i64,
        pub file: String,
    }
}

/// The picture of this address for good: another one has another address.
async fn show(app: App, path: Params<AvatarPath>) -> Result<Response> {
    let (user, file) = (path.user_id, path.file.clone());
    let found = app.read(move |tx| users::avatar(tx, user, &file)).await?;
    let (media_type, bytes) = found.found("")?;
    let mut response = http::Response::new(bytes.into());
    *response.status_mut() = StatusCode::OK;
    let headers = response.headers_mut();
    let media_type = HeaderValue::from_str(&media_type).map_err(Error::internal)?;
    headers.insert(header::CONTENT_TYPE, media_type);
    for (name, value) in [
        (header::CACHE_CONTROL, "public, max-age=604800, immutable"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    Ok(response)
}
