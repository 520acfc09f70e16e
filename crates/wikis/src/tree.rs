//! Pages as the repository holds them.

use crate::access::Wiki;
use crate::model::{MAX_CONTENT, Matter, PageFile, SIDEBAR, UPLOADS, slug_of};
use kernel::app::App;
use kernel::error::{Error, Result};
use repositories::formats::object_id::ObjectId;
use repositories::objects::{self, Commit, Entry, EntryKind, Objects, Path};
use repositories::store::refs;

/// Files that are gone through, pages that are listed, and folders in each other.
const MOST_FILES: usize = 50_000;
const MOST_PAGES: usize = 10_000;
const DEEPEST: usize = 32;

/// A page with its text.
#[derive(Debug, Clone)]
pub struct Page {
    pub file: PageFile,
    /// The file whole.
    pub text: String,
}

impl Page {
    /// What it is called: as it says itself, or as its file is.
    pub fn title(&self) -> String {
        self.matter().title().unwrap_or_else(|| self.file.title())
    }

    pub fn matter(&self) -> Matter<'_> {
        Matter::read(&self.text)
    }
}

/// What a page shows beside its text.
#[derive(Debug, Clone)]
pub struct Beside {
    pub commit: Commit,
    /// All pages, by their paths.
    pub pages: Vec<PageFile>,
    pub sidebar: Option<Page>,
}

/// What stands at an address of a wiki.
#[derive(Debug, Clone)]
pub enum Spot {
    Page(Box<Page>),
    /// Another file, by its name.
    File(String, ObjectId),
    Nothing,
}

/// The commit that the pages of a wiki come from, or that of a version; none before the
/// first page.
pub async fn commit(app: &App, wiki: &Wiki, version: Option<&str>) -> Result<Option<Commit>> {
    let Some(repository) = &wiki.repository else {
        return Ok(None);
    };
    if let Some(version) = version {
        let digits = version.to_owned();
        let is_name = (7..=40).contains(&digits.len());
        return objects::read(app, repository, move |objects| match is_name {
            true => match objects.beginning(&digits)? {
                Some(id) => objects.commit(id),
                None => Ok(None),
            },
            false => Ok(None),
        })
        .await;
    }
    let (id, head) = (repository.id, repository.head.clone());
    let tip = app.read(move |tx| Ok(refs::current(tx, id, &[&head])?.remove(&head))).await?;
    match tip {
        Some(tip) => objects::read(app, repository, move |objects| objects.commit(tip)).await,
        None => Ok(None),
    }
}

/// Reads out of a commit of a wiki.
pub async fn read<T: Send + 'static>(
    app: &App, wiki: &Wiki, work: impl Fn(&Objects) -> Result<T> + Send + Sync + 'static,
) -> Result<T> {
    let repository = wiki.repository.as_ref().ok_or(Error::NotFound("Wiki Page"))?;
    objects::read(app, repository, work).await
}

/// All pages of a commit, by their paths.
pub fn pages(objects: &Objects, tree: ObjectId) -> Result<Vec<PageFile>> {
    let (mut pages, mut left) = (Vec::new(), MOST_FILES);
    walk(objects, tree, &Path::default(), (&mut pages, &mut left), 0)?;
    pages.sort_by_cached_key(|page| (page.slug.to_lowercase(), page.path.to_string()));
    pages.dedup_by(|next, page| next.slug == page.slug);
    Ok(pages)
}

fn walk(
    objects: &Objects, tree: ObjectId, folder: &Path,
    (pages, left): (&mut Vec<PageFile>, &mut usize), depth: usize,
) -> Result<()> {
    for entry in objects.tree(tree)?.unwrap_or_default() {
        if *left == 0 || pages.len() == MOST_PAGES {
            return Ok(());
        }
        *left -= 1;
        let path = folder.below(&entry.name);
        match entry.kind {
            EntryKind::Folder if depth < DEEPEST => {
                walk(objects, entry.id, &path, (&mut *pages, &mut *left), depth + 1)?;
            }
            EntryKind::File | EntryKind::Program => pages.extend(PageFile::of(path, entry.id)),
            _ => {}
        }
    }
    Ok(())
}

/// The page of a slug: written so, or else in other letters.
pub fn find(objects: &Objects, tree: ObjectId, slug: &str) -> Result<Option<PageFile>> {
    let Ok(path) = Path::read(slug) else {
        return Ok(None);
    };
    let folder = path.folder();
    let Some(entries) = folder_at(objects, tree, &folder)? else {
        return Ok(None);
    };
    let files = entries.into_iter().filter(is_file);
    let pages = files.filter_map(|one| PageFile::of(folder.below(&one.name), one.id));
    let spelled = slug_of(path.as_str());
    let rank = |page: &PageFile| match &page.slug {
        own if own == path.as_str() => Some(0),
        own if *own == spelled => Some(1),
        own if own.to_lowercase() == spelled.to_lowercase() => Some(2),
        _ => None,
    };
    let ranked = pages.filter_map(|page| Some((rank(&page)?, page)));
    Ok(ranked
        .min_by_key(|(rank, page)| (*rank, page.format as u8))
        .map(|(_, page)| page))
}

fn folder_at(objects: &Objects, tree: ObjectId, path: &Path) -> Result<Option<Vec<Entry>>> {
    match objects.entry(tree, path)? {
        Some(entry) if entry.kind == EntryKind::Folder => objects.tree(entry.id),
        _ => Ok(None),
    }
}

fn is_file(entry: &Entry) -> bool {
    matches!(entry.kind, EntryKind::File | EntryKind::Program)
}

/// A page with its text.
pub fn open(objects: &Objects, file: PageFile) -> Result<Page> {
    let blob = objects.blob(file.id, MAX_CONTENT as u64)?;
    let content = blob.and_then(|blob| blob.content).ok_or_else(|| {
        Error::BadRequest("The page is too large to be shown. Clone the wiki to read it.".into())
    })?;
    let text = code::text::letters(&content).map(String::from).unwrap_or_default();
    Ok(Page { file, text })
}

/// The page of a slug with its text.
pub fn page(objects: &Objects, tree: ObjectId, slug: &str) -> Result<Option<Page>> {
    find(objects, tree, slug)?.map(|file| open(objects, file)).transpose()
}

/// What stands at an address.
pub fn spot(objects: &Objects, tree: ObjectId, address: &str) -> Result<Spot> {
    if let Some(page) = page(objects, tree, address)? {
        return Ok(Spot::Page(Box::new(page)));
    }
    // Pages in folders name attachments as those of the root do.
    let attached = address.find(&format!("{UPLOADS}/")).map(|at| &address[at..]);
    for path in [Some(address), attached].into_iter().flatten() {
        let Ok(path) = Path::read(path) else { continue };
        match objects.entry(tree, &path)? {
            Some(entry) if is_file(&entry) => {
                return match PageFile::of(path, entry.id) {
                    // It is called by the whole name of its file.
                    Some(file) => Ok(Spot::Page(Box::new(open(objects, file)?))),
                    None => Ok(Spot::File(entry.name, entry.id)),
                };
            }
            _ => {}
        }
    }
    Ok(Spot::Nothing)
}

/// What is shown beside the pages of a commit.
pub fn beside(objects: &Objects, commit: &Commit) -> Result<Beside> {
    Ok(Beside {
        pages: pages(objects, commit.tree)?,
        sidebar: page(objects, commit.tree, SIDEBAR)?,
        commit: commit.clone(),
    })
}
