//! All files of a commit as one.

use super::SCOPES;
use crate::access::{self, Code, CodeRequest};
use crate::limits;
use axum::body::Body;
use futures_util::{StreamExt as _, stream};
use http::{HeaderValue, header};
use kernel::error::{Error, Found, Result};
use kernel::http::conditional::matches_etag;
use kernel::http::files::disposition;
use kernel::http::{Params, RequestContext, Response, Routes, reply};
use kernel::programs::{Invocation, Program};
use repositories::objects::{Commit, Objects, Path};
use repositories::output;
use std::sync::Arc;

/// Paths that may be left out.
const MOST_EXCLUDED: usize = 100;

/// Endings of the address, the format of git for each, and its type.
const FORMATS: &[(&str, &str, &str)] = &[
    ("tar.gz", "tar.gz", "application/gzip"),
    ("tgz", "tar.gz", "application/gzip"),
    ("gz", "tar.gz", "application/gzip"),
    ("tar.bz2", "tar.bz2", "application/x-bzip2"),
    ("tbz", "tar.bz2", "application/x-bzip2"),
    ("tbz2", "tar.bz2", "application/x-bzip2"),
    ("tb2", "tar.bz2", "application/x-bzip2"),
    ("bz2", "tar.bz2", "application/x-bzip2"),
    ("tar", "tar", "application/x-tar"),
    ("zip", "zip", "application/zip"),
];

pub(super) fn routes(r: &mut Routes) {
    r.get("/archive", get)
        .scopes(SCOPES)
        .summary("Answers with all files of a commit as one");
    for (ending, ..) in FORMATS {
        r.get(&format!("/archive.{ending}"), get)
            .scopes(SCOPES)
            .under(ending)
            .summary(format!("Answers with all files of a commit as one, as {ending}"));
    }
}

kernel::params! {
    /// What is put together.
    struct What {
        /// Branch, tag or commit; the default branch unless said.
        pub sha: Option<String>,
        /// A file or folder alone.
        pub path: Option<String>,
        /// Paths that are left out, with commas between them.
        pub exclude_paths: Option<Vec<String>>,
        /// The format, where the address has none.
        pub format: Option<String>,
    }
}

async fn get(
    at: CodeRequest, request: Arc<RequestContext>, what: Params<What>,
) -> Result<Response> {
    let ending = request.uri.path().rsplit_once("/archive.").map(|(_, ending)| ending);
    let ending = ending.or(what.format.as_deref()).unwrap_or("tar.gz");
    let format = FORMATS.iter().find(|(name, ..)| *name == ending).found("File")?;
    let path = Path::read(what.path.as_deref().unwrap_or_default());
    let path = path.map_err(|_| Error::NotFound("File"))?;
    let excluded = excluded(what.exclude_paths.as_deref().unwrap_or_default())?;
    let (code, revision) = at.at(what.sha.as_deref(), "File").await?;
    limits::count_archive(&at.app, &at.viewer, request.peer).await?;
    let wanted = path.clone();
    let find = move |objects: &Objects| {
        let commit = access::commit(objects, &revision, "File")?;
        objects.entry(commit.tree, &wanted)?.found("File")?;
        Ok(commit)
    };
    let commit = at.objects(&code, find).await?;
    let name = name(&code, what.sha.as_deref(), &commit, &path);
    let asked = Asked {
        commit,
        path,
        excluded,
        name,
        git: format.1,
        packer: packer(format.1)?,
        kind: format.2,
        ending,
    };
    asked.answer(&at, &code, &request).await
}

/// The program bzip2, which may be missing on the server.
fn packer(format: &str) -> Result<Option<String>> {
    if format != "tar.bz2" {
        return Ok(None);
    }
    let program = Program::find("bzip2");
    let path = program.as_ref().and_then(|program| program.path().to_str());
    // A shell reads it.
    let path = path.filter(|path| !path.contains('\''));
    let missing =
        || Error::Unavailable("This format needs the program bzip2 on the server.".into());
    path.map(|path| Some(path.to_owned())).ok_or_else(missing)
}

