//! All files of a ref as one: `/-/archive/REF/NAME.EXT`.

use super::raw::plain;
use super::{CodeVisit, Spot};
use crate::access;
use crate::archive::{self, Archive, FORMATS, Format};
use crate::limits;
use http::{Method, StatusCode};
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::http::{Params, RequestContext, Response, Routes};
use repositories::objects::{Objects, Path};
use spaces::access::{Purpose, may};
use spaces::pages::PROJECT;
use std::sync::Arc;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, &format!("{PROJECT}/-/archive/{{*rest}}"), send);
}

kernel::params! {
    struct What {
        /// A file or folder alone.
        path: Option<String>,
        /// Puts the commit into the name.
        append_sha: Option<bool>,
    }
}

/// The ref, the name without its ending, and the format that an address asks for.
fn parts(rest: &str) -> Option<(&str, &str, Format)> {
    let (name, file) = rest.rsplit_once('/')?;
    let mut formats = FORMATS.iter();
    formats.find_map(|format| {
        let stem = file.strip_suffix(format.ending)?.strip_suffix('.')?;
        Some((name, stem, *format))
    })
}

/// Another site shows it within a page of its own.
fn is_embedded(request: &RequestContext) -> bool {
    let said = |name: &str| request.header(name).unwrap_or_default();
    said("sec-fetch-site") == "cross-site" && !matches!(said("sec-fetch-mode"), "navigate" | "")
}

async fn send(
    visit: CodeVisit, request: Arc<RequestContext>, what: Params<What>,
) -> Result<Response> {
    if is_embedded(&request) {
        return plain(StatusCode::NOT_ACCEPTABLE, "Archives are not for other sites to embed.");
    }
    let (name, stem, format) = parts(&visit.rest).found("File")?;
    let (name, stem) = (name.to_owned(), stem.to_owned());
    let path = Path::read(what.path.as_deref().unwrap_or_default());
    let path = path.map_err(|_| Error::NotFound("File"))?;
    let kind = visit.kind;
    let found = visit.find(move |tx, head| {
        let repository = head.code.repository()?;
        let spot = Spot::read(tx, repository, &name, kind)?;
        let spot = spot.filter(|spot| spot.path.is_root()).found("File")?;
        let is_public = may(tx, &Viewer::Anonymous, &head.code.project, Purpose::DownloadCode)?;
        Ok((spot, is_public))
    });
    let (head, (spot, is_public)) = found.await?;
    match limits::count_archive(&visit.app, &visit.viewer, request.peer).await {
        Err(Error::Exact(429, _)) => {
            let text = "This archive has been requested too many times. Try again later.";
            return plain(StatusCode::TOO_MANY_REQUESTS, text);
        }
        counted => counted?,
    }
    let (revision, wanted) = (spot.revision.clone(), path.clone());
    let find = move |objects: &Objects| {
        let commit = access::commit(objects, &revision, "File")?;
        objects.entry(commit.tree, &wanted)?.found("File")?;
        Ok(commit)
    };
    let commit = visit.objects(&head, find).await?;
    let project = &head.code.project.path;
    // Who asks for the name of the ref alone is given it.
    let is_short = stem == archive::name(&[project, &spot.name]);
    let id = match what.append_sha.unwrap_or(!is_short) {
        true => commit.id.to_string(),
        false => String::new(),
    };
    let name = archive::name(&[project, &spot.name, &id, path.as_str()]);
    let kept_by = if is_public { "public" } else { "private" };
    let asked = Archive { commit, path, excluded: Vec::new(), name, format, kept_by };
    asked.answer(&visit.app, &head.code, &request).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_is_the_name_and_all_before_it_the_ref() {
        let read = |rest| parts(rest).map(|(name, stem, format)| (name, stem, format.ending));
        assert_eq!(read("main/anvil-main.zip"), Some(("main", "anvil-main", "zip")));
        assert_eq!(read("a/b/x.y.tar.gz"), Some(("a/b", "x.y", "tar.gz")));
        assert_eq!(read("v1.2/anvil.tar"), Some(("v1.2", "anvil", "tar")));
        for wrong in ["main", "main/anvil", "main/anvil.rar", "main/zip", ""] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
