//! Users: finding, making, changing, ending.

mod administer;
mod avatar;
mod change;
mod emails;
mod follow;
mod leave;
mod preferences;
mod programs;
mod states;
pub(crate) mod status;

pub use crate::author::Author;
pub use crate::store::emails::confirmed_owners;
pub use crate::store::user_list::{Filter, Order, OrderBy, escape_like, page, total};
pub use administer::{alter, make, send_password_link};
pub use avatar::{AVATARS, Avatar, MAX_AVATAR, avatar, avatar_url, set_avatar};
pub use change::{
    Change, NewUser, Texts, UserInput, check_new, create, destroy, set_password, update,
};
pub use emails::{
    Email, add_email, add_own_email, confirm_email, email, emails, remove_email, remove_own_email,
    unconfirm,
};
pub use follow::{Side, follow, follows, is_followed, unfollow};
pub use leave::{end_placeholder, end_token, leave_bot};
pub use preferences::set_preferences;
pub use programs::{alert_bot, create_bot, ghost, import_user, placeholder};
pub use states::{Transition, approve, reject, transition};
pub use status::{Availability, ClearAfter, Status, set_status, status, statuses};

pub(crate) use crate::author::record;
pub(crate) use states::set_state;

use crate::entities::Whole;
use crate::hooks;
use crate::model::{User, UserId};
use crate::settings::SignIn;
pub use crate::store::users::{
    by_emails, find, find_by_email, find_by_username, ids_by_usernames, note_activity, profile,
};
use kernel::error::{Found, Result};
use kernel::ids::Reference;
use std::collections::HashMap;
use store::Tx;

/// The user an address names.
pub fn by_reference(tx: &mut Tx<'_>, reference: &Reference) -> Result<Option<User>> {
    match reference {
        Reference::Id(id) => find(tx, *id),
        Reference::Path(name) => find_by_username(tx, name),
    }
}

/// All that an entity may show of a user; `caller` may follow them.
pub fn whole(tx: &mut Tx<'_>, user: User, caller: Option<UserId>) -> Result<Whole> {
    wholes(tx, vec![user], caller)?.pop().found("User")
}

/// The same for several users, in a fixed number of queries.
pub fn wholes(tx: &mut Tx<'_>, users: Vec<User>, caller: Option<UserId>) -> Result<Vec<Whole>> {
    let ids: Vec<i64> = users.iter().map(|user| user.id).collect();
    let mut profiles = crate::store::users::profiles(tx, &ids)?;
    let counts = crate::store::users::counts(tx, &ids, caller.unwrap_or(0))?;
    let namespaces = match hooks::get(tx)?.namespaces_of {
        Some(hook) => hook(tx, &ids)?,
        None => HashMap::new(),
    };
    let makers: Vec<i64> = profiles.values().filter_map(|profile| profile.created_by_id).collect();
    let makers = crate::entities::load_basic(tx, &makers)?;
    let rules: SignIn = kernel::settings::read(tx)?;
    let two_factor = crate::store::two_factor::among(tx, &ids)?;
    let whole = |user: User| {
        let profile = profiles.remove(&user.id)?;
        let (followers, following, is_followed) = counts.get(&user.id).copied()?;
        Some(Whole {
            namespace_id: namespaces.get(&user.id).copied(),
            created_by: profile.created_by_id.and_then(|id| makers.get(&id).cloned()),
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

/// The addresses of a user that proved to be theirs, the primary one first.
pub fn confirmed_addresses(tx: &mut Tx<'_>, user: &User) -> Result<Vec<String>> {
    let primary = user.confirmed_at.map(|_| user.email.clone());
    let further = crate::store::emails::emails(tx, user.id)?;
    let further = further.into_iter().filter(|one| one.confirmed_at.is_some());
    Ok(primary.into_iter().chain(further.map(|one| one.email)).collect())
}

/// Whether strangers see less of the user.
pub fn is_private(tx: &mut Tx<'_>, user: &User) -> Result<bool> {
    match user.is_private {
        Some(private) => Ok(private),
        None => Ok(kernel::settings::read::<SignIn>(tx)?.new_users_private),
    }
}
