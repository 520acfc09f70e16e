//! Sending clients elsewhere for packages that are not here (docs/interface/packages.md 1.8).
//!
//! Off unless an administrator names an address. A name that is published
//! here is never asked for elsewhere, also where the client may not see it:
//! whoever takes that name elsewhere must not get its code installed instead
//! of ours (dependency confusion). «Here» is the whole top-level group of the
//! address; a project of another group keeps nobody from a public package.

use crate::client::Client;
use crate::model::PackageType;
use crate::scope::Prefix;
use crate::store::index;
use http::{HeaderValue, StatusCode, header};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::reply::{self, Response};
use spaces::access::{find_group, find_project};
use store::Tx;

/// Longest address, in bytes.
const MAX_ADDRESS: usize = 2_000;

kernel::setting! {
    /// The registries that clients are sent to; empty for none.
    #[derive(PartialEq)]
    pub struct Forwarding = "package_forwarding" {
        pub npm: String = String::new(),
        pub pypi: String = String::new(),
        pub maven: String = String::new(),
    }
}

identity::settings_part! {
    Forwarding {
        /// Registry that npm clients are sent to for packages that are not here; empty for none.
        npm_package_forwarding_url: String => npm,
        /// Simple index that pip and uv are sent to for packages that are not here; empty for none.
        pypi_package_forwarding_url: String => pypi,
        /// Repository that Maven and Gradle are sent to for packages that are not here; empty for
        /// none.
        maven_package_forwarding_url: String => maven,
    } sealed {}
}

impl Forwarding {
    fn validate(&self) -> Result<()> {
        check("npm_package_forwarding_url", &self.npm)?;
        check("pypi_package_forwarding_url", &self.pypi)?;
        check("maven_package_forwarding_url", &self.maven)
    }

    fn of(&self, package_type: PackageType) -> Option<&str> {
        let address = match package_type {
            PackageType::Npm => &self.npm,
            PackageType::Pypi => &self.pypi,
            PackageType::Maven => &self.maven,
            _ => return None,
        };
        Some(address.trim_end_matches('/')).filter(|address| !address.is_empty())
    }
}

/// Paths are appended, and everybody is shown the address.
fn check(key: &str, address: &str) -> Result<()> {
    let usable = |url: url::Url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none()
    };
    let is_usable = address.len() <= MAX_ADDRESS && url::Url::parse(address).is_ok_and(usable);
    if address.is_empty() || is_usable {
        Ok(())
    } else {
        let text = "must be an http or https URL without user, query and fragment";
        Err(Error::invalid(key, text))
    }
}

/// Where the clients of a format are sent, without a slash at its end.
pub async fn address(app: &App, package_type: PackageType) -> Result<Option<String>> {
    let settings: Forwarding = app.settings().get(app).await?;
    Ok(settings.of(package_type).map(str::to_owned))
}

/// A redirect to `path`, percent-encoded and below the address of the format,
/// for a client that asked for a name it was not shown. Nothing where
/// forwarding is off or the name is published here. Whether the client may ask
/// at its prefix at all, the caller has decided before.
pub async fn elsewhere(
    client: &Client, package_type: PackageType, name: &str, path: &str,
) -> Result<Option<Response>> {
    let Some(address) = address(&client.app, package_type).await? else {
        return Ok(None);
    };
    let (prefix, name) = (client.prefix.clone(), name.to_owned());
    let is_ours = client
        .app
        .read(move |tx| {
            let root = root(tx, &prefix)?;
            index::is_published(tx, root, package_type, &name)
        })
        .await?;
    if is_ours {
        return Ok(None);
    }
    redirect(StatusCode::FOUND, &format!("{address}/{path}")).map(Some)
}

/// A redirect out of this server.
pub fn redirect(status: StatusCode, to: &str) -> Result<Response> {
    let mut response = reply::empty(status);
    let to = HeaderValue::from_str(to).map_err(Error::internal)?;
    response.headers_mut().insert(header::LOCATION, to);
    Ok(response)
}

/// The top-level namespace of a prefix; none for the instance.
fn root(tx: &mut Tx<'_>, prefix: &Prefix) -> Result<Option<i64>> {
    let lineage = match prefix {
        Prefix::Project(reference) => {
            find_project(tx, reference)?.map(|project| project.namespace_lineage)
        }
        Prefix::Group(reference) => find_group(tx, reference)?.map(|group| group.lineage),
        Prefix::Instance | Prefix::Namespace(_) => None,
    };
    Ok(lineage.and_then(|lineage| spaces::model::ids_of(&lineage).first().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_plain_one() {
        for good in ["", "https://r.example", "http://127.0.0.1:4873/npm/"] {
            assert!(check("x", good).is_ok(), "{good}");
        }
        let long = format!("https://r.example/{}", "a".repeat(2_000));
        for bad in [
            "r.example",
            "ftp://r.example",
            "javascript:alert(1)",
            "https://me:secret@r.example",
            "https://r.example/?a=b",
            "https://r.example/#a",
            &long,
        ] {
            assert!(check("x", bad).is_err(), "{bad}");
        }
    }
}
