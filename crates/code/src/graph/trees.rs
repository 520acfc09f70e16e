//! The type `Tree`: a folder, and what is in it.

use super::commits::CommitView;
use super::{RepositoryView, each, ref_arguments, ref_of, revisions};
use crate::address;
use kernel::error::Result as Outcome;
use kernel::graph::shape::Leaf;
use kernel::graph::{
    Args, Ask, BOOLEAN, Connection, Context, Cost, Fault, Graph, HasTypeRef, ID, Key,
    ObjectBuilder, Order, STRING, Window, argument, item, object,
};
use repositories::formats::object_id::ObjectId;
use repositories::lfs::{MAX_POINTER, Pointer};
use repositories::objects::{Commit, EntryKind, Objects, Path};
use std::sync::Arc;

/// Entries of a recursive tree.
const MOST: usize = 20_000;
/// How deep folders are gone into.
const DEEPEST: usize = 256;
/// Commits that are gone through for the last change of a folder.
const STEPS: usize = 2_000;
/// The only key that entries are sorted by: their place in the folder.
const PLACE: &[Key] = &[Key::int("place", Order::Asc)];

pub struct TreeView {
    view: Arc<RepositoryView>,
    commit: Commit,
    path: Path,
    entries: Vec<Arc<EntryView>>,
}

/// What is in a folder.
pub struct EntryView {
    view: Arc<RepositoryView>,
    /// The ref it was asked for by.
    name: String,
    /// Of all entries of the answer.
    place: i64,
    kind: EntryKind,
    id: ObjectId,
    path: Path,
}

impl EntryView {
    fn page(&self) -> String {
        let page = match self.kind {
            EntryKind::Folder => "tree",
            _ => "blob",
        };
        address::of_path(&self.view.path(), page, &self.name, &self.path)
    }
}

/// The kinds of entries by the connections that list them.
fn is_folder(kind: EntryKind) -> bool {
    kind == EntryKind::Folder
}

fn is_submodule(kind: EntryKind) -> bool {
    kind == EntryKind::Submodule
}

fn is_file(kind: EntryKind) -> bool {
    !is_folder(kind) && !is_submodule(kind)
}

const ENTRY_TYPE: Leaf<&str> = kernel::graph::enumeration("EntryType");

pub fn graph(g: &mut Graph) {
    let kinds = vec![
        item("tree", "A folder."),
        item("blob", "A file."),
        item("commit", "A submodule."),
    ];
    g.enumeration("EntryType", "What is in a folder.", kinds);
    g.interface::<EntryView>("Entry", "What is in a folder.")
        .field("id", ID.required(), |it| it.id.to_string())
        .describe("The name of its object.")
        .value("sha", "The same.", |it| it.id.to_string())
        .value("name", "The last part of its path.", |it| it.path.name().to_owned())
        .field("type", ENTRY_TYPE.required(), |it| it.kind.object())
        .describe("What it is.")
        .value("path", "Its path.", |it| it.path.to_string())
        .value("flatPath", "The same.", |it| it.path.to_string());
    for (name, about) in [
        ("TreeEntry", "A folder in a folder."),
        ("Submodule", "A commit of another repository."),
        ("Blob", "A file in a folder."),
    ] {
        let entry = g.object::<EntryView>(name, about).implements("Entry");
        if name != "Submodule" {
            entry.value("webPath", "Its page.", |it| Some(it.page())).value(
                "webUrl",
                "The address of its page.",
                |it| Some(it.view.url(&it.page())),
            );
        }
    }
    g.on::<EntryView>("Blob")
        .value("mode", "How git keeps it.", |it| Some(it.kind.mode().to_owned()))
        .level("lfsOid", STRING, large_files)
        .describe("The large file that it stands for.")
        .cost(Cost::LookedUp)
        .git();
    let tree = g.object::<TreeView>("Tree", "A folder.");
    let tree = entries(tree, "trees", "TreeEntry", "The folders in it.", is_folder);
    let tree = entries(tree, "submodules", "Submodule", "The submodules in it.", is_submodule);
    entries(tree, "blobs", "Blob", "The files in it.", is_file)
        .level("lastCommit", object::<CommitView>("Commit"), last_commits)
        .describe("The last commit that changed it; null where that is long ago.")
        .cost(Cost::LookedUp)
        .git();
    let which = |repository: ObjectBuilder<'_, RepositoryView>| {
        let [name, kind] = ref_arguments();
        repository
            .git()
            .arg(argument("path", STRING).default("").describe("Path of the folder."))
            .arg(argument("recursive", BOOLEAN).default(false).describe("With all below."))
            .arg(name)
            .arg(kind);
    };
    which(
        g.on::<RepositoryView>("Repository")
            .level("tree", object::<TreeView>("Tree"), |of, args, context| async move {
                let found = trees(of, &args, &context).await?;
                Ok(found.into_iter().map(|tree| tree.map(Arc::new)).collect())
            })
            .describe("A folder; null if there is none.")
            .cost(Cost::LookedUp),
    );
    which(
        g.on::<RepositoryView>("Repository")
            .connections("paginatedTree", object::<TreeView>("Tree"), paginated)
            .describe("A folder in parts: each page is one tree with so many entries."),
    );
}

