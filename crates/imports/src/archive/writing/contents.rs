//! What of the file is no list of objects: repositories as bundles, files of texts, large
//! files of git.

use super::people::known;
use super::{Fault, MANY, Reading};
use crate::archive::blocking::Blocking;
use crate::archive::format::{
    LargeFile, List, REPOSITORY, Snippet, UploadedFile, WIKI, large_file, snippet, upload,
};
use crate::archive::out::Out;
use kernel::blobs::sha256_of;
use kernel::error::Result;
use repositories::bundles;
use repositories::lfs;
use repositories::model::Holder;
use snippets::store as snippet_rows;
use spaces::uploads;
use std::io::Write;

/// Writes all of it.
pub fn write<W: Write>(reading: &mut Reading<'_>, out: &mut Out<W>) -> Result<(), Fault> {
    let project = reading.project.id;
    bundle(reading, out, Holder::Code(project), REPOSITORY)?;
    bundle(reading, out, Holder::ProjectWiki(project), WIKI)?;
    let numbers = snippets(reading, out)?;
    for number in numbers {
        let holder = Holder::ProjectSnippet { id: number, project_id: project };
        bundle(reading, out, holder, &snippet(number))?;
    }
    list_uploads(reading, out)?;
    list_large_files(reading, out)?;
    upload_bytes(reading, out)?;
    large_file_bytes(reading, out)
}

/// A repository, if there is anything in it. Its length comes first, so that it waits on the
/// disk until it is whole.
fn bundle<W: Write>(
    reading: &mut Reading<'_>, out: &mut Out<W>, holder: Holder, name: &str,
) -> Result<(), Fault> {
    let found = reading.read(move |tx, _| repositories::store::of(tx, holder))?;
    let Some(repository) = found else {
        return Ok(());
    };
    let app = reading.app;
    let received = reading.runtime.block_on(async move {
        match bundles::write(app, repository.id).await? {
            Some(output) => app.blobs().receive(Box::pin(output.stream()), None).await.map(Some),
            None => Ok(None),
        }
    })?;
    match received {
        Some(received) => Ok(out.bytes(name, received.stored().size, received.open()?)?),
        None => Ok(()),
    }
}

/// The list of snippets; the ids of those.
fn snippets<W: Write>(reading: &mut Reading<'_>, out: &mut Out<W>) -> Result<Vec<i64>, Fault> {
    let (project, mut numbers) = (reading.project.id, Vec::new());
    let mut lines = out.list(List::Snippets);
    loop {
        let after = numbers.last().copied().unwrap_or_default();
        let page = reading.read(move |tx, people| {
            let mut page = Vec::new();
            for row in snippet_rows::after(tx, project, after, MANY)? {
                let author = row.author_id.map(|id| people.of(tx, id)).transpose()?;
                page.push(Snippet {
                    number: row.id,
                    visibility: row.visibility().as_str().to_owned(),
                    files: row.files().to_vec(),
                    title: row.title,
                    description: row.description,
                    author: known(author),
                    created_at: row.created_at,
                    updated_at: row.updated_at,
                });
            }
            Ok(page)
        })?;
        if page.is_empty() {
            lines.finish()?;
            return Ok(numbers);
        }
        for one in &page {
            lines.line(one)?;
            numbers.push(one.number);
        }
    }
}

fn list_uploads<W: Write>(reading: &mut Reading<'_>, out: &mut Out<W>) -> Result<(), Fault> {
    let (project, mut after) = (reading.project.id, 0);
    let mut lines = out.list(List::Uploads);
    loop {
        let page = reading.read(move |tx, people| {
            let mut page = Vec::new();
            for row in uploads::after(tx, project, after, MANY)? {
                let by = row.uploaded_by_id.map(|id| people.of(tx, id)).transpose()?;
                let file = UploadedFile {
                    sha256: sha256_of(&row.blob_key),
                    secret: row.secret,
                    name: row.name,
                    by: known(by),
                    created_at: row.created_at,
                };
                page.push((row.id, file));
            }
            Ok(page)
        })?;
        let Some((last, _)) = page.last() else {
            return Ok(lines.finish()?);
        };
        after = *last;
        for (_, file) in &page {
            lines.line(file)?;
        }
    }
}

fn list_large_files<W: Write>(reading: &mut Reading<'_>, out: &mut Out<W>) -> Result<(), Fault> {
    let (project, mut after) = (reading.project.id, String::new());
    let mut lines = out.list(List::LfsObjects);
    loop {
        let from = after.clone();
        let page = reading.read(move |tx, _| lfs::after(tx, project, &from, MANY))?;
        let Some(last) = page.last() else {
            return Ok(lines.finish()?);
        };
        after.clone_from(&last.oid);
        for one in page {
            lines.line(&LargeFile { oid: one.oid, size: one.size })?;
        }
    }
}

/// The bytes of the files of texts, each once.
fn upload_bytes<W: Write>(reading: &mut Reading<'_>, out: &mut Out<W>) -> Result<(), Fault> {
    let (project, mut after) = (reading.project.id, String::new());
    loop {
        let from = after.clone();
        let page = reading.read(move |tx, _| uploads::blobs_after(tx, project, &from, MANY))?;
        let Some((last, _)) = page.last() else {
            return Ok(());
        };
        after.clone_from(last);
        for (key, size) in &page {
            blob(reading, out, &upload(&sha256_of(key)), (key, *size))?;
        }
    }
}

fn large_file_bytes<W: Write>(reading: &mut Reading<'_>, out: &mut Out<W>) -> Result<(), Fault> {
    let (project, mut after) = (reading.project.id, String::new());
    loop {
        let from = after.clone();
        let page = reading.read(move |tx, _| lfs::after(tx, project, &from, MANY))?;
        let Some(last) = page.last() else {
            return Ok(());
        };
        after.clone_from(&last.oid);
        for one in &page {
            blob(reading, out, &large_file(&one.oid), (&one.blob_key, one.size))?;
        }
    }
}

fn blob<W: Write>(
    reading: &mut Reading<'_>, out: &mut Out<W>, name: &str, (key, size): (&str, i64),
) -> Result<(), Fault> {
    let (_, bytes) = reading.runtime.block_on(reading.app.blobs().get(key, None))?;
    let bytes = Blocking::over(reading.runtime.clone(), bytes);
    out.bytes(name, size.unsigned_abs(), bytes)?;
    reading.note()
}
