//! Users and tokens as plain types: states, kinds, scopes and limits.

pub use crate::profile::{Profile, ProfileTexts, Words};
use kernel::choices;
use kernel::html::{Density, FirstDay, Preferences, Theme};
use kernel::time::{Date, Timestamp};
use store::FromRow;

pub type UserId = i64;

choices! {
    /// What a user account is for.
    pub enum UserKind {
        Human = "human",
        /// The owner of a project's access token.
        ProjectBot = "project_bot",
        /// The owner of a group's access token.
        GroupBot = "group_bot",
        /// Who holds what deleted users leave behind.
        Ghost = "ghost",
        /// Under whose name the program writes about alerts.
        AlertBot = "alert_bot",
        /// Somebody elsewhere, of whom nobody has said yet who they are here.
        Placeholder = "placeholder",
        /// All of those elsewhere of whom that is not asked.
        ImportUser = "import_user",
        /// Who is being deleted by a job.
        Leaving = "leaving",
    }
}

impl UserKind {
    /// Whether the program made the account for itself.
    pub fn is_bot(self) -> bool {
        self != UserKind::Human
    }

    /// Whether the program needs the account: nobody is it, or may end it.
    pub fn is_internal(self) -> bool {
        matches!(self, UserKind::Ghost | UserKind::AlertBot) || self.stands_in()
    }

    /// Whether it stands for people elsewhere: what they did is told under its name, and
    /// nothing is given to it to do.
    pub fn stands_in(self) -> bool {
        matches!(self, UserKind::Placeholder | UserKind::ImportUser)
    }
}

choices! {
    /// Whether and why a user may not act (docs/interface/identity.md 5).
    pub enum UserState {
        /// May sign in.
        Active = "active",
        /// Shut out by an administrator.
        Blocked = "blocked",
        /// Signed up, not yet let in.
        BlockedPendingApproval = "blocked_pending_approval",
        /// Shut out by the directory the account comes from.
        LdapBlocked = "ldap_blocked",
        /// Dormant; signing in by browser wakes it.
        Deactivated = "deactivated",
        /// Shut out and hidden.
        Banned = "banned",
    }
}

impl UserState {
    /// Why such a user has no access, for the caller to read.
    pub fn refusal(self) -> Option<&'static str> {
        match self {
            UserState::Active => None,
            UserState::Blocked | UserState::LdapBlocked | UserState::Banned => {
                Some("Your account has been blocked.")
            }
            UserState::BlockedPendingApproval => {
                Some("Your request to join is pending approval from an administrator.")
            }
            UserState::Deactivated => Some(
                "Your account has been deactivated. Sign in with a browser to activate it again.",
            ),
        }
    }
}

/// Why a user with an expired password may not act.
pub const PASSWORD_EXPIRED: &str =
    "Your password expired. Sign in with a browser to choose a new one.";

/// A user, as every request needs it; see [`Profile`] for the rest.
#[derive(Debug, Clone, FromRow)]
#[columns("users")]
pub struct User {
    pub id: UserId,
    /// Login and path of the own namespace; unique without regard to case.
    pub username: String,
    pub name: String,
    /// Primary e-mail; unique without regard to case.
    pub email: String,
    /// E-mail shown to everyone.
    pub public_email: Words,
    pub kind: UserKind,
    pub state: UserState,
    pub is_admin: bool,
    /// External users see only what they are members of.
    pub is_external: bool,
    /// Hides activity and followers; `None` is the instance's default.
    pub is_private: Option<bool>,
    /// The password must be changed before anything else.
    pub password_expired: bool,
    /// Locked by failed sign-ins until then.
    pub locked_until: Option<Timestamp>,
    /// When the primary e-mail was confirmed.
    pub confirmed_at: Option<Timestamp>,
    pub avatar_key: Option<String>,
    /// Most projects the own namespace may hold.
    pub projects_limit: i64,
    /// May create groups at the top level.
    pub can_create_group: bool,
    /// What they chose for the pages they see.
    pub page_theme: Theme,
    pub page_density: Density,
    pub first_day_of_week: FirstDay,
    /// IANA name; none for what the browser says.
    pub time_zone: Option<String>,
    /// Which of their tokens for feeds counts.
    pub feed_token_number: i64,
    pub last_activity_on: Option<Date>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl User {
    pub fn preferences(&self) -> Preferences {
        Preferences {
            theme: self.page_theme,
            density: self.page_density,
            first_day: self.first_day_of_week,
            time_zone: self.time_zone.clone(),
        }
    }

    pub fn is_locked(&self, now: Timestamp) -> bool {
        self.locked_until.is_some_and(|until| until > now)
    }

    pub fn is_human(&self) -> bool {
        self.kind == UserKind::Human
    }

    /// Whether things can be given to them to do: they act, and are no stand-in.
    pub fn is_at_work(&self) -> bool {
        self.state == UserState::Active && !self.kind.stands_in()
    }

    /// Why the user may not act through the API; `None` when it may.
    pub fn refusal(&self) -> Option<&'static str> {
        if self.kind.is_internal() || self.kind == UserKind::Leaving {
            return Some("This is an internal user and cannot use the API.");
        }
        self.state.refusal().or(self.password_expired.then_some(PASSWORD_EXPIRED))
    }
}

choices! {
    /// What an access token stands for.
    pub enum TokenKind {
        Personal = "personal",
        Project = "project",
        Group = "group",
        /// A user, in an administrator's hand.
        Impersonation = "impersonation",
    }
}

