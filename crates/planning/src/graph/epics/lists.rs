//! Epics of groups, and those below, above and beside an epic.

use super::{EpicView, Epics};
use crate::graph::enums::chosen;
use crate::graph::filters::bounded;
use crate::graph::issue::number;
use crate::graph::planned::{Sorted, placed, sorted};
use crate::graph::{Moment, Pages, in_order, uncounted};
use crate::model::IssueState;
use crate::model::epics::ItemKind;
use crate::rules::narrowing;
use crate::store::ends::{self, End};
use crate::store::epics::list::{EpicFilter, EpicMarks};
use crate::store::epics::pages::{self as rows, EpicOwners};
use crate::store::issues::filter::{AnyOf, Times};
use crate::store::items::{Item, Items};
use identity::graph::{caller, viewer};
use kernel::graph::input::GraphInput;
use kernel::graph::{
    Args, Ask, BOOLEAN, Context, Fault, Graph, HasTypeRef, ID, Key, Order, Owned, STRING, TIME,
    named, object,
};
use kernel::graph_input;
use kernel::time::Timestamp;
use spaces::graph::NamespaceView;
use std::sync::Arc;

pub fn graph(g: &mut Graph) {
    let epic = || object::<EpicView>("Epic");
    g.input("NegatedEpicFilterInput", "What epics are not like.", NotLike::arguments());
    let text = "What epics are like in one way at least.";
    g.input("UnionedEpicFilterInput", text, Either::arguments());
    g.on::<NamespaceView>("Group")
        .connections("epics", epic(), of_groups)
        .describe("Its epics that the caller may see.")
        .args::<Filters>();
    g.on::<EpicView>("Epic")
        .connections("children", epic(), children)
        .describe("The epics right below it, in its order, of those the caller sees.")
        .connections("ancestors", epic(), ancestors)
        .describe("The epics above it, the nearest first, up to one the caller does not see.")
        .connections("relatedEpics", epic(), related)
        .describe("Epics that have to do with it, in the order they were linked.");
}

graph_input! {
    #[derive(Default)]
    struct NotLike {
        /// Not by this user.
        author_username: Option<String> = STRING,
        /// None of these labels.
        label_name: Option<Vec<String>> = STRING.required().list(),
        /// Without this reaction of the caller; `Any` or `None`.
        my_reaction_emoji: Option<String> = STRING,
    }
}

graph_input! {
    #[derive(Default)]
    struct Either {
        /// By one of these users.
        author_usernames: Option<Vec<String>> = STRING.required().list(),
        /// With one of these labels.
        label_names: Option<Vec<String>> = STRING.required().list(),
    }
}

graph_input! {
    struct Filters {
        /// Only of this number.
        iid: Option<String> = ID,
        /// Only of these numbers.
        iids: Option<Vec<String>> = ID.required().list(),
        /// Only in this state.
        state: Option<String> = named("EpicState"),
        /// In title or description.
        search: Option<String> = STRING,
        /// Where to search.
        fields as "in": Option<Vec<String>> = named("IssuableSearchableField").required().list(),
        /// Only by this user.
        author_username: Option<String> = STRING,
        /// All these labels; `Any` or `None` alone.
        label_name: Option<Vec<String>> = STRING.required().list(),
        /// With this reaction of the caller; `Any` or `None`.
        my_reaction_emoji: Option<String> = STRING,
        /// Only confidential ones, or only others.
        confidential: Option<bool> = BOOLEAN,
        /// Only made since.
        created_after: Option<Moment<Timestamp>> = TIME,
        /// Only made until.
        created_before: Option<Moment<Timestamp>> = TIME,
        /// Only changed since.
        updated_after: Option<Moment<Timestamp>> = TIME,
        /// Only unchanged since.
        updated_before: Option<Moment<Timestamp>> = TIME,
        /// Also those of the groups above.
        include_ancestor_groups: Option<bool> = BOOLEAN => false,
        /// Also those of the groups below.
        include_descendant_groups: Option<bool> = BOOLEAN => true,
        /// What they are not like.
        not: Option<NotLike> = named("NegatedEpicFilterInput"),
        /// What they are like in one way at least.
        either as "or": Option<Either> = named("UnionedEpicFilterInput"),
        /// The order.
        sort: Option<String> = named("EpicSort") => "created_desc",
    }
}

fn marks(labels: Option<Vec<String>>, author: Option<String>) -> Result<EpicMarks, Fault> {
    let labels = narrowing::labels(bounded(labels, "labelName")?);
    Ok(EpicMarks { labels, author_username: author, ..EpicMarks::default() })
}

