//! Provider A, by its REST interface (docs/interface/imports.md 6.4): a repository with
//! its issues, pull requests and all that was said of them. Nothing is written there.

pub mod accept;
mod answers;
mod base;
mod branches;
mod events;
mod hunk;
mod issues;
mod notes;
mod pulls;
mod walk;

pub use answers::{Repository, User};

use crate::attachments::{self, Files};
use crate::git;
use crate::model::Kind;
use crate::run::{Credentials, Import, Page, Stage, Trouble};
use crate::upstream::{Answer, Auth, Client, Failed, Items};
use kernel::app::App;
use kernel::secrets::Secret;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use url::Url;

/// What is asked for: version 3 of the interface, as JSON.
const ACCEPT: &str = "application/vnd.github+json";
const NO_ADDRESS: &str = "The address of the server is none.";
/// Whatever has been closed, too.
const ALL: (&str, &str) = ("state", "all");
/// What pull requests had there becomes what merge requests have here.
const REFS: &[(&str, &str)] = &[("refs/pull/*/head", "refs/merge-requests/*/head")];

/// A client of the interface at this address, as the owner of a token.
///
/// # Errors
///
/// As [`Client::new`].
pub fn client(
    app: &App, base: &str, token: &str, import_id: Option<i64>,
) -> Result<Client, Failed> {
    let auth = Auth::Token(Secret::new(token));
    Ok(Client::new(app, base, auth, import_id)?.accepting(ACCEPT))
}

/// What is noted of a repository when its import begins.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Noted {
    /// Where git finds it: at the server that the token is for.
    pub clone_url: String,
    pub default_branch: Option<String>,
    pub has_wiki: bool,
}

impl Noted {
    /// Of a repository that git finds at the server of this address.
    pub fn of(repository: &Repository, git: &str) -> Noted {
        let usual = format!("{}/{}.git", git.trim_end_matches('/'), repository.full_name);
        let told = repository.clone_url.clone().filter(|told| is_same_server(told, git));
        Noted {
            clone_url: told.unwrap_or(usual),
            default_branch: repository.default_branch.clone(),
            has_wiki: repository.has_wiki.unwrap_or(false),
        }
    }

    fn wiki_url(&self) -> String {
        let place = self.clone_url.trim_end_matches('/');
        format!("{}.wiki.git", place.strip_suffix(".git").unwrap_or(place))
    }
}

/// Whether two addresses are of one server, so that a token for one is one for the other.
pub fn is_same_server(one: &str, other: &str) -> bool {
    match (Url::parse(one), Url::parse(other)) {
        (Ok(one), Ok(other)) => one.has_host() && one.origin() == other.origin(),
        _ => false,
    }
}

/// Whether a name is one of a repository with its owner, and nothing else.
pub fn is_full_name(name: &str) -> bool {
    let is_part = |part: &str| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        !part.is_empty()
            && part.len() <= 100
            && part.chars().all(is_plain)
            && !part.starts_with('.')
    };
    name.split_once('/')
        .is_some_and(|(owner, repo)| is_part(owner) && is_part(repo))
}

