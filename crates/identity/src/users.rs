//! Users: finding, making, changing, ending.

mod avatar;
mod change;
mod emails;
mod follow;
mod leave;
mod list;
mod programs;
mod states;
mod status;

pub use avatar::{AVATARS, Avatar, MAX_AVATAR, avatar, avatar_url, set_avatar};
pub use change::{Author, Change, NewUser, check_new, create, destroy, set_password, update};
pub use emails::{Email, add_email, confirm_email, email, emails, remove_email, unconfirm};
pub use follow::{Side, follow, follows, unfollow};
pub use leave::{DestroyUser, end_token, leave_bot};
pub use list::{Filter, Order, OrderBy, escape_like, page, total};
pub use programs::{alert_bot, create_bot, ghost};
pub use states::{Transition, approve, reject, transition};
pub use status::{Availability, Status, set_status, status, statuses};

pub(crate) use change::record;
pub(crate) use states::set_state;

use crate::entities::Whole;
use crate::hooks;
use crate::model::{Profile, User, UserId};
use crate::settings::SignIn;
use kernel::error::{Found, Result};
use kernel::ids::{Reference, fold};
use kernel::time::date_of;
use std::collections::HashMap;
use store::{Tx, sql};

/// The user with this id, unless they are being deleted.
pub fn find(tx: &mut Tx<'_>, id: UserId) -> Result<Option<User>> {
    Ok(tx.optional(
        sql!("select * from users where id = $1 and kind <> 'leaving'"),
        (id,),
    )?)
}

/// The user of this name, without regard to case.
pub fn find_by_username(tx: &mut Tx<'_>, username: &str) -> Result<Option<User>> {
    Ok(tx.optional(
        sql!("select * from users where username_folded = $1"),
        (fold(username),),
    )?)
}

/// Ids of the users with these logins; names of nobody are left out.
pub fn ids_by_usernames(tx: &mut Tx<'_>, usernames: &[String]) -> Result<Vec<i64>> {
    let folded: Vec<String> = usernames.iter().map(|name| fold(name)).collect();
    Ok(tx.all(
        sql!("select id from users where username_folded in_list($1) order by id"),
        (folded,),
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
    wholes(tx, vec![user], caller)?.pop().found("User")
}

/// The same for several users, in a fixed number of queries.
pub fn wholes(tx: &mut Tx<'_>, users: Vec<User>, caller: Option<UserId>) -> Result<Vec<Whole>> {
    let ids: Vec<i64> = users.iter().map(|user| user.id).collect();
    let mut profiles: HashMap<i64, Profile> = tx
        .all::<WithId>(
            sql!("select * from users where id in_list($1)"),
            (ids.clone(),),
        )?
        .into_iter()
        .map(|row| (row.0, row.1))
        .collect();
    let counts = counts(tx, &ids, caller.unwrap_or(0))?;
    let namespaces = match hooks::get(tx)?.namespaces_of {
        Some(hook) => hook(tx, &ids)?,
        None => HashMap::new(),
    };
    let makers: Vec<i64> = profiles
        .values()
        .filter_map(|profile| profile.created_by_id)
        .collect();
    let makers = crate::entities::load_basic(tx, &makers)?;
    let rules: SignIn = kernel::settings::read(tx)?;
    let two_factor = crate::two_factor::among(tx, &ids)?;
    let whole = |user: User| {
        let profile = profiles.remove(&user.id)?;
        let (followers, following, is_followed) = counts.get(&user.id).copied()?;
        Some(Whole {
            namespace_id: namespaces.get(&user.id).copied(),
            created_by: profile
                .created_by_id
                .and_then(|id| makers.get(&id).cloned()),
            is_private: user.is_private.unwrap_or(rules.new_users_private),
            followers,
            following,
            is_followed,
            two_factor: two_factor.contains(&user.id),
            profile,
            user,
        })
    };
    Ok(users.into_iter().filter_map(whole).collect())
}

struct WithId(i64, Profile);

impl store::FromRow for WithId {
    fn from_row(row: &mut store::Row<'_>) -> store::Result<Self> {
        Ok(WithId(
            row.get("id")?,
            <Profile as store::FromRow>::from_row(row)?,
        ))
    }
}

/// Followers, followed, and whether the caller follows, by user.
fn counts(tx: &mut Tx<'_>, ids: &[i64], caller: UserId) -> Result<HashMap<i64, (i64, i64, bool)>> {
    let rows: Vec<(i64, i64, i64, bool)> = tx.all(
        sql!(
            "select u.id, (select count(*) from follows where followed_id = u.id),
                (select count(*) from follows where follower_id = u.id),
                exists (select 1 from follows where followed_id = u.id and follower_id = $2)
             from users u where u.id in_list($1)"
        ),
        (ids.to_vec(), caller),
    )?;
    Ok(rows
        .into_iter()
        .map(|(id, a, b, c)| (id, (a, b, c)))
        .collect())
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
