//! Which commits changed what is in a folder, all of it in one walk.

use super::{Kind, Objects, Path, damaged};
use crate::formats::object_id::ObjectId;
use gix::objs::{CommitRef, TreeRefIter};
use kernel::error::Result;
use std::collections::{BinaryHeap, HashMap};
use std::time::Instant;

/// Commits between two looks at the clock.
const BETWEEN_LOOKS: usize = 32;

/// The last changes of a folder and of what is in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FolderChanges {
    /// Of the folder itself.
    pub folder: Option<ObjectId>,
    /// Of each name that was asked for, in their order; none where it was not come to.
    pub of: Vec<Option<ObjectId>>,
    /// The walk came to the end of it.
    pub is_whole: bool,
}

/// A commit as walks need it.
struct Step {
    tree: ObjectId,
    parents: Vec<ObjectId>,
    seconds: i64,
}

/// What is at the names of a folder: mode and object.
type Content = Vec<Option<(u16, ObjectId)>>;

struct Walker<'w> {
    objects: &'w Objects,
    path: &'w Path,
    /// The place of each name.
    places: HashMap<&'w [u8], usize>,
    wanted: Content,
    /// The newest commit first, then the one that was come by first.
    queue: BinaryHeap<(i64, std::cmp::Reverse<u64>, ObjectId)>,
    waiting: HashMap<ObjectId, Waiting>,
    count: u64,
    found: FolderChanges,
}

/// What a commit in the queue still has as the first one does.
struct Waiting {
    step: Step,
    folder: ObjectId,
    /// The folder is the same as a whole.
    is_same: bool,
    names: Vec<usize>,
}

impl Objects {
    /// The last commits that changed a folder and some names in it, as
    /// [`Objects::last_change`] tells them one by one. The walk goes on until this
    /// time at most, and for so many commits.
    pub fn last_changes(
        &self, from: ObjectId, path: &Path, names: &[String], (steps, until): (usize, Instant),
    ) -> Result<FolderChanges> {
        let found = FolderChanges { of: vec![None; names.len()], ..FolderChanges::default() };
        let Some(step) = self.step(from)? else {
            return Ok(found);
        };
        let Some(folder) = self.folder(step.tree, path)? else {
            return Ok(found);
        };
        let mut walker = Walker {
            objects: self,
            path,
            places: names.iter().enumerate().map(|(at, name)| (name.as_bytes(), at)).collect(),
            wanted: Vec::new(),
            queue: BinaryHeap::new(),
            waiting: HashMap::new(),
            count: 0,
            found,
        };
        walker.wanted = walker.content(folder)?;
        let there = walker.wanted.iter().enumerate().filter(|(_, one)| one.is_some());
        let names = there.map(|(at, _)| at).collect();
        walker.wait(from, Waiting { step, folder, is_same: true, names });
        walker.walk(steps, until)
    }

    fn step(&self, id: ObjectId) -> Result<Option<Step>> {
        let Some(data) = self.data(id, Kind::Commit)? else {
            return Ok(None);
        };
        let read = CommitRef::from_bytes(&data, gix::hash::Kind::Sha1).map_err(|_| damaged())?;
        let line: &[u8] = read.committer;
        let mut words = line.rsplit(|byte| *byte == b' ').skip(1);
        let seconds = words.next().and_then(|word| std::str::from_utf8(word).ok()?.parse().ok());
        Ok(Some(Step {
            tree: read.tree().into(),
            parents: read.parents().map(ObjectId::from).collect(),
            seconds: seconds.unwrap_or_default(),
        }))
    }

    fn folder(&self, tree: ObjectId, path: &Path) -> Result<Option<ObjectId>> {
        let entry = self.entry(tree, path)?;
        Ok(entry
            .filter(|entry| entry.kind == super::EntryKind::Folder)
            .map(|entry| entry.id))
    }
}

impl Walker<'_> {
    fn walk(mut self, steps: usize, until: Instant) -> Result<FolderChanges> {
        for step in 0..steps {
            if step.is_multiple_of(BETWEEN_LOOKS) && Instant::now() >= until {
                return Ok(self.found);
            }
            let Some((.., id)) = self.queue.pop() else {
                self.found.is_whole = true;
                return Ok(self.found);
            };
            if let Some(waiting) = self.waiting.remove(&id) {
                self.pass(id, waiting)?;
            }
        }
        self.found.is_whole = self.queue.is_empty();
        Ok(self.found)
    }

    /// Hands what parents have, too, on to the first of them that has it; what none has
    /// was changed here.
    fn pass(&mut self, id: ObjectId, mut waiting: Waiting) -> Result<()> {
        for parent in std::mem::take(&mut waiting.step.parents) {
            if waiting.names.is_empty() && !waiting.is_same {
                return Ok(());
            }
            let Some(step) = self.objects.step(parent)? else { continue };
            let Some(folder) = self.objects.folder(step.tree, self.path)? else {
                continue;
            };
            let is_same = folder == waiting.folder;
            let names = match is_same {
                true => std::mem::take(&mut waiting.names),
                false => {
                    let content = self.content(folder)?;
                    let is_kept = |at: &usize| content[*at] == self.wanted[*at];
                    let (kept, changed) =
                        waiting.names.iter().partition::<Vec<usize>, _>(|at| is_kept(at));
                    waiting.names = changed;
                    kept
                }
            };
            let handed = Waiting { step, folder, is_same: is_same && waiting.is_same, names };
            waiting.is_same &= !is_same;
            if handed.is_same || !handed.names.is_empty() {
                self.wait(parent, handed);
            }
        }
        if waiting.is_same {
            self.found.folder = Some(id);
        }
        for at in waiting.names {
            self.found.of[at] = Some(id);
        }
        Ok(())
    }

    fn wait(&mut self, id: ObjectId, handed: Waiting) {
        if let Some(waiting) = self.waiting.get_mut(&id) {
            waiting.is_same |= handed.is_same;
            waiting.names.extend(handed.names);
            return;
        }
        self.count += 1;
        self.queue.push((handed.step.seconds, std::cmp::Reverse(self.count), id));
        self.waiting.insert(id, handed);
    }

    /// What a folder has at the names.
    fn content(&self, folder: ObjectId) -> Result<Content> {
        let mut content = vec![None; self.places.len()];
        let data = self.objects.data(folder, Kind::Tree)?.unwrap_or_default();
        for entry in TreeRefIter::from_bytes(&data, gix::hash::Kind::Sha1) {
            let entry = entry.map_err(|_| damaged())?;
            let name: &[u8] = entry.filename;
            if let Some(at) = self.places.get(name) {
                content[*at] = Some((entry.mode.value(), entry.oid.to_owned().into()));
            }
        }
        Ok(content)
    }
}
