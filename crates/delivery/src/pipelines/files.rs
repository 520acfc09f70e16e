//! The files of a pipeline: where its own is, and those that it includes, read for
//! whoever the pipeline is run for.

use super::{access, paths};
use http::StatusCode;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::ids::Reference;
use kernel::outbound::Call;
use pipeline_file::{Answer, Origin, Paths, Request, Source};
use repositories::formats::object_id::ObjectId;
use repositories::model::Repository;
use repositories::objects::{self, Objects, Path};
use spaces::access::{Purpose, project};
use spaces::model::Project;
use std::sync::Arc;

/// Bytes of one file; a larger one is read no further.
const LARGEST: u64 = 2 * 1024 * 1024;
const TOO_BIG: &str = "The provided YAML is too big";
/// How often a file of another server is asked for.
const ATTEMPTS: u32 = 3;
/// What a file is called unless the project says otherwise, the first that is there.
pub const USUAL_NAMES: &[&str] = &[".service-ci.yml", ".gitlab-ci.yml"];

/// A project whose files may be read.
#[derive(Debug, Clone)]
pub struct Place {
    pub project: Project,
    pub repository: Repository,
}

impl Place {
    fn origin(&self, commit: ObjectId) -> Origin {
        Origin::Project {
            path: self.project.full_path.clone(),
            sha: commit.to_string(),
        }
    }
}

/// Reads files for somebody.
#[derive(Clone)]
pub struct Reader {
    pub app: App,
    pub viewer: Viewer,
    /// The project of the pipeline.
    pub home: Place,
}

/// What stands at a path.
enum Read {
    Text(String),
    Missing,
    TooBig,
}

impl Read {
    fn answer(self, origin: Origin) -> Answer {
        match self {
            Read::Text(text) => Answer::file(text, origin),
            Read::Missing => Answer::Missing,
            Read::TooBig => Answer::Failed(TOO_BIG.into()),
        }
    }
}

impl Reader {
    /// The file of a commit under the first of these names, and which that is.
    pub async fn first(
        &self, commit: ObjectId, names: &[&str],
    ) -> Result<Option<(String, String)>> {
        for name in names {
            match self.text(&self.home, commit, name).await? {
                Read::Text(text) => return Ok(Some(((*name).to_owned(), text))),
                Read::TooBig => {
                    return Ok(Some(((*name).to_owned(), " ".repeat(LARGEST as usize + 1))));
                }
                Read::Missing => {}
            }
        }
        Ok(None)
    }

    /// What came of a request for a file.
    pub async fn answer(&self, request: &Request) -> Result<Answer> {
        match (&request.source, &request.from) {
            (Source::Local { path }, Origin::Project { path: project, sha }) => {
                match self.at(project, sha).await? {
                    Some((place, commit)) => {
                        let read = self.text(&place, commit, path).await?;
                        Ok(read.answer(place.origin(commit)))
                    }
                    None => Ok(Answer::Missing),
                }
            }
            (Source::Listing, Origin::Project { path, sha }) => match self.at(path, sha).await? {
                Some((place, commit)) => {
                    Ok(Answer::Paths(Arc::new(self.listing(&place, commit).await?)))
                }
                None => Ok(Answer::Missing),
            },
            (Source::Local { .. } | Source::Listing | Source::Artifact { .. }, _) => {
                Ok(Answer::Missing)
            }
            (Source::Project { project, reference, path }, _) => {
                self.of_project(project, reference.as_deref(), &[path.as_str()]).await
            }
            (Source::Component { address }, _) => self.component(address).await,
            (Source::Remote { url }, _) => Ok(self.remote(url).await),
        }
    }

    async fn at(&self, project: &str, sha: &str) -> Result<Option<(Place, ObjectId)>> {
        let place = self.place(project).await?;
        Ok(place.zip(sha.parse().ok()))
    }

    /// A project by its path, if who reads may read its code.
    pub async fn place(&self, path: &str) -> Result<Option<Place>> {
        if path == self.home.project.full_path {
            return Ok(Some(self.home.clone()));
        }
        let (viewer, reference) = (self.viewer.clone(), Reference::Path(path.to_owned()));
        let found = self.app.read(move |tx| {
            let project = project(tx, &viewer, &reference, Purpose::DownloadCode)?;
            let repository = access::repository(tx, &project)?;
            Ok(repository.map(|repository| Place { project, repository }))
        });
        match found.await {
            Err(
                Error::NotFound(_) | Error::Forbidden(_) | Error::Unauthenticated | Error::Moved(_),
            ) => Ok(None),
            found => found,
        }
    }

