//! What the server answers, as far as it is read.

use crate::model::Person;
use crate::upstream::Items;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A page of a list.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", bound = "T: DeserializeOwned")]
pub struct Paged<T> {
    pub values: Items<T>,
    pub is_last_page: Option<bool>,
    pub next_page_start: Option<i64>,
}

impl<T> Paged<T> {
    /// Where the page after the one that began there begins.
    pub fn after(&self, start: i64) -> Option<i64> {
        match self.is_last_page {
            Some(false) => self.next_page_start.filter(|next| *next > start),
            _ => None,
        }
    }
}

#[derive(Debug, Deserialize)]
pub struct Repository {
    pub id: Option<i64>,
    pub slug: String,
    pub name: Option<String>,
    pub description: Option<String>,
    pub public: Option<bool>,
    pub project: Option<Project>,
    pub links: Option<Links>,
}

#[derive(Debug, Deserialize)]
pub struct Project {
    pub key: Option<String>,
    pub public: Option<bool>,
}

#[derive(Debug, Deserialize)]
pub struct Links {
    pub clone: Option<Vec<Link>>,
}

#[derive(Debug, Deserialize)]
pub struct Link {
    pub href: Option<String>,
}

impl Repository {
    pub fn is_public(&self) -> bool {
        let of_project = self.project.as_ref().and_then(|project| project.public);
        self.public == Some(true) || of_project == Some(true)
    }

    /// Where it is cloned from over HTTP, as the server says.
    pub fn clone_url(&self) -> Option<&str> {
        let links = self.links.as_ref()?.clone.as_ref()?;
        let mut urls = links.iter().filter_map(|link| link.href.as_deref());
        urls.find(|url| url.starts_with("http"))
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct User {
    pub id: Option<i64>,
    pub name: Option<String>,
    pub slug: Option<String>,
    pub display_name: Option<String>,
    pub email_address: Option<String>,
}

impl User {
    /// None of who has neither a number nor a name.
    pub fn person(&self) -> Option<Person> {
        let username = self.name.as_ref().or(self.slug.as_ref())?;
        Some(Person {
            id: self.id.map_or_else(|| username.clone(), |id| id.to_string()),
            username: username.clone(),
            name: self.display_name.clone(),
            email: self.email_address.clone(),
        })
    }
}

/// The same of who may be missing.
pub fn person(user: Option<&User>) -> Option<Person> {
    user.and_then(User::person)
}

/// Who takes part in a pull request.
#[derive(Debug, Deserialize)]
pub struct Participant {
    pub user: Option<User>,
    pub approved: Option<bool>,
    pub status: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PullRequest {
    pub id: i64,
    pub title: String,
    pub description: Option<String>,
    pub state: String,
    pub draft: Option<bool>,
    pub locked: Option<bool>,
    pub created_date: i64,
    pub updated_date: Option<i64>,
    pub closed_date: Option<i64>,
    pub from_ref: Reference,
    pub to_ref: Reference,
    pub author: Option<Participant>,
    pub reviewers: Option<Vec<Participant>>,
    pub properties: Option<Properties>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reference {
    /// `refs/heads/NAME`.
    pub id: String,
    pub latest_commit: Option<String>,
    pub repository: Option<Repository>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Properties {
    pub merge_commit: Option<Commit>,
}

#[derive(Debug, Deserialize)]
pub struct Commit {
    pub id: Option<String>,
    pub committer: Option<Signature>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Signature {
    pub name: Option<String>,
    pub display_name: Option<String>,
    pub email_address: Option<String>,
}

impl Signature {
    /// Who signs has no number; their address tells them apart.
    pub fn person(&self) -> Option<Person> {
        let username = self.name.as_ref().or(self.display_name.as_ref())?;
        Some(Person {
            id: self.email_address.as_ref().unwrap_or(username).clone(),
            username: username.clone(),
            name: self.display_name.clone(),
            email: self.email_address.clone(),
        })
    }
}

/// Something that somebody did with a pull request.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Activity {
    pub id: i64,
    pub created_date: i64,
    pub user: Option<User>,
    pub action: String,
    pub comment_action: Option<String>,
    pub comment: Option<Comment>,
    pub comment_anchor: Option<Anchor>,
    pub commit: Option<Commit>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Comment {
    pub id: i64,
    pub text: Option<String>,
    pub author: Option<User>,
    pub created_date: i64,
    pub updated_date: Option<i64>,
    /// What was answered to it.
    pub comments: Option<Vec<Comment>>,
    pub thread_resolved: Option<bool>,
    pub thread_resolver: Option<User>,
    pub thread_resolved_date: Option<i64>,
}

/// Where a comment stands.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Anchor {
    pub path: Option<String>,
    pub src_path: Option<String>,
    pub line: Option<u32>,
    /// `ADDED`, `REMOVED` or `CONTEXT`.
    pub line_type: Option<String>,
    /// `FROM` or `TO`: the side by which `line` counts.
    pub file_type: Option<String>,
    pub from_hash: Option<String>,
    pub to_hash: Option<String>,
}

/// Who may do something in the project there.
#[derive(Debug, Deserialize)]
pub struct Permission {
    pub user: User,
    pub permission: String,
}