/// An access token; the text itself is known only when it is made.
#[derive(Debug, Clone, FromRow)]
#[columns("access_tokens")]
pub struct AccessToken {
    pub id: i64,
    pub kind: TokenKind,
    pub user_id: UserId,
    /// `Project` or `Group` for bots' tokens.
    pub source_type: Option<String>,
    pub source_id: Option<i64>,
    /// Role of the bot there.
    pub access_level: Option<i64>,
    pub name: String,
    /// For people, at most 255 characters.
    pub description: Option<String>,
    /// Space-separated.
    pub scopes: String,
    /// First token of the rotation chain; `None` is the token itself.
    pub family_id: Option<i64>,
    pub revoked: bool,
    /// Ends at 00:00 UTC of this day.
    pub expires_at: Option<Date>,
    /// Last use, exact to ten minutes.
    pub last_used_at: Option<Timestamp>,
    /// Where it was last used from, newest first, at most five.
    pub last_used_ips: Option<store::Json<Vec<String>>>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl AccessToken {
    pub fn family(&self) -> i64 {
        self.family_id.unwrap_or(self.id)
    }

    /// Whether its day has come.
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|day| kernel::time::start_of(day) <= now)
    }

    /// Whether it opens anything at `now`.
    pub fn is_active(&self, now: Timestamp) -> bool {
        !self.revoked && !self.is_expired(now)
    }

    pub fn scopes(&self) -> Vec<String> {
        self.scopes.split_whitespace().map(str::to_owned).collect()
    }

    pub fn has_scope(&self, scope: &str) -> bool {
        self.scopes.split_whitespace().any(|one| one == scope)
    }
}

/// Longest username and name, in characters.
pub const MAX_NAME: usize = 255;
/// Longest e-mail address, in characters (RFC 5321 section 4.5.3.1.3).
pub const MAX_EMAIL: usize = 254;

/// Why a username cannot be used: letters, digits, `_`, `-` and `.`, starting
/// with a letter or digit, not ending in `-`, `.`, `.git` or `.atom`, so that
/// it can stand in a path.
pub fn username_problem(username: &str) -> Option<&'static str> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let lower = username.to_ascii_lowercase();
    if username.is_empty() {
        return Some("can't be blank");
    }
    if username.chars().count() < 2 {
        return Some("is too short (minimum is 2 characters)");
    }
    if username.chars().count() > MAX_NAME {
        return Some("is too long (maximum is 255 characters)");
    }
    let bad_start = matches!(username.chars().next(), Some('-' | '.'));
    let bad_end = [".", "-", ".git", ".atom"].iter().any(|end| lower.ends_with(end));
    if !username.chars().all(allowed) || bad_start || bad_end || username.contains("..") {
        return Some(
            "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or '.', \
             nor end in '-', '.', '.git' or '.atom'.",
        );
    }
    if username.bytes().all(|b| b.is_ascii_digit()) {
        return Some("cannot consist of digits only: digits are ids in paths");
    }
    RESERVED.contains(&lower.as_str()).then_some("is a reserved name")
}

/// First parts of paths that mean something else.
const RESERVED: &[&str] = &[
    "-",
    "admin",
    "api",
    "assets",
    "dashboard",
    "explore",
    "favicon.ico",
    "files",
    "groups",
    "help",
    "import",
    "invites",
    "jwt",
    "login",
    "new",
    "notes",
    "oauth",
    "profile",
    "projects",
    "public",
    "robots.txt",
    "s",
    "search",
    "sitemap",
    "snippets",
    "system",
    "unsubscribes",
    "uploads",
    "users",
    "v2",
];

/// Why an e-mail address cannot be used. Deliberately loose: only mail itself
/// proves an address.
pub fn email_problem(email: &str) -> Option<&'static str> {
    if email.is_empty() {
        return Some("can't be blank");
    }
    if email.chars().count() > MAX_EMAIL {
        return Some("is too long (maximum is 254 characters)");
    }
    let bad = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '<' | '>' | ',' | ';');
    let parts: Vec<&str> = email.split('@').collect();
    let shaped = matches!(parts.as_slice(), [local, domain]
        if !local.is_empty() && !domain.is_empty() && !domain.starts_with('.')
            && !domain.ends_with('.'));
    (!shaped || email.contains(bad)).then_some("is invalid")
}

/// Why a display name cannot be used.
pub fn name_problem(name: &str) -> Option<&'static str> {
    if name.trim().is_empty() {
        return Some("can't be blank");
    }
    if name.chars().any(char::is_control) {
        return Some("cannot contain control characters");
    }
    (name.chars().count() > MAX_NAME).then_some("is too long (maximum is 255 characters)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usernames_can_stand_in_a_path() {
        for good in ["jane", "a.b-c_d", "9lives", "J2"] {
            assert_eq!(username_problem(good), None, "{good}");
        }
        let long = "a".repeat(256);
        for bad in [
            "",
            "a",
            "-jane",
            ".jane",
            "jane.",
            "jane-",
            "jane.git",
            "jane.ATOM",
            "a/b",
            "a b",
            "a%2Fb",
            "jané",
            "admin",
            "Admin",
            "12",
            "a..b",
            "<b>x</b>",
            "x\r\ny",
            &long,
        ] {
            assert!(username_problem(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn addresses_cannot_inject_headers() {
        assert_eq!(email_problem("jane@example.com"), None);
        for bad in ["", "jane", "@x", "x@", "a@b@c", "a@b\r\nBcc: c@d", "a <a@b>", "a@.b", "a@b."] {
            assert!(email_problem(bad).is_some(), "{bad}");
        }
    }
}
