//! Package URLs: what they say, and their one proper form.

use std::str::FromStr;

use packageurl::PackageUrl;

/// The parts that say which package it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    /// `npm`, `pypi`, `maven`, …
    pub kind: String,
    pub namespace: Option<String>,
    pub name: String,
    pub version: Option<String>,
}

impl Parts {
    /// Namespace and name, as advisories and packagers write them.
    pub fn full_name(&self) -> String {
        let between = if self.kind == "maven" { ':' } else { '/' };
        match &self.namespace {
            Some(namespace) => format!("{namespace}{between}{}", self.name),
            None => self.name.clone(),
        }
    }
}

/// The package URL in its proper form; none where it is no valid one.
pub fn normalise(text: &str) -> Option<String> {
    written(PackageUrl::from_str(text.trim()).ok()?)
}

/// The text of a package URL, where it is read as the same one.
fn written(url: PackageUrl<'_>) -> Option<String> {
    let plain = url.to_string();
    let text = match url.version() {
        // The library leaves slashes as they are, and takes what is behind one for a name.
        Some(version) if version.contains('/') => {
            let mut versioned = PackageUrl::new("generic", "x").ok()?;
            versioned.with_version(version).ok()?;
            let as_it_is = versioned.to_string().strip_prefix("pkg:generic/x")?.to_owned();
            plain.replacen(&as_it_is, &as_it_is.replace('/', "%2F"), 1)
        }
        _ => plain,
    };
    let again = PackageUrl::from_str(&text).ok()?;
    let same = (again.name(), again.version(), again.namespace())
        == (url.name(), url.version(), url.namespace());
    same.then_some(text)
}

pub fn parse(text: &str) -> Option<Parts> {
    let url = PackageUrl::from_str(text.trim()).ok()?;
    Some(Parts {
        kind: url.ty().to_owned(),
        namespace: url.namespace().map(str::to_owned),
        name: url.name().to_owned(),
        version: url.version().map(str::to_owned),
    })
}

/// A package URL of its parts, each escaped as it has to be.
pub fn build(
    kind: &str, namespace: Option<&str>, name: &str, version: Option<&str>,
) -> Option<String> {
    let mut url = PackageUrl::new(kind, name).ok()?;
    if let Some(namespace) = namespace.filter(|it| !it.is_empty()) {
        url.with_namespace(namespace).ok()?;
    }
    if let Some(version) = version.filter(|it| !it.is_empty()) {
        url.with_version(version).ok()?;
    }
    url.validate().ok()?;
    written(url)
}

/// The type of a package URL, as it stands in front.
pub fn kind(purl: &str) -> Option<&str> {
    let (kind, _) = purl.strip_prefix("pkg:")?.split_once('/')?;
    Some(kind)
}

/// Which packager a package of this type comes by, where its list does not say.
pub fn packager(purl: &str) -> Option<&'static str> {
    let known = match kind(purl)? {
        "gem" => "bundler",
        "npm" => "npm",
        "maven" => "maven",
        "composer" => "composer",
        "pypi" => "pip",
        "conan" => "conan",
        "golang" => "go",
        "nuget" => "nuget",
        "apk" => "apk",
        "deb" => "apt",
        "rpm" => "yum",
        "conda" => "conda",
        "pub" => "pub",
        "cargo" => "cargo",
        "swift" => "swift",
        "cocoapods" => "cocoapods",
        "hex" => "hex",
        "cran" => "cran",
        "hackage" => "cabal",
        _ => return None,
    };
    Some(known)
}

/// The type of package URL that a packager's packages have.
pub fn kind_of_packager(packager: &str) -> Option<&'static str> {
    let known = match packager.to_ascii_lowercase().as_str() {
        "bundler" => "gem",
        "yarn" | "npm" | "pnpm" | "bun" => "npm",
        "maven" | "gradle" | "sbt" => "maven",
        "composer" => "composer",
        "pip" | "pipenv" | "poetry" | "setuptools" | "uv" | "pdm" => "pypi",
        "conan" => "conan",
        "go" => "golang",
        "nuget" => "nuget",
        "apk" => "apk",
        "apt" => "deb",
        "yum" => "rpm",
        "conda" => "conda",
        "pub" => "pub",
        "cargo" => "cargo",
        _ => return None,
    };
    Some(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_url_has_one_proper_form() {
        for (given, proper) in [
            ("pkg:npm/@babel/core@7.0.0", "pkg:npm/%40babel/core@7.0.0"),
            ("pkg:NPM/%40babel/core@7.0.0", "pkg:npm/%40babel/core@7.0.0"),
            ("pkg:pypi/Typing_Extensions@4.0", "pkg:pypi/typing-extensions@4.0"),
            ("pkg:maven/org.acme/a b@1", "pkg:maven/org.acme/a%20b@1"),
            ("pkg:cargo/serde@1?b=2&a=1", "pkg:cargo/serde@1?a=1&b=2"),
        ] {
            assert_eq!(normalise(given).as_deref(), Some(proper), "{given}");
        }
        for wrong in ["", "pkg:", "npm/a@1", "pkg:npm/", "pkg:a b/c", "http://x", "pkg:gem/a/b@1"] {
            assert_eq!(normalise(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_package_url_is_built_of_parts_and_read_again() {
        let built = build("npm", Some("@scope"), "a?b#c", Some("1/2")).expect("valid");
        let parts = parse(&built).expect("valid");
        assert_eq!((parts.name.as_str(), parts.version.as_deref()), ("a?b#c", Some("1/2")));
        assert_eq!(parts.full_name(), "@scope/a?b#c");
        assert_eq!(build("cargo", None, "", None), None);
        assert_eq!(packager("pkg:golang/github.com/a/b@v1"), Some("go"));
    }
}