impl Filters {
    fn filter(self, context: &Context) -> Result<EpicFilter, Fault> {
        let (not, either) = (self.not.unwrap_or_default(), self.either.unwrap_or_default());
        let reaction =
            |asked: Option<String>| narrowing::reaction(&viewer(context), asked.as_deref());
        let time = |at: Option<Moment<Timestamp>>| at.map(|at| at.0);
        let iids = self.iids.map(|all| bounded(Some(all), "iids")).transpose()?;
        let mut iids: Option<Vec<i64>> =
            iids.map(|all| all.iter().map(|one| number(one)).collect());
        if let Some(iid) = self.iid {
            iids.get_or_insert_default().push(number(&iid));
        }
        let fields = self.fields.unwrap_or_default();
        Ok(EpicFilter {
            state: chosen(self.state, IssueState::from_text),
            search: self.search,
            is: marks(self.label_name, self.author_username)?,
            not: marks(not.label_name, not.author_username)?,
            times: Times {
                created_after: time(self.created_after),
                created_before: time(self.created_before),
                updated_after: time(self.updated_after),
                updated_before: time(self.updated_before),
                ..Times::default()
            },
            reaction: reaction(self.my_reaction_emoji),
            not_reaction: reaction(not.my_reaction_emoji),
            confidential: self.confidential,
            iids,
            any_of: AnyOf {
                labels: bounded(either.label_names, "labelNames")?,
                author_usernames: bounded(either.author_usernames, "authorUsernames")?,
                ..AnyOf::default()
            },
            in_title: fields.iter().any(|one| one == "TITLE"),
            in_description: fields.iter().any(|one| one == "DESCRIPTION"),
            ..EpicFilter::default()
        })
    }
}

fn ids(epics: &[Arc<EpicView>]) -> Vec<i64> {
    epics.iter().map(|it| it.id).collect()
}

fn shown(item: &Item) -> Option<EpicView> {
    match item {
        Item::Epic(epic) => Some((**epic).clone().into()),
        Item::Issue(_) => None,
    }
}

async fn of_groups(
    groups: Vec<Arc<NamespaceView>>, ask: Ask, args: Args, context: Context,
) -> Pages<EpicView> {
    let given: Filters = args.read()?;
    let owners = EpicOwners::Groups {
        ids: groups.iter().map(|it| it.namespace.id).collect(),
        above: given.include_ancestor_groups.unwrap_or(false),
        below: given.include_descendant_groups.unwrap_or(true),
    };
    let sort = Sorted::named(given.sort.as_deref());
    let items = Items {
        issues: None,
        epics: Some((owners.clone(), given.filter(&context)?)),
    };
    Ok(uncounted(sorted((&owners.ids(), items), sort, ask, &context, shown).await?))
}

async fn children(
    epics: Vec<Arc<EpicView>>, ask: Ask, _: Args, context: Context,
) -> Pages<EpicView> {
    let ids = ids(&epics);
    let owners = EpicOwners::Parents(ids.clone());
    let items = Items { issues: None, epics: Some((owners, EpicFilter::default())) };
    Ok(uncounted(placed((&ids, items), ask, &context, shown).await?))
}

/// The epics above each of these, the nearest first, as far as the caller sees each of
/// them.
pub async fn lines(ids: &[i64], context: &Context) -> Result<Vec<Vec<Arc<EpicView>>>, Fault> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let (app, _) = caller(context)?;
    let asked = ids.to_vec();
    let found = app.read(move |tx| rows::above(tx, &asked)).await?;
    let known = context.load::<Epics>(found.iter().map(|(_, id, _)| *id)).await?;
    let line = |of: &i64| {
        let above = found.iter().filter(|(epic, _, _)| epic == of);
        above.map_while(|(_, id, _)| known.get(id).cloned()).collect()
    };
    Ok(ids.iter().map(line).collect())
}

async fn ancestors(
    epics: Vec<Arc<EpicView>>, ask: Ask, _: Args, context: Context,
) -> Pages<EpicView> {
    let window = ask.window(&context, "ancestors", &[Key::int("level", Order::Asc)])?;
    let lines = lines(&ids(&epics), &context).await?;
    let page = |line: Vec<Arc<EpicView>>| Some(in_order(&window, &line));
    Ok(lines.into_iter().map(page).collect())
}

async fn related(
    epics: Vec<Arc<EpicView>>, ask: Ask, _: Args, context: Context,
) -> Pages<EpicView> {
    let window = ask.window(&context, "related epics", &[Key::int("ends.id", Order::Asc)])?;
    let ids = ids(&epics);
    let (app, viewer) = caller(&context)?;
    let asked = ids.clone();
    let read = app.read(move |tx| {
        let found = ends::pages_of(tx, &viewer, ItemKind::Epic, &asked, None, &window)?;
        Ok((found, window))
    });
    let (found, window) = read.await?;
    let known = context.load::<Epics>(found.iter().map(|one| one.row.other_id)).await?;
    let linked = |one: Owned<End>| {
        let epic = known.get(&one.row.other_id)?.epic.clone();
        Some(one.map(|link| EpicView { epic, link: Some(link) }))
    };
    let found = found.into_iter().filter_map(linked).collect();
    let keys = |it: &EpicView| vec![it.link.as_ref().map_or(0, |link| link.id).into()];
    Ok(uncounted(window.pages(&ids, found, keys)))
}
