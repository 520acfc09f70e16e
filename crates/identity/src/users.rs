//! Users: finding, making, changing, ending.

mod change;
mod follow;
mod list;
mod states;

pub use change::{
    Author, Change, NewUser, check_new, create, create_bot, destroy, ghost, set_password, update,
};
pub use follow::{Side, follow, follows, unfollow};
pub use list::{Filter, Order, OrderBy, page, total};
pub use states::{Transition, approve, reject, transition};

use crate::entities::Whole;
use crate::hooks;
use crate::model::{Profile, User, UserId};
use crate::settings::SignIn;
use kernel::error::Result;
use kernel::ids::{Reference, fold};
use kernel::time::date_of;
use store::{Tx, sql};

/// The user with this id.
pub fn find(tx: &mut Tx<'_>, id: UserId) -> Result<Option<User>> {
    Ok(tx.optional(sql!("select * from users where id = $1"), (id,))?)
}

/// The user of this name, without regard to case.
pub fn find_by_username(tx: &mut Tx<'_>, username: &str) -> Result<Option<User>> {
    Ok(tx.optional(
        sql!("select * from users where username_folded = $1"),
        (fold(username),),
    )?)
}

/// The user with this primary e-mail, without regard to case.
pub fn find_by_email(tx: &mut Tx<'_>, email: &str) -> Result<Option<User>> {
    Ok(tx.optional(
        sql!("select * from users where email_folded = $1"),
        (fold(email),),
    )?)
}

/// The user an address names.
pub fn by_reference(tx: &mut Tx<'_>, reference: &Reference) -> Result<Option<User>> {
    match reference {
        Reference::Id(id) => find(tx, *id),
        Reference::Path(name) => find_by_username(tx, name),
    }
}

/// The profile of a user that exists.
pub fn profile(tx: &mut Tx<'_>, id: UserId) -> Result<Profile> {
    Ok(tx.one(sql!("select * from users where id = $1"), (id,))?)
}

/// All that an entity may show of a user; `caller` may follow them.
pub fn whole(tx: &mut Tx<'_>, user: User, caller: Option<UserId>) -> Result<Whole> {
    let profile = profile(tx, user.id)?;
    let (followers, following, is_followed): (i64, i64, bool) = tx.one(
        sql!(
            "select (select count(*) from follows where followed_id = $1),
                (select count(*) from follows where follower_id = $1),
                exists (select 1 from follows where followed_id = $1 and follower_id = $2)"
        ),
        (user.id, caller.unwrap_or(0)),
    )?;
    let namespace_id = match hooks::get().namespace_of {
        Some(hook) => hook(tx, user.id)?,
        None => None,
    };
    let created_by = match profile.created_by_id {
        Some(id) => find(tx, id)?,
        None => None,
    };
    let is_private = is_private(tx, &user)?;
    Ok(Whole {
        user,
        profile,
        followers,
        following,
        is_followed,
        namespace_id,
        created_by,
        is_private,
    })
}

/// Whether strangers see less of the user.
pub fn is_private(tx: &mut Tx<'_>, user: &User) -> Result<bool> {
    match user.is_private {
        Some(private) => Ok(private),
        None => Ok(kernel::settings::read::<SignIn>(tx)?.new_users_private),
    }
}

/// Notes that the user did something today.
pub fn note_activity(tx: &mut Tx<'_>, id: UserId) -> Result<()> {
    let today = date_of(tx.now());
    tx.execute(
        sql!(
            "update users set last_activity_on = $2
             where id = $1 and (last_activity_on is null or last_activity_on <> $2)"
        ),
        (id, today),
    )?;
    Ok(())
}
