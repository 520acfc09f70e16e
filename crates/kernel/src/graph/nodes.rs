//! `Query.node` and `Query.nodes`: any object by its global ID
//! (docs/interface/graphql.md 9).
//!
//! A room says beside its [`GlobalId`] how objects of that model are found
//! for the viewer: `g.node::<Projects, _>(PROJECT_ID, object("Project"))`.
//! The object type then implements [`NODE`], whose `id` is an `ID`: answer it
//! with [`GlobalId::node`], and read arguments with the scalar of the model.

use super::build::Graph;
use super::context::{Args, Context, Loader};
use super::fault::Fault;
use super::input::argument;
use super::models::{Find, Model};
use super::scalars::{GlobalId, ID, split};
use super::shape::{Answer, HasTypeRef, Object, Shape};
use super::types::TypeRef;
use futures_util::future::try_join_all;
use std::any::Any;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The interface of what has a global ID.
pub const NODE: &str = "Node";
/// Most IDs that `nodes` takes.
const MAX_IDS: usize = 100;

/// Objects of any Rust type stand behind the interface.
struct AnyNode;

impl Graph {
    /// `node` and `nodes` find objects of this model. The loader answers those
    /// that the viewer may see, in one statement.
    pub fn node<L, T>(&mut self, id: GlobalId, object: Object<T>)
    where
        T: Any + Send + Sync,
        L: Loader<Key = i64, Value = Arc<T>>,
    {
        let ty = object.type_ref().name().clone();
        let find: Find = Arc::new(move |context, ids| {
            let object = object.clone();
            Box::pin(async move {
                let found = context.load::<L>(ids).await?.into_iter();
                Ok(found.map(|(id, value)| (id, object.answer(Some(value)))).collect())
            })
        });
        if self.models.insert(id.model, Model { ty, find }).is_some() {
            let problem = format!("{} is a node twice", id.model);
            self.problems.push(problem);
        }
    }

    /// Declares the interface and the root fields over the models registered.
    pub(super) fn declare_nodes(&mut self) {
        let members: Vec<Arc<str>> = self.models.values().map(|one| one.ty.clone()).collect();
        if members.is_empty() {
            return;
        }
        for member in &members {
            self.implement(member, NODE);
        }
        self.interface::<AnyNode>(NODE, "What has a global ID.")
            .promise("id", ID.required())
            .describe("Its global ID.");
        self.query()
            .answer("node", any_of(NODE), |args, context| async move {
                let id: String = args.get("id")?;
                let found = context.nodes(&[named(&id)?]).await?;
                Ok(found.into_iter().next())
            })
            .describe("Any object by its global ID; null if the caller does not see it.")
            .arg(argument("id", ID.required()).describe("Its global ID."))
            .answer("nodes", any_of(NODE).list(), |args: Args, context| async move {
                let ids: Vec<String> = args.get("ids")?;
                if ids.len() > MAX_IDS {
                    return Err(Fault::argument("ids cannot have more than 100 entries"));
                }
                let names: Result<Vec<_>, Fault> = ids.iter().map(|id| named(id)).collect();
                let found = context.nodes(&names?).await?;
                Ok(Some(found.into_iter().map(Some).collect()))
            })
            .describe("Objects by their global IDs, in that order; null for those unseen.")
            .arg(argument("ids", ID.required().list().required()).describe("At most 100."));
    }
}

/// Model and number of a global ID; what cannot be the number of a row reads
/// as 0, which is never found.
fn named(text: &str) -> Result<(&str, i64), Fault> {
    let (model, id) = split(text).map_err(Fault::argument)?;
    Ok((model, id.parse().ok().filter(|id| *id > 0).unwrap_or(0)))
}

impl Context {
    /// The objects of these models and numbers that the viewer may see, in
    /// their order and null for others; each model is asked once.
    pub async fn nodes(&self, named: &[(&str, i64)]) -> Result<Vec<Answer>, Fault> {
        let models = &self.table.models;
        let mut wanted: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
        for (model, id) in named {
            if models.contains_key(model) {
                wanted.entry(model).or_default().push(*id);
            }
        }
        let loads = wanted.into_iter().filter_map(|(name, ids)| {
            let work = (models.get(name)?.find)(self.clone(), ids);
            Some(async move { Ok::<_, Fault>((name, work.await?)) })
        });
        let found: HashMap<&str, HashMap<i64, Answer>> =
            try_join_all(loads).await?.into_iter().collect();
        let of = |(model, id): &(&str, i64)| found.get(model).and_then(|all| all.get(id)).cloned();
        Ok(named.iter().map(|one| of(one).unwrap_or(Answer::Null)).collect())
    }
}

/// An interface or union whose objects are found by [`Context::nodes`], so
/// that they may be of rooms that do not know each other.
pub fn any_of(name: &'static str) -> AnyOf {
    AnyOf(name)
}

/// See [`any_of`].
#[derive(Clone, Copy)]
pub struct AnyOf(&'static str);

impl HasTypeRef for AnyOf {
    fn type_ref(&self) -> TypeRef {
        TypeRef::named(self.0)
    }
}

impl Shape for AnyOf {
    type Value = Option<Answer>;

    fn answer(&self, value: Option<Answer>) -> Answer {
        value.unwrap_or(Answer::Null)
    }
}
