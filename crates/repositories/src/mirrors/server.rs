//! The server that a mirror is at: how it is reached, and what proves to it who asks.

use super::address::{Address, Credentials, is_same_server};
use super::keys;
use super::model::AuthMethod;
use ::store::{FromRow, Json, Tx};
use identity::Caller;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::ids::Reference;
use kernel::secrets::Secrets;
use spaces::access::{self, Purpose};
use spaces::model::Project;
use url::Url;

/// What is sealed is bound to what it is.
pub struct Seals {
    pub credentials: &'static str,
    pub key: &'static str,
}

/// A server, as the row of a mirror has it.
#[derive(Debug, Clone, FromRow)]
#[columns("mirrors")]
pub struct Server {
    /// Without what proves who asks.
    #[column("url")]
    pub url: String,
    /// As people see it, that masked.
    #[column("shown_url")]
    pub shown_url: String,
    #[column("sealed_credentials")]
    pub sealed_credentials: Option<String>,
    #[column("auth_method")]
    pub auth_method: AuthMethod,
    #[column("sealed_key")]
    pub sealed_key: Option<String>,
    /// What the server has to let in, as one line.
    #[column("public_key")]
    pub public_key: Option<String>,
    /// What it is known by over SSH: type and key, a line each.
    #[column("host_keys")]
    pub host_keys: Json<Vec<String>>,
}

/// Refuses an address that git may not go to, as far as can be told without: each time that
/// it does it is asked again.
pub async fn check_address(app: &App, url: Option<&str>, schemes: &[&str]) -> Result<()> {
    let Some(url) = url else { return Ok(()) };
    let address = Address::read(url, schemes)?;
    match app.outbound().await?.addresses(&address.url).await {
        Err(fault) if !fault.may_pass() => {
            Err(Error::invalid("url", format!("is blocked: {fault}")))
        }
        _ => Ok(()),
    }
}

/// The same, for those alone who may set one of a project: others learn nothing of addresses.
pub async fn check_address_for(
    by: &Caller, project: &Reference, url: Option<&str>, schemes: &[&str],
) -> Result<()> {
    let (asked, id) = (by.clone(), project.clone());
    asked.read(move |tx, by| project_of(tx, by, &id).map(drop)).await?;
    check_address(&by.app, url, schemes).await
}

/// The project, for who may set mirrors of it.
fn project_of(tx: &mut Tx<'_>, by: &Caller, id: &Reference) -> Result<Project> {
    access::project(tx, &by.viewer, id, Purpose::Update)
}

impl Server {
    /// One that is nowhere yet.
    pub fn blank() -> Server {
        Server {
            url: String::new(),
            shown_url: String::new(),
            sealed_credentials: None,
            auth_method: AuthMethod::Password,
            sealed_key: None,
            public_key: None,
            host_keys: Json(Vec::new()),
        }
    }

    pub fn is_ssh(&self) -> bool {
        self.url.starts_with("ssh://")
    }

    /// Gives it another address. What proves who asks, and what the server is known by, is
    /// for the server it was given for.
    pub fn place(&mut self, secrets: &Secrets, seals: &Seals, address: Address) -> Result<()> {
        let is_same = Url::parse(&self.url).is_ok_and(|url| is_same_server(&url, &address.url));
        self.sealed_credentials = match address.credentials {
            Credentials::None => None,
            Credentials::Given(it) => Some(secrets.seal(seals.credentials, it.expose().as_bytes())),
            Credentials::AsTheyAre if is_same && self.sealed_credentials.is_some() => {
                self.sealed_credentials.take()
            }
            Credentials::AsTheyAre => {
                let text = "needs its user name and password again";
                return Err(Error::invalid("url", text));
            }
        };
        if !is_same {
            self.host_keys = Json(Vec::new());
        }
        self.url = address.url.into();
        self.shown_url = address.shown;
        Ok(())
    }

    /// The user name and the password that are stored.
    pub fn credentials(
        &self, secrets: &Secrets, seals: &Seals,
    ) -> Result<Option<(String, String)>> {
        let Some(sealed) = &self.sealed_credentials else {
            return Ok(None);
        };
        let plain = secrets.unseal(seals.credentials, sealed)?;
        let plain = String::from_utf8_lossy(&plain).into_owned();
        let (user, password) = plain.split_once(':').unwrap_or((plain.as_str(), ""));
        Ok(Some((user.to_owned(), password.to_owned())))
    }

    /// What people compare the keys by that it is known by.
    pub fn fingerprints(&self) -> Vec<String> {
        self.host_keys.0.iter().filter_map(|key| keys::fingerprint(key)).collect()
    }

    /// Makes its key if it needs one, and refuses what cannot prove anything there.
    pub fn authenticate(&mut self, secrets: &Secrets, seals: &Seals) -> Result<()> {
        match (self.auth_method, self.is_ssh()) {
            (AuthMethod::Password, true) => {
                let text = "must be ssh_public_key for an ssh:// address";
                Err(Error::invalid("auth_method", text))
            }
            (AuthMethod::SshPublicKey, false) => {
                let text = "must be password unless the address is ssh://";
                Err(Error::invalid("auth_method", text))
            }
            (AuthMethod::SshPublicKey, true) if self.sealed_key.is_none() => {
                let (file, public) = keys::make()?;
                self.sealed_key = Some(secrets.seal(seals.key, file.as_bytes()));
                self.public_key = Some(public);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Forgets what proves who asks.
    pub fn forget_secrets(&mut self) {
        self.sealed_credentials = None;
        self.sealed_key = None;
        self.public_key = None;
        self.shown_url.clone_from(&self.url);
    }
}
