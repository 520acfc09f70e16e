//! Signing up: people make their own accounts, where administrators let them.
//!
//! Whether an address has an account already is told to nobody but the address
//! itself: the answer is the same, a mail says the rest.

pub mod unconfirmed;

use crate::attempts;
use crate::author::Author;
use crate::domains;
use crate::mail_links::Purpose;
use crate::model::{User, UserState};
use crate::settings::within;
use crate::tasks::{AddressInUse, PendingUser, SendLink};
use crate::users::{self, NewUser};
use kernel::error::{Error, Result};
use kernel::ids::fold;
use kernel::jobs::enqueue_at;
use kernel::time::Timestamp;
use serde::{Deserialize, Deserializer};
use serde_json::json;
use store::Tx;

/// Sign-ups a minute from one address (docs/interface/identity.md 7).
pub const PER_MINUTE: i64 = 20;
/// Hours in which one address is told once that it has an account.
const TOLD_SECONDS: i64 = 3_600;
/// Days an account works unconfirmed where confirmation is `soft`.
const SOFT_DAYS: i64 = 3;
/// Administrators told of one request.
const MOST_TOLD: i64 = 100;

kernel::choices! {
    pub enum Confirmation {
        Off = "off",
        /// Within three days.
        Soft = "soft",
        /// Before they sign in.
        Hard = "hard",
    }
}

impl<'de> Deserialize<'de> for Confirmation {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let unknown = || serde::de::Error::custom("unknown confirmation");
        Confirmation::from_text(&text).ok_or_else(unknown)
    }
}

kernel::setting! {
    /// Who may sign up, and what follows.
    pub struct SignUp = "identity.sign_up" {
        pub enabled: bool = false,
        pub approval: bool = true,
        /// Whether they must confirm their address. Holds for every account.
        pub confirmation: Confirmation = Confirmation::Hard,
        pub allowed_domains: Vec<String> = Vec::new(),
        pub denies_domains: bool = false,
        pub denied_domains: Vec<String> = Vec::new(),
        pub ends_unconfirmed: bool = false,
        pub unconfirmed_days: i64 = 7,
    }
}

impl SignUp {
    fn validate(&self) -> Result<()> {
        domains::check("domain_allowlist", &self.allowed_domains)?;
        domains::check("domain_denylist", &self.denied_domains)?;
        let least = match self.confirmation {
            // Until then they may sign in as they are.
            Confirmation::Soft => SOFT_DAYS + 1,
            Confirmation::Hard | Confirmation::Off => 1,
        };
        let key = "unconfirmed_users_delete_after_days";
        within(key, self.unconfirmed_days, least, 365)
    }

    /// Whether a user may not act before their address is confirmed.
    pub fn awaits_confirmation(&self, user: &User, now: Timestamp) -> bool {
        let due = match self.confirmation {
            Confirmation::Off => false,
            Confirmation::Soft => soft_end(user) <= now,
            Confirmation::Hard => true,
        };
        due && user.is_human() && user.confirmed_at.is_none()
    }

    /// Why an address cannot sign up.
    fn problem(&self, email: &str) -> Option<&'static str> {
        let domain = email.rsplit_once('@').map_or("", |(_, domain)| domain);
        if !self.allowed_domains.is_empty() && !domains::lists(&self.allowed_domains, domain) {
            return Some("domain is not authorized for sign-up");
        }
        if self.denies_domains && domains::lists(&self.denied_domains, domain) {
            return Some("is not from an allowed domain");
        }
        None
    }

    /// Refuses what [`sign_up`] would refuse of the form alone.
    pub fn check(&self, new: &NewUser, password: &str) -> Result<()> {
        if !self.enabled {
            return Err(closed());
        }
        let domain = || self.problem(&new.email);
        match users::check_new(new, password) {
            Ok(()) => match domain() {
                Some(problem) => Err(Error::invalid("email", problem)),
                None => Ok(()),
            },
            refused => refused,
        }
    }
}

/// The refusal where nobody may sign up.
pub fn closed() -> Error {
    Error::forbidden("Signing up is switched off: ask an administrator for an account")
}

pub(crate) mod settings {
    use super::{Confirmation, SignUp};

