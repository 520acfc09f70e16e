//! What of a file that was taken apart is no list of objects: code, wiki, snippets, files of
//! texts and large files of git.

use super::format::{
    LargeFile, List, REPOSITORY, Snippet, UploadedFile, WIKI, large_file, snippet, upload,
};
use super::lines::{self, Lines, thing};
use super::store::{self, FileRow, Member};
use crate::model::{Kind, Person};
use crate::people::People;
use crate::run::{Import, Lost, Page, Stage, Trouble};
use ::snippets::access as snippet_access;
use ::snippets::model::{BRANCH, MOST_BYTES, MOST_FILES, text_problem, title_problem};
use ::snippets::store as snippet_rows;
use ::store::Tx;
use kernel::app::App;
use kernel::blobs::sha256_of;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use kernel::time::Timestamp;
use repositories::lfs::{self, LfsObject};
use repositories::place::Place;
use repositories::protection::model::RefKind;
use repositories::protection::store as protection;
use repositories::{bundles, output};
use spaces::access::find_project;
use spaces::model::{Project, Visibility};
use spaces::uploads;
use spaces::uploads::model::{is_secret, safe_name};
use std::collections::HashMap;

/// Things of a page, each of which takes some work.
const MOST_SNIPPETS: usize = 10;
const MOST_FILES_OF_PAGE: usize = 100;
/// Where the snippets begin.
const SNIPPETS: &str = "snippets/";
/// Most bytes of the paths of a snippet.
const PATHS: usize = 64 * 1024;

async fn project(app: &App, import: &Import) -> Result<Project, Trouble> {
    let id = Reference::Id(import.project_id);
    let found = app.read(move |tx| find_project(tx, &id)?.found("Project")).await;
    match found {
        Err(Error::NotFound(_)) => Err(Trouble::Refused("The project is gone.".into())),
        found => Ok(found?),
    }
}

async fn member(app: &App, row: &FileRow, name: &str) -> Result<Option<Member>, Trouble> {
    let (file, name) = (row.id, name.to_owned());
    Ok(app.read(move |tx| store::member(tx, file, &name)).await?)
}

/// Brings a bundle of the file, if it has it; how many refs came of it.
async fn bundle(app: &App, member: &Member, place: &Place, head: Option<&str>) -> Result<usize> {
    let (_, bytes) = app.blobs().get(&member.blob_key, None).await?;
    bundles::read(app, place, head, bytes).await
}

/// What is wrong with the file fails the import; what is wrong here passes.
fn trouble(what: &str, error: Error) -> Trouble {
    match error {
        Error::BadRequest(text) => Trouble::Refused(format!("Failed to import {what}: {text}")),
        Error::Unavailable(text) => Trouble::Away(text),
        error => Trouble::Internal(error),
    }
}

/// Brings the code.
pub async fn code(app: &App, import: &Import, row: &FileRow) -> Result<(), Trouble> {
    let project = project(app, import).await?;
    let Some(member) = member(app, row, REPOSITORY).await? else {
        return Ok(());
    };
    let head = row.default_branch.as_deref();
    let brought = bundle(app, &member, &Place::code(&project), head).await;
    let came = brought.map_err(|error| trouble("the repository", error))?;
    if came > 0 {
        // What is protected comes with the file, too.
        app.write(move |tx| forget_protection(tx, project.id)).await?;
    }
    Ok(())
}

/// Takes the protection away that the first branch of a project gets by itself.
fn forget_protection(tx: &mut Tx<'_>, project: i64) -> Result<()> {
    for rule in protection::of_project(tx, project, None)? {
        if rule.kind == RefKind::Branch && rule.project_id == Some(project) {
            protection::delete(tx, rule.id)?;
        }
    }
    Ok(())
}

/// Brings the wiki, and after it the snippets.
pub async fn wiki_and_snippets(
    app: &App, import: &Import, row: &FileRow, cursor: Option<&str>,
) -> Result<Page, Trouble> {
    let Some(rest) = cursor.and_then(|cursor| cursor.strip_prefix(SNIPPETS)) else {
        wiki(app, import, row).await?;
        return Ok(Page { next: Some(SNIPPETS.to_owned()), ..Page::default() });
    };
    let cursor = Some(rest).filter(|rest| !rest.is_empty());
    let Lines { lines, next } =
        lines::read(app, row, List::Snippets, cursor, MOST_SNIPPETS).await?;
    let mut page = Page {
        next: next.map(|next| format!("{SNIPPETS}{next}")),
        ..Page::default()
    };
    for (key, line) in lines {
        let came = match thing::<Snippet<Person>>(&line) {
            Ok(snippet) => one_snippet(app, import, row, snippet).await?,
            Err(reason) => Err(reason),
        };
        if let Err(reason) = came {
            page.lost.push(Lost { kind: Stage::Wiki.kind(), key, reason });
        }
    }
    Ok(page)
}

