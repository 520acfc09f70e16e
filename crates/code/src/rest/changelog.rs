//! `/changelog`: what changed in a version, told, or written into a file.

use super::SCOPES;
use crate::access::{self, Code, CodeRequest};
use crate::changelog::{self, before, entries, section, with_section};
use crate::changelog_config::{Config, FILES};
use kernel::error::{Error, Result};
use kernel::http::{Flat, Ok200, Params, Routes};
use kernel::limits::Limiter;
use kernel::time::{Date, date_of};
use repositories::edits::{self, Action, ActionKind, EditRequest};
use repositories::formats::object_id::ObjectId;
use repositories::objects::{self, Objects, Path, Revision, Walk};
use repositories::store::refs;
use schemars::JsonSchema;
use semver::Version;
use serde::Serialize;
use serde_json::json;
use std::sync::Arc;

/// Commits that are read for one.
const MOST_COMMITS: usize = 15_000;
/// Bytes of the file.
const MOST_FILE: u64 = 10 * 1024 * 1024;
const NO_START: &str = "The commit start range is unspecified, and no previous tag could be \
     found to use instead";
const NO_COMMIT: &str = "You are not allowed to commit a changelog on this branch";

pub(super) fn routes(r: &mut Routes) {
    r.get("/changelog", show)
        .scopes(SCOPES)
        .job_tokens()
        .summary("Tells what changed in a version");
    r.post("/changelog", write)
        .summary("Writes what changed in a version into a file");
}

/// Changelogs of a user, counted: 5 a minute.
struct Changelogs(Limiter);

impl Default for Changelogs {
    fn default() -> Changelogs {
        Changelogs(Limiter::new("changelogs", 5, 60))
    }
}

fn count(at: &CodeRequest) -> Result<()> {
    let key = at.viewer.user_id().unwrap_or_default().to_string();
    match at.app.kept::<Changelogs>().0.check(&key, at.app.now()).allowed {
        true => Ok(()),
        false => {
            let text = "This changelog has been requested too many times. Try again later.";
            Err(Error::Exact(429, json!({"message": {"error": text}})))
        }
    }
}

kernel::params! {
    /// Which changes.
    struct Asked {
        /// The version, such as 1.2.0.
        pub version: String,
        /// The last commit that is not part of it: of the version before, unless given.
        pub from: Option<String>,
        /// The last one that is: of the default branch, unless given.
        pub to: Option<String>,
        /// When it is from; now, unless given.
        pub date: Option<Date>,
        /// The trailer that says what a commit changes; `Changelog` unless given.
        pub trailer: Option<String>,
        /// The file that says how it is written.
        pub config_file: Option<String>,
        /// The branch, tag or commit of that; the default branch unless given.
        pub config_file_ref: Option<String>,
    }
}

/// What changed.
#[derive(Debug, Serialize, JsonSchema)]
struct Notes {
    notes: String,
}

fn failed(why: impl std::fmt::Display) -> Error {
    Error::Unprocessable(format!("Failed to generate the changelog: {why}"))
}

async fn show(at: CodeRequest, asked: Params<Asked>) -> Result<Ok200<Notes>> {
    let version = version(&asked)?;
    count(&at)?;
    let (_, notes) = notes(&at, &asked, version).await?;
    Ok(Ok200(Notes { notes }))
}

fn version(asked: &Asked) -> Result<Version> {
    let version = changelog::version_of(&asked.version);
    version.ok_or_else(|| Error::Parameters(vec!["version is invalid".into()]))
}