    crate::settings_part! {
        SignUp {
            /// Whether anyone may sign up.
            signup_enabled: bool => enabled,
            /// Whether an administrator lets in who signed up.
            require_admin_approval_after_user_signup: bool => approval,
            /// Whether people must confirm their address before they sign in
            /// (`hard`), within three days (`soft`), or not.
            email_confirmation_setting: Confirmation => confirmation,
            /// The only domains whose addresses may sign up, unless empty;
            /// `*.example.com` is all below it.
            domain_allowlist: Vec<String> => allowed_domains,
            /// Whether `domain_denylist` counts.
            domain_denylist_enabled: bool => denies_domains,
            /// Domains whose addresses may not sign up.
            domain_denylist: Vec<String> => denied_domains,
            /// Whether accounts are deleted that nobody confirmed or signed in
            /// to.
            delete_unconfirmed_users: bool => ends_unconfirmed,
            /// Days after which they are.
            unconfirmed_users_delete_after_days: i64 => unconfirmed_days,
        } sealed {}
    }
}

/// Counts a try from an address, whatever becomes of it.
pub fn count(tx: &mut Tx<'_>, ip: &str) -> Result<()> {
    attempts::count(tx, &format!("sign_up:{}", kernel::limits::counted_as(ip)), PER_MINUTE, 60)
}

/// Makes the account, unless the address has one: then that address is told,
/// and nothing else differs.
pub fn sign_up(tx: &mut Tx<'_>, ip: &str, new: &NewUser) -> Result<()> {
    let rules: SignUp = kernel::settings::read(tx)?;
    if !rules.enabled {
        return Err(closed());
    }
    let new = NewUser {
        admin: false,
        confirmed: false,
        pending: rules.approval,
        ..new.clone()
    };
    let by = Author::at(None, ip);
    match holder(tx, &new.email)? {
        Some(address) => {
            try_without(tx, &by, &new)?;
            tell_holder(tx, &address)
        }
        None => {
            let user = users::create(tx, &by, &new)?;
            let details = json!({"waits_for_approval": rules.approval});
            users::record(tx, &by, "user.sign_up", &user, details)?;
            welcome(tx, &rules, &user)
        }
    }
}

/// The address as it is known here, if it is.
fn holder(tx: &mut Tx<'_>, email: &str) -> Result<Option<String>> {
    if let Some(user) = users::find_by_email(tx, email)? {
        return Ok(Some(user.email));
    }
    crate::store::emails::confirmed(tx, email)
}

/// Refuses all that making the account would refuse but the address, and
/// leaves nothing behind.
fn try_without(tx: &mut Tx<'_>, by: &Author, new: &NewUser) -> Result<()> {
    enum Tried {
        Fine,
        Refused(Error),
    }
    impl From<store::Error> for Tried {
        fn from(error: store::Error) -> Tried {
            Tried::Refused(error.into())
        }
    }
    let random = hex::encode(kernel::secrets::random_bytes::<16>());
    let other = NewUser { email: format!("{random}@noreply.invalid"), ..new.clone() };
    let tried = tx.savepoint(|tx| match users::create(tx, by, &other) {
        Ok(_) => Err::<(), _>(Tried::Fine),
        Err(error) => Err(Tried::Refused(error)),
    });
    match tried {
        Err(Tried::Refused(error)) => Err(error),
        Ok(()) | Err(Tried::Fine) => Ok(()),
    }
}

fn tell_holder(tx: &mut Tx<'_>, address: &str) -> Result<()> {
    let now = tx.now();
    let key = format!("sign_up_told:{}", fold(address));
    match attempts::count(tx, &key, 1, TOLD_SECONDS) {
        Ok(()) => {
            let to = address.to_owned();
            enqueue_at(tx, &AddressInUse { to }, now)
        }
        // Saying so would tell that the account exists.
        Err(Error::Limited(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

fn welcome(tx: &mut Tx<'_>, rules: &SignUp, user: &User) -> Result<()> {
    let now = tx.now();
    if rules.confirmation != Confirmation::Off {
        enqueue_at(tx, &SendLink::new(user.id, Purpose::Confirm), now)?;
    }
    if !rules.approval {
        return Ok(());
    }
    let administrators: Vec<i64> = crate::store::users::active_administrators(tx, MOST_TOLD)?;
    administrators.into_iter().try_for_each(|administrator| {
        let job = PendingUser { user: user.id, administrator };
        enqueue_at(tx, &job, now)
    })
}

/// Why a user may not sign in before their address is confirmed.
pub fn refusal(tx: &mut Tx<'_>, user: &User) -> Result<Option<&'static str>> {
    let rules: SignUp = kernel::settings::read(tx)?;
    let waits = rules.awaits_confirmation(user, tx.now());
    Ok(waits.then_some("You have to confirm your e-mail address before you sign in."))
}

fn soft_end(user: &User) -> Timestamp {
    user.created_at + jiff::SignedDuration::from_hours(24 * SOFT_DAYS)
}

/// Whether a user waits to be let in.
pub fn is_pending(user: &User) -> bool {
    user.state == UserState::BlockedPendingApproval
}
