//! The issues of epics, each with its place there.

use super::EpicView;
use crate::graph::{Pages, by_key, mapped, read_pages};
use crate::model::Issue;
use crate::model::epics::{EpicIssue, ListedIssue};
use crate::store::epics::issues as rows;
use identity::graph::Tally;
use identity::viewer::Viewer;
use kernel::graph::context::Loader;
use kernel::graph::{
    Args, Ask, Context, Fault, GlobalId, Graph, HasTypeRef, ID, INT, Key, Order, Window, object,
};
use std::collections::HashMap;
use std::sync::Arc;
use store::Tx;

/// The place of an issue in an epic.
const EPIC_ISSUE_ID: GlobalId = GlobalId::new("EpicIssueID", "EpicIssue");

/// The places of issues in their epics, by issue. Who sees the issue below the epic
/// sees both.
struct PlacesOf;

impl Loader for PlacesOf {
    type Key = i64;
    type Value = Arc<EpicIssue>;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, Arc<EpicIssue>>, Fault> {
        let read = move |tx: &mut Tx<'_>, _: &Viewer| rows::places_of(tx, &ids);
        by_key(&context, read, |one: EpicIssue| (one.issue_id, one)).await
    }
}

pub fn graph(g: &mut Graph) {
    g.count("EpicIssue");
    g.on::<Issue>("EpicIssue")
        .level("epicIssueId", ID.required(), |issues: Vec<Arc<Issue>>, _, context| async move {
            let found = context.load::<PlacesOf>(issues.iter().map(|it| it.id)).await?;
            let of = |it: &Arc<Issue>| {
                let place = found.get(&it.id).map_or(0, |place| place.id);
                EPIC_ISSUE_ID.of(place)
            };
            Ok(issues.iter().map(of).collect())
        })
        .describe("ID of its place in the epic.")
        .level("relativePosition", INT, |issues: Vec<Arc<Issue>>, _, context| async move {
            let found = context.load::<PlacesOf>(issues.iter().map(|it| it.id)).await?;
            let of = |it: &Arc<Issue>| found.get(&it.id).map(|place| place.relative_position);
            Ok(issues.iter().map(of).collect())
        })
        .describe("Small numbers come first.");
    g.on::<EpicView>("Epic")
        .connections("issues", object::<Issue>("EpicIssue"), issues)
        .describe("Its issues that the caller may see, in its order.");
}

const KEYS: [Key; 2] = [
    Key::int("epic_issues.relative_position", Order::Asc),
    Key::int("epic_issues.id", Order::Asc),
];

async fn issues(epics: Vec<Arc<EpicView>>, ask: Ask, _: Args, context: Context) -> Pages<Issue> {
    let window = ask.window(&context, "issues of epics", &KEYS)?;
    let ids: Vec<i64> = epics.iter().map(|it| it.id).collect();
    let asked = ids.clone();
    let read = move |tx: &mut Tx<'_>, viewer: &Viewer, window: &Window| {
        rows::pages_of(tx, viewer, &asked, window)
    };
    let keys = |it: &ListedIssue| vec![it.relative_position.into(), it.epic_issue_id.into()];
    let pages = read_pages(&context, window, &ids, read, keys).await?;
    let asked = ids.clone();
    let tally = Tally::new(move |tx, viewer, limit| rows::counts_of(tx, viewer, &asked, limit));
    // Their places they tell themselves.
    let bare = |page| mapped(page, |it: &ListedIssue| Some(Arc::new(it.issue.clone())));
    Ok(tally.counts(pages.into_iter().map(bare).collect(), ids))
}
