//! `/user`, statuses and following.

use super::READ_USER;
use crate::access;
use crate::entities::{self, UserBasic, UserEntity};
use crate::users::{self, Availability, ClearAfter, Side, Status};
use crate::viewer::SignedInViewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::{Changed, Ok200, Paged, Paging, Params, Patch, Routes};
use kernel::ids::Reference;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;

pub fn routes(r: &mut Routes) {
    r.get("/user", show).scopes(READ_USER).summary("Shows the caller");
    r.get("/user/status", own_status)
        .scopes(READ_USER)
        .summary("Shows the caller's status");
    // What is not sent is reset by the first and stays with the second.
    r.put("/user/status", |app, viewer, sent| change_status(app, viewer, sent, true))
        .named("set_status")
        .summary("Replaces the caller's status");
    r.patch("/user/status", |app, viewer, sent| change_status(app, viewer, sent, false))
        .named("patch_status")
        .summary("Changes the caller's status");
    r.get("/users/{id}/status", status)
        .scopes(READ_USER)
        .summary("Shows a user's status");
    r.post("/users/{id}/follow", |app, viewer, path| {
        change_follow(app, viewer, path, users::follow)
    })
    .named("follow")
    .summary("Follows a user");
    r.post("/users/{id}/unfollow", |app, viewer, path| {
        change_follow(app, viewer, path, users::unfollow)
    })
    .named("unfollow")
    .summary("Stops following a user");
    r.get("/users/{id}/followers", |app, viewer, path, paging| {
        list_side(app, viewer, path, paging, Side::Followers)
    })
    .named("followers")
    .scopes(READ_USER)
    .summary("Lists a user's followers");
    r.get("/users/{id}/following", |app, viewer, path, paging| {
        list_side(app, viewer, path, paging, Side::Following)
    })
    .named("following")
    .scopes(READ_USER)
    .summary("Lists whom a user follows");
}

async fn show(app: App, viewer: SignedInViewer) -> Result<Ok200<UserEntity>> {
    let user = viewer.0.user.clone();
    let whole = app.read(move |tx| {
        let id = user.id;
        users::whole(tx, user, Some(id))
    });
    let detail = access::own_detail(&viewer.0);
    Ok(Ok200(entities::entity(&app, &whole.await?, detail)))
}

/// What a user says they are doing.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StatusEntity {
    /// Name of an emoji.
    pub emoji: String,
    /// A few words.
    pub message: String,
    /// Whether they can be reached.
    pub availability: String,
    /// The message as HTML.
    pub message_html: String,
    /// Forgotten then.
    pub clear_status_at: Option<String>,
}

fn status_entity(status: Status) -> StatusEntity {
    StatusEntity {
        emoji: status.emoji(),
        message_html: status.message_html(),
        message: status.status_message.unwrap_or_default(),
        availability: status.status_availability.unwrap_or(Availability::NotSet).to_string(),
        clear_status_at: status.status_clear_at.map(wire::text),
    }
}

async fn own_status(app: App, viewer: SignedInViewer) -> Result<Ok200<StatusEntity>> {
    let id = viewer.0.user.id;
    Ok(Ok200(status_entity(app.read(move |tx| users::status(tx, id)).await?)))
}

kernel::params! {
    pub struct AnyUser {
        /// Id or username.
        pub id: Reference,
    }
}

async fn status(app: App, _: SignedInViewer, path: Params<AnyUser>) -> Result<Ok200<StatusEntity>> {
    let id = path.id.clone();
    let status = app.read(move |tx| {
        let user = users::by_reference(tx, &id)?.found("User")?;
        users::status(tx, user.id)
    });
    Ok(Ok200(status_entity(status.await?)))
}

kernel::params! {
    pub struct SetStatus {
        /// Name of an emoji.
        pub emoji: Patch<String>,
        /// At most 100 characters.
        pub message: Patch<String>,
        /// Whether they can be reached.
        pub availability: Patch<Availability>,
        /// When it is forgotten.
        pub clear_status_after: Patch<ClearAfter>,
    }
}

async fn change_status(
    app: App, viewer: SignedInViewer, params: Params<SetStatus>, replace: bool,
) -> Result<Ok200<StatusEntity>> {
    let id = viewer.0.user.id;
    let sent = params.0;
    let status = app.write(move |tx| {
        let now = tx.now();
        let before = match replace {
            true => Status::default(),
            false => users::status(tx, id)?,
        };
        let sent = sent.clone();
        let end = sent.clear_status_after.map(|after| after.end(now));
        let given = |text: &String| !text.is_empty();
        let status = Status {
            status_emoji: sent.emoji.over(before.status_emoji).filter(given),
            status_message: sent.message.over(before.status_message).filter(given),
            status_availability: sent.availability.over(before.status_availability),
            status_clear_at: end.over(before.status_clear_at),
        };
        users::set_status(tx, id, &status)?;
        Ok(status)
    });
    Ok(Ok200(status_entity(status.await?)))
}

async fn change_follow(
    app: App, viewer: SignedInViewer, path: Params<AnyUser>,
    change: fn(&mut store::Tx<'_>, i64, i64) -> Result<bool>,
) -> Result<Changed<UserBasic>> {
    let caller = viewer.0.user.id;
    let (user, changed) = app
        .write(move |tx| {
            let user = users::by_reference(tx, &path.id)?.found("User")?;
            let changed = change(tx, caller, user.id)?;
            Ok((user, changed))
        })
        .await?;
    Ok(match changed {
        true => Changed::Now(entities::basic(&app, &user)),
        false => Changed::Before,
    })
}

async fn list_side(
    app: App, viewer: SignedInViewer, path: Params<AnyUser>, paging: Paging, side: Side,
) -> Result<Paged<UserBasic>> {
    let page = Paged::read(&app, paging, move |tx, part| {
        let user = users::by_reference(tx, &path.id)?.found("User")?;
        let whole = users::whole(tx, user, None)?;
        if !access::sees_follows(&viewer.0, &whole) {
            return Err(Error::NotFound("User"));
        }
        users::follows(tx, whole.user.id, side, part)
    });
    Ok(page.await?.map(|user| entities::basic(&app, &user)))
}
