//! `Query.node` and `Query.nodes`: any object by its global ID
//! (contract/graphql.md section 9).
//!
//! A room says beside its [`GlobalId`] how objects of that model are found
//! for the viewer: `g.node::<Projects, _>(PROJECT_ID, object("Project"))`.
//! `Node` is a union and not an interface: the `id` of a user is a `UserID`
//! and that of a project an `ID`, so no interface could promise one of them.

use super::build::{Graph, argument};
use super::context::{Args, Context, Fault, Loader};
use super::scalars::{GlobalId, ID, split};
use super::shape::{Answer, Object, Shape, Typed};
use super::types::TypeRef;
use futures_util::future::try_join_all;
use std::any::Any;
use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// Most IDs that `nodes` takes.
const MAX_IDS: usize = 100;

type Found = Result<HashMap<i64, Answer>, Fault>;
type Find =
    Arc<dyn Fn(Context, Vec<i64>) -> Pin<Box<dyn Future<Output = Found> + Send>> + Send + Sync>;

/// One model among the nodes.
#[derive(Clone)]
pub(super) struct Model {
    /// The object type.
    ty: Arc<str>,
    /// Finds what the viewer may see.
    find: Find,
}

/// The models by name.
pub(super) type Models = BTreeMap<&'static str, Model>;

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
                Ok(found
                    .map(|(id, value)| (id, object.answer(Some(value))))
                    .collect())
            })
        });
        if self.models.insert(id.model, Model { ty, find }).is_some() {
            let problem = format!("{} is a node twice", id.model);
            self.problems.push(problem);
        }
    }

    /// Declares the union and the root fields over the models registered.
    pub(super) fn declare_nodes(&mut self) {
        let models = Arc::new(std::mem::take(&mut self.models));
        if models.is_empty() {
            return;
        }
        let members: Vec<&str> = models.values().map(|model| &*model.ty).collect();
        self.union("Node", "What has a global ID.", &members);
        let (one, many) = (models.clone(), models);
        self.query()
            .answer("node", Node, move |args, context| {
                let models = one.clone();
                async move {
                    let id: String = args.get("id")?;
                    let found = find(&models, &[id], context).await?;
                    Ok(found.into_iter().next().unwrap_or(Answer::Null))
                }
            })
            .describe("Any object by its global ID; null if the caller does not see it.")
            .arg(argument("id", ID.required()).describe("Its global ID."))
            .answer("nodes", Node.list(), move |args: Args, context| {
                let models = many.clone();
                async move {
                    let ids: Vec<String> = args.get("ids")?;
                    if ids.len() > MAX_IDS {
                        return Err(Fault::argument("ids cannot have more than 100 entries"));
                    }
                    Ok(Some(find(&models, &ids, context).await?))
                }
            })
            .describe("Objects by their global IDs, in that order; null for those unseen.")
            .arg(argument("ids", ID.required().list().required()).describe("At most 100."));
    }
}

/// The objects of these IDs, in their order; each model is asked once.
async fn find(models: &Models, ids: &[String], context: Context) -> Result<Vec<Answer>, Fault> {
    let mut named = Vec::with_capacity(ids.len());
    let mut wanted: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
    for text in ids {
        let (model, id) = split(text).map_err(Fault::argument)?;
        // What cannot be the number of a row is never found.
        let id = id.parse().ok().filter(|id: &i64| *id > 0).unwrap_or(0);
        if models.contains_key(model) {
            wanted.entry(model).or_default().push(id);
        }
        named.push((model, id));
    }
    let loads = wanted.into_iter().filter_map(|(name, ids)| {
        let work = (models.get(name)?.find)(context.clone(), ids);
        Some(async move { Ok::<_, Fault>((name, work.await?)) })
    });
    let found: HashMap<&str, HashMap<i64, Answer>> =
        try_join_all(loads).await?.into_iter().collect();
    let of = |(model, id): &(&str, i64)| found.get(model).and_then(|all| all.get(id)).cloned();
    Ok(named
        .iter()
        .map(|one| of(one).unwrap_or(Answer::Null))
        .collect())
}

/// The shape of `Node`.
#[derive(Clone)]
struct Node;

impl Typed for Node {
    fn type_ref(&self) -> TypeRef {
        TypeRef::named("Node")
    }
}

impl Shape for Node {
    type Value = Answer;

    fn answer(&self, value: Answer) -> Answer {
        value
    }
}
