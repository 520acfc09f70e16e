//! People whose things were imported: `/groups/:id/placeholder_users` for who owns a top-level
//! group, `/user/placeholder_users` for who is asked whether they are one of them.

use crate::people::entity::{self, PlaceholderEntity};
use crate::people::model::{SourceUser, SourceUserStatus};
use crate::people::rules;
use crate::people::store::{self as rows, Filter};
use ::store::Tx;
use identity::Caller;
use identity::model::User;
use identity::users;
use kernel::error::{Error, Found, Result};
use kernel::http::{Flat, Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;

pub(super) fn routes(r: &mut Routes) {
    r.below("/groups/{id}/placeholder_users", "placeholder_users", of_groups);
    r.below("/user/placeholder_users", "own_placeholder_users", of_users);
}

fn of_groups(r: &mut Routes) {
    r.get("", list)
        .summary("Lists the people elsewhere that a top-level group knows");
    r.get("/{placeholder_id}", show).summary("Shows one of them");
    r.post("/{placeholder_id}/reassign", reassign)
        .summary("Says who one of them is, who is asked whether it is so");
    r.post("/{placeholder_id}/cancel", cancel)
        .summary("Takes back who one of them is, as long as nobody answered");
    r.post("/{placeholder_id}/keep", keep)
        .summary("Leaves what one of them did with their placeholder");
}

fn of_users(r: &mut Routes) {
    r.get("", asked)
        .summary("Lists the people elsewhere of whom the caller is asked whether they are it");
    r.post("/{placeholder_id}/accept", accept)
        .summary("Says that the caller is one of them: what they did becomes the caller's");
    r.post("/{placeholder_id}/reject", reject)
        .summary("Says that the caller is not one of them");
}

kernel::params! {
    /// A group.
    struct OfGroup {
        /// Id or path.
        pub id: Reference,
    }
}

kernel::params! {
    /// Which of the people that a group knows.
    struct Those {
        pub group: Flat<OfGroup>,
        /// Only those of whom it is settled so far who they are.
        pub status: Option<SourceUserStatus>,
        /// In the login or name there.
        pub search: Option<String>,
    }
}

kernel::params! {
    /// One of the people that a group knows.
    struct One {
        pub group: Flat<OfGroup>,
        /// Id of the placeholder, not of its user.
        pub placeholder_id: i64,
    }
}

kernel::params! {
    /// Who one of them is.
    struct Reassignment {
        pub one: Flat<One>,
        /// Id of the user.
        pub user_id: Option<i64>,
        /// Their name, in place of the id.
        pub username: Option<String>,
    }
}

kernel::params! {
    /// One of those of whom the caller is asked.
    struct Asked {
        /// Id of the placeholder, not of its user.
        pub placeholder_id: i64,
    }
}

/// One on the wire.
fn shown(tx: &mut Tx<'_>, by: &Caller, row: SourceUser) -> Result<Ok200<PlaceholderEntity>> {
    let shown = entity::all(&by.app, tx, vec![row])?.pop();
    Ok(Ok200(shown.found("Placeholder")?))
}

async fn list(
    by: Caller, those: Params<Those>, paging: Paging,
) -> Result<Paged<PlaceholderEntity>> {
    let app = by.app.clone();
    Paged::read(&app, paging, move |tx, paging| {
        let group = rules::group(tx, &by.viewer, &those.group.id)?;
        let filter = Filter { status: those.status, search: those.search.clone() };
        let (found, total) = rows::of_group(tx, group.id, &filter, paging)?;
        Ok((entity::all(&by.app, tx, found)?, total))
    })
    .await
}

async fn show(by: Caller, one: Params<One>) -> Result<Ok200<PlaceholderEntity>> {
    by.read(move |tx, by| {
        let group = rules::group(tx, &by.viewer, &one.group.id)?;
        let row = rules::find(tx, &group, one.placeholder_id)?;
        shown(tx, by, row)
    })
    .await
}

async fn reassign(by: Caller, to: Params<Reassignment>) -> Result<Ok200<PlaceholderEntity>> {
    by.write(move |tx, by| {
        let group = rules::group(tx, &by.viewer, &to.one.group.id)?;
        let row = rules::find(tx, &group, to.one.placeholder_id)?;
        let user = wanted(tx, &to)?;
        let row = rules::reassign(tx, &by.viewer, &group, row, &user)?;
        shown(tx, by, row)
    })
    .await
}

fn wanted(tx: &mut Tx<'_>, to: &Reassignment) -> Result<User> {
    let found = match (to.user_id, &to.username) {
        (Some(id), _) => users::find(tx, id)?,
        (None, Some(name)) => users::find_by_username(tx, name)?,
        (None, None) => return Err(Error::none_of("user_id, username")),
    };
    found.found("User")
}

async fn cancel(by: Caller, one: Params<One>) -> Result<Ok200<PlaceholderEntity>> {
    by.write(move |tx, by| {
        let group = rules::group(tx, &by.viewer, &one.group.id)?;
        let row = rules::find(tx, &group, one.placeholder_id)?;
        let row = rules::cancel(tx, &by.viewer, &group, row)?;
        shown(tx, by, row)
    })
    .await
}

async fn keep(by: Caller, one: Params<One>) -> Result<Ok200<PlaceholderEntity>> {
    by.write(move |tx, by| {
        let group = rules::group(tx, &by.viewer, &one.group.id)?;
        let row = rules::find(tx, &group, one.placeholder_id)?;
        let row = rules::keep(tx, &by.viewer, &group, row)?;
        shown(tx, by, row)
    })
    .await
}

async fn asked(by: Caller, paging: Paging) -> Result<Paged<PlaceholderEntity>> {
    let user = by.viewer.signed_in()?.user.id;
    let app = by.app.clone();
    Paged::read(&app, paging, move |tx, paging| {
        let (found, total) = rows::asked_of(tx, user, paging)?;
        Ok((entity::all(&by.app, tx, found)?, total))
    })
    .await
}

async fn accept(by: Caller, one: Params<Asked>) -> Result<Ok200<PlaceholderEntity>> {
    by.write(move |tx, by| {
        let row = rules::asked(tx, &by.viewer, one.placeholder_id)?;
        let row = rules::accept(tx, &by.viewer, row)?;
        shown(tx, by, row)
    })
    .await
}

async fn reject(by: Caller, one: Params<Asked>) -> Result<Ok200<PlaceholderEntity>> {
    by.write(move |tx, by| {
        let row = rules::asked(tx, &by.viewer, one.placeholder_id)?;
        let row = rules::reject(tx, &by.viewer, row)?;
        shown(tx, by, row)
    })
    .await
}
