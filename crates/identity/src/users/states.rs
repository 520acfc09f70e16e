//! Blocking, banning, deactivating and approving (docs/interface/identity.md 5).

use super::administer::keep_an_administrator;
use super::change::destroy;
use super::record;
use crate::author::Author;
use crate::model::{User, UserState};
pub(crate) use crate::store::users::set_state;
use crate::tasks::Decided;
use kernel::error::{Error, Found, Result};
use kernel::time::date_of;
use store::Tx;

/// Days without activity that make a user dormant.
const DORMANT_DAYS: i64 = 90;

kernel::choices! {
    pub enum Transition {
        /// active → blocked
        Block = "block",
        /// blocked → active
        Unblock = "unblock",
        /// active → banned
        Ban = "ban",
        /// banned → active
        Unban = "unban",
        /// active → deactivated
        Deactivate = "deactivate",
        /// deactivated → active
        Activate = "activate",
    }
}

impl Transition {
    fn outcome(self) -> UserState {
        match self {
            Transition::Block => UserState::Blocked,
            Transition::Ban => UserState::Banned,
            Transition::Deactivate => UserState::Deactivated,
            Transition::Unblock | Transition::Unban | Transition::Activate => UserState::Active,
        }
    }

    fn action(self) -> &'static str {
        match self {
            Transition::Block => "user.block",
            Transition::Unblock => "user.unblock",
            Transition::Ban => "user.ban",
            Transition::Unban => "user.unban",
            Transition::Deactivate => "user.deactivate",
            Transition::Activate => "user.activate",
        }
    }

    /// Why it cannot be done to this user.
    fn refusal(self, user: &User, dormant: bool, own: bool) -> Option<String> {
        use UserState::*;
        let internal = user.kind.is_internal();
        let text = |text: &str| Some(text.to_owned());
        match (self, user.state) {
            (Transition::Block, _) if internal => text("An internal user cannot be blocked"),
            (Transition::Block, _) if own => text("You cannot block yourself"),
            (Transition::Block, LdapBlocked) | (Transition::Unblock, LdapBlocked) => {
                text("LDAP blocked users cannot be modified by the API")
            }
            (Transition::Unblock, Deactivated) => {
                text("Deactivated users cannot be unblocked by the API")
            }
            (Transition::Unblock, Banned | BlockedPendingApproval) => {
                Some(format!("You cannot unblock {} users.", user.state))
            }
            (Transition::Ban, Active) if !internal && !own => None,
            (Transition::Ban, state) => Some(format!("You cannot ban {state} users.")),
            (Transition::Unban, Banned) => None,
            (Transition::Unban, state) => Some(format!("You cannot unban {state} users.")),
            (Transition::Deactivate, Active | Deactivated) if internal => {
                text("Internal users cannot be deactivated")
            }
            (Transition::Deactivate, Active) if !dormant => text(
                "The user you are trying to deactivate has been active in the past 90 days and \
                 cannot be deactivated",
            ),
            (Transition::Deactivate, Blocked | LdapBlocked | BlockedPendingApproval | Banned) => {
                text("A blocked user cannot be deactivated by the API")
            }
            (Transition::Activate, Blocked | LdapBlocked | BlockedPendingApproval | Banned) => {
                text("A blocked user must be unblocked to be activated")
            }
            _ => None,
        }
    }
}

/// Changes a user's state; false when it was so already, which is no error.
pub fn transition(tx: &mut Tx<'_>, by: &Author, id: i64, change: Transition) -> Result<bool> {
    let user = super::find(tx, id)?.found("User")?;
    let today = date_of(tx.now());
    let last = user.last_activity_on.unwrap_or_else(|| date_of(user.created_at));
    let dormant = last.saturating_add(jiff::Span::new().days(DORMANT_DAYS)) < today;
    if let Some(reason) = change.refusal(&user, dormant, by.id == Some(user.id)) {
        return Err(Error::forbidden(reason));
    }
    if user.state == change.outcome() {
        return Ok(false);
    }
    if user.is_admin && change.outcome() != UserState::Active {
        keep_an_administrator(tx, user.id)?;
    }
    set_state(tx, user.id, change.outcome())?;
    if change.outcome() != UserState::Active {
        crate::sessions::revoke_others(tx, user.id, None)?;
    }
    record(tx, by, change.action(), &user, serde_json::json!({}))?;
    Ok(true)
}