    async fn of_project(
        &self, project: &str, reference: Option<&str>, names: &[&str],
    ) -> Result<Answer> {
        let Some(place) = self.place(project).await? else {
            return Ok(Answer::NoProject);
        };
        let Some(commit) = self.commit(&place, reference.unwrap_or("HEAD")).await? else {
            return Ok(Answer::NoReference);
        };
        for name in names {
            match self.text(&place, commit, name).await? {
                Read::Missing => {}
                read => return Ok(read.answer(place.origin(commit))),
            }
        }
        Ok(Answer::Missing)
    }

    /// The commit that a text stands for in a project.
    pub async fn commit(&self, place: &Place, text: &str) -> Result<Option<ObjectId>> {
        let Some(revision) = objects::revision(&self.app, &place.repository, text).await? else {
            return Ok(None);
        };
        let found = objects::read(&self.app, &place.repository, move |objects: &Objects| {
            Ok(objects.commit_at(&revision)?.map(|commit| commit.id))
        });
        found.await
    }

    async fn text(&self, place: &Place, commit: ObjectId, path: &str) -> Result<Read> {
        let Ok(path) = Path::read(path.trim_start_matches('/')) else {
            return Ok(Read::Missing);
        };
        objects::read(&self.app, &place.repository, move |objects: &Objects| {
            let Some(commit) = objects.commit(commit)? else {
                return Ok(Read::Missing);
            };
            let Some(entry) = objects.entry(commit.tree, &path)? else {
                return Ok(Read::Missing);
            };
            Ok(match objects.blob(entry.id, LARGEST)? {
                None => Read::Missing,
                Some(blob) => match blob.content {
                    Some(content) => Read::Text(String::from_utf8_lossy(&content).into_owned()),
                    None => Read::TooBig,
                },
            })
        })
        .await
    }

    /// All paths of a commit.
    pub async fn listing(&self, place: &Place, commit: ObjectId) -> Result<Paths> {
        objects::read(&self.app, &place.repository, move |objects: &Objects| {
            let tree = objects.commit(commit)?.map(|commit| commit.tree);
            let found = tree.map(|tree| paths::all(objects, tree)).transpose()?;
            Ok(Paths::new(found.unwrap_or_default()))
        })
        .await
    }

    /// `host/path/name@version`, of this server alone.
    async fn component(&self, address: &str) -> Result<Answer> {
        let parts = address.rsplit_once('@').and_then(|(place, version)| {
            let (host, path) = place.split_once('/')?;
            let (project, name) = path.rsplit_once('/')?;
            Some((host, project, name, version))
        });
        let own = self.app.base_url().split("://").nth(1).unwrap_or_default();
        match parts {
            Some((host, project, name, version)) if host == own || host == self.app.host() => {
                let names =
                    [format!("templates/{name}.yml"), format!("templates/{name}/template.yml")];
                let names = [names[0].as_str(), names[1].as_str()];
                self.of_project(project, Some(version), &names).await
            }
            _ => Ok(Answer::Missing),
        }
    }

    /// A file of another server, asked for without any credentials.
    async fn remote(&self, url: &str) -> Answer {
        let mut attempt = 1;
        loop {
            let call = Call::get(url).max_answer(LARGEST);
            let outbound = match self.app.outbound().await {
                Ok(outbound) => outbound,
                Err(error) => return Answer::Failed(error.to_string()),
            };
            match outbound.call(call).await {
                Ok(answer) if answer.status == StatusCode::OK => {
                    let text = String::from_utf8_lossy(&answer.body).into_owned();
                    return Answer::file(text, Origin::Public);
                }
                Ok(answer) if attempt >= ATTEMPTS || !answer.status.is_server_error() => {
                    return Answer::HttpStatus { attempts: attempt, code: answer.status.as_u16() };
                }
                Err(fault) if attempt >= ATTEMPTS || !fault.may_pass() => {
                    return Answer::Failed(format!("Remote file could not be fetched. {fault}"));
                }
                _ => attempt += 1,
            }
        }
    }
}
