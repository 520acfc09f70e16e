//! Who asks: resolved once per request by [`crate::gate`], used everywhere.

use crate::author::Author;
use crate::model::{TokenKind, User, UserId};
use crate::standing::{AdminMode, TwoFactorRequirement};
use kernel::error::{Error, Result};
use kernel::html::{Flash, PageViewer};
use kernel::http::routes::Surface;
use kernel::http::{Call, FromCall};
use kernel::time::Timestamp;
use std::sync::Arc;

#[derive(Debug, Clone, Default)]
pub enum Viewer {
    /// No credentials were sent.
    #[default]
    Anonymous,
    /// A user, by session or token.
    User(Arc<SignedIn>),
    /// A deploy token, on routes of registries only.
    Deploy(Arc<DeployViewer>),
}

/// A user with what they came in by.
#[derive(Debug, Clone)]
pub struct SignedIn {
    /// Who acts; with sudo, on whose behalf.
    pub user: User,
    pub credential: Credential,
    /// Scopes of the token; empty for sessions, which may do everything.
    pub scopes: Vec<String>,
    /// For bots' tokens, the one project or group they may enter.
    pub bot_source: Option<(SourceType, i64)>,
    /// The administrator who acts as `user`, under sudo.
    pub sudo_by: Option<UserId>,
    /// The client's address, for audit records.
    pub ip_address: String,
    /// What the last form did, for the page it leads to.
    pub flash: Option<Flash>,
    /// To-dos that are pending, for the header of pages; nothing for tokens.
    pub todos: u64,
    /// When the session last proved that it is still the same person; none
    /// for tokens.
    pub proved_at: Option<Timestamp>,
    /// Whether a second factor is asked of them; nothing for tokens.
    pub duty: TwoFactorRequirement,
    /// Whether an administrator has their rights: without them `user` is no
    /// administrator.
    pub admin_mode: AdminMode,
}

/// What a user came in by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credential {
    Session {
        id: i64,
    },
    Token {
        id: i64,
        kind: TokenKind,
        family: i64,
    },
    /// A token of an application.
    OAuth {
        family: i64,
        /// The application, if it has a name.
        application: Option<i64>,
    },
    /// The token of feeds.
    Feed,
    /// The token of a pipeline's job, of a project, while the job runs.
    Job {
        id: i64,
        project: i64,
    },
    /// Nobody asks: a job writes down what they may see.
    None,
}

impl Credential {
    pub fn token_id(&self) -> Option<i64> {
        match self {
            Credential::Token { id, .. } => Some(*id),
            Credential::Session { .. }
            | Credential::OAuth { .. }
            | Credential::Feed
            | Credential::Job { .. }
            | Credential::None => None,
        }
    }
}

/// What a token or member belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SourceType {
    Project,
    Group,
}

impl SourceType {
    /// As it stands in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            SourceType::Project => "Project",
            SourceType::Group => "Group",
        }
    }

    pub fn from_text(text: &str) -> Option<SourceType> {
        match text {
            "Project" => Some(SourceType::Project),
            "Group" => Some(SourceType::Group),
            _ => None,
        }
    }
}

#[derive(Debug, Clone)]
pub struct DeployViewer {
    pub id: i64,
    pub username: String,
    /// `Project` or `Group`.
    pub source_type: String,
    pub source_id: i64,
    pub scopes: Vec<String>,
}

impl Viewer {
    /// A user to whom a job writes: what they may see, and nothing that they do.
    pub fn addressed(user: User) -> Viewer {
        Viewer::User(Arc::new(SignedIn::by(user, Credential::None, String::new())))
    }

    /// A user who proved who they are by other means than a token, with scopes that
    /// tokens have.
    pub fn by_key(user: User, scopes: &[&str], address: String) -> Viewer {
        Viewer::User(Arc::new(SignedIn {
            scopes: scopes.iter().map(|scope| (*scope).to_owned()).collect(),
            ..SignedIn::by(user, Credential::None, address)
        }))
    }

    pub fn user_id(&self) -> Option<i64> {
        self.user().map(|user| user.id)
    }

    /// The job of a pipeline that asks, and its project: it may do what its user may there,
    /// and in projects that let it in.
    pub fn job(&self) -> Option<(i64, i64)> {
        match self {
            Viewer::User(signed_in) => signed_in.job(),
            _ => None,
        }
    }

    /// Who answers for what is done: under sudo the administrator.
    pub fn author_id(&self) -> Option<i64> {
        match self {
            Viewer::User(signed_in) => Some(signed_in.sudo_by.unwrap_or(signed_in.user.id)),
            _ => None,
        }
    }

    pub fn user(&self) -> Option<&User> {
        match self {
            Viewer::User(signed_in) => Some(&signed_in.user),
            _ => None,
        }
    }

    pub fn is_admin(&self) -> bool {
        self.user().is_some_and(|user| user.is_admin)
    }

    /// The user with their credential, or 401.
    pub fn signed_in(&self) -> Result<&SignedIn> {
        match self {
            Viewer::User(signed_in) => Ok(signed_in),
            _ => Err(Error::Unauthenticated),
        }
    }

