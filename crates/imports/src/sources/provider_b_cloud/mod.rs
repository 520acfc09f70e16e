//! Provider B's cloud: a repository with its issues, wiki and pull requests, by its REST
//! interface 2.0.
//!
//! Issues and pull requests have numbers of their own each. Commits are named by their first
//! digits. What is said of pull requests stands in lists of their own, which are read one
//! after the other ([`talk`]).

mod answers;
mod comments;
mod failures;
mod issues;
mod requests;
mod talk;
mod words;

pub use failures::told;

use crate::git;
use crate::model::{Kind, Object};
use crate::run::{Credentials, Import, Page, Stage, Trouble};
use crate::settings::Providers;
use crate::sources::by_number;
use crate::sources::provider_b::Found;
use crate::sources::reading::{self, read};
use crate::upstream::{Client, Failed, Items, Leaf};
use answers::{HasText, Issue, Member, Paged, PullRequest, Repository};
use failures::trouble;
use kernel::app::App;
use kernel::error::Error;
use requests::merge_request;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use spaces::model::Visibility;
use std::collections::HashMap;
use talk::{OfIssues, OfRequests};
use tokio::sync::OnceCell;
use url::Url;
use words::{Words, names_somebody};

/// Things of a page.
const LIMIT: (&str, &str) = ("pagelen", "50");
/// The oldest first, so that nothing is left out while things are added.
const OLDEST: (&str, &str) = ("sort", "created_on");
/// What lists of pull requests leave out otherwise.
const FIELDS: (&str, &str) = ("fields", "+values.participants,+values.reviewers");
/// Pages of the members of a workspace.
const MEMBER_PAGES: usize = 20;

const STAGES: &[Stage] = &[
    Stage::Repository,
    Stage::Wiki,
    Stage::MergeRequests,
    Stage::CodeNotes,
    Stage::Lfs,
    Stage::Finish,
];
const STAGES_WITH_ISSUES: &[Stage] = &[
    Stage::Repository,
    Stage::Wiki,
    Stage::Labels,
    Stage::MergeRequests,
    Stage::Issues,
    Stage::CodeNotes,
    Stage::Notes,
    Stage::Lfs,
    Stage::Finish,
];

/// What is noted of a repository as its import begins.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Noted {
    /// Where git finds it.
    pub clone_url: String,
    /// Where people look at it.
    pub web_url: String,
    pub default_branch: Option<String>,
    pub has_issues: bool,
    pub has_wiki: bool,
}

impl Noted {
    /// What is to be noted of a repository. What proves who asks goes to git at `git` alone,
    /// whatever the provider says of where it is cloned from.
    fn of(repository: &Repository, git: &str) -> Noted {
        // What is stored holds no NUL.
        let plain = |text: &str| text.chars().filter(|c| !c.is_control()).collect::<String>();
        let usual = || plain(&format!("{git}/{}.git", repository.full_name));
        let told = repository.clone_url().and_then(|url| at(url, git));
        let web = repository.web_url().map(|url| plain(url.trim_end_matches('/')));
        Noted {
            clone_url: told.unwrap_or_else(usual),
            web_url: web.unwrap_or_else(|| plain(&format!("{git}/{}", repository.full_name))),
            default_branch: repository.main_branch().map(plain),
            has_issues: repository.has_issues == Some(true),
            has_wiki: repository.has_wiki == Some(true),
        }
    }
}

/// The repository `workspace/slug`, to be imported.
///
/// # Errors
///
/// What went wrong: a status of 401 where the credentials are refused.
pub async fn find(app: &App, origin: &str, credentials: Credentials) -> Result<Found, Failed> {
    if !reading::is_origin(origin) {
        return Err(reading::absent());
    }
    let providers = app.plugged::<Providers>().map_err(Failed::Internal)?.get();
    let base = providers.provider_b_cloud_api.as_str();
    let upstream = Upstream::new(app, base, origin, credentials, None)?;
    match upstream.client.ask::<IgnoredAny>("/user", &[]).await {
        // Who may read a repository need not be let read who they are.
        Err(failed) if failed.status() != Some(403) => return Err(failed),
        _ => {}
    }
    let repository: Repository = upstream.client.ask(&upstream.repository, &[]).await?.value;
    let noted = serde_json::to_value(Noted::of(&repository, &providers.provider_b_cloud_git));
    Ok(Found {
        host: reading::host_of(&providers.provider_b_cloud_git),
        origin_id: None,
        base_url: upstream.client.base().to_owned(),
        upstream: noted.map_err(|error| Failed::Internal(Error::internal(error)))?,
        name: repository.name.clone(),
        path: repository.slug().to_owned(),
        description: repository.description.clone(),
        visibility: match repository.is_private {
            Some(false) => Visibility::Public,
            _ => Visibility::Private,
        },
    })
}

