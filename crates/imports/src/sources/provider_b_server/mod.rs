//! Provider B's server: a repository with its pull requests, by its REST interface 1.0.
//!
//! There are no issues. What was done with a pull request, notes and approvals among it, is
//! one list ([`activities`]), which is read pull request by pull request.

mod activities;
mod answers;
mod failures;
mod permissions;
mod requests;
mod talk;
mod times;

pub use failures::told;
pub use requests::foreign_branch;

use crate::git;
use crate::model::{Kind, Object};
use crate::run::{Credentials, Import, Page, Stage, Trouble};
use crate::sources::by_number;
use crate::sources::provider_b::Found;
use crate::sources::reading::{self, read};
use crate::upstream::{Client, Failed};
use answers::{Paged, PullRequest, Repository};
use failures::trouble;
use kernel::app::App;
use kernel::error::Error;
use requests::merge_request;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use spaces::model::Visibility;
use talk::Talk;
use url::Url;

/// Where the interface is below the address of the server.
const INTERFACE: &str = "/rest/api/1.0";
/// Things of a page.
const LIMIT: i64 = 25;
/// Things of a list that are read, of whatever many.
const MOST: i64 = 10_000 * LIMIT;
/// Things of a page, and pages, where things are only counted.
const COUNTED: i64 = 100;
const COUNTED_PAGES: usize = 50;

const TOO_MANY: &str = "Upstream has more pages of a list than are read.";
/// The commits of pull requests come along, wherever their branches are.
const REFS: &[(&str, &str)] = &[("refs/pull-requests/*/from", "refs/merge-requests/*/head")];

const STAGES: &[Stage] =
    &[Stage::Repository, Stage::MergeRequests, Stage::Notes, Stage::Lfs, Stage::Finish];
const STAGES_WITH_MEMBERS: &[Stage] = &[
    Stage::Repository,
    Stage::MergeRequests,
    Stage::Collaborators,
    Stage::Notes,
    Stage::Lfs,
    Stage::Finish,
];

/// What is noted of a repository as its import begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Noted {
    /// Where git finds it.
    pub clone_url: String,
}

/// A repository there.
pub struct Upstream {
    client: Client,
    credentials: Credentials,
    /// Paths of its project and of itself below the interface.
    project: String,
    repository: String,
    clone_url: String,
}

impl Upstream {
    /// Opens that of an import.
    ///
    /// # Errors
    ///
    /// `Refused` if it cannot be asked.
    pub async fn open(
        app: &App, import: &Import, credentials: Credentials,
    ) -> Result<Upstream, Trouble> {
        let (base, origin) = (import.base_url.as_str(), import.origin.as_str());
        // What was asked before an import begins is remembered for none.
        let id = Some(import.id).filter(|id| *id > 0);
        let mut opened = Upstream::new(app, base, origin, credentials, id).map_err(trouble)?;
        if let Ok(noted) = serde_json::from_value::<Noted>(import.upstream.0.clone()) {
            opened.clone_url = noted.clone_url;
        }
        Ok(opened)
    }

    /// The repository `KEY/slug` at an interface.
    fn new(
        app: &App, base: &str, origin: &str, credentials: Credentials, import_id: Option<i64>,
    ) -> Result<Upstream, Failed> {
        let client = Client::new(app, base, reading::basic(&credentials), import_id)?;
        let (key, slug) = origin.split_once('/').unwrap_or((origin, ""));
        let project = format!("/projects/{}", reading::part(key));
        Ok(Upstream {
            repository: format!("{project}/repos/{}", reading::part(slug)),
            project,
            clone_url: usual_clone_url(client.base(), key, slug),
            client,
            credentials,
        })
    }

    /// What is to be noted of the repository.
    fn noted(&self, repository: &Repository) -> Noted {
        let told = repository.clone_url().and_then(|url| here(url, self.client.base()));
        Noted { clone_url: told.unwrap_or_else(|| self.clone_url.clone()) }
    }