    /// The user in a browser session, and which it is.
    pub fn in_session(&self) -> Option<(&Arc<SignedIn>, i64)> {
        match self {
            Viewer::User(signed_in) => Some((signed_in, signed_in.session_id()?)),
            _ => None,
        }
    }

    /// The administrator, or 401 or 403.
    pub fn admin(&self) -> Result<&SignedIn> {
        let signed_in = self.signed_in()?;
        if !signed_in.user.is_admin {
            return Err(Error::forbidden(""));
        }
        Ok(signed_in)
    }

    /// The client's address, for audit records.
    pub fn ip_address(&self) -> Option<String> {
        match self {
            Viewer::User(signed_in) => Some(signed_in.ip_address.clone()),
            _ => None,
        }
    }
}

impl From<&SignedIn> for Author {
    /// Under sudo, the administrator is the author.
    fn from(signed_in: &SignedIn) -> Author {
        let id = signed_in.sudo_by.unwrap_or(signed_in.user.id);
        Author::at(id, &signed_in.ip_address)
    }
}

impl From<&Viewer> for Author {
    fn from(viewer: &Viewer) -> Author {
        match viewer {
            Viewer::User(signed_in) => Author::from(signed_in.as_ref()),
            Viewer::Deploy(deploy) => Author { deploy_token: Some(deploy.id), ..Author::default() },
            _ => Author::default(),
        }
    }
}

impl SignedIn {
    /// A user by this credential: no more is known of them yet.
    pub(crate) fn by(user: User, credential: Credential, ip_address: String) -> SignedIn {
        SignedIn {
            user,
            credential,
            scopes: Vec::new(),
            bot_source: None,
            sudo_by: None,
            ip_address,
            flash: None,
            todos: 0,
            proved_at: None,
            duty: TwoFactorRequirement::None,
            admin_mode: AdminMode::NotNeeded,
        }
    }

    /// The browser session that asks, if one does.
    pub fn session_id(&self) -> Option<i64> {
        match self.credential {
            Credential::Session { id } => Some(id),
            Credential::Token { .. }
            | Credential::OAuth { .. }
            | Credential::Feed
            | Credential::Job { .. }
            | Credential::None => None,
        }
    }

    /// The job that asks and its project, if one does.
    pub fn job(&self) -> Option<(i64, i64)> {
        match self.credential {
            Credential::Job { id, project } => Some((id, project)),
            _ => None,
        }
    }

    pub fn is_session(&self) -> bool {
        self.session_id().is_some()
    }

    /// As the layout of pages shows them to themselves.
    pub fn as_seen(&self) -> PageViewer {
        let user = &self.user;
        let viewer = PageViewer::new(&user.username, &user.name, user.is_admin);
        PageViewer { todos: self.todos, ..viewer.who_wants(user.preferences()) }
    }

    /// Whether they are an administrator, with or without their rights now.
    pub fn may_be_admin(&self) -> bool {
        self.user.is_admin || self.admin_mode == AdminMode::Off
    }

    pub fn token_id(&self) -> Option<i64> {
        self.credential.token_id()
    }

    /// Whether the credential was given this scope; sessions have all.
    pub fn has_scope(&self, scope: &str) -> bool {
        self.is_session() || self.scopes.iter().any(|one| one == scope)
    }
}

impl FromCall for Viewer {
    async fn from_call(call: &mut Call) -> Result<Self> {
        Ok(call.extensions.get::<Viewer>().cloned().unwrap_or_default())
    }
}

/// A signed-in user; anyone else is refused with 401.
#[derive(Debug, Clone)]
pub struct SignedInViewer(pub Arc<SignedIn>);

impl SignedInViewer {
    /// As the viewer that access rules take.
    pub fn viewer(&self) -> Viewer {
        Viewer::User(self.0.clone())
    }

    pub fn author(&self) -> Author {
        Author::from(self.0.as_ref())
    }
}

impl FromCall for SignedInViewer {
    async fn from_call(call: &mut Call) -> Result<Self> {
        match Viewer::from_call(call).await? {
            Viewer::User(signed_in) => Ok(SignedInViewer(signed_in)),
            _ => Err(Error::Unauthenticated),
        }
    }
}

/// An administrator; others are refused with 401 or 403.
#[derive(Debug, Clone)]
pub struct Admin(pub Arc<SignedIn>);

impl Admin {
    /// As the viewer that access rules take.
    pub fn viewer(&self) -> Viewer {
        Viewer::User(self.0.clone())
    }

    pub fn author(&self) -> Author {
        Author::from(self.0.as_ref())
    }
}

impl FromCall for Admin {
    async fn from_call(call: &mut Call) -> Result<Self> {
        let SignedInViewer(signed_in) = SignedInViewer::from_call(call).await?;
        if call.route.surface == Surface::Page && signed_in.admin_mode == AdminMode::Off {
            return Err(Error::SeeOther(AdminMode::PAGE.into()));
        }
        if !signed_in.user.is_admin {
            return Err(Error::forbidden(""));
        }
        Ok(Admin(signed_in))
    }
}