/// The project, and what changed in it.
async fn notes(at: &CodeRequest, asked: &Asked, version: Version) -> Result<(Code, String)> {
    let wanted = asked.clone();
    let config = Arc::new(config(at, asked).await?);
    let tags_as = config.clone();
    let ends = at.find(move |tx, code| {
        let repository = code.repository()?;
        let mut named = |text: &str| {
            let found = objects::named(tx, repository, text)?;
            found.ok_or_else(|| failed(format!("the commit {text} does not exist")))
        };
        let to = named(wanted.to.as_deref().unwrap_or("HEAD"))?;
        let from = match &wanted.from {
            Some(from) => named(from)?,
            None => {
                let tags = refs::beginning(tx, repository.id, &["refs/tags/".to_owned()])?;
                let names = tags.iter().filter_map(|tag| tag.name.as_tag());
                let last = before(names, &version, |tag| tags_as.version(tag));
                let last = last.map(str::to_owned);
                let last = last.ok_or_else(|| failed(NO_START))?;
                let tag = tags.into_iter().find(|tag| tag.name.as_tag() == Some(&last));
                tag.map(Revision::Ref).ok_or_else(|| failed(NO_START))?
            }
        };
        Ok((from, to))
    });
    let (code, (from, to)) = ends.await?;
    let walk = move |objects: &Objects| {
        let id = |revision: &Revision| -> Result<ObjectId> {
            Ok(access::commit(objects, revision, "Commit")?.id)
        };
        let walk = Walk {
            from: vec![id(&to)?],
            without: vec![id(&from)?],
            ..Walk::default()
        };
        objects.commits_of(&walk, 0, MOST_COMMITS)
    };
    let commits = at.objects(&code, walk).await?;
    let trailer = asked.trailer.as_deref().unwrap_or("Changelog");
    let date = config.date(asked.date.unwrap_or_else(|| date_of(at.app.now())));
    let date = date.map_err(failed)?;
    let mut entries = entries(&commits, trailer);
    for entry in &mut entries {
        entry.category = config.category(&entry.category).to_owned();
    }
    let text = section(&asked.version, &date, &code.project.full_path, &entries);
    Ok((code, text))
}

/// How the project has its changelogs written.
async fn config(at: &CodeRequest, asked: &Asked) -> Result<Config> {
    let code = at.find(|_, _| Ok(())).await?.0;
    let branch = asked.config_file_ref.as_deref().unwrap_or("HEAD");
    let named = asked.config_file.as_deref().filter(|file| !file.is_empty());
    let files = named.map_or(FILES.to_vec(), |file| vec![file]);
    for file in files {
        if let Some(text) = content(at, &code, branch, file).await? {
            return Config::read(&text).map_err(failed);
        }
    }
    match named {
        Some(file) => Err(failed(format!("there is no file {file}"))),
        None => Ok(Config::default()),
    }
}

kernel::params! {
    /// Which changes, and where they are written.
    struct Write {
        pub asked: Flat<Asked>,
        /// The branch; the default branch unless given.
        pub branch: Option<String>,
        /// The file; `CHANGELOG.md` unless given.
        pub file: Option<String>,
        /// What the commit says.
        pub message: Option<String>,
    }
}

/// Nothing more is told of what was written.
#[derive(Debug, Serialize, JsonSchema)]
struct Written {}

async fn write(at: CodeRequest, asked: Params<Write>) -> Result<Ok200<Written>> {
    at.viewer.signed_in()?;
    let version = version(&asked.asked)?;
    count(&at)?;
    let (code, section) = notes(&at, &asked.asked, version.clone()).await?;
    let branch = match &asked.branch {
        Some(branch) => branch.clone(),
        None => code.head()?.as_branch().unwrap_or_default().to_owned(),
    };
    let file = asked.file.as_deref().unwrap_or("CHANGELOG.md");
    let before = content(&at, &code, &branch, file).await?;
    let text = with_section(before.as_deref().unwrap_or_default(), &version, &section);
    let kind = match before {
        Some(_) => ActionKind::Update,
        None => ActionKind::Create,
    };
    let action = Action { content: Some(text.into()), ..Action::new(kind, file) };
    let message = asked.message.clone();
    let message =
        message.unwrap_or_else(|| format!("Add changelog for version {}", asked.asked.version));
    let request = EditRequest::new(&branch, &message, vec![action]);
    match edits::commit(&at.app, &at.viewer, &code.project, request).await? {
        Ok(_) => Ok(Ok200(Written {})),
        Err(refused) if refused.is_forbidden => Err(Error::forbidden(NO_COMMIT)),
        Err(refused) => Err(failed(refused.text)),
    }
}

/// What a file of a branch holds; none if it is not there.
async fn content(
    at: &CodeRequest, code: &Code, branch: &str, file: &str,
) -> Result<Option<String>> {
    let repository = code.repository()?;
    let path = Path::read(file).map_err(|_| failed("the file has no good path"))?;
    let Some(revision) = objects::revision(&at.app, repository, branch).await? else {
        return Ok(None);
    };
    let read = move |objects: &Objects| {
        let Some(commit) = objects.commit_at(&revision)? else {
            return Ok(None);
        };
        match objects.entry(commit.tree, &path)? {
            Some(entry) => objects.blob(entry.id, MOST_FILE),
            None => Ok(None),
        }
    };
    let Some(blob) = objects::read(&at.app, repository, read).await? else {
        return Ok(None);
    };
    let content = blob.content.ok_or_else(|| failed("the file is too large"))?;
    Ok(Some(String::from_utf8_lossy(&content).into_owned()))
}
