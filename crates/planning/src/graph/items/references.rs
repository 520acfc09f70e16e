//! Work items as texts name them: `acme/anvil#5`, `acme&5`, or the address of a page.

use super::super::caller;
use super::WorkItem;
use crate::access::{self, Scope};
use crate::store::{epics, issues};
use identity::viewer::Viewer;
use kernel::error::Result as Outcome;
use kernel::graph::{
    Args, Ask, Connection, Context, Fault, Graph, HasTypeRef, Key, Order, STRING, argument, object,
};
use kernel::ids::fold;
use std::sync::Arc;
use store::{Fragment, Tx};

/// Most references of one query.
const MOST: usize = 100;
/// Longest reference that is looked at, in bytes.
const LONGEST: usize = 1_000;

/// A number below a folded path.
type Place = (String, i64);

pub fn graph(g: &mut Graph) {
    g.query()
        .connection(
            "workItemsByReference",
            object::<WorkItem>("WorkItem"),
            |_, ask, args, context| found(ask, args, context),
        )
        .describe("Work items by how texts name them, of those the caller sees.")
        .arg(
            argument("refs", STRING.required().list().required())
                .describe("At most 100, such as `acme/anvil#5` and `acme&5`, or their addresses."),
        );
}

/// The issues and the epics that are named.
#[derive(Default)]
struct Named {
    issues: Vec<Place>,
    epics: Vec<Place>,
}

impl Named {
    /// Takes one reference; what is none names nothing.
    fn take(&mut self, text: &str, base_url: &str) {
        let text = text.trim();
        if text.len() > LONGEST {
            return;
        }
        let place = |path: &str, number: &str| -> Option<Place> {
            let number = number.parse().ok().filter(|iid| *iid > 0)?;
            Some((fold(path.trim_matches('/')), number))
        };
        if let Some(path) = text.strip_prefix(base_url).and_then(|rest| rest.strip_prefix('/')) {
            let path = path.split(['?', '#']).next().unwrap_or_default();
            let group = path.strip_prefix("groups/");
            let page = |path: &str, pages: [&str; 2]| {
                pages.iter().find_map(|page| {
                    let (path, number) = path.split_once(page)?;
                    place(path, number)
                })
            };
            match group {
                Some(path) => self.epics.extend(page(path, ["/-/epics/", "/-/work_items/"])),
                None => self.issues.extend(page(path, ["/-/issues/", "/-/work_items/"])),
            }
        } else if let Some((path, number)) = text.rsplit_once('#') {
            self.issues.extend(place(path, number));
        } else if let Some((path, number)) = text.rsplit_once('&') {
            self.epics.extend(place(path, number));
        }
    }
}

/// ` and (…)`: one of these places.
fn at(condition: &mut Fragment, places: &[Place], path: &str, number: &str) {
    condition.raw(" and (");
    for (index, (of, iid)) in places.iter().enumerate() {
        condition
            .raw(if index == 0 { "(" } else { " or (" })
            .push(&format!("{path} = "), of)
            .push(&format!(" and {number} = "), *iid)
            .raw(")");
    }
    condition.raw(")");
}

fn read(tx: &mut Tx<'_>, viewer: &Viewer, named: &Named) -> Outcome<Vec<WorkItem>> {
    let mut items = Vec::new();
    if !named.issues.is_empty() {
        let mut seen = access::visible(tx, viewer, &Scope::Everywhere);
        at(&mut seen, &named.issues, "projects.full_path_folded", "issues.iid");
        let found = issues::of_condition(tx, seen)?.into_iter();
        items.extend(found.map(|issue| WorkItem::Issue(Arc::new(issue))));
    }
    if !named.epics.is_empty() {
        let mut seen = access::epics::visible(tx, viewer);
        at(&mut seen, &named.epics, "namespaces.full_path_folded", "epics.iid");
        let found = epics::of_condition(tx, seen)?.into_iter();
        items.extend(found.map(|epic| WorkItem::Epic(Arc::new(epic.into()))));
    }
    Ok(items)
}

async fn found(
    ask: Ask, args: Args, context: Context,
) -> Result<Option<Connection<WorkItem>>, Fault> {
    let refs: Vec<String> = args.get("refs")?;
    if refs.len() > MOST {
        return Err(Fault::argument("refs cannot have more than 100 entries"));
    }
    let window = ask.window(&context, "work items by reference", &[Key::int("id", Order::Asc)])?;
    let (app, viewer) = caller(&context)?;
    let mut named = Named::default();
    refs.iter()
        .for_each(|text| named.take(text, app.base_url().trim_end_matches('/')));
    let items = app.read(move |tx| read(tx, &viewer, &named)).await?;
    let whole: Vec<Arc<WorkItem>> = items.into_iter().map(Arc::new).collect();
    let count = whole.len() as i64;
    let page = window.page_of_whole(&whole, WorkItem::id);
    Ok(Some(page.counted(move |_, limit: Option<i64>| async move {
        Ok(limit.map_or(count, |limit| count.min(limit.saturating_add(1))))
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_named_in_several_ways() {
        let mut named = Named::default();
        for text in [
            "Acme/anvil#5",
            "acme/sub&7",
            "https://here/acme/anvil/-/issues/1?x#note_3",
            "https://here/acme/anvil/-/work_items/2",
            "https://here/groups/acme/-/epics/3",
            "https://there/acme/anvil/-/issues/9",
            "acme/anvil#0",
            "nothing",
            "",
        ] {
            named.take(text, "https://here");
        }
        let place = |path: &str, iid| (path.to_owned(), iid);
        let issues = [place("acme/anvil", 5), place("acme/anvil", 1), place("acme/anvil", 2)];
        assert_eq!(named.issues, issues);
        assert_eq!(named.epics, [place("acme/sub", 7), place("acme", 3)]);
    }
}
