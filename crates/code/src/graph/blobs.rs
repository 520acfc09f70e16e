//! The type `RepositoryBlob`: a file with what it holds.

use super::{RepositoryView, each, ref_arguments, ref_of, revisions};
use crate::address;
use identity::graph::viewer;
use kernel::error::Result as Outcome;
use kernel::graph::shape::Leaf;
use kernel::graph::{
    Args, Ask, BIG_INT, BOOLEAN, Connection, Context, Cost, Fault, GlobalId, Graph, HasTypeRef, ID,
    Key, Order, STRING, argument, enumeration, item, object,
};
use repositories::formats::object_id::ObjectId;
use repositories::lfs::{MAX_POINTER, Pointer};
use repositories::objects::{Entry, EntryKind, Objects, Path};
use repositories::protection;
use std::sync::{Arc, OnceLock};

const BLOB_ID: GlobalId = GlobalId::new("BlobID", "Blob");
/// Most files of one field.
const MOST_PATHS: usize = 100;
/// Most bytes of a file that is answered, and of all of one field.
const LARGEST: u64 = 5 * 1024 * 1024;
const LARGEST_SUM: u64 = 20 * 1024 * 1024;
const PLACE: &[Key] = &[Key::int("place", Order::Asc)];
const VIEWER: Leaf<&str> = enumeration("BlobViewersType");

pub struct BlobView {
    view: Arc<RepositoryView>,
    /// The ref it was asked for by.
    name: String,
    /// The commit it is in.
    commit: ObjectId,
    /// The viewer may push to that branch.
    can_push: OnceLock<bool>,
    place: i64,
    entry: Entry,
    path: Path,
    size: u64,
    pointer: Option<Pointer>,
    /// What it holds, once it was read.
    content: OnceLock<Option<Arc<Vec<u8>>>>,
}

impl BlobView {
    fn page(&self, page: &str) -> String {
        address::of_path(&self.view.path(), page, &self.name, &self.path)
    }

    fn text(&self) -> Option<String> {
        let content = self.content.get()?.as_ref()?;
        match content.contains(&0) {
            true => None,
            false => String::from_utf8(content.to_vec()).ok(),
        }
    }

