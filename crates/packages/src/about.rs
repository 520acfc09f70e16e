//! What a package tells of itself, as far as its format keeps it: read from
//! what archives of strangers said, so every text is bounded and addresses are
//! those that a browser may follow.

use crate::model::PackageType;
use crate::needs::{self, Need};
use serde_json::{Map, Value as Json};
use url::Url;

/// Longest text, in characters.
const MAX_TEXT: usize = 500;
/// Longest address, in bytes.
const MAX_URL: usize = 2_000;
const MAX_KEYWORDS: usize = 20;
/// Most needs that a page tells.
const MAX_NEEDS: usize = 100;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    /// What it is, in a line.
    pub summary: Option<String>,
    pub licence: Option<String>,
    pub home: Option<String>,
    pub repository: Option<String>,
    pub keywords: Vec<String>,
    pub needs: Vec<Need>,
    /// There are more than are told.
    pub has_more_needs: bool,
}

impl About {
    /// What is told by what the format keeps of a package.
    pub fn of(package_type: PackageType, metadata: Option<&str>) -> About {
        let manifest = needs::manifest(package_type, metadata);
        let said = Said(&manifest);
        let told = match package_type {
            PackageType::Npm => said.npm(),
            PackageType::Composer => said.composer(),
            PackageType::Pypi => said.pypi(),
            PackageType::Nuget => said.nuget(),
            PackageType::Helm => said.helm(),
            _ => About::default(),
        };
        let mut needs = needs::of(package_type, &manifest);
        // What is needed to run it comes before what is needed to make it.
        needs.sort_by_key(|need| need.why);
        let has_more_needs = needs.len() > MAX_NEEDS;
        needs.truncate(MAX_NEEDS);
        About { needs, has_more_needs, ..told }
    }

    /// What stands before addresses that its README gives relative to itself: a
    /// file of the repository, or else a page of its home.
    pub fn readme_base(&self) -> Option<String> {
        let of_repository = |address: &String| {
            let address = address.trim_end_matches('/').trim_end_matches(".git");
            format!("{address}/blob/HEAD/")
        };
        let of_home = |address: &String| format!("{}/", address.trim_end_matches('/'));
        self.repository
            .as_ref()
            .map(of_repository)
            .or_else(|| self.home.as_ref().map(of_home))
    }

    /// There is nothing to tell but what it needs.
    pub fn is_silent(&self) -> bool {
        let told = [&self.summary, &self.licence, &self.home, &self.repository];
        told.into_iter().all(Option::is_none) && self.keywords.is_empty()
    }
}

struct Said<'m>(&'m Map<String, Json>);

impl Said<'_> {
    fn text(&self, key: &str) -> Option<String> {
        text(self.0.get(key)?)
    }

    fn web(&self, key: &str) -> Option<String> {
        web(self.0.get(key)?.as_str()?)
    }

    /// Words of a list, or of a text that these marks part.
    fn words(&self, key: &str, marks: &[char]) -> Vec<String> {
        let found: Vec<String> = match self.0.get(key) {
            Some(Json::Array(all)) => all.iter().filter_map(text).collect(),
            Some(Json::String(all)) => all.split(marks).map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        let words = found.iter().filter_map(|word| cut(word));
        words.take(MAX_KEYWORDS).collect()
    }

    fn npm(&self) -> About {
        let repository = self.0.get("repository");
        let repository = repository.and_then(|it| it.as_str().or_else(|| it.get("url")?.as_str()));
        let first = |key: &str| self.0.get(key)?.as_array()?.first().and_then(text);
        About {
            summary: self.text("description"),
            licence: self.text("license").or_else(|| first("licenses")),
            home: self.web("homepage"),
            repository: repository.and_then(of_npm),
            keywords: self.words("keywords", &[',', ' ']),
            ..About::default()
        }
    }

    fn composer(&self) -> About {
        let support = self.0.get("support").and_then(|it| it.get("source")?.as_str());
        About {
            summary: self.text("description"),
            licence: self.text("license"),
            home: self.web("homepage"),
            repository: support.and_then(web),
            keywords: self.words("keywords", &[',']),
            ..About::default()
        }
    }

    fn pypi(&self) -> About {
        let urls = self.0.get("project_urls").and_then(Json::as_array);
        let urls: Vec<(String, String)> = urls
            .into_iter()
            .flatten()
            .filter_map(|line| {
                let (label, address) = line.as_str()?.split_once(',')?;
                Some((label.trim().to_lowercase(), web(address.trim())?))
            })
            .collect();
        let named = |names: &[&str]| {
            let found = urls.iter().find(|(label, _)| names.contains(&label.as_str()));
            found.map(|(_, address)| address.clone())
        };
        let marks: &[char] = &[',', ';', '\n'];
        About {
            summary: self.text("summary"),
            licence: self.text("license"),
            home: self.web("home_page").or_else(|| named(&["homepage", "home", "home-page"])),
            repository: named(&["repository", "source", "source code", "code", "github"]),
            keywords: self.words("keywords", marks),
            ..About::default()
        }
    }

    fn nuget(&self) -> About {
        About {
            summary: self.text("summary").or_else(|| self.text("description")),
            licence: self.text("license").or_else(|| self.web("license_url")),
            home: self.web("project_url"),
            repository: self.web("repository_url"),
            keywords: self.words("tags", &[' ', ',']),
            ..About::default()
        }
    }

    fn helm(&self) -> About {
        let noted = |key: &str| text(self.0.get("annotations")?.get(key)?);
        let sources = self.0.get("sources").and_then(Json::as_array);
        let mut sources = sources.into_iter().flatten().filter_map(Json::as_str);
        About {
            summary: self.text("description"),
            licence: noted("artifacthub.io/license").or_else(|| noted("licenses")),
            home: self.web("home"),
            repository: sources.find_map(web),
            keywords: self.words("keywords", &[',']),
            ..About::default()
        }
    }
}

