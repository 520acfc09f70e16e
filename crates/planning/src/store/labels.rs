//! Labels.

use super::pages::{self, KeyType, List, Order};
use super::places::{self, Places, in_place};
use super::searched::LABELS;
use crate::access::{Parent, Scope, visible};
use crate::model::Label;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::graph::{Owned, Window, by_owner};
use kernel::http::{Paged, Paging};
use kernel::ids::fold;
use kernel::search::index;
use kernel::time::Timestamp;
use serde_json::json;
use std::collections::HashMap;
use store::{Fragment, IntoValue, Params, Tx, Value, sql};

const SELECT: &str = store::concat!("select ", Label::COLUMNS);

/// Begins a statement that reads labels; ends with its `where`.
fn selected(project_id: Option<i64>, viewer: Option<i64>) -> Fragment {
    let mut query = Fragment::new(SELECT);
    query.raw(" from ").append(tables(project_id, viewer)).raw(" where ");
    query
}

/// Labels with the priority in a project and the viewer's subscription.
fn tables(project_id: Option<i64>, viewer: Option<i64>) -> Fragment {
    let mut from = Fragment::new(
        "labels left join label_priorities on label_priorities.label_id = labels.id
            and label_priorities.project_id = ",
    );
    from.bind(project_id.unwrap_or(-1))
        .raw(
            " left join subscriptions on subscriptions.target_type = 'Label'
                and subscriptions.target_id = labels.id and subscriptions.subscribed
                and subscriptions.user_id = ",
        )
        .bind(viewer.unwrap_or(-1));
    from
}

kernel::params! {
    #[derive(Default)]
    pub struct LabelFilter {
        /// Also labels of the groups above; true unless refused.
        pub include_ancestor_groups: Option<bool>,
        /// In the title or description.
        pub search: Option<String>,
        pub title: Option<String> = None,
        /// Only archived ones, or only others.
        pub archived: Option<bool>,
    }
}

impl LabelFilter {
    /// How many labels of a place pass, counted no further than lists tell.
    pub fn count(&self, tx: &mut Tx<'_>, viewer: Option<i64>, parent: &Parent) -> Result<i64> {
        pages::count(tx, &tables(parent.project_id(), viewer), &self.of(parent))
    }

    /// One page of the labels of a place that pass, by title.
    pub fn list(
        &self, tx: &mut Tx<'_>, viewer: Option<i64>, parent: &Parent, paging: Paging,
    ) -> Result<Paged<Label>> {
        let list = List {
            select: Fragment::new(SELECT),
            from: tables(parent.project_id(), viewer),
            condition: self.of(parent),
            order: Order {
                by: "labels.title".into(),
                key: Some(KeyType::Text),
                id: "labels.id",
                descending: false,
            },
        };
        pages::page(tx, list, paging, |label: &Label| (json!(label.title), label.id))
    }

    /// The labels of a place that pass.
    fn of(&self, parent: &Parent) -> Fragment {
        let with_groups_above = self.include_ancestor_groups.unwrap_or(true);
        let mut condition = in_place("labels", parent, with_groups_above);
        self.narrow(&mut condition);
        condition
    }

    fn narrow(&self, condition: &mut Fragment) {
        if let Some(search) = self.search.as_deref().filter(|text| !text.is_empty()) {
            let columns = ["labels.title_folded", "labels.description_folded"];
            super::contains(condition, &columns, search);
        }
        if let Some(title) = &self.title {
            condition.push(" and labels.title = ", title);
        }
        if let Some(archived) = self.archived {
            condition.push(" and labels.archived = ", archived);
        }
    }
}

/// Where it stands which labels are on things of one kind: a table with a `label_id`, and
/// its column of the things.
#[derive(Debug, Clone, Copy)]
pub struct WornBy {
    pub table: &'static str,
    pub owner: &'static str,
}

impl WornBy {
    pub const ISSUES: WornBy = WornBy { table: "issue_labels", owner: "issue_labels.issue_id" };
    pub const EPICS: WornBy = WornBy { table: "epic_labels", owner: "epic_labels.epic_id" };
}

