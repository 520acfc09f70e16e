//! Users as JSON, keys in wire order (docs/interface/identity.md 5.1).

use crate::model::{AccessToken, Profile, ProfileTexts, TokenKind, User, UserState, Words};
pub use crate::store::users::load_basic;
use kernel::app::App;
use kernel::secrets::Secret;
use kernel::time::{Timestamp, wire};
use schemars::JsonSchema;
use serde::Serialize;

/// A user in lists and beside what they wrote.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct UserBasic {
    /// Id.
    pub id: i64,
    /// Login.
    pub username: String,
    /// E-mail shown to everyone.
    pub public_email: Words,
    /// Display name.
    pub name: String,
    /// `active`, `blocked`, …
    pub state: String,
    /// Locked by failed sign-ins.
    pub locked: bool,
    /// Picture, if there is one.
    pub avatar_url: Option<String>,
    /// Page of the user.
    pub web_url: String,
}

pub fn basic(app: &App, user: &User) -> UserBasic {
    UserBasic {
        id: user.id,
        username: user.username.clone(),
        public_email: user.public_email.clone(),
        name: user.name.clone(),
        state: user.state.as_str().to_owned(),
        locked: user.is_locked(app.now()),
        avatar_url: crate::users::avatar_url(app, user),
        web_url: app.url(&format!("/{}", user.username)),
    }
}

/// A user's own page.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct UserEntity {
    /// The basic keys.
    #[serde(flatten)]
    pub basic: UserBasic,
    /// When the account was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// What they tell.
    #[serde(flatten)]
    pub texts: ProfileTexts,
    /// Whether the program made the account.
    pub bot: bool,
    /// Job and employer in one line.
    pub work_information: Option<String>,
    /// How many follow them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub followers: Option<i64>,
    /// How many they follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub following: Option<i64>,
    /// Whether the caller follows them.
    pub is_followed: bool,
    /// Their time of day; users have no time zone here.
    pub local_time: Option<String>,
    /// What only they and administrators see.
    #[serde(flatten)]
    pub own: Option<OwnPart>,
    /// What only administrators see.
    #[serde(flatten)]
    pub admin: Option<AdminPart>,
}

/// What users see of themselves besides.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct OwnPart {
    /// Primary e-mail.
    pub email: String,
    /// Sign-in before the present one.
    pub last_sign_in_at: Option<String>,
    /// When the e-mail was confirmed.
    pub confirmed_at: Option<String>,
    /// Last day with any activity.
    pub last_activity_on: Option<String>,
    /// Colour scheme of the pages.
    pub theme_id: i64,
    /// Colour scheme of code.
    pub color_scheme_id: i64,
    /// Projects the own namespace may hold.
    pub projects_limit: i64,
    /// The present sign-in.
    pub current_sign_in_at: Option<String>,
    /// Accounts at sign-in providers.
    pub identities: Vec<IdentityEntity>,
    /// May create groups.
    pub can_create_group: bool,
    /// May create projects.
    pub can_create_project: bool,
    /// Whether a second factor is asked for.
    pub two_factor_enabled: bool,
    /// Sees only what they are members of.
    pub external: bool,
    /// Hides activity and followers.
    pub private_profile: bool,
    /// E-mail used in commits made in the browser.
    pub commit_email: String,
}

/// An account at a sign-in provider.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct IdentityEntity {
    /// The provider.
    pub provider: String,
    /// The account there.
    pub extern_uid: String,
}

/// What administrators see besides.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AdminPart {
    /// Whether it is an administrator.
    pub is_admin: bool,
    /// For administrators.
    pub note: Option<String>,
    /// Where the present sign-in came from.
    pub current_sign_in_ip: Option<String>,
    /// Where the one before came from.
    pub last_sign_in_ip: Option<String>,
    /// Sign-ins so far.
    pub sign_in_count: i64,
    /// The own namespace.
    pub namespace_id: Option<i64>,
    /// Who made the account.
    pub created_by: Option<UserBasic>,
    /// When a reset mail was offered; not kept.
    pub email_reset_offered_at: Option<String>,
}

/// All about a user that an entity may show.
#[derive(Debug, Clone)]
pub struct Whole {
    pub user: User,
    pub profile: Profile,
    pub followers: i64,
    pub following: i64,
    pub is_followed: bool,
    pub namespace_id: Option<i64>,
    pub created_by: Option<User>,
    /// Whether the profile is hidden from strangers.
    pub is_private: bool,
    /// Whether sign-in asks for a second factor.
    pub two_factor: bool,
}