/// A text, the `type` of an object, or several texts.
fn text(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => cut(text),
        Json::Object(object) => cut(object.get("type")?.as_str()?),
        Json::Array(all) => {
            let texts: Vec<&str> = all.iter().filter_map(Json::as_str).collect();
            cut(&texts.join(", "))
        }
        _ => None,
    }
}

fn cut(text: &str) -> Option<String> {
    let text: String = text.trim().chars().take(MAX_TEXT).collect();
    (!text.is_empty()).then_some(text)
}

/// An address that a browser may follow.
fn web(text: &str) -> Option<String> {
    let usable = text.len() <= MAX_URL
        && Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
    usable.then(|| text.to_owned())
}

/// Where a repository is that npm knows by an address of git, or by an owner
/// and a name at the host that it means then.
fn of_npm(text: &str) -> Option<String> {
    let text = text.strip_prefix("git+").unwrap_or(text);
    if let Some(found) = web(text) {
        return Some(found);
    }
    let short = text.strip_prefix("github:").unwrap_or(text);
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    let is_short = short.matches('/').count() == 1 && short.chars().all(plain);
    is_short
        .then(|| format!("https://github.com/{short}"))
        .and_then(|address| web(&address))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::needs::Why;
    use serde_json::json;

    fn about(package_type: PackageType, said: Json) -> About {
        let metadata = match package_type {
            // The manifest is the first of three lines.
            PackageType::Npm => format!("{said}\n{{}}\n{{}}"),
            _ => said.to_string(),
        };
        About::of(package_type, Some(&metadata))
    }

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn every_format_tells_what_it_keeps() {
        let npm = about(
            PackageType::Npm,
            json!({"description": "Strikes", "license": "MIT", "homepage": "https://a.example",
                "repository": {"url": "git+https://git.example/a.git"}, "keywords": ["iron", " "],
                "devDependencies": {"saw": "2"}, "dependencies": {"nail": "^1"}}),
        );
        assert_eq!((npm.licence, npm.summary), (some("MIT"), some("Strikes")));
        assert_eq!(npm.repository, some("https://git.example/a.git"));
        assert_eq!(npm.keywords, ["iron"]);
        let needs: Vec<(Why, &str)> =
            npm.needs.iter().map(|need| (need.why, need.name.as_str())).collect();
        assert_eq!(needs, [(Why::Runs, "nail"), (Why::Develops, "saw")]);

        let urls = ["Homepage, https://a.example", "Source, https://git.example"];
        let pypi = about(
            PackageType::Pypi,
            json!({"license": "BSD-3-Clause", "keywords": "a, b", "project_urls": urls}),
        );
        assert_eq!(
            (pypi.home, pypi.repository),
            (some("https://a.example"), some("https://git.example"))
        );
        assert_eq!((pypi.licence, pypi.keywords.len()), (some("BSD-3-Clause"), 2));

        let composer = about(
            PackageType::Composer,
            json!({"license": ["MIT", "GPL-3.0"], "support": {"source": "https://git.example"}}),
        );
        assert_eq!(
            (composer.licence, composer.repository),
            (some("MIT, GPL-3.0"), some("https://git.example"))
        );
        let nuget = about(PackageType::Nuget, json!({"tags": "a b", "description": "Text"}));
        assert_eq!((nuget.keywords.len(), nuget.summary), (2, some("Text")));
        let helm = about(
            PackageType::Helm,
            json!({"home": "https://a.example", "sources": ["ssh://x", "https://git.example"],
                "annotations": {"licenses": "MIT"}}),
        );
        assert_eq!((helm.repository, helm.licence), (some("https://git.example"), some("MIT")));
    }

    #[test]
    fn only_addresses_of_the_web_are_told() {
        let repository =
            |text: &str| about(PackageType::Npm, json!({"repository": text})).repository;
        assert_eq!(repository("acme/anvil"), some("https://github.com/acme/anvil"));
        assert_eq!(repository("github:acme/anvil"), some("https://github.com/acme/anvil"));
        for odd in ["javascript:alert(1)", "git@host:a/b.git", "git://host/a", "a b/c", "a/b/c"] {
            assert_eq!(repository(odd), None, "{odd}");
        }
        let home = about(PackageType::Npm, json!({"homepage": "data:text/html,x"})).home;
        assert_eq!(home, None);
    }

    #[test]
    fn what_is_odd_or_long_tells_little() {
        for odd in [json!([]), json!({"license": 7, "keywords": {"a": 1}, "repository": [1]})] {
            let told = about(PackageType::Npm, odd);
            assert!(told.is_silent() && told.needs.is_empty());
        }
        let needed: Map<String, Json> = (0..150).map(|n| (format!("n{n}"), json!("1"))).collect();
        let told = about(
            PackageType::Npm,
            json!({"description": "ä".repeat(900), "dependencies": needed}),
        );
        assert_eq!(told.summary.map(|text| text.chars().count()), Some(MAX_TEXT));
        assert!(told.has_more_needs && told.needs.len() == MAX_NEEDS);
        assert_eq!(About::of(PackageType::Generic, None), About::default());
    }
}