/// A page for each thing of one kind of the labels on it.
pub fn pages_of_worn(
    tx: &mut Tx<'_>, viewer: Option<i64>, (of, ids): (WornBy, &[i64]), window: &Window,
) -> Result<Vec<Owned<Label>>> {
    let WornBy { table, owner } = of;
    let mut from = Fragment::new(" from ");
    from.append(tables(None, viewer))
        .raw(&format!(" join {table} on {table}.label_id = labels.id where"))
        .in_list(owner, ids);
    Ok(tx.query(window.narrow_each(Label::COLUMNS, owner, from))?)
}

/// How many labels each of them has.
pub fn counts_of_worn(tx: &mut Tx<'_>, (of, ids): (WornBy, &[i64])) -> Result<HashMap<i64, i64>> {
    let WornBy { table, owner } = of;
    let mut query = Fragment::new(&format!("select {owner}, count(*) from {table} where"));
    query.in_list(owner, ids).raw(&format!(" group by {owner}"));
    Ok(tx.query::<(i64, i64)>(query)?.into_iter().collect())
}

/// The labels that each place uses, with those of the groups `above` if they
/// are told; ends inside its `where`.
fn used(
    viewer: Option<i64>, places: &Places, above: Option<&[i64]>, filter: &LabelFilter,
) -> Fragment {
    let mut from = Fragment::new(" from ");
    from.append(tables(None, viewer))
        .raw(" join ")
        .append(places.using("labels", above))
        .raw(" used on used.used_id = labels.id where 1 = 1");
    filter.narrow(&mut from);
    from
}

/// A page for each place of the labels it uses, with those of the groups
/// `above`.
pub fn pages_of(
    tx: &mut Tx<'_>, viewer: Option<i64>, (places, above): (&Places, Option<&[i64]>),
    filter: &LabelFilter, window: &Window,
) -> Result<Vec<Owned<Label>>> {
    let from = used(viewer, places, above, filter);
    Ok(tx.query(window.narrow_each(Label::COLUMNS, "used.place_id", from))?)
}

/// How many labels each place has that [`pages_of`] pages through.
pub fn counts_of(
    tx: &mut Tx<'_>, (places, above): (&Places, Option<&[i64]>), filter: &LabelFilter,
) -> Result<HashMap<i64, i64>> {
    let mut query = Fragment::new("select used.place_id, count(*)");
    query.append(used(None, places, above, filter)).raw(" group by used.place_id");
    Ok(tx.query::<(i64, i64)>(query)?.into_iter().collect())
}

/// The labels of this title that each place uses, its own first.
pub fn of_title(
    tx: &mut Tx<'_>, viewer: Option<i64>, (places, above): (&Places, Option<&[i64]>), title: &str,
) -> Result<Vec<Owned<Label>>> {
    let filter = LabelFilter { title: Some(title.to_owned()), ..LabelFilter::default() };
    let mut query = Fragment::new(store::concat!(SELECT, ", used.place_id as owner"));
    query
        .append(used(viewer, places, above, &filter))
        .raw(" order by labels.project_id nulls last, labels.id");
    Ok(tx.query(query)?)
}

/// Those of these ids that are of places where the viewer sees labels.
pub fn visible_by_ids(tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64]) -> Result<Vec<Label>> {
    let mut query = selected(None, viewer.user_id());
    query
        .append(places::visible(tx, viewer, "labels"))
        .raw(" and")
        .in_list("labels.id", ids);
    Ok(tx.query(query)?)
}