/// How much of a user is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub enum Detail {
    /// To anyone who may see the user, but a private profile's numbers.
    Hidden,
    /// To anyone who may see the user.
    Public,
    Own,
    Admin,
}

pub fn entity(app: &App, whole: &Whole, detail: Detail) -> UserEntity {
    let (user, profile) = (&whole.user, &whole.profile);
    let shown = detail != Detail::Hidden;
    UserEntity {
        basic: basic(app, user),
        created_at: shown.then(|| wire::text(user.created_at)),
        texts: profile.texts.clone(),
        bot: user.kind.is_bot(),
        work_information: profile.texts.work(),
        followers: shown.then_some(whole.followers),
        following: shown.then_some(whole.following),
        is_followed: whole.is_followed,
        local_time: None,
        own: (detail >= Detail::Own).then(|| own(whole)),
        admin: (detail == Detail::Admin).then(|| admin(app, whole)),
    }
}

fn own(whole: &Whole) -> OwnPart {
    let (user, profile) = (&whole.user, &whole.profile);
    OwnPart {
        email: user.email.clone(),
        last_sign_in_at: time(profile.last_sign_in_at),
        confirmed_at: time(user.confirmed_at),
        last_activity_on: user.last_activity_on.map(|day| day.to_string()),
        theme_id: profile.theme_id,
        color_scheme_id: profile.color_scheme_id,
        projects_limit: user.projects_limit,
        current_sign_in_at: time(profile.current_sign_in_at),
        identities: Vec::new(),
        can_create_group: user.can_create_group,
        can_create_project: user.projects_limit > 0 && user.state == UserState::Active,
        two_factor_enabled: whole.two_factor,
        external: user.is_external,
        private_profile: whole.is_private,
        commit_email: profile.commit_email.clone().unwrap_or_else(|| user.email.clone()),
    }
}

fn admin(app: &App, whole: &Whole) -> AdminPart {
    let profile = &whole.profile;
    AdminPart {
        is_admin: whole.user.is_admin,
        note: profile.note.clone(),
        current_sign_in_ip: profile.current_sign_in_ip.clone(),
        last_sign_in_ip: profile.last_sign_in_ip.clone(),
        sign_in_count: profile.sign_in_count,
        namespace_id: whole.namespace_id,
        created_by: whole.created_by.as_ref().map(|user| basic(app, user)),
        email_reset_offered_at: None,
    }
}

fn time(at: Option<Timestamp>) -> Option<String> {
    at.map(wire::text)
}

/// An access token; its text only when it was just made.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TokenEntity {
    /// Id.
    pub id: i64,
    /// For people.
    pub name: String,
    /// Ended before its time.
    pub revoked: bool,
    /// When it was made.
    pub created_at: String,
    /// For people.
    pub description: Option<String>,
    /// What it allows.
    pub scopes: Vec<String>,
    /// Who acts with it.
    pub user_id: i64,
    /// Last use, exact to ten minutes.
    pub last_used_at: Option<String>,
    /// Where it was last used from.
    pub last_used_ips: Vec<String>,
    /// Whether it opens anything now.
    pub active: bool,
    /// Ends at 00:00 UTC of this day.
    pub expires_at: Option<String>,
    /// Role of a project's or group's bot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_level: Option<i64>,
    /// Set on impersonation tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub impersonation: Option<bool>,
    /// The text, once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

pub fn token(token: &AccessToken, now: Timestamp, secret: Option<&Secret>) -> TokenEntity {
    let ips = token.last_used_ips.as_ref().map(|ips| ips.0.clone());
    TokenEntity {
        id: token.id,
        name: token.name.clone(),
        revoked: token.revoked,
        created_at: wire::text(token.created_at),
        description: token.description.clone(),
        scopes: token.scopes(),
        user_id: token.user_id,
        last_used_at: time(token.last_used_at),
        last_used_ips: ips.unwrap_or_default(),
        active: token.is_active(now),
        expires_at: token.expires_at.map(|day| day.to_string()),
        access_level: token.access_level,
        impersonation: (token.kind == TokenKind::Impersonation).then_some(true),
        token: secret.map(|secret| secret.expose().to_owned()),
    }
}