/// An address without the user that may stand in it, if it is on the same server.
fn at(url: &str, git: &str) -> Option<String> {
    let (mut url, git) = (Url::parse(url).ok()?, Url::parse(git).ok()?);
    if url.origin() != git.origin() || url.password().is_some() {
        return None;
    }
    url.set_username("").ok()?;
    Some(url.into())
}

/// A repository there.
pub struct Upstream {
    client: Client,
    credentials: Credentials,
    /// Paths of its workspace's members and of itself below the interface.
    members: String,
    repository: String,
    noted: Noted,
    /// What accounts are called, once some text names one.
    names: OnceCell<HashMap<String, String>>,
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
        opened.noted = serde_json::from_value(import.upstream.0.clone()).unwrap_or_default();
        Ok(opened)
    }

    /// The repository `workspace/slug` at an interface.
    fn new(
        app: &App, base: &str, origin: &str, credentials: Credentials, import_id: Option<i64>,
    ) -> Result<Upstream, Failed> {
        let client = Client::new(app, base, reading::basic(&credentials), import_id)?;
        let (workspace, slug) = origin.split_once('/').unwrap_or((origin, ""));
        Ok(Upstream {
            client,
            credentials,
            members: format!("/workspaces/{}/members", reading::part(workspace)),
            repository: format!(
                "/repositories/{}/{}",
                reading::part(workspace),
                reading::part(slug)
            ),
            noted: Noted::default(),
            names: OnceCell::new(),
        })
    }

    /// The stages of an import, in their order.
    pub fn stages(&self, _: &Import) -> &'static [Stage] {
        match self.noted.has_issues {
            true => STAGES_WITH_ISSUES,
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
                let from = self.source(self.noted.clone_url.clone());
                git::repository(app, import, &from).await?;
                Ok(Page::default())
            }
            Stage::Wiki if self.noted.has_wiki => {
                let from = self.source(format!("{}/wiki", self.noted.clone_url));
                git::wiki(app, import, &from).await?;
                Ok(Page::default())
            }
            Stage::Labels => Ok(Page { objects: issues::labels(), ..Page::default() }),
            Stage::MergeRequests => self.requests(cursor).await,
            Stage::Issues => self.issues(cursor).await,
            Stage::CodeNotes => by_number::page(&OfRequests(self), app, import, cursor).await,
            Stage::Notes => by_number::page(&OfIssues(self), app, import, cursor).await,
            Stage::Lfs => {
                let from = self.source(self.noted.clone_url.clone());
                git::lfs(app, import, &from, cursor).await
            }
            _ => Ok(Page::default()),
        }
    }

    /// How many issues and pull requests there are.
    ///
    /// # Errors
    ///
    /// Why that cannot be told.
    pub async fn count(&self, _: &App, _: &Import) -> Result<Vec<(Kind, i64)>, Trouble> {
        let mut counts = vec![(Kind::PullRequest, self.size("pullrequests").await?)];
        if self.noted.has_issues {
            counts.push((Kind::Issue, self.size("issues").await?));
        }
        Ok(counts)
    }

    async fn size(&self, list: &str) -> Result<i64, Trouble> {
        let path = format!("{}/{list}", self.repository);
        let query: &[(&str, &str)] = match list {
            "issues" => &[("pagelen", "1")],
            _ => &[("pagelen", "1"), ("state", "ALL")],
        };
        match self.client.ask::<Paged<serde_json::Value>>(&path, query).await {
            Ok(answer) => Ok(answer.value.size.unwrap_or_default().max(0)),
            Err(failed) if failed.is_absent() => Ok(0),
            Err(failed) => Err(trouble(failed)),
        }
    }

    /// What git is to fetch.
    fn source(&self, url: String) -> git::Clone {
        git::Clone {
            url,
            credentials: self.credentials.clone(),
            default_branch: self.noted.default_branch.clone(),
            refs: &[],
        }
    }

    async fn requests(&self, cursor: Option<&str>) -> Result<Page, Trouble> {
        let leaf = self.leaf("pullrequests", cursor)?;
        let query = [("state", "ALL"), OLDEST, FIELDS, LIMIT];
        let (items, next) = self.list::<PullRequest>(&leaf, &query).await.map_err(trouble)?;
        let names = self.names_in(&items).await.map_err(trouble)?;
        let (words, mut page) = (self.words(&names), page_before(next)?);
        let key = |request: &PullRequest| request.id.to_string();
        read(&mut page, Kind::PullRequest, items, key, |request| {
            Ok(vec![Object::MergeRequest(Box::new(merge_request(request, &words)?))])
        });
        Ok(page)
    }

    async fn issues(&self, cursor: Option<&str>) -> Result<Page, Trouble> {
        let leaf = self.leaf("issues", cursor)?;
        let (items, next) = match self.list::<Issue>(&leaf, &[OLDEST, LIMIT]).await {
            Ok(came) => came,
            Err(failed) if failed.is_absent() => return Ok(Page::default()),
            Err(failed) => return Err(trouble(failed)),
        };
        let names = self.names_in(&items).await.map_err(trouble)?;
        let (words, mut page) = (self.words(&names), page_before(next)?);
        let key = |issue: &Issue| issue.id.to_string();
        read(&mut page, Kind::Issue, items, key, |issue| issues::objects(issue, &words));
        Ok(page)
    }

    /// Where a list of the repository is read.
    fn leaf(&self, list: &str, cursor: Option<&str>) -> Result<Leaf, Trouble> {
        match cursor {
            Some(cursor) => reading::place(cursor),
            None => Ok(Leaf::first(format!("{}/{list}", self.repository))),
        }
    }

    /// A page of a list, and where the next is. Further pages bear what was asked for.
    async fn list<T: DeserializeOwned>(
        &self, leaf: &Leaf, query: &[(&str, &str)],
    ) -> Result<(Items<T>, Option<Leaf>), Failed> {
        let query: &[(&str, &str)] = if leaf.before == 0 { query } else { &[] };
        let list: Paged<T> = self.client.ask(&leaf.url, query).await?.value;
        let next = list.next.as_deref().map(|next| self.client.checked(next)).transpose()?;
        let next = leaf.after(next).map_err(|_| Failed::Elsewhere)?;
        Ok((list.values, next))
    }

    fn words<'w>(&'w self, names: &'w HashMap<String, String>) -> Words<'w> {
        Words { web_url: &self.noted.web_url, names }
    }

    /// What those are called who are named in texts, if anybody is.
    async fn names_in<T: HasText>(
        &self, items: &Items<T>,
    ) -> Result<HashMap<String, String>, Failed> {
        let is_any = items.0.iter().flatten().filter_map(HasText::text).any(names_somebody);
        match is_any {
            true => Ok(self.names.get_or_try_init(|| self.ask_names()).await?.clone()),
            false => Ok(HashMap::new()),
        }
    }

    /// The members of the workspace, as far as they are told.
    async fn ask_names(&self) -> Result<HashMap<String, String>, Failed> {
        let (mut names, mut leaf) = (HashMap::new(), Some(Leaf::first(self.members.clone())));
        for _ in 0..MEMBER_PAGES {
            let Some(here) = leaf else { break };
            let (items, next) = match self.list::<Member>(&here, &[("pagelen", "100")]).await {
                Ok(came) => came,
                Err(failed) if failed.is_of_one() => break,
                Err(failed) => return Err(failed),
            };
            let people = items.0.into_iter().flatten().filter_map(|member| member.user.person());
            names.extend(people.map(|person| (person.id, person.username)));
            leaf = next;
        }
        Ok(names)
    }
}