/// The label of this id or title that a place can use, be it of a group above it.
pub fn find(
    tx: &mut Tx<'_>, viewer: Option<i64>, (parent, with_groups_above): (&Parent, bool),
    id_or_title: &str,
) -> Result<Option<Label>> {
    let mut conditions = Vec::new();
    if let Ok(id) = id_or_title.parse::<i64>() {
        let mut by_id = Fragment::new("labels.id = ");
        by_id.bind(id);
        conditions.push(by_id);
    }
    let mut by_title = Fragment::new("labels.title = ");
    by_title.bind(id_or_title);
    conditions.push(by_title);
    for condition in conditions {
        let mut query = selected(parent.project_id(), viewer);
        query
            .append(condition)
            .raw(" and ")
            .append(in_place("labels", parent, with_groups_above))
            .raw(" order by labels.project_id nulls last, labels.id limit 1");
        if let Some(found) = tx.query(query)?.into_iter().next() {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Ids of those of these titles or ids that a place can use.
pub fn ids_of(
    tx: &mut Tx<'_>, parent: &Parent, titles: &[String], ids: &[i64],
) -> Result<Vec<(i64, String)>> {
    let mut query = Fragment::new("select labels.id, labels.title from labels where (");
    query
        .in_list("labels.title", titles)
        .raw(" or")
        .in_list("labels.id", ids)
        .raw(") and ")
        .append(in_place("labels", parent, true))
        .raw(" order by labels.project_id nulls last, labels.id");
    Ok(tx.query(query)?)
}

/// What is written of a label, `$1` to `$7`: from its title to when that is.
fn written(label: &Label, now: Timestamp) -> Vec<Value> {
    let (title, description) = (fold(&label.title), fold(label.text()));
    let told = (&label.title, title, &label.color, &label.description, description);
    let mut values = told.into_values();
    values.extend((label.archived, now).into_values());
    values
}

/// Adds a label, unless the place has one of this title itself; its id.
pub fn insert(tx: &mut Tx<'_>, parent: &Parent, label: &Label) -> Result<Option<i64>> {
    let mut values = written(label, tx.now());
    values.extend((parent.project_id(), parent.group_id()).into_values());
    let id: Option<i64> = tx.optional(
        sql!(
            "insert into labels (title, title_folded, color, description, description_folded,
                archived, created_at, updated_at, project_id, group_id)
             values ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9)
             on conflict do nothing returning id"
        ),
        values,
    )?;
    index(tx, &LABELS, id.as_slice())?;
    Ok(id)
}

/// Whether another label of the place or of the groups above has this title.
pub fn is_taken(tx: &mut Tx<'_>, parent: &Parent, title: &str, but: i64) -> Result<bool> {
    let mut query = Fragment::new("select labels.id from labels where labels.title = ");
    query
        .bind(title)
        .push(" and labels.id <> ", but)
        .raw(" and ")
        .append(in_place("labels", parent, true))
        .raw(" limit 1");
    Ok(!tx.query::<i64>(query)?.is_empty())
}

/// Writes a label anew. No other label of the place has the title: that was
/// asked in this transaction.
pub fn update(tx: &mut Tx<'_>, label: &Label) -> Result<()> {
    let mut values = written(label, tx.now());
    values.push(label.id.into_value());
    tx.execute(
        sql!(
            "update labels set title = $1, title_folded = $2, color = $3, description = $4,
                description_folded = $5, archived = $6, updated_at = $7
             where id = $8"
        ),
        values,
    )?;
    Ok(index(tx, &LABELS, &[label.id])?)
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    super::subscriptions::forget(tx, super::subscriptions::Target::Label, id)?;
    tx.execute(sql!("delete from labels where id = $1"), (id,))?;
    Ok(())
}

pub fn prioritize(
    tx: &mut Tx<'_>, (project_id, label_id): (i64, i64), priority: Option<i64>,
) -> Result<()> {
    match priority {
        Some(priority) => tx.execute(
            sql!(
                "insert into label_priorities (project_id, label_id, priority)
                 values ($1, $2, $3)
                 on conflict (project_id, label_id) do update set priority = excluded.priority"
            ),
            (project_id, label_id, priority),
        )?,
        None => tx.execute(
            sql!("delete from label_priorities where project_id = $1 and label_id = $2"),
            (project_id, label_id),
        )?,
    };
    Ok(())
}

/// The labels of this title in projects below a group.
pub fn of_title_below(tx: &mut Tx<'_>, lineage: &str, title: &str) -> Result<Vec<i64>> {
    places::of_title_below(tx, "labels", lineage, title)
}

/// Puts a label in the place of these, which are removed.
pub fn replace(tx: &mut Tx<'_>, old: Vec<i64>, by: i64) -> Result<()> {
    for statement in [
        sql!(
            "insert into issue_labels (issue_id, label_id)
             select distinct issue_id, cast($2 as bigint) from issue_labels
             where label_id in_list($1)
             on conflict do nothing"
        ),
        sql!(
            "insert into label_priorities (project_id, label_id, priority)
             select project_id, cast($2 as bigint), priority from label_priorities
             where label_id in_list($1)
             on conflict do nothing"
        ),
        sql!(
            "insert into subscriptions (user_id, target_type, target_id, subscribed, created_at)
             select user_id, 'Label', cast($2 as bigint), subscribed, min(created_at)
             from subscriptions where target_type = 'Label' and target_id in_list($1)
             group by user_id, subscribed
             on conflict do nothing"
        ),
        sql!("update issue_events set label_id = $2 where label_id in_list($1)"),
        sql!(
            "update board_lists set label_id = $2 where label_id in_list($1) and not exists
                (select 1 from board_lists other where other.board_id = board_lists.board_id
                    and other.label_id = $2)"
        ),
    ] {
        tx.execute(statement, (&old, by))?;
    }
    tx.execute(
        sql!("delete from subscriptions where target_type = 'Label' and target_id in_list($1)"),
        (&old,),
    )?;
    tx.run(sql!("delete from labels where id in_list($1)"), (old,))
}

/// Open and closed issues by label, of those the viewer sees in a scope.
pub fn counts(
    tx: &mut Tx<'_>, viewer: &Viewer, scope: &Scope, labels: Vec<i64>,
) -> Result<HashMap<i64, (i64, i64)>> {
    let mut query = Fragment::new(
        "select issue_labels.label_id, count(*) filter (where issues.state = 'opened'),
            count(*) filter (where issues.state = 'closed')
         from issue_labels join issues on issues.id = issue_labels.issue_id
         join projects on projects.id = issues.project_id where",
    );
    query
        .in_list("issue_labels.label_id", labels)
        .raw(" and ")
        .append(visible(tx, viewer, scope))
        .raw(" group by issue_labels.label_id");
    let rows: Vec<(i64, i64, i64)> = tx.query(query)?;
    Ok(rows.into_iter().map(|(label, open, closed)| (label, (open, closed))).collect())
}

/// Labels by id, unjudged, by title.
pub fn by_ids(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<Label>> {
    let mut query = selected(None, None);
    query.in_list("labels.id", ids).raw(" order by labels.title, labels.id");
    Ok(tx.query(query)?)
}

/// The labels of each of these issues, by title.
pub fn of_issues(tx: &mut Tx<'_>, issues: &[i64]) -> Result<HashMap<i64, Vec<Label>>> {
    of_wearers(tx, WornBy::ISSUES, issues)
}

/// The same of epics.
pub fn of_epics(tx: &mut Tx<'_>, epics: &[i64]) -> Result<HashMap<i64, Vec<Label>>> {
    of_wearers(tx, WornBy::EPICS, epics)
}

/// The labels of each of these things, by title, in one statement.
pub fn of_wearers(tx: &mut Tx<'_>, of: WornBy, ids: &[i64]) -> Result<HashMap<i64, Vec<Label>>> {
    let WornBy { table, owner } = of;
    let columns = Label::COLUMNS;
    let mut query = Fragment::new(&format!("select {owner} as owner, {columns} from "));
    query
        .append(tables(None, None))
        .raw(&format!(" join {table} on {table}.label_id = labels.id where"))
        .in_list(owner, ids)
        .raw(" order by labels.title, labels.id");
    Ok(by_owner(tx.query(query)?))
}