fn excluded(paths: &[String]) -> Result<Vec<Path>> {
    if paths.len() > MOST_EXCLUDED {
        return Err(super::refused("exclude_paths is too long"));
    }
    let read = paths.iter().filter(|path| !path.is_empty()).map(|path| Path::read(path));
    let wrong = |_| super::refused("exclude_paths is invalid");
    read.collect::<Result<_, _>>().map_err(wrong)
}

/// What the file and the folder in it are called.
fn name(code: &Code, sha: Option<&str>, commit: &Commit, path: &Path) -> String {
    let id = commit.id.to_string();
    let head = code.repository.as_ref().and_then(|one| one.head.as_branch());
    let asked = sha.filter(|sha| !matches!(*sha, "" | "HEAD")).or(head).unwrap_or(&id);
    let mut name = format!("{}-{asked}-{id}", code.project.path);
    if !path.is_root() {
        name = format!("{name}-{path}");
    }
    let is_plain = |c: char| c.is_alphanumeric() || "-_.+".contains(c);
    name.chars().map(|c| if is_plain(c) { c } else { '-' }).collect()
}

/// An archive that is asked for.
struct Asked<'a> {
    commit: Commit,
    path: Path,
    excluded: Vec<Path>,
    name: String,
    git: &'static str,
    /// The program that packs what git does not pack itself.
    packer: Option<String>,
    kind: &'static str,
    ending: &'a str,
}

impl Asked<'_> {
    async fn answer(
        &self, at: &CodeRequest, code: &Code, request: &RequestContext,
    ) -> Result<Response> {
        let excluded: Vec<&str> = self.excluded.iter().map(Path::as_str).collect();
        let tag = format!("\"{}-{}-{}\"", self.commit.id, self.ending, hash(&self.name, &excluded));
        let tag = HeaderValue::from_str(&tag).map_err(Error::internal)?;
        let mut response = match matches_etag(request, Some(&tag)) {
            true => reply::empty(http::StatusCode::NOT_MODIFIED),
            false if request.method == http::Method::HEAD => reply::empty(http::StatusCode::OK),
            false => http::Response::new(self.body(at, code).await?),
        };
        let headers = response.headers_mut();
        headers.insert(header::ETAG, tag);
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        let kept = "max-age=60, private, must-revalidate, stale-while-revalidate=60, \
                    stale-if-error=300, s-maxage=60";
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(kept));
        let file = disposition("attachment", &format!("{}.{}", self.name, self.ending));
        let file = HeaderValue::from_str(&file).map_err(Error::internal)?;
        headers.insert(header::CONTENT_DISPOSITION, file);
        Ok(response)
    }

    /// Nothing is answered before git has told the beginning: a failure is 404, and one
    /// midway cuts the connection.
    async fn body(&self, at: &CodeRequest, code: &Code) -> Result<Body> {
        let repository = code.repository()?.id;
        let started = output::start(&at.app, repository, |git| self.say(git));
        let mut bytes = Box::pin(started.await?.stream());
        match bytes.next().await {
            Some(Ok(first)) => {
                let first = stream::once(async { Ok::<_, Error>(first) });
                Ok(Body::from_stream(first.chain(bytes)))
            }
            Some(Err(error)) => {
                tracing::warn!(%error, "no archive");
                Err(Error::NotFound("File"))
            }
            None => Err(Error::NotFound("File")),
        }
    }

    fn say(&self, git: Invocation) -> Invocation {
        let packs = self.packer.as_ref().map(|path| format!("tar.tar.bz2.command='{path}' -c"));
        let mut said: Vec<String> =
            packs.into_iter().flat_map(|packs| ["-c".into(), packs]).collect();
        said.extend([
            "archive".to_owned(),
            format!("--format={}", self.git),
            format!("--prefix={}/", self.name),
            self.commit.id.to_string(),
            "--".to_owned(),
        ]);
        let path = if self.path.is_root() { "." } else { self.path.as_str() };
        said.push(format!(":(literal){path}"));
        said.extend(self.excluded.iter().map(|path| format!(":(exclude,literal){path}")));
        git.args(said)
    }
}

fn hash(name: &str, excluded: &[&str]) -> String {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    (name, excluded).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}
