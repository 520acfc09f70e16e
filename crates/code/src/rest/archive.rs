//! All files of a commit as one.

use super::SCOPES;
use crate::access::{self, CodeRequest};
use crate::archive::{self, Archive, FORMATS, Format};
use crate::limits;
use kernel::error::{Error, Found, Result};
use kernel::http::{Params, RequestContext, Response, Routes};
use repositories::objects::{Objects, Path};
use std::sync::Arc;

/// Paths that may be left out.
const MOST_EXCLUDED: usize = 100;

pub(super) fn routes(r: &mut Routes) {
    r.get("/archive", get)
        .scopes(SCOPES)
        .summary("Answers with all files of a commit as one");
    for Format { ending, .. } in FORMATS {
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
    let format = FORMATS.iter().find(|format| format.ending == ending).found("File")?;
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
    let id = commit.id.to_string();
    let head = code.repository.as_ref().and_then(|one| one.head.as_branch());
    let asked = what.sha.as_deref().filter(|sha| !matches!(*sha, "" | "HEAD"));
    let asked = asked.or(head).unwrap_or(&id);
    let name = archive::name(&[&code.project.path, asked, &id, path.as_str()]);
    let format = *format;
    let kept_by = "private";
    let asked = Archive { commit, path, excluded, name, format, kept_by };
    asked.answer(&at.app, &code, &request).await
}

fn excluded(paths: &[String]) -> Result<Vec<Path>> {
    if paths.len() > MOST_EXCLUDED {
        return Err(super::refused("exclude_paths is too long"));
    }
    let read = paths.iter().filter(|path| !path.is_empty()).map(|path| Path::read(path));
    let wrong = |_| super::refused("exclude_paths is invalid");
    read.collect::<Result<_, _>>().map_err(wrong)
}