/// Lets in a user who waits for approval.
pub fn approve(tx: &mut Tx<'_>, by: &Author, id: i64) -> Result<()> {
    let user = super::find(tx, id)?.found("User")?;
    if user.state != UserState::BlockedPendingApproval {
        let text = "The user you are trying to approve is not pending approval";
        return Err(Error::Conflict(text.into()));
    }
    set_state(tx, id, UserState::Active)?;
    tell(tx, &user, true)?;
    record(tx, by, "user.approve", &user, serde_json::json!({}))
}

/// Turns away, and deletes, a user who waits for approval.
pub fn reject(tx: &mut Tx<'_>, by: &Author, id: i64) -> Result<()> {
    let user = super::find(tx, id)?.found("User")?;
    if user.state != UserState::BlockedPendingApproval {
        return Err(Error::Conflict("User does not have a pending request".into()));
    }
    record(tx, by, "user.reject", &user, serde_json::json!({}))?;
    tell(tx, &user, false)?;
    destroy(tx, by, id, true)
}

fn tell(tx: &mut Tx<'_>, user: &User, approved: bool) -> Result<()> {
    let now = tx.now();
    kernel::jobs::enqueue_at(tx, &Decided::of(user, approved), now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::UserKind;

    fn user(state: UserState, kind: UserKind) -> User {
        User {
            id: 2,
            username: "jane".into(),
            name: "Jane".into(),
            email: "jane@example.com".into(),
            public_email: crate::model::Words::default(),
            kind,
            state,
            is_admin: false,
            is_external: false,
            is_private: None,
            password_expired: false,
            locked_until: None,
            confirmed_at: None,
            avatar_key: None,
            projects_limit: 0,
            can_create_group: true,
            page_theme: kernel::html::Theme::System,
            page_density: kernel::html::Density::Comfortable,
            first_day_of_week: kernel::html::FirstDay::Monday,
            time_zone: None,
            feed_token_number: 0,
            last_activity_on: None,
            created_at: jiff::Timestamp::UNIX_EPOCH,
            updated_at: jiff::Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn every_transition_has_its_allowed_states() {
        let allowed = |change: Transition| -> Vec<&str> {
            let may = |state: &&UserState| {
                change.refusal(&user(**state, UserKind::Human), true, false).is_none()
            };
            UserState::ALL.iter().filter(may).map(|state| state.as_str()).collect()
        };
        assert_eq!(
            allowed(Transition::Block),
            ["active", "blocked", "blocked_pending_approval", "deactivated", "banned"]
        );
        assert_eq!(allowed(Transition::Unblock), ["active", "blocked"]);
        assert_eq!(allowed(Transition::Ban), ["active"]);
        assert_eq!(allowed(Transition::Unban), ["banned"]);
        assert_eq!(allowed(Transition::Deactivate), ["active", "deactivated"]);
        assert_eq!(allowed(Transition::Activate), ["active", "deactivated"]);
    }

    #[test]
    fn nobody_locks_themselves_out_and_the_ghost_stays() {
        let jane = user(UserState::Active, UserKind::Human);
        assert!(Transition::Block.refusal(&jane, true, true).is_some());
        assert!(Transition::Ban.refusal(&jane, true, true).is_some());
        assert!(Transition::Deactivate.refusal(&jane, false, false).is_some());
        let ghost = user(UserState::Active, UserKind::Ghost);
        for change in [Transition::Block, Transition::Ban, Transition::Deactivate] {
            assert!(change.refusal(&ghost, true, false).is_some());
        }
    }
}
