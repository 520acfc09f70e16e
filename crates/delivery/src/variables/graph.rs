//! Variables in GraphQL: of the instance, of projects and of groups, for who may change
//! them; null for others.

use super::entity::shown_value;
use super::model::{Holder, Variable, VariableType};
use super::store;
use crate::place::MANAGE;
use ::store::Tx;
use identity::graph::{Tally, caller};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result as Outcome;
use kernel::graph::shape::Leaf;
use kernel::graph::{
    Ask, BOOLEAN, Connection, Context, Fault, GlobalId, Graph, HasTypeRef, ID, Key, Mark,
    ObjectBuilder, Order, STRING, Window, by_owner, item, object,
};
use spaces::access::Levels;
use spaces::graph::{NamespaceView, ProjectView};
use std::sync::Arc;

const INTERFACE: &str = "CiVariable";
const OF_INSTANCE: &str = "CiInstanceVariable";
const OF_PROJECT: &str = "CiProjectVariable";
const OF_GROUP: &str = "CiGroupVariable";
const TYPE: Leaf<VariableType> = Leaf::upper("CiVariableType");
const KEYS: [Key; 1] = [Key::int("ci_variables.id", Order::Desc)];

/// A variable with its value, as far as anybody sees that.
pub struct VariableView {
    variable: Variable,
    value: Option<String>,
}

impl VariableView {
    fn new(app: &App, variable: Variable) -> Outcome<Arc<VariableView>> {
        let value = shown_value(app.secrets(), &variable)?;
        Ok(Arc::new(VariableView { variable, value }))
    }

    fn global_id(&self) -> String {
        let model = match self.variable.holder() {
            Holder::Instance => GlobalId::new("CiInstanceVariableID", "Ci::InstanceVariable"),
            Holder::Group(_) => GlobalId::new("CiGroupVariableID", "Ci::GroupVariable"),
            Holder::Project(_) => GlobalId::new("CiVariableID", "Ci::Variable"),
        };
        model.of(self.variable.id)
    }
}

pub fn graph(g: &mut Graph) {
    let kinds = vec![
        item("ENV_VAR", "Jobs are given the value itself."),
        item("FILE", "Jobs are given the path of a file with the value."),
    ];
    g.enumeration("CiVariableType", "How jobs are given a variable.", kinds);
    common(g.interface::<VariableView>(INTERFACE, "What jobs are given under a name."));
    scope(
        g.object::<VariableView>(OF_PROJECT, "A variable of a project.")
            .implements(INTERFACE),
    );
    scope(
        g.object::<VariableView>(OF_GROUP, "A variable of a group.")
            .implements(INTERFACE),
    );
    scope(
        g.object::<VariableView>(OF_INSTANCE, "A variable of the instance.")
            .implements(INTERFACE),
    )
    .mark(Mark::Deprecated {
        reason: "Variables of the instance are for every environment",
        milestone: "15.3",
        replacement: None,
    });
    lists(g);
}

fn common(it: ObjectBuilder<'_, VariableView>) {
    it.field("id", ID.required(), VariableView::global_id)
        .describe("Global ID.")
        .field("key", STRING, |it| Some(it.variable.key.clone()))
        .describe("Its name.")
        .field("value", STRING, |it| it.value.clone())
        .describe("What jobs are given; null of hidden ones.")
        .field("variableType", TYPE, |it| Some(it.variable.variable_type))
        .describe("How jobs are given it.")
        .field("protected", BOOLEAN, |it| Some(it.variable.protected))
        .describe("Whether only jobs of protected branches and tags are given it.")
        .field("masked", BOOLEAN, |it| Some(it.variable.masked))
        .describe("Whether logs show [MASKED] in its place.")
        .field("raw", BOOLEAN, |it| Some(it.variable.raw))
        .describe("Whether `$` in it stays as it is.")
        .field("description", STRING, |it| it.variable.description.clone())
        .describe("What it is for.");
}

