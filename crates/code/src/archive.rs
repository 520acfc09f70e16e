//! All files of a commit as one file, as git packs them.

use crate::access::Code;
use axum::body::Body;
use futures_util::{StreamExt as _, stream};
use http::{HeaderValue, header};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::conditional::matches_etag;
use kernel::http::files::disposition;
use kernel::http::{RequestContext, Response, reply};
use kernel::programs::{Invocation, Program};
use repositories::objects::{Commit, Path};
use repositories::output;

/// An ending of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    pub ending: &'static str,
    /// As git calls it.
    git: &'static str,
    /// The type of its bytes.
    kind: &'static str,
}

const fn format(ending: &'static str, git: &'static str, kind: &'static str) -> Format {
    Format { ending, git, kind }
}

/// Every ending there is; of two that fit a name the longer stands first.
pub const FORMATS: &[Format] = &[
    format("tar.gz", "tar.gz", "application/gzip"),
    format("tgz", "tar.gz", "application/gzip"),
    format("gz", "tar.gz", "application/gzip"),
    format("tar.bz2", "tar.bz2", "application/x-bzip2"),
    format("tbz", "tar.bz2", "application/x-bzip2"),
    format("tbz2", "tar.bz2", "application/x-bzip2"),
    format("tb2", "tar.bz2", "application/x-bzip2"),
    format("bz2", "tar.bz2", "application/x-bzip2"),
    format("tar", "tar", "application/x-tar"),
    format("zip", "zip", "application/zip"),
];

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

/// What a file and the folder in it are called: parts with a dash between them.
pub fn name(parts: &[&str]) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_.+".contains(c);
    let parts = parts.iter().filter(|part| !part.is_empty()).copied();
    let name = parts.collect::<Vec<_>>().join("-");
    name.chars().map(|c| if is_plain(c) { c } else { '-' }).collect()
}

/// An archive that is asked for.
pub struct Archive {
    pub commit: Commit,
    pub path: Path,
    pub excluded: Vec<Path>,
    pub name: String,
    pub format: Format,
    /// `private` or `public`: who may keep it.
    pub kept_by: &'static str,
}

impl Archive {
    /// Answers with it, or that the caller has it.
    pub async fn answer(
        &self, app: &App, code: &Code, request: &RequestContext,
    ) -> Result<Response> {
        let packer = packer(self.format.git)?;
        let excluded: Vec<&str> = self.excluded.iter().map(Path::as_str).collect();
        let tag = format!(
            "\"{}-{}-{}\"",
            self.commit.id,
            self.format.ending,
            hash(&self.name, &excluded)
        );
        let tag = HeaderValue::from_str(&tag).map_err(Error::internal)?;
        let mut response = match matches_etag(request, Some(&tag)) {
            true => reply::empty(http::StatusCode::NOT_MODIFIED),
            false if request.method == http::Method::HEAD => reply::empty(http::StatusCode::OK),
            false => http::Response::new(self.body(app, code, packer).await?),
        };
        let headers = response.headers_mut();
        headers.insert(header::ETAG, tag);
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.format.kind));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        let kept = crate::caching::cached(60, self.kept_by)?;
        headers.insert(header::CACHE_CONTROL, kept);
        let file = disposition("attachment", &format!("{}.{}", self.name, self.format.ending));
        let file = HeaderValue::from_str(&file).map_err(Error::internal)?;
        headers.insert(header::CONTENT_DISPOSITION, file);
        Ok(response)
    }

    /// Nothing is answered before git has told the beginning: a failure is 404, and one
    /// midway cuts the connection.
    async fn body(&self, app: &App, code: &Code, packer: Option<String>) -> Result<Body> {
        let repository = code.repository()?.id;
        let started = output::start(app, repository, |git| self.say(git, packer));
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

    fn say(&self, git: Invocation, packer: Option<String>) -> Invocation {
        let packs = packer.map(|path| format!("tar.tar.bz2.command='{path}' -c"));
        let mut said: Vec<String> =
            packs.into_iter().flat_map(|packs| ["-c".into(), packs]).collect();
        said.extend([
            "archive".to_owned(),
            format!("--format={}", self.format.git),
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