    fn is_picture(&self) -> bool {
        let name = self.path.name().to_ascii_lowercase();
        [".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".ico", ".bmp"]
            .iter()
            .any(|ending| name.ends_with(ending))
    }
}

/// How a file is shown.
struct Viewer {
    kind: &'static str,
    file_type: &'static str,
    is_too_large: bool,
}

pub fn graph(g: &mut Graph) {
    let kinds =
        vec![item("rich", "As it is meant to be seen."), item("simple", "As it is written.")];
    g.enumeration("BlobViewersType", "How a file is shown.", kinds);
    g.object::<Viewer>("BlobViewer", "How a file is shown.")
        .field("type", VIEWER.required(), |it| it.kind)
        .describe("Written or rendered.")
        .value("fileType", "`text`, `image` or `download`.", |it| it.file_type.to_owned())
        .value("tooLarge", "Whether it is too large to be shown.", |it| it.is_too_large)
        .value("collapsed", "Whether it is shown once asked for.", |_| false)
        .value("loadAsync", "Whether it is loaded later.", |_| false)
        .value("renderError", "Why it is not shown.", |it| {
            it.is_too_large.then(|| "it is too large".to_owned())
        });
    let blob = g
        .object::<BlobView>("RepositoryBlob", "A file.")
        .field("id", ID.required(), |it| BLOB_ID.of_name(&it.entry.id.to_string()))
        .describe("Global ID.")
        .value("oid", "The name of its object.", |it| it.entry.id.to_string())
        .value("path", "Its path.", |it| it.path.to_string())
        .value("name", "The last part of its path.", |it| Some(it.path.name().to_owned()))
        .value("mode", "How git keeps it.", |it| Some(it.entry.kind.mode().to_owned()))
        .value("lfsOid", "The large file that it stands for.", |it| {
            it.pointer.as_ref().map(|pointer| pointer.oid.clone())
        })
        .field("size", BIG_INT, |it| Some(large(it).unwrap_or(it.size as i64)))
        .describe("Bytes; of a large file, those of that.")
        .field("rawSize", BIG_INT, |it| Some(large(it).unwrap_or(it.size as i64)))
        .describe("The same.")
        .value("storedExternally", "Whether it stands for a large file.", |it| {
            Some(it.pointer.is_some())
        })
        .value("externalStorage", "Where that is.", |it| {
            it.pointer.as_ref().map(|_| "lfs".to_owned())
        })
        .value("externalStorageUrl", "Its address.", |it| {
            it.pointer.as_ref().map(|_| it.view.url(&it.page("raw")))
        })
        .field("simpleViewer", object::<Viewer>("BlobViewer").required(), |it| {
            let file_type = match it.content.get().is_some() && it.text().is_none() {
                true => "download",
                false => "text",
            };
            Arc::new(Viewer { kind: "simple", file_type, is_too_large: it.size > LARGEST })
        })
        .describe("As it is written.")
        .field("richViewer", object::<Viewer>("BlobViewer"), |it| {
            let viewer = Viewer {
                kind: "rich",
                file_type: "image",
                is_too_large: it.size > LARGEST,
            };
            it.is_picture().then(|| Arc::new(viewer))
        })
        .describe("As it is meant to be seen, of pictures.")
        .value("fileType", "`image` or `text`.", |it| {
            Some(if it.is_picture() { "image" } else { "text" }.to_owned())
        })
        .value("language", "The language it is written in; not told.", |_| None::<String>);
    let blob = blob
        .value("webPath", "Its page.", |it| Some(it.page("blob")))
        .value("webUrl", "The address of its page.", |it| Some(it.view.url(&it.page("blob"))))
        .value("rawPath", "Its bytes.", |it| Some(it.page("raw")))
        .value("editBlobPath", "The page that changes it.", |it| Some(it.page("edit")))
        .value("blamePath", "Who wrote which line.", |it| Some(it.page("blame")))
        .value("historyPath", "The commits that changed it.", |it| Some(it.page("commits")))
        .value("permalinkPath", "Its page as it is in this commit.", |it| {
            let commit = it.commit.to_string();
            Some(address::of_path(&it.view.path(), "blob", &commit, &it.path))
        });
    let blob = [
        ("rawBlob", "What it holds, if it is a text of at most 5 MiB."),
        ("rawTextBlob", "The same."),
        ("plainData", "The same."),
    ]
    .into_iter()
    .fold(blob, |blob, (name, about)| {
        blob.level(name, STRING, |of: Vec<Arc<BlobView>>, _, context| async move {
            filled(&of, &context).await?;
            Ok(of.iter().map(|it| it.text()).collect())
        })
        .describe(about)
        .cost(Cost::LookedUp)
        .git()
    });
    [
        ("canModifyBlob", "Whether the caller may change it in its branch."),
        ("canCurrentUserPushToBranch", "Whether the caller may push to its branch."),
    ]
    .into_iter()
    .fold(blob, |blob, (name, about)| {
        blob.level(name, BOOLEAN, |of: Vec<Arc<BlobView>>, _, context| async move {
            asked_for_rights(&of, &context).await?;
            Ok(of.iter().map(|it| it.can_push.get().copied()).collect())
        })
        .describe(about)
        .cost(Cost::LookedUp)
    });
    let [name, kind] = ref_arguments();
    g.on::<RepositoryView>("Repository")
        .connections("blobs", object::<BlobView>("RepositoryBlob"), blobs)
        .describe("Files at these paths; those that are not there are left out.")
        .git()
        .arg(argument("paths", STRING.required().list().required()).describe("At most 100."))
        .arg(name)
        .arg(kind);
}

/// Bytes of the large file that one stands for.
fn large(it: &BlobView) -> Option<i64> {
    it.pointer.as_ref().map(|pointer| pointer.size)
}

async fn blobs(
    of: Vec<Arc<RepositoryView>>, ask: Ask, args: Args, context: Context,
) -> Result<Vec<Option<Connection<BlobView>>>, Fault> {
    let paths: Vec<String> = args.get("paths")?;
    if paths.len() > MOST_PATHS {
        return Err(Fault::argument(format!("paths cannot have more than {MOST_PATHS} entries")));
    }
    let window = ask.window(&context, "files by path", PLACE)?;
    let (name, text) = ref_of(&args)?;
    let found = revisions(&context, &of, text).await?;
    let paths: Arc<Vec<Path>> =
        Arc::new(paths.iter().filter_map(|path| Path::read(path).ok()).collect());
    let asked = of.into_iter().zip(found).collect();
    let read = each(&context, asked, move |objects, view, revision| {
        let Some(commit) = objects.commit_at(revision)? else {
            return Ok(None);
        };
        let mut blobs = Vec::new();
        for path in paths.iter() {
            let Some(entry) = objects.entry(commit.tree, path)? else {
                continue;
            };
            if let Some((size, pointer)) = measured(objects, &entry)? {
                blobs.push(Arc::new(BlobView {
                    view: view.clone(),
                    name: view.shown_ref(&name),
                    commit: commit.id,
                    can_push: OnceLock::new(),
                    place: blobs.len() as i64,
                    entry,
                    path: path.clone(),
                    size,
                    pointer,
                    content: OnceLock::new(),
                }));
            }
        }
        Ok(Some(blobs))
    });
    let page = |blobs: Vec<Arc<BlobView>>| window.page_of_whole(&blobs, |blob| blob.place);
    Ok(read.await?.into_iter().map(|blobs| blobs.map(page)).collect())
}

/// How large a file is, and what large file it stands for; nothing of what is no file.
fn measured(objects: &Objects, entry: &Entry) -> Outcome<Option<(u64, Option<Pointer>)>> {
    if matches!(entry.kind, EntryKind::Folder | EntryKind::Submodule) {
        return Ok(None);
    }
    let blob = objects.blob(entry.id, MAX_POINTER - 1)?;
    Ok(blob.map(|blob| (blob.size, blob.content.as_deref().and_then(Pointer::read))))
}

/// Reads what files hold, each once, of each repository together.
async fn filled(of: &[Arc<BlobView>], context: &Context) -> Result<(), Fault> {
    let wanted: Vec<&Arc<BlobView>> = of.iter().filter(|it| it.content.get().is_none()).collect();
    let sum: u64 = wanted.iter().map(|it| it.size).filter(|size| *size <= LARGEST).sum();
    if sum > LARGEST_SUM {
        return Err(Fault::argument("No more than 20 MiB of files are answered at once"));
    }
    let mut groups: Vec<(Arc<RepositoryView>, Vec<Arc<BlobView>>)> = Vec::new();
    for blob in wanted {
        match groups.iter_mut().find(|(view, _)| view.project.id == blob.view.project.id) {
            Some((_, blobs)) => blobs.push(blob.clone()),
            None => groups.push((blob.view.clone(), vec![blob.clone()])),
        }
    }
    let asked = groups.into_iter().map(|(view, blobs)| (view, Some(blobs))).collect();
    each(context, asked, |objects, _, blobs| {
        for blob in blobs {
            let read = objects.blob(blob.entry.id, LARGEST)?;
            let content = read.and_then(|read| read.content).map(Arc::new);
            // Another field of the query may have been faster.
            blob.content.get_or_init(|| content);
        }
        Ok(Some(()))
    })
    .await?;
    Ok(())
}

/// Asks whether the caller may push to the branches of some files, once for each branch.
async fn asked_for_rights(of: &[Arc<BlobView>], context: &Context) -> Result<(), Fault> {
    let (blobs, reader) = (of.to_vec(), viewer(context));
    let asked = context.app()?.read(move |tx| {
        let mut known: Vec<(i64, String, bool)> = Vec::new();
        for blob in blobs.iter().filter(|it| it.can_push.get().is_none()) {
            let (id, name) = (blob.view.project.id, &blob.name);
            let found = known.iter().find(|(of, branch, _)| *of == id && branch == name);
            let may = match found {
                Some((_, _, may)) => *may,
                None => {
                    let (project, repository) = (&blob.view.project, blob.view.repository.as_ref());
                    let may = protection::may_push(tx, &reader, project, repository, name)?;
                    known.push((id, name.clone(), may));
                    may
                }
            };
            blob.can_push.get_or_init(|| may);
        }
        Ok(())
    });
    Ok(asked.await?)
}
