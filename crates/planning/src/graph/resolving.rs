//! Which notes the caller may resolve.

use super::by_key;
use super::standing::{In, Standing};
use crate::model::epics::EPIC;
use crate::store::notes::{ISSUE, Note};
use crate::store::threads::{self, Beginning};
use crate::targets;
use identity::graph::{caller, viewer};
use identity::viewer::Viewer;
use kernel::graph::context::Loader;
use kernel::graph::{Context, Fault};
use spaces::access::{GUEST, REPORTER};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use store::Tx;

/// Those of these notes, by id, that the caller may resolve where the project takes changes.
pub async fn resolvable(notes: &[Arc<Note>], context: &Context) -> Result<HashSet<i64>, Fault> {
    let Some(user_id) = viewer(context).user_id() else {
        return Ok(HashSet::new());
    };
    let asked = notes.iter().filter(|it| it.is_resolvable());
    let (of_issues, others): (Vec<&Arc<Note>>, Vec<&Arc<Note>>) =
        asked.partition(|it| it.noteable_type == ISSUE);
    let ids: Vec<i64> = of_issues.iter().map(|it| it.id).collect();
    let began = context.load::<Beginnings>(ids).await?;
    let projects: Vec<i64> = of_issues.iter().filter_map(|it| it.project_id).collect();
    let found = context.load::<Standing>(projects).await?;
    let things: Vec<About> = others.iter().filter_map(|it| About::of(it)).collect();
    let resolving = context.load::<Resolving>(things).await?;
    let of_issue = |it: &Note| {
        let standing = it.project_id.and_then(|id| found.get(&id)).copied().unwrap_or_default();
        began.get(&it.id).is_some_and(|began| resolves(began, user_id, standing))
    };
    let of_other = |it: &Note| {
        let all = About::of(it).and_then(|about| resolving.get(&about).copied());
        all.is_some_and(|all| all || it.author_id == Some(user_id))
    };
    let of_issues = of_issues.into_iter().filter(|it| of_issue(it));
    let others = others.into_iter().filter(|it| of_other(it));
    Ok(of_issues.chain(others).map(|it| it.id).collect())
}

/// Whether a user resolves a thread that began so; as the rules say it.
fn resolves(began: &Beginning, user_id: i64, standing: In) -> bool {
    let is_theirs = |id: Option<i64>| id == Some(user_id);
    let concerned = is_theirs(began.began_by) || is_theirs(began.issue_author_id);
    (standing.level >= REPORTER || concerned) && (!began.is_locked || standing.level >= GUEST)
}

struct Beginnings;

impl Loader for Beginnings {
    type Key = i64;
    type Value = Arc<Beginning>;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, Arc<Beginning>>, Fault> {
        let read = move |tx: &mut Tx<'_>, _: &Viewer| threads::beginnings(tx, &ids);
        by_key(&context, read, |it: Beginning| (it.note_id, it)).await
    }
}

/// A thing of a room above that a note is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct About {
    kind: String,
    id: i64,
    project_id: i64,
}

impl About {
    fn of(note: &Note) -> Option<About> {
        let is_above = note.noteable_type != ISSUE && note.noteable_type != EPIC;
        let project_id = note.project_id.filter(|_| is_above)?;
        Some(About {
            kind: note.noteable_type.clone(),
            id: note.noteable_id,
            project_id,
        })
    }
}

/// Whether the caller may resolve all threads about a thing of a room above.
struct Resolving;

impl Loader for Resolving {
    type Key = About;
    type Value = bool;

    async fn load(context: Context, things: Vec<About>) -> Result<HashMap<About, bool>, Fault> {
        let (app, viewer) = caller(&context)?;
        let Some(user_id) = viewer.user_id() else {
            return Ok(HashMap::new());
        };
        let projects: Vec<i64> = things.iter().map(|it| it.project_id).collect();
        let found = context.load::<Standing>(projects).await?;
        let read = app.read(move |tx| {
            let mut by_kind: HashMap<String, Vec<(i64, i64)>> = HashMap::new();
            for it in &things {
                let level = found.get(&it.project_id).copied().unwrap_or_default().level;
                by_kind.entry(it.kind.clone()).or_default().push((it.id, level));
            }
            let mut all = HashMap::new();
            for (kind, ids) in by_kind {
                let may = targets::resolving(tx, user_id, &kind, &ids)?;
                let of_kind = things.iter().filter(|it| it.kind == kind);
                all.extend(of_kind.map(|it| (it.clone(), may.contains(&it.id))));
            }
            Ok(all)
        });
        Ok(read.await?)
    }
}
