//! Epics of groups, and those below, above and beside an epic.

use super::{EpicView, Epics};
use crate::graph::enums::chosen;
use crate::graph::filters::{bounded, titled};
use crate::graph::issue::number;
use crate::graph::{Moment, read_pages, uncounted};
use crate::model::IssueState;
use crate::model::epics::Epic;
use crate::rules::awards;
use crate::store::ends::{self, End, Linked};
use crate::store::epics::list::{EpicFilter, EpicMarks};
use crate::store::epics::pages::{
    self as rows, DUE_DOWN, DUE_UP, EpicOwners, START_DOWN, START_UP,
};
use crate::store::issues::filter::{AnyOf, Has, Times};
use identity::graph::{caller, viewer};
use identity::viewer::Viewer;
use kernel::graph::input::GraphInput;
use kernel::graph::{
    Args, Ask, BOOLEAN, Connection, Context, Fault, Graph, HasTypeRef, ID, Key, Order, Owned,
    STRING, TIME, Window, named, object,
};
use kernel::graph_input;
use kernel::ids::fold;
use kernel::time::{Date, Timestamp};
use serde_json::Value as Json;
use spaces::graph::NamespaceView;
use std::sync::Arc;
use store::Tx;

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

impl Filters {
    fn filter(self, context: &Context) -> Result<EpicFilter, Fault> {
        let (not, either) = (self.not.unwrap_or_default(), self.either.unwrap_or_default());
        let user_id = viewer(context).user_id().unwrap_or(0);
        let reaction = |asked: Option<String>| -> Option<(i64, Has<String>)> {
            Some((user_id, awards::wanted(&asked?)?))
        };
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
            is: EpicMarks {
                labels: titled(bounded(self.label_name, "labelName")?),
                author_id: None,
                author_username: self.author_username,
            },
            not: EpicMarks {
                labels: titled(bounded(not.label_name, "labelName")?),
                author_id: None,
                author_username: not.author_username,
            },
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

#[derive(Debug, Clone, Copy)]
enum By {
    Created,
    Updated,
    Title,
    Start,
    End,
}

#[derive(Debug, Clone, Copy)]
struct Sorted {
    by: By,
    order: Order,
}

/// A day as lists are sorted by it, where those without one come last.
pub fn day(day: Option<Date>, order: Order) -> Json {
    match (day, order) {
        (Some(day), _) => day.to_string().into(),
        (None, Order::Asc) => "9999-99-99".into(),
        (None, Order::Desc) => "".into(),
    }
}

impl Sorted {
    fn named(name: Option<&str>) -> Sorted {
        let name = name.unwrap_or_default().to_ascii_lowercase();
        let order = match name.ends_with("_asc") {
            true => Order::Asc,
            false => Order::Desc,
        };
        let by = match name.rsplit_once('_').map_or("", |(by, _)| by) {
            "updated" => By::Updated,
            "title" => By::Title,
            "start_date" => By::Start,
            "end_date" => By::End,
            _ => By::Created,
        };
        Sorted { by, order }
    }

    fn keys(self) -> [Key; 2] {
        let up = self.order == Order::Asc;
        let key = match self.by {
            By::Created => Key::time("epics.created_at", self.order),
            By::Updated => Key::time("epics.updated_at", self.order),
            By::Title => Key::text("epics.title_folded", self.order),
            By::Start => Key::text(if up { START_UP } else { START_DOWN }, self.order),
            By::End => Key::text(if up { DUE_UP } else { DUE_DOWN }, self.order),
        };
        [key, Key::int("epics.id", self.order)]
    }

    fn values(self, epic: &Epic) -> Vec<Json> {
        let first = match self.by {
            By::Created => Key::instant(epic.created_at),
            By::Updated => Key::instant(epic.updated_at),
            By::Title => fold(&epic.title).into(),
            By::Start => day(epic.start_on(), self.order),
            By::End => day(epic.due_on(), self.order),
        };
        vec![first, epic.id.into()]
    }
}

fn shown(found: Vec<Owned<Epic>>) -> Vec<Owned<EpicView>> {
    found.into_iter().map(|one| one.map(EpicView::from)).collect()
}

async fn of_groups(
    groups: Vec<Arc<NamespaceView>>,
    ask: Ask,
    args: Args,
    context: Context,
) -> Result<Vec<Option<Connection<EpicView>>>, Fault> {
    let ids: Vec<i64> = groups.iter().map(|it| it.namespace.id).collect();
    let given: Filters = args.read()?;
    let owners = EpicOwners::Groups {
        ids: ids.clone(),
        above: given.include_ancestor_groups.unwrap_or(false),
        below: given.include_descendant_groups.unwrap_or(true),
    };
    let sorted = Sorted::named(given.sort.as_deref());
    let filter = given.filter(&context)?;
    let name = format!("epics {:?} {:?}", sorted.by, sorted.order);
    let window = ask.window(&context, &name, &sorted.keys())?;
    let read = move |tx: &mut Tx<'_>, viewer: &Viewer, window: &Window| {
        Ok(shown(rows::pages_of(tx, viewer, &owners, &filter, window)?))
    };
    let keys = |it: &EpicView| sorted.values(it);
    Ok(uncounted(read_pages(&context, window, &ids, read, keys).await?))
}

fn ids(epics: &[Arc<EpicView>]) -> Vec<i64> {
    epics.iter().map(|it| it.id).collect()
}

async fn children(
    epics: Vec<Arc<EpicView>>,
    ask: Ask,
    _: Args,
    context: Context,
) -> Result<Vec<Option<Connection<EpicView>>>, Fault> {
    let keys = [
        Key::int("epics.relative_position", Order::Asc),
        Key::int("epics.id", Order::Asc),
    ];
    let window = ask.window(&context, "children of epics", &keys)?;
    let ids = ids(&epics);
    let owners = EpicOwners::Parents(ids.clone());
    let read = move |tx: &mut Tx<'_>, viewer: &Viewer, window: &Window| {
        Ok(shown(rows::pages_of(tx, viewer, &owners, &EpicFilter::default(), window)?))
    };
    let keys = |it: &EpicView| vec![it.relative_position.into(), it.id.into()];
    Ok(uncounted(read_pages(&context, window, &ids, read, keys).await?))
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
    epics: Vec<Arc<EpicView>>,
    ask: Ask,
    _: Args,
    context: Context,
) -> Result<Vec<Option<Connection<EpicView>>>, Fault> {
    let window = ask.window(&context, "ancestors", &[Key::int("level", Order::Asc)])?;
    let lines = lines(&ids(&epics), &context).await?;
    let page = |line: Vec<Arc<EpicView>>| {
        let place = |it: &EpicView| {
            let at = line.iter().position(|one| one.id == it.id);
            at.map_or(0, |at| at as i64)
        };
        Some(window.page_of_whole(&line, place))
    };
    Ok(lines.into_iter().map(page).collect())
}

async fn related(
    epics: Vec<Arc<EpicView>>,
    ask: Ask,
    _: Args,
    context: Context,
) -> Result<Vec<Option<Connection<EpicView>>>, Fault> {
    let window = ask.window(&context, "related epics", &[Key::int("ends.id", Order::Asc)])?;
    let ids = ids(&epics);
    let (app, viewer) = caller(&context)?;
    let asked = ids.clone();
    let read = app.read(move |tx| {
        let found = ends::pages_of(tx, &viewer, Linked::Epics, &asked, None, &window)?;
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
