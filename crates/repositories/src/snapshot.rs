//! The repository of a project as it is, for administrators: a tar of it as a bare one,
//! sent as it is read.

use crate::cache::{self, Having, LocalCopy};
use crate::model::Holder;
use crate::store;
use axum::body::Body;
use http::{HeaderValue, header};
use identity::Caller;
use kernel::error::{Error, Found, Result};
use kernel::http::{Params, Response, Routes};
use kernel::ids::Reference;
use kernel::pipe::{Pipe, pipe};
use spaces::access::{self, Purpose};
use std::io::{self, Write};
use std::path::Path;

const SETTINGS: &[u8] = b"[core]\n\trepositoryformatversion = 0\n\tbare = true\n";

pub(crate) fn routes(r: &mut Routes) {
    r.get("/projects/{id}/snapshot", show)
        .summary("Sends the repository of a project as a tar of a bare one");
}

kernel::params! {
    /// Which repository.
    struct Which {
        /// Id or path of the project.
        pub id: Reference,
        /// That of its wiki.
        pub wiki: Option<bool>,
    }
}

async fn show(by: Caller, which: Params<Which>) -> Result<Response> {
    by.viewer.admin()?;
    let app = by.app.clone();
    let repository = by.read(move |tx, by| {
        let project = access::project(tx, &by.viewer, &which.id, Purpose::Read)?;
        let holder = match which.wiki {
            Some(true) => Holder::ProjectWiki(project.id),
            _ => Holder::Code(project.id),
        };
        store::of(tx, holder)?.found("Repository")
    });
    let copy = cache::copy(&app, repository.await?.id, Having::ObjectsAndRefs).await?;
    let (out, pieces) = pipe();
    tokio::task::spawn_blocking(move || send(&copy, out));
    let mut response = Response::new(Body::from_stream(pieces));
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, "application/x-tar"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"repository.tar\""),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "private, no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    Ok(response)
}

/// Sends the files one after the other; a failure cuts the answer off.
fn send(copy: &LocalCopy, mut out: Pipe) {
    match pack(copy.folder(), &mut out) {
        // Who went away is told nothing.
        Ok(()) => drop(out.close()),
        Err(error) => out.fail(Error::of_storage(error)),
    }
}

fn pack(folder: &Path, to: impl Write) -> io::Result<()> {
    let mut tar = tar::Builder::new(to);
    let mut settings = tar::Header::new_gnu();
    settings.set_size(SETTINGS.len() as u64);
    settings.set_mode(0o644);
    tar.append_data(&mut settings, "config", SETTINGS)?;
    for name in ["objects", "objects/pack", "refs", "refs/heads", "refs/tags"] {
        let mut entry = tar::Header::new_gnu();
        entry.set_entry_type(tar::EntryType::Directory);
        entry.set_size(0);
        entry.set_mode(0o755);
        tar.append_data(&mut entry, format!("{name}/"), io::empty())?;
    }
    for name in ["HEAD", "packed-refs"] {
        tar.append_path_with_name(folder.join(name), name)?;
    }
    let packs = Path::new("objects").join("pack");
    for entry in std::fs::read_dir(folder.join(&packs))? {
        let entry = entry?;
        let name = packs.join(entry.file_name());
        let is_pack = name.extension().is_some_and(|it| it == "pack" || it == "idx");
        if is_pack {
            tar.append_path_with_name(entry.path(), name)?;
        }
    }
    tar.into_inner()?.flush()
}