    /// The stages of an import, in their order.
    pub fn stages(&self, import: &Import) -> &'static [Stage] {
        match import.options.0.optional_stages.collaborators {
            true => STAGES_WITH_MEMBERS,
            false => STAGES,
        }
    }

    /// One page of a stage.
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub async fn page(
        &self, app: &App, import: &Import, stage: Stage, cursor: Option<&str>,
    ) -> Result<Page, Trouble> {
        match stage {
            Stage::Repository => {
                git::repository(app, import, &self.source()).await?;
                Ok(Page::default())
            }
            Stage::MergeRequests => self.requests(cursor).await,
            Stage::Collaborators => permissions::page(self, cursor).await,
            Stage::Notes => by_number::page(&Talk(self), app, import, cursor).await,
            Stage::Lfs => git::lfs(app, import, &self.source(), cursor).await,
            _ => Ok(Page::default()),
        }
    }

    /// How many pull requests there are: their pages are counted, since the server does not.
    ///
    /// # Errors
    ///
    /// Why that cannot be told.
    pub async fn count(&self, _: &App, _: &Import) -> Result<Vec<(Kind, i64)>, Trouble> {
        let path = format!("{}/pull-requests", self.repository);
        let (mut next, mut count) = (Some(0_i64), 0);
        for _ in 0..COUNTED_PAGES {
            let Some(start) = next else { break };
            let (from, limit) = (start.to_string(), COUNTED.to_string());
            let query = [("state", "ALL"), ("start", from.as_str()), ("limit", limit.as_str())];
            let asked = self.client.ask::<Paged<serde_json::Value>>(&path, &query).await;
            let list = asked.map_err(trouble)?.value;
            count += i64::try_from(list.values.0.len()).unwrap_or(COUNTED);
            next = list.after(start);
        }
        Ok(vec![(Kind::PullRequest, count)])
    }

    /// What git is to fetch.
    fn source(&self) -> git::Clone {
        git::Clone {
            url: self.clone_url.clone(),
            credentials: self.credentials.clone(),
            default_branch: None,
            refs: REFS,
        }
    }

    /// A page of pull requests, the oldest first.
    async fn requests(&self, cursor: Option<&str>) -> Result<Page, Trouble> {
        let path = format!("{}/pull-requests", self.repository);
        let start = start_of(cursor)?;
        let query = [("state", "ALL"), ("order", "OLDEST")];
        let list: Paged<PullRequest> = self.list(&path, start, &query).await.map_err(trouble)?;
        let mut page = Page { next: next_cursor(&list, start)?, ..Page::default() };
        let key = |request: &PullRequest| request.id.to_string();
        read(&mut page, Kind::PullRequest, list.values, key, |request| {
            Ok(vec![Object::MergeRequest(Box::new(merge_request(request)?))])
        });
        Ok(page)
    }

    /// A page of a list.
    async fn list<T: DeserializeOwned>(
        &self, path: &str, start: i64, query: &[(&str, &str)],
    ) -> Result<Paged<T>, Failed> {
        let (start, limit) = (start.to_string(), LIMIT.to_string());
        let place = [("start", start.as_str()), ("limit", limit.as_str())];
        let query = [query, &place].concat();
        Ok(self.client.ask(path, &query).await?.value)
    }
}

/// The repository `KEY/slug` at an interface, to be imported.
///
/// # Errors
///
/// What went wrong.
pub async fn find(
    app: &App, base: &str, origin: &str, credentials: Credentials,
) -> Result<Found, Failed> {
    if !reading::is_origin(origin) {
        return Err(reading::absent());
    }
    let upstream = Upstream::new(app, base, origin, credentials, None)?;
    let repository: Repository = upstream.client.ask(&upstream.repository, &[]).await?.value;
    let noted = serde_json::to_value(upstream.noted(&repository));
    Ok(Found {
        host: reading::host_of(base),
        origin_id: repository.id,
        base_url: upstream.client.base().to_owned(),
        upstream: noted.map_err(|error| Failed::Internal(Error::internal(error)))?,
        name: repository.name.clone().unwrap_or_else(|| repository.slug.clone()),
        path: repository.slug.clone(),
        description: repository.description.clone(),
        visibility: match repository.is_public() {
            true => Visibility::Public,
            false => Visibility::Private,
        },
    })
}

/// Where the interface of a server is.
pub fn interface(server: &str) -> String {
    let server = server.trim_end_matches('/');
    match server.ends_with(INTERFACE) {
        true => server.to_owned(),
        false => format!("{server}{INTERFACE}"),
    }
}

/// Where such a server usually has repositories for git.
fn usual_clone_url(base: &str, key: &str, slug: &str) -> String {
    let server = base.strip_suffix(INTERFACE).unwrap_or(base);
    format!("{server}/scm/{}/{slug}.git", key.to_lowercase())
}

/// An address without the user that may stand in it, if it is on the same host: nothing that
/// proves who asks goes to another.
fn here(url: &str, base: &str) -> Option<String> {
    let (mut url, base) = (Url::parse(url).ok()?, Url::parse(base).ok()?);
    let is_safe = url.scheme() == base.scheme() || url.scheme() == "https";
    if !is_safe || url.host() != base.host() || url.password().is_some() {
        return None;
    }
    url.set_username("").ok()?;
    Some(url.into())
}

fn start_of(cursor: Option<&str>) -> Result<i64, Trouble> {
    cursor.map_or(Ok(0), reading::place)
}

/// Where the page after this one begins.
fn next_cursor<T>(list: &Paged<T>, start: i64) -> Result<Option<String>, Trouble> {
    match list.after(start) {
        Some(next) if next >= MOST => Err(Trouble::Refused(TOO_MANY.into())),
        next => Ok(next.map(|next| next.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interface_is_below_the_server() {
        for server in ["https://h/git", "https://h/git/", "https://h/git/rest/api/1.0"] {
            assert_eq!(interface(server), "https://h/git/rest/api/1.0");
        }
        let url = usual_clone_url("https://h/git/rest/api/1.0", "~ADA", "tool");
        assert_eq!(url, "https://h/git/scm/~ada/tool.git");
    }

    #[test]
    fn what_proves_who_asks_goes_to_no_other_host() {
        let base = "https://h.example/rest/api/1.0";
        let here = |url: &str| here(url, base);
        assert_eq!(here("https://ada@h.example/a.git").as_deref(), Some("https://h.example/a.git"));
        assert!(here("https://h.example:7990/a.git").is_some());
        for other in
            ["https://x.example/a.git", "http://h.example/a", "https://a:b@h.example/a", "a"]
        {
            assert_eq!(here(other), None, "{other}");
        }
    }
}
