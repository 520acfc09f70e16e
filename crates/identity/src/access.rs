//! Who may act, and who sees how much of a user.

use crate::entities::{Detail, Whole};
use crate::model::{User, UserId};
use crate::sign_up::SignUp;
use crate::users;
use crate::viewer::{SignedIn, Viewer};
use kernel::error::Result;
use kernel::time::Timestamp;
use store::Tx;

const LOCKED: &str = "Your account is locked after too many failed sign-ins. It opens by itself, \
    or at once with the link that was mailed to you.";
const UNCONFIRMED: &str =
    "Your e-mail address is not confirmed. Open the link that was mailed to it.";

/// Why a user may not act by any token; `None` when they may.
pub fn refusal(user: &User, rules: &SignUp, now: Timestamp) -> Option<&'static str> {
    user.refusal()
        .or(user.is_locked(now).then_some(LOCKED))
        .or(rules.awaits_confirmation(user, now).then_some(UNCONFIRMED))
}

/// The same by the rules that stand now.
pub fn refusal_now(tx: &mut Tx<'_>, user: &User) -> Result<Option<&'static str>> {
    let rules: SignUp = kernel::settings::read(tx)?;
    Ok(refusal(user, &rules, tx.now()))
}

/// The user of a token, if they may act.
pub fn active_user(tx: &mut Tx<'_>, id: UserId) -> Result<Option<User>> {
    let Some(user) = users::find(tx, id)? else {
        return Ok(None);
    };
    let refused = refusal_now(tx, &user)?.is_some();
    Ok((!refused).then_some(user))
}

/// How much of `whole` the caller may see on the user's own address.
pub fn detail(caller: &SignedIn, whole: &Whole) -> Detail {
    if caller.user.is_admin {
        Detail::Admin
    } else if whole.is_private && caller.user.id != whole.user.id {
        Detail::Hidden
    } else {
        Detail::Public
    }
}

pub fn own_detail(caller: &SignedIn) -> Detail {
    if caller.user.is_admin {
        Detail::Admin
    } else {
        Detail::Own
    }
}

/// Whether the viewer may see what a user does and has: a private profile
/// hides it (docs/interface/identity.md 5).
pub fn sees_activity(viewer: &Viewer, whole: &Whole) -> bool {
    sees_activity_of(viewer, &whole.user, whole.is_private)
}

/// The same of a user, knowing whether their profile is private.
pub fn sees_activity_of(viewer: &Viewer, user: &User, is_private: bool) -> bool {
    let own = viewer.user_id() == Some(user.id);
    own || viewer.is_admin() || !is_private
}

/// Whether the caller may see whom a user follows and who follows them.
pub fn sees_follows(caller: &SignedIn, whole: &Whole) -> bool {
    detail(caller, whole) != Detail::Hidden
}

/// Whether an administrator may remove a user's second factors: not their own
/// nor another administrator's, lest one session open them all.
pub fn may_end_two_factor(admin: &SignedIn, user: &User) -> bool {
    admin.user.is_admin && !user.is_admin && admin.user.id != user.id
}
