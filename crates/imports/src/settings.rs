//! What administrators and the operator say of imports: which there are, and where the public
//! providers are.

use crate::run::SourceName;
use kernel::error::{Error, Result};
use kernel::settings;
use std::sync::{PoisonError, RwLock};
use store::Tx;
use url::Url;

/// What stands for imports of repositories by their address.
pub const GIT: &str = "git";

kernel::setting! {
    /// What projects may be imported from.
    pub struct ImportSources = "imports.sources" {
        pub sources: Vec<String> = words().map(str::to_owned).collect(),
    }
}

identity::settings_part! {
    ImportSources {
        /// What projects may be imported from: `provider_a`, `provider_b_server`,
        /// `provider_b_cloud`, `git`, `project_file`.
        import_sources: Vec<String> => sources,
    } sealed {}
}

/// Everything that projects may be imported from.
fn words() -> impl Iterator<Item = &'static str> {
    SourceName::ALL.iter().map(|source| source.as_str()).chain([GIT])
}

impl ImportSources {
    fn validate(&self) -> Result<()> {
        let unknown = self.sources.iter().find(|word| !words().any(|known| known == *word));
        match unknown {
            None => Ok(()),
            Some(word) => {
                let text = format!("has {word}, which nothing is imported from");
                Err(Error::invalid("import_sources", text))
            }
        }
    }
}

/// Whether projects may be imported from this.
pub fn is_on(tx: &mut Tx<'_>, source: SourceName) -> Result<bool> {
    has(tx, source.as_str())
}

/// Whether projects may begin with a repository at some address.
pub fn has_git(tx: &mut Tx<'_>) -> Result<bool> {
    has(tx, GIT)
}

fn has(tx: &mut Tx<'_>, word: &str) -> Result<bool> {
    let stored: ImportSources = settings::read(tx)?;
    Ok(stored.sources.iter().any(|source| source == word))
}

/// Refuses a source that administrators switched off.
pub fn need(tx: &mut Tx<'_>, source: SourceName) -> Result<()> {
    match is_on(tx, source)? {
        true => Ok(()),
        false => Err(Error::forbidden(format!("{source} import source is disabled"))),
    }
}

/// Where the public providers are, without slashes at the end: their interfaces, and where
/// git finds their repositories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addresses {
    pub provider_a_api: String,
    pub provider_a_git: String,
    pub provider_b_cloud_api: String,
    pub provider_b_cloud_git: String,
}

impl Default for Addresses {
    fn default() -> Addresses {
        Addresses {
            provider_a_api: "https://api.github.com".into(),
            provider_a_git: "https://github.com".into(),
            provider_b_cloud_api: "https://api.bitbucket.org/2.0".into(),
            provider_b_cloud_git: "https://bitbucket.org".into(),
        }
    }
}

impl Addresses {
    /// The usual ones, but for those that the operator says, in this order: interface and
    /// repositories of provider A, and of the cloud of provider B.
    ///
    /// # Errors
    ///
    /// A sentence about the first that is no address of a web server.
    pub fn said(given: [Option<String>; 4]) -> std::result::Result<Addresses, String> {
        let mut said = Addresses::default();
        let places = [
            ("provider_a_api_url", &mut said.provider_a_api),
            ("provider_a_git_url", &mut said.provider_a_git),
            ("provider_b_cloud_api_url", &mut said.provider_b_cloud_api),
            ("provider_b_cloud_git_url", &mut said.provider_b_cloud_git),
        ];
        for ((name, place), given) in places.into_iter().zip(given) {
            let Some(given) = given else {
                continue;
            };
            let bare = given.trim_end_matches('/');
            if !is_plain(bare) {
                return Err(format!("{name} is {given:?}; write http://HOST or https://HOST/PATH"));
            }
            bare.clone_into(place);
        }
        Ok(said)
    }
}

/// Whether it is the address of a web server, and nothing besides.
fn is_plain(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| {
        let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
        let has_user = !url.username().is_empty() || url.password().is_some();
        is_web && !has_user && url.query().is_none() && url.fragment().is_none()
    })
}

/// The same as the operator said, plugged into the store, and said as the program starts.
#[derive(Debug, Default)]
pub struct Providers(RwLock<Addresses>);

impl Providers {
    /// Says it.
    pub fn say(&self, addresses: Addresses) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = addresses;
    }

    /// Where they are.
    pub fn get(&self) -> Addresses {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_are_where_the_operator_says() {
        let api = |url: &str| Addresses::said([Some(url.to_owned()), None, None, None]);
        let said = api("http://127.0.0.1:8080/api/").expect("an address");
        assert_eq!(said.provider_a_api, "http://127.0.0.1:8080/api");
        assert_eq!(said.provider_a_git, Addresses::default().provider_a_git);
        for wrong in ["x", "ftp://a.example", "https://me:secret@a.example", "https://a.example?b"]
        {
            assert!(api(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn all_sources_are_on_until_somebody_says_otherwise() {
        let usual = ImportSources::default();
        assert!(usual.validate().is_ok());
        let all = ["provider_a", "provider_b_server", "provider_b_cloud", "project_file", "git"];
        assert_eq!(usual.sources, all);
        assert!(ImportSources { sources: Vec::new() }.validate().is_ok());
        assert!(ImportSources { sources: vec!["svn".into()] }.validate().is_err());
    }
}
