//! Who sees how much of a user.

use crate::entities::{Detail, Whole};
use crate::model::User;
use crate::viewer::{SignedIn, Viewer};

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

/// How much of themselves a caller sees.
pub fn own_detail(caller: &SignedIn) -> Detail {
    if caller.user.is_admin {
        Detail::Admin
    } else {
        Detail::Own
    }
}

/// Whether the viewer may see what a user does and has: a private profile
/// hides it (contract «Users»).
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