/// Whether it is the whole id of a commit.
fn is_commit(id: &str) -> bool {
    matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A repository of it that is imported.
pub struct Upstream {
    client: Client,
    /// `owner/repo`.
    origin: String,
    /// Things of one page.
    limit: i64,
    noted: Noted,
    token: String,
}

impl Upstream {
    /// That of an import. Nothing is asked yet.
    pub async fn open(
        app: &App, import: &Import, credentials: Credentials,
    ) -> Result<Upstream, Trouble> {
        let token = credentials.secret;
        let import_id = Some(import.id).filter(|id| *id > 0);
        Ok(Upstream {
            client: client(app, &import.base_url, &token, import_id)?,
            origin: import.origin.clone(),
            limit: import.options.0.pagination_limit.clamp(1, 100),
            noted: serde_json::from_value(import.upstream.0.clone()).unwrap_or_default(),
            token,
        })
    }

    pub fn stages(&self, _: &Import) -> &'static [Stage] {
        &[
            Stage::Repository,
            Stage::Wiki,
            Stage::Labels,
            Stage::Milestones,
            Stage::Releases,
            Stage::MergeRequests,
            Stage::Collaborators,
            Stage::MergedBy,
            Stage::ReviewRequests,
            Stage::Reviews,
            Stage::Issues,
            Stage::CodeNotes,
            Stage::Notes,
            Stage::Events,
            Stage::Attachments,
            Stage::ProtectedBranches,
            Stage::Lfs,
            Stage::Finish,
        ]
    }

    pub async fn page(
        &self, app: &App, import: &Import, stage: Stage, cursor: Option<&str>,
    ) -> Result<Page, Trouble> {
        let wanted = &import.options.0.optional_stages;
        match stage {
            Stage::Repository => {
                git::repository(app, import, &self.code()).await?;
                Ok(Page::default())
            }
            Stage::Wiki if self.noted.has_wiki => {
                git::wiki(app, import, &self.wiki()).await?;
                Ok(Page::default())
            }
            Stage::Labels => self.labels(cursor).await,
            Stage::Milestones => self.milestones(cursor).await,
            Stage::Releases => self.releases(cursor).await,
            Stage::MergeRequests => self.merge_requests(import, cursor).await,
            Stage::Collaborators if wanted.collaborators => self.collaborators(cursor).await,
            Stage::MergedBy | Stage::ReviewRequests | Stage::Reviews | Stage::Events => {
                let begun = || Ok(self.steps(import, stage));
                let steps = cursor.map_or_else(begun, walk::read)?;
                let (page, next) = self.each(import, stage, steps).await?;
                Upstream::then(page, next.as_ref())
            }
            Stage::Issues => self.issues(import, cursor).await,
            Stage::CodeNotes => self.code_notes(import, cursor).await,
            Stage::Notes => self.notes(import, cursor).await,
            // Files of releases belong to these.
            Stage::Attachments => {
                attachments::page(app, import, &self.files(wanted.attachments)?, cursor).await
            }
            Stage::ProtectedBranches => self.protected_branches(cursor).await,
            Stage::Lfs => git::lfs(app, import, &self.code(), cursor).await,
            Stage::Wiki | Stage::Collaborators | Stage::Finish => Ok(Page::default()),
        }
    }

    /// How many there are of each kind: lists of one a page tell where their last page is.
    pub async fn count(&self, _: &App, _: &Import) -> Result<Vec<(Kind, i64)>, Trouble> {
        let lists: [(Kind, &str, &[(&str, &str)]); 8] = [
            (Kind::Label, "/labels", &[]),
            (Kind::Milestone, "/milestones", &[ALL]),
            (Kind::Release, "/releases", &[]),
            (Kind::PullRequest, "/pulls", &[ALL]),
            (Kind::Issue, "/issues", &[ALL]),
            (Kind::DiffNote, "/pulls/comments", &[]),
            (Kind::Note, "/issues/comments", &[]),
            (Kind::ProtectedBranch, "/branches", &[("protected", "true")]),
        ];
        let mut counts = HashMap::new();
        for (kind, path, query) in lists {
            let query = [&[("per_page", "1")], query].concat();
            let asked = self.client.ask::<Items<IgnoredAny>>(&self.path(path), &query).await;
            match asked {
                Ok(answer) => counts.extend(counted(&answer).map(|count| (kind, count))),
                Err(failed) if failed.is_of_one() => {}
                Err(failed) => return Err(failed.into()),
            }
        }
        // Pull requests stand among issues.
        let pulls = counts.get(&Kind::PullRequest).copied().unwrap_or_default();
        counts.entry(Kind::Issue).and_modify(|all| *all = (*all - pulls).max(0));
        Ok(lists
            .iter()
            .filter_map(|(kind, ..)| Some((*kind, *counts.get(kind)?)))
            .collect())
    }

    /// Where something of the repository is.
    fn path(&self, below: &str) -> String {
        format!("/repos/{}{below}", self.origin)
    }

    fn credentials(&self) -> Credentials {
        Credentials { username: None, secret: self.token.clone() }
    }

    /// Where files lie, of texts too if they are wished.
    fn files(&self, texts: bool) -> Result<Files, Trouble> {
        let api = Url::parse(self.client.base());
        let api = api.map_err(|_| Trouble::Refused(NO_ADDRESS.into()))?;
        Ok(Files {
            web: Url::parse(&self.noted.clone_url).unwrap_or_else(|_| api.clone()),
            api,
            authorization: Some(format!("token {}", self.token)),
            texts,
        })
    }

    fn code(&self) -> git::Clone {
        git::Clone {
            url: self.noted.clone_url.clone(),
            credentials: self.credentials(),
            default_branch: self.noted.default_branch.clone(),
            refs: REFS,
        }
    }

    fn wiki(&self) -> git::Clone {
        git::Clone {
            url: self.noted.wiki_url(),
            credentials: self.credentials(),
            default_branch: None,
            refs: &[],
        }
    }
}