async fn wiki(app: &App, import: &Import, row: &FileRow) -> Result<(), Trouble> {
    let project = project(app, import).await?;
    let Some(member) = member(app, row, WIKI).await? else {
        return Ok(());
    };
    let place = Place::Content(wikis::access::of_project(&project));
    let brought = bundle(app, &member, &place, None).await;
    brought.map(drop).map_err(|error| trouble("the wiki", error))
}

/// A text for people where one could not be brought.
type Brought<T = ()> = std::result::Result<T, String>;

async fn one_snippet(
    app: &App, import: &Import, row: &FileRow, told: Snippet<Person>,
) -> Result<Brought, Trouble> {
    let name = snippet(told.number);
    let Some(member) = member(app, row, &name).await? else {
        return Ok(Err("It has no files.".into()));
    };
    if member.local_id.is_some() {
        return Ok(Ok(()));
    }
    if let Some(problem) = problem(&told) {
        return Ok(Err(problem));
    }
    let (of, new) = (import.clone(), told.clone());
    let made = app.write(move |tx| make_snippet(tx, &of, &new)).await?;
    let (id, place) = made;
    let files = match snippet_files(app, &member, &place).await? {
        Ok(files) => files,
        Err(reason) => {
            app.write(move |tx| snippet_rows::remove(tx, &[id])).await?;
            return Ok(Err(reason));
        }
    };
    let file = row.id;
    app.write(move |tx| {
        snippet_rows::set_files(tx, id, &files)?;
        snippet_rows::set_times(tx, id, told.created_at, told.updated_at)?;
        store::set_local(tx, file, &name, id)
    })
    .await?;
    Ok(Ok(()))
}

/// What is wrong with a snippet, if anything is.
fn problem(told: &Snippet<Person>) -> Option<String> {
    let title = title_problem(&told.title).map(|text| format!("Its title {text}."));
    let text = told.description.as_deref().and_then(text_problem);
    let text = text.map(|text| format!("Its description {text}."));
    let is_timed = is_time(told.created_at) && is_time(told.updated_at);
    title
        .or(text)
        .or((!is_timed).then(|| "It has no time that can be kept.".to_owned()))
}

/// Whether both databases keep it.
fn is_time(at: Timestamp) -> bool {
    at >= Timestamp::UNIX_EPOCH
}

/// A snippet whose files are still to come: nobody sees it yet.
fn make_snippet(tx: &mut Tx<'_>, import: &Import, told: &Snippet<Person>) -> Result<(i64, Place)> {
    let author_id = People::of(tx, import)?.author(tx, told.author.as_ref())?;
    let visibility = Visibility::from_text(&told.visibility).unwrap_or(Visibility::Private);
    let new = snippet_rows::NewSnippet {
        project_id: Some(import.project_id),
        author_id,
        title: told.title.clone(),
        description: told.description.clone(),
        visibility: visibility.level(),
        user_agent: String::new(),
        ip_address: String::new(),
    };
    let id = snippet_rows::insert(tx, &new)?;
    let row = snippet_rows::by_id(tx, id)?.found("Snippet")?;
    Ok((id, snippet_access::place(tx, &row)?))
}

/// Brings the files of a snippet; their paths.
async fn snippet_files(
    app: &App, member: &Member, place: &Place,
) -> Result<Brought<Vec<String>>, Trouble> {
    match bundle(app, member, place, Some(BRANCH)).await {
        Ok(_) => {}
        Err(Error::BadRequest(text)) => return Ok(Err(format!("Its repository: {text}."))),
        Err(error) => return Err(trouble("a snippet", error)),
    }
    let holder = place.holder();
    let found = app.read(move |tx| repositories::store::of(tx, holder)).await?;
    let Some(repository) = found else {
        return Ok(Err("It has no files.".into()));
    };
    if repository.size > MOST_BYTES {
        return Ok(Err("Snippet repository size exceeded".into()));
    }
    let branch = format!("refs/heads/{BRANCH}");
    let listing = output::ask(app, repository.id, PATHS, |git| {
        git.args(["ls-tree", "-r", "-z", "--name-only", branch.as_str()])
    });
    let paths = match listing.await {
        Ok(paths) => String::from_utf8_lossy(&paths).into_owned(),
        Err(Error::TooLarge) => return Ok(Err("Snippet maximum file count exceeded".into())),
        // There is no such branch.
        Err(Error::Internal(_)) => String::new(),
        Err(error) => return Err(error.into()),
    };
    let files: Vec<String> =
        paths.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
    match files.len() {
        0 => Ok(Err("It has no files.".into())),
        1..=MOST_FILES => Ok(Ok(files)),
        _ => Ok(Err("Snippet maximum file count exceeded".into())),
    }
}