fn entries<'g>(
    tree: ObjectBuilder<'g, TreeView>, name: &str, ty: &str, about: &str,
    is_one: fn(EntryKind) -> bool,
) -> ObjectBuilder<'g, TreeView> {
    let shape = object::<EntryView>(ty);
    tree.connections(name, shape, move |of: Vec<Arc<TreeView>>, ask: Ask, _, context| async move {
        let window = window(ask, &context)?;
        let page = |tree: &Arc<TreeView>| {
            let ours = tree.entries.iter().filter(|entry| is_one(entry.kind));
            let ours: Vec<Arc<EntryView>> = ours.cloned().collect();
            Some(window.page_of_whole(&ours, |entry| entry.place))
        };
        Ok(of.iter().map(page).collect())
    })
    .describe(about)
    .never_null()
}

fn window(ask: Ask, context: &Context) -> Result<Window, Fault> {
    ask.window(context, "entries of a folder", PLACE)
}

async fn trees(
    of: Vec<Arc<RepositoryView>>, args: &Args, context: &Context,
) -> Result<Vec<Option<TreeView>>, Fault> {
    let path: Option<String> = args.get("path")?;
    let is_recursive: Option<bool> = args.get("recursive")?;
    let deepest = if is_recursive == Some(true) { DEEPEST } else { 0 };
    let path = Path::read(path.unwrap_or_default().trim_start_matches('/')).ok();
    let (name, text) = ref_of(args)?;
    let found = revisions(context, &of, text).await?;
    let asked = of.into_iter().zip(found.into_iter().map(|one| one.zip(path.clone()))).collect();
    each(context, asked, move |objects, view, (revision, path)| {
        let Some(commit) = objects.commit_at(revision)? else {
            return Ok(None);
        };
        let folder = objects.entry(commit.tree, path)?;
        let Some(folder) = folder.filter(|entry| entry.kind == EntryKind::Folder) else {
            return Ok(None);
        };
        let mut reading = Reading { view, name: view.shown_ref(&name), entries: Vec::new() };
        reading.read(objects, folder.id, path, deepest)?;
        let entries = reading.entries;
        Ok(Some(TreeView { view: view.clone(), commit, path: path.clone(), entries }))
    })
    .await
}

/// A folder on its way.
struct Reading<'v> {
    view: &'v Arc<RepositoryView>,
    name: String,
    entries: Vec<Arc<EntryView>>,
}

impl Reading<'_> {
    fn read(
        &mut self, objects: &Objects, tree: ObjectId, path: &Path, deeper: usize,
    ) -> Outcome<()> {
        for entry in objects.tree(tree)?.unwrap_or_default() {
            if self.entries.len() >= MOST {
                let text = format!("A tree has at most {MOST} entries here");
                return Err(kernel::error::Error::BadRequest(text));
            }
            let below = path.below(&entry.name);
            self.entries.push(Arc::new(EntryView {
                view: self.view.clone(),
                name: self.name.clone(),
                place: self.entries.len() as i64,
                kind: entry.kind,
                id: entry.id,
                path: below.clone(),
            }));
            if entry.kind == EntryKind::Folder && deeper > 0 {
                self.read(objects, entry.id, &below, deeper - 1)?;
            }
        }
        Ok(())
    }
}

async fn paginated(
    of: Vec<Arc<RepositoryView>>, ask: Ask, args: Args, context: Context,
) -> Result<Vec<Option<Connection<TreeView>>>, Fault> {
    let window = window(ask, &context)?;
    let found = trees(of, &args, &context).await?;
    let page = |tree: TreeView| {
        let part = window.page_of_whole(&tree.entries, |entry| entry.place);
        let mut page = Connection::empty();
        (page.next, page.previous) = (part.next, part.previous);
        let last = part.rows.last().map(|(_, cursor)| cursor.clone()).unwrap_or_default();
        let entries = part.rows.into_iter().map(|(entry, _)| entry).collect();
        page.rows = vec![(Arc::new(TreeView { entries, ..tree }), last)];
        page
    };
    Ok(found.into_iter().map(|tree| tree.map(page)).collect())
}

async fn last_commits(
    of: Vec<Arc<TreeView>>, _: Args, context: Context,
) -> Result<Vec<Option<Arc<CommitView>>>, Fault> {
    let asked = of.into_iter().map(|tree| (tree.view.clone(), Some(tree))).collect();
    each(&context, asked, |objects, view, tree| {
        let commit = match tree.path.is_root() {
            true => Some(tree.commit.clone()),
            false => objects.last_change(tree.commit.clone(), &tree.path, STEPS)?,
        };
        Ok(commit.map(|commit| Arc::new(CommitView { view: view.clone(), commit })))
    })
    .await
}

/// The large files that entries stand for, read of each repository at once.
async fn large_files(
    of: Vec<Arc<EntryView>>, _: Args, context: Context,
) -> Result<Vec<Option<String>>, Fault> {
    let Some(view) = of.first().map(|entry| entry.view.clone()) else {
        return Ok(Vec::new());
    };
    if of.iter().any(|entry| entry.view.project.id != view.project.id) {
        return Err(Fault::argument("Large files are told of one repository at once"));
    }
    let ids: Vec<ObjectId> = of.iter().map(|entry| entry.id).collect();
    let found = each(&context, vec![(view, Some(ids))], |objects, _, ids| {
        let pointers = ids.iter().map(|id| {
            let blob = objects.blob(*id, MAX_POINTER - 1)?;
            let content = blob.and_then(|blob| blob.content);
            Ok(content.and_then(|content| Pointer::read(&content)).map(|pointer| pointer.oid))
        });
        pointers.collect::<Outcome<Vec<_>>>().map(Some)
    });
    let found = found.await?.into_iter().flatten().next();
    Ok(found.unwrap_or_else(|| vec![None; of.len()]))
}