/// How many things a list of one a page has, if its answer tells.
fn counted(answer: &Answer<Items<IgnoredAny>>) -> Option<i64> {
    let here = i64::try_from(answer.value.0.len()).ok()?;
    match (&answer.last, &answer.next) {
        (Some(last), _) => {
            let url = Url::parse(last).ok()?;
            let page = url.query_pairs().find(|(name, _)| name == "page")?.1.parse().ok();
            page.filter(|page: &i64| *page >= 0)
        }
        (None, Some(_)) => None,
        (None, None) => Some(here),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn repository(clone_url: Option<&str>) -> Repository {
        let value = json!({"id": 1, "name": "anvil", "full_name": "acme/anvil",
            "clone_url": clone_url, "default_branch": "main", "has_wiki": true});
        serde_json::from_value(value).expect("a repository")
    }

    #[test]
    fn git_goes_to_the_server_that_the_token_is_for() {
        let git = "https://git.example";
        let at = |url: Option<&str>| Noted::of(&repository(url), git).clone_url;
        assert_eq!(at(Some("https://git.example/x/y.git")), "https://git.example/x/y.git");
        for elsewhere in [
            None,
            Some("https://evil.example/a.git"),
            Some("http://git.example/a"),
            Some("x"),
        ] {
            assert_eq!(at(elsewhere), "https://git.example/acme/anvil.git", "{elsewhere:?}");
        }
        let noted = Noted::of(&repository(None), "https://git.example/");
        assert_eq!(noted.wiki_url(), "https://git.example/acme/anvil.wiki.git");
    }

    #[test]
    fn a_full_name_is_a_path_of_two() {
        for good in ["octocat/Hello-World", "a/b.c_d"] {
            assert!(is_full_name(good), "{good}");
        }
        for bad in ["a", "a/b/c", "/b", "a/", "a/..", "a/b?c", "a/b#", "a b/c", "../b"] {
            assert!(!is_full_name(bad), "{bad}");
        }
    }

    #[test]
    fn the_last_page_tells_how_many_there_are() {
        let count = |last: Option<&str>, next: Option<&str>| {
            counted(&Answer {
                value: Items(vec![Ok(IgnoredAny)]),
                next: next.map(str::to_owned),
                last: last.map(str::to_owned),
                status: http::StatusCode::OK,
            })
        };
        assert_eq!(count(Some("https://h/a?per_page=1&page=73"), Some("https://h/b")), Some(73));
        assert_eq!(count(None, None), Some(1));
        assert_eq!(count(None, Some("https://h/b")), None);
        assert_eq!(count(Some("https://h/a?page=x"), None), None);
    }
}
