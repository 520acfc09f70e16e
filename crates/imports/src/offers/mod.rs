//! What an account elsewhere offers: the repositories that it reads, in pages, to choose from.

mod provider_a;
mod provider_b_cloud;
mod provider_b_server;

use crate::run::{Credentials, SourceName};
use crate::upstream::{Auth, Client, Failed};
use kernel::app::App;
use kernel::secrets::Secret;
use serde::{Deserialize, Serialize};

/// Repositories of a page.
const PER_PAGE: usize = 50;
/// Pages that are walked through.
pub const MOST_PAGES: usize = 100;
/// Pages of an upstream list that are searched.
const SEARCHED_PAGES: usize = 10;

/// Who is asked, and as whom.
#[derive(Clone, Serialize, Deserialize)]
pub struct Account {
    pub source: Provider,
    /// The server, as somebody named it; the public one without.
    pub address: Option<String>,
    /// Where its interface is.
    pub base: String,
    /// The workspace whose repositories are meant; all without one.
    pub workspace: Option<String>,
    pub credentials: Credentials,
}

kernel::choices! {
    /// What has accounts.
    #[derive(serde::Deserialize)]
    pub enum Provider as "ImportProvider" {
        #[serde(rename = "provider_a")]
        A = "provider_a",
        #[serde(rename = "provider_b_server")]
        BServer = "provider_b_server",
        #[serde(rename = "provider_b_cloud")]
        BCloud = "provider_b_cloud",
    }
}

impl Provider {
    pub const fn source(self) -> SourceName {
        match self {
            Provider::A => SourceName::ProviderA,
            Provider::BServer => SourceName::ProviderBServer,
            Provider::BCloud => SourceName::ProviderBCloud,
        }
    }
}

/// A repository that may be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// What it is asked for by: a number, or a path.
    pub key: String,
    /// What it is called there, as imports name it.
    pub name: String,
    pub about: String,
    pub is_private: bool,
    pub is_archived: bool,
}

/// A page of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Offers {
    pub rows: Vec<Offer>,
    /// There is another page.
    pub has_more: bool,
}

impl Account {
    fn client(&self, app: &App) -> Result<Client, Failed> {
        let secret = Secret::new(self.credentials.secret.as_str());
        let auth = match (self.source, &self.credentials.username) {
            (Provider::A, _) => Auth::Token(secret),
            (_, username) => Auth::Basic {
                username: username.clone().unwrap_or_default(),
                password: secret,
            },
        };
        Client::new(app, &self.base, auth, None)
    }

    /// The page of this number, from 1, of what has this in its name.
    ///
    /// # Errors
    ///
    /// What went wrong there.
    pub async fn offers(&self, app: &App, search: &str, page: usize) -> Result<Offers, Failed> {
        let client = self.client(app)?;
        let page = page.clamp(1, MOST_PAGES);
        match self.source {
            Provider::A => provider_a::list(&client, search, page).await,
            Provider::BServer => provider_b_server::list(&client, search, page).await,
            Provider::BCloud => {
                let workspace = self.workspace.as_deref();
                provider_b_cloud::list(&client, workspace, search, page).await
            }
        }
    }
}

/// The start of a text that is shown below a name.
fn about(text: Option<String>) -> String {
    const LONGEST: usize = 200;
    let text = text.unwrap_or_default();
    let line = text.lines().next().unwrap_or_default().trim();
    line.chars().filter(|c| !c.is_control()).take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_a_repository_is_one_line() {
        assert_eq!(about(None), "");
        assert_eq!(about(Some("Hits\u{7} hard\nand more".into())), "Hits hard");
        assert_eq!(about(Some("ä".repeat(300))).chars().count(), 200);
    }

    #[test]
    fn an_account_is_stored_and_read() {
        let account = Account {
            source: Provider::BServer,
            address: Some("https://code.example".into()),
            base: "https://code.example/rest/api/1.0".into(),
            workspace: None,
            credentials: Credentials { username: Some("ada".into()), secret: "s".into() },
        };
        let text = serde_json::to_string(&account).expect("written");
        let read: Account = serde_json::from_str(&text).expect("read");
        assert_eq!(read.source, Provider::BServer);
        assert_eq!(read.credentials.username.as_deref(), Some("ada"));
    }
}