/// Not of the interface: schemas without deprecated members have none of it on
/// variables of the instance.
fn scope(it: ObjectBuilder<'_, VariableView>) -> ObjectBuilder<'_, VariableView> {
    it.field("environmentScope", STRING, |it| Some(it.variable.environment_scope.clone()))
        .describe("The environments that it is for; `*` stands for any text.")
}

fn lists(g: &mut Graph) {
    for name in [OF_INSTANCE, OF_PROJECT, OF_GROUP] {
        g.count(name);
    }
    g.query()
        .connection("ciVariables", object::<VariableView>(OF_INSTANCE), |_, ask, _, context| {
            of_instance(ask, context)
        })
        .describe("Variables of the instance, for administrators.");
    g.on::<ProjectView>("Project")
        .connections(
            "ciVariables",
            object::<VariableView>(OF_PROJECT),
            |of: Vec<Arc<ProjectView>>, ask, _, context| async move {
                let managed = |tx: &mut Tx<'_>, viewer: &Viewer, of: &[Arc<ProjectView>]| {
                    let all: Vec<_> = of.iter().map(|it| &it.project).collect();
                    let levels = Levels::in_projects(tx, viewer, &all)?;
                    let may = all.iter().map(|it| (it.id, levels.may(it, MANAGE)));
                    Ok(may.collect())
                };
                listed(of, "ci_variables.project_id", managed, ask, context).await
            },
        )
        .describe("Its variables, for who maintains it.");
    g.on::<NamespaceView>("Group")
        .connections(
            "ciVariables",
            object::<VariableView>(OF_GROUP),
            |of: Vec<Arc<NamespaceView>>, ask, _, context| async move {
                let managed = |tx: &mut Tx<'_>, viewer: &Viewer, of: &[Arc<NamespaceView>]| {
                    let all: Vec<_> = of.iter().map(|it| &it.namespace).collect();
                    let levels = Levels::in_groups(tx, viewer, &all)?;
                    let may = all.iter().map(|it| (it.id, levels.may_in_group(it, MANAGE)));
                    Ok(may.collect())
                };
                listed(of, "ci_variables.group_id", managed, ask, context).await
            },
        )
        .describe("Its variables, for who owns it.");
}

/// The place of a row in its list.
fn keys(it: &VariableView) -> Vec<serde_json::Value> {
    vec![it.variable.id.into()]
}

fn window(ask: Ask, context: &Context) -> Result<Window, Fault> {
    ask.window(context, "ci variables", &KEYS)
}

/// Ids of places, in order, with whether the viewer may change their variables.
type Managed<T> = fn(&mut Tx<'_>, &Viewer, &[Arc<T>]) -> Outcome<Vec<(i64, bool)>>;

/// The variables of some projects or groups, each a page of its own.
async fn listed<T: Send + Sync + 'static>(
    of: Vec<Arc<T>>, owner: &'static str, managed: Managed<T>, ask: Ask, context: Context,
) -> Result<Vec<Option<Connection<VariableView>>>, Fault> {
    let window = window(ask, &context)?;
    let (app, viewer) = caller(&context)?;
    let read = app.read(move |tx| {
        let places = managed(tx, &viewer, &of)?;
        let open: Vec<i64> = places.iter().filter(|(_, may)| *may).map(|(id, _)| *id).collect();
        let rows = store::pages_of(tx, owner, &open, &window)?;
        Ok((places, open, rows, window))
    });
    let (places, open, rows, window) = read.await?;
    let shown = rows.into_iter().map(|row| {
        let owner = row.owner;
        let row = VariableView::new(&app, row.row)?;
        Ok(kernel::graph::Owned { owner, row })
    });
    let rows = by_owner(shown.collect::<Outcome<Vec<_>>>()?);
    let pages = places.iter().map(|(id, _)| {
        let rows = rows.get(id).cloned().unwrap_or_default();
        window.page_of(rows, keys)
    });
    let tally = Tally::new(move |tx, _, limit| store::counts(tx, owner, &open, limit));
    let ids = places.iter().map(|(id, _)| *id).collect();
    let counted = tally.counts(pages.collect(), ids).into_iter();
    let seen = counted.zip(&places).map(|(page, (_, may))| page.filter(|_| *may));
    Ok(seen.collect())
}

async fn of_instance(
    ask: Ask, context: Context,
) -> Result<Option<Connection<VariableView>>, Fault> {
    let (app, viewer) = caller(&context)?;
    if !viewer.is_admin() {
        return Ok(None);
    }
    let window = window(ask, &context)?;
    let read = app.read(move |tx| Ok((store::of_instance(tx, &window)?, window)));
    let (rows, window) = read.await?;
    let shown = rows.into_iter().map(|row| VariableView::new(&app, row));
    let page = window.page_of(shown.collect::<Outcome<Vec<_>>>()?, keys);
    Ok(Some(page.counted(|context: Context, limit| async move {
        let (app, _) = caller(&context)?;
        let count = app.read(|tx| store::count(tx, Holder::Instance)).await?;
        Ok(limit.map_or(count, |limit| count.min(limit.saturating_add(1))))
    })))
}