/// An empty page, and where the one after it is.
fn page_before(next: Option<Leaf>) -> Result<Page, Trouble> {
    let next = next.as_ref().map(reading::cursor).transpose()?;
    Ok(Page { next, ..Page::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn noted(clone: &str) -> Noted {
        let of = json!({"name": "Tool", "full_name": "ws/tool", "has_wiki": true,
            "mainbranch": {"name": "trunk"}, "links": {"clone": [{"name": "ssh", "href": "git@x"},
                {"name": "https", "href": clone}]}});
        let of: Repository = serde_json::from_value(of).expect("a repository");
        Noted::of(&of, "https://git.example")
    }

    #[test]
    fn what_proves_who_asks_goes_to_git_of_the_provider_alone() {
        let usual = "https://git.example/ws/tool.git";
        for (told, expected) in [
            ("https://ada@git.example/ws/tool.git", usual),
            ("https://git.example/ws/other.git", "https://git.example/ws/other.git"),
            ("https://ada:x@git.example/ws/tool.git", usual),
            ("https://other.example/ws/tool.git", usual),
            ("http://git.example/ws/tool.git", usual),
            ("ssh://git.example/ws/tool.git", usual),
        ] {
            assert_eq!(noted(told).clone_url, expected, "{told}");
        }
        let noted = noted(usual);
        assert_eq!(noted.default_branch.as_deref(), Some("trunk"));
        assert_eq!((noted.has_wiki, noted.has_issues), (true, false));
        assert_eq!(noted.web_url, "https://git.example/ws/tool");
    }
}