/// Lines of a list as things, with those that are none.
async fn things<T: serde::de::DeserializeOwned>(
    app: &App, row: &FileRow, list: List, cursor: Option<&str>, kind: Kind,
) -> Result<(Vec<(String, T)>, Page), Trouble> {
    let Lines { lines, next } = lines::read(app, row, list, cursor, MOST_FILES_OF_PAGE).await?;
    let (mut found, mut page) = (Vec::new(), Page { next, ..Page::default() });
    for (key, line) in lines {
        match thing::<T>(&line) {
            Ok(one) => found.push((key, one)),
            Err(reason) => page.lost.push(Lost { kind, key, reason }),
        }
    }
    Ok((found, page))
}

/// The bytes of these names, by name.
async fn bytes_of(
    app: &App, row: &FileRow, names: Vec<String>,
) -> Result<HashMap<String, Member>, Trouble> {
    let file = row.id;
    let found = app.read(move |tx| store::members(tx, file, &names)).await?;
    Ok(found.into_iter().map(|member| (member.name.clone(), member)).collect())
}

fn is_whole(file: &UploadedFile<Person>) -> bool {
    is_secret(&file.secret) && safe_name(&file.name) == file.name && is_time(file.created_at)
}

/// Brings files of texts, under the addresses that texts know them by.
pub async fn uploads(
    app: &App, import: &Import, row: &FileRow, cursor: Option<&str>,
) -> Result<Page, Trouble> {
    let kind = Kind::NoteAttachment;
    let (found, mut page) =
        things::<UploadedFile<Person>>(app, row, List::Uploads, cursor, kind).await?;
    let names = found.iter().map(|(_, file)| upload(&file.sha256)).collect();
    let bytes = bytes_of(app, row, names).await?;
    let mut good = Vec::new();
    for (key, file) in found {
        let member = bytes.get(&upload(&file.sha256));
        match member.filter(|member| sha256_of(&member.blob_key) == file.sha256) {
            _ if !is_whole(&file) => {
                let reason = "Its address, name or time is none.".to_owned();
                page.lost.push(Lost { kind, key, reason });
            }
            Some(member) => good.push((file, member.clone())),
            None => page.lost.push(Lost { kind, key, reason: "Its bytes are missing.".into() }),
        }
    }
    page.brought.push((kind, i64::try_from(good.len()).unwrap_or_default()));
    let import = import.clone();
    app.write(move |tx| {
        let mut people = People::of(tx, &import)?;
        for (file, member) in &good {
            let by = file.by.as_ref().map(|person| people.user(tx, person)).transpose()?;
            let named = (file.secret.as_str(), file.name.as_str());
            let stored = (member.size, member.blob_key.as_str());
            uploads::put_back(tx, import.project_id, named, stored, (by, file.created_at))?;
        }
        Ok(())
    })
    .await?;
    Ok(page)
}

/// Brings large files of git.
pub async fn large_files(
    app: &App, import: &Import, row: &FileRow, cursor: Option<&str>,
) -> Result<Page, Trouble> {
    let kind = Kind::LfsObject;
    let (found, mut page) = things::<LargeFile>(app, row, List::LfsObjects, cursor, kind).await?;
    let names = found.iter().map(|(_, file)| large_file(&file.oid)).collect();
    let bytes = bytes_of(app, row, names).await?;
    let mut good = Vec::new();
    for (key, file) in found {
        let member = bytes.get(&large_file(&file.oid));
        let is_it =
            |member: &&Member| sha256_of(&member.blob_key) == file.oid && member.size == file.size;
        match member.filter(is_it) {
            Some(member) => good.push(LfsObject {
                oid: file.oid,
                size: member.size,
                blob_key: member.blob_key.clone(),
            }),
            None => page.lost.push(Lost { kind, key, reason: "Its bytes are missing.".into() }),
        }
    }
    page.brought.push((kind, i64::try_from(good.len()).unwrap_or_default()));
    let project = import.project_id;
    let put = app.write(move |tx| good.iter().try_for_each(|one| lfs::put_back(tx, project, one)));
    put.await?;
    Ok(page)
}
