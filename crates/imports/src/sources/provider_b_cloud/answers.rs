//! What the provider answers, as far as it is read.

use crate::model::Person;
use crate::upstream::Items;
use kernel::time::Timestamp;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A page of a list.
#[derive(Debug, Deserialize)]
#[serde(bound = "T: DeserializeOwned")]
pub struct Paged<T> {
    pub values: Items<T>,
    /// The address of the page after it.
    pub next: Option<String>,
    /// How many things the whole list has.
    pub size: Option<i64>,
}

#[derive(Debug, Deserialize)]
pub struct Repository {
    pub name: String,
    pub full_name: String,
    pub description: Option<String>,
    pub is_private: Option<bool>,
    pub has_issues: Option<bool>,
    pub has_wiki: Option<bool>,
    pub mainbranch: Option<Branch>,
    pub links: Option<Links>,
}

#[derive(Debug, Deserialize)]
pub struct Branch {
    pub name: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct Links {
    pub clone: Option<Vec<Link>>,
    pub html: Option<Link>,
}

#[derive(Debug, Deserialize)]
pub struct Link {
    pub href: Option<String>,
}

impl Repository {
    /// The last part of its path.
    pub fn slug(&self) -> &str {
        self.full_name.rsplit('/').next().unwrap_or(&self.full_name)
    }

    pub fn main_branch(&self) -> Option<&str> {
        self.mainbranch.as_ref()?.name.as_deref()
    }

    /// Where it is cloned from over HTTP, as the provider says.
    pub fn clone_url(&self) -> Option<&str> {
        let links = self.links.as_ref()?.clone.as_ref()?;
        let mut urls = links.iter().filter_map(|link| link.href.as_deref());
        urls.find(|url| url.starts_with("http"))
    }

    /// Where people look at it.
    pub fn web_url(&self) -> Option<&str> {
        self.links.as_ref()?.html.as_ref()?.href.as_deref()
    }
}

#[derive(Debug, Clone, Deserialize)]
pub struct User {
    pub account_id: Option<String>,
    pub uuid: Option<String>,
    pub nickname: Option<String>,
    pub username: Option<String>,
    pub display_name: Option<String>,
}

impl User {
    /// None of who has no name.
    pub fn person(&self) -> Option<Person> {
        let names = [&self.nickname, &self.username, &self.display_name];
        let username = names.into_iter().flatten().find(|name| !name.is_empty())?;
        let id = self.account_id.as_ref().or(self.uuid.as_ref()).unwrap_or(username);
        Some(Person {
            id: id.clone(),
            username: username.clone(),
            name: self.display_name.clone(),
            email: None,
        })
    }
}

/// The same of who may be missing.
pub fn person(user: Option<&User>) -> Option<Person> {
    user.and_then(User::person)
}

/// Somebody of a workspace.
#[derive(Debug, Deserialize)]
pub struct Member {
    pub user: User,
}

/// A text as it was written.
#[derive(Debug, Deserialize)]
pub struct Text {
    pub raw: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct Issue {
    pub id: i64,
    pub title: String,
    pub content: Option<Text>,
    pub state: String,
    pub kind: Option<String>,
    pub reporter: Option<User>,
    pub assignee: Option<User>,
    pub milestone: Option<Milestone>,
    pub created_on: Timestamp,
    pub updated_on: Option<Timestamp>,
}

#[derive(Debug, Deserialize)]
pub struct Milestone {
    pub name: Option<String>,
    pub links: Option<MilestoneLinks>,
}

#[derive(Debug, Deserialize)]
pub struct MilestoneLinks {
    #[serde(rename = "self")]
    pub own: Option<Link>,
}

impl Milestone {
    /// Its number, which stands in its address alone.
    pub fn number(&self) -> Option<i64> {
        let own = self.links.as_ref()?.own.as_ref()?.href.as_deref()?;
        own.rsplit('/').next()?.parse().ok().filter(|number| *number > 0)
    }
}

/// What somebody wrote to an issue.
#[derive(Debug, Deserialize)]
pub struct IssueComment {
    pub id: i64,
    pub content: Option<Text>,
    pub user: Option<User>,
    pub created_on: Timestamp,
    pub updated_on: Option<Timestamp>,
}

#[derive(Debug, Deserialize)]
pub struct PullRequest {
    pub id: i64,
    pub title: String,
    pub description: Option<String>,
    pub summary: Option<Text>,
    pub state: String,
    pub draft: Option<bool>,
    pub source: Side,
    pub destination: Side,
    pub merge_commit: Option<Commit>,
    pub author: Option<User>,
    pub reviewers: Option<Vec<User>>,
    pub participants: Option<Vec<Participant>>,
    pub closed_by: Option<User>,
    pub close_source_branch: Option<bool>,
    pub created_on: Timestamp,
    pub updated_on: Option<Timestamp>,
}

/// One of the two branches of a pull request.
#[derive(Debug, Deserialize)]
pub struct Side {
    pub branch: Option<Branch>,
    pub commit: Option<Commit>,
    pub repository: Option<Named>,
}

#[derive(Debug, Deserialize)]
pub struct Commit {
    /// Its first digits, at least.
    pub hash: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct Named {
    pub full_name: Option<String>,
}

impl Side {
    pub fn branch(&self) -> Option<&str> {
        self.branch.as_ref()?.name.as_deref()
    }

    pub fn commit(&self) -> Option<&str> {
        self.commit.as_ref()?.hash.as_deref()
    }

    pub fn repository(&self) -> Option<&str> {
        self.repository.as_ref()?.full_name.as_deref()
    }
}

/// Who takes part in a pull request.
#[derive(Debug, Deserialize)]
pub struct Participant {
    pub user: Option<User>,
    pub role: Option<String>,
    pub approved: Option<bool>,
    pub state: Option<String>,
    pub participated_on: Option<Timestamp>,
}

/// What somebody wrote to a pull request.
#[derive(Debug, Deserialize)]
pub struct Comment {
    pub id: i64,
    pub content: Option<Text>,
    pub user: Option<User>,
    pub deleted: Option<bool>,
    /// Nobody else sees it.
    pub pending: Option<bool>,
    pub inline: Option<Inline>,
    pub parent: Option<Parent>,
    pub resolution: Option<Resolution>,
    pub created_on: Timestamp,
    pub updated_on: Option<Timestamp>,
}

/// The lines of a file that a comment is about.
#[derive(Debug, Deserialize)]
pub struct Inline {
    pub path: Option<String>,
    /// In the old version.
    pub from: Option<u32>,
    /// In the new version.
    pub to: Option<u32>,
    pub start_from: Option<u32>,
    pub start_to: Option<u32>,
}

#[derive(Debug, Deserialize)]
pub struct Parent {
    pub id: i64,
}

#[derive(Debug, Deserialize)]
pub struct Resolution {
    pub user: Option<User>,
    pub created_on: Option<Timestamp>,
}

/// What has a text that may name others.
pub trait HasText {
    fn text(&self) -> Option<&str>;
}

fn raw(text: Option<&Text>) -> Option<&str> {
    text.and_then(|text| text.raw.as_deref())
}

impl HasText for Issue {
    fn text(&self) -> Option<&str> {
        raw(self.content.as_ref())
    }
}

impl HasText for IssueComment {
    fn text(&self) -> Option<&str> {
        raw(self.content.as_ref())
    }
}

impl HasText for PullRequest {
    fn text(&self) -> Option<&str> {
        self.description.as_deref().or_else(|| raw(self.summary.as_ref()))
    }
}

impl HasText for Comment {
    fn text(&self) -> Option<&str> {
        raw(self.content.as_ref())
    }
}
