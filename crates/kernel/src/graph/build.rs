//! How rooms register types and fields.

use super::context::{Args, Context, Loader};
use super::fault::Fault;
use super::input::{Argument, EnumItem, GraphInput};
use super::introspection;
use super::models::Models;
use super::scalars;
use super::shape::{Answer, Node, Plain, Shape};
use super::table::{Cost, Field, Fields, Kind, Mark, READ, Resolver, Root, TypeDef};
use super::through::Through;
use crate::error::Error;
use futures_util::future::{BoxFuture, join_all};
use serde_json::Value as Json;
use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

/// The interface while rooms add to it, in any order.
pub struct Graph {
    pub(super) drafts: BTreeMap<Arc<str>, Draft>,
    pub(super) expected: Vec<Expected>,
    pub(super) problems: Vec<String>,
    pub(super) models: Models,
    system: bool,
}

/// A type that may not be complete yet.
pub(super) struct Draft {
    pub def: TypeDef,
    /// Somebody owns it, and not only adds fields to it.
    pub declared: bool,
    /// What stands behind its objects.
    pub rust: Option<(TypeId, &'static str)>,
    /// By what its objects are those of interfaces of another Rust type.
    pub through: BTreeMap<Arc<str>, Through>,
}

/// A field whose objects must be of this Rust type.
pub(super) struct Expected {
    pub at: String,
    pub name: Arc<str>,
    pub rust: (TypeId, &'static str),
}

impl Default for Graph {
    fn default() -> Graph {
        Graph::new()
    }
}

impl Graph {
    /// The language's own types and the common scalars.
    pub fn new() -> Graph {
        let mut graph = Graph {
            drafts: BTreeMap::new(),
            expected: Vec::new(),
            problems: Vec::new(),
            models: Models::new(),
            system: true,
        };
        scalars::builtin(&mut graph);
        introspection::register(&mut graph);
        graph.system = false;
        scalars::common(&mut graph);
        graph
    }

    /// Declares an object type behind which stands `T`.
    pub fn object<T: Any + Send + Sync>(
        &mut self, name: &str, description: &str,
    ) -> ObjectBuilder<'_, T> {
        self.declare::<T>(name, description, Kind::Object(Fields::default()));
        ObjectBuilder::new(self, name)
    }

    /// Declares an interface. Objects that implement it and have the same
    /// Rust type inherit the fields they do not declare.
    pub fn interface<T: Any + Send + Sync>(
        &mut self, name: &str, description: &str,
    ) -> ObjectBuilder<'_, T> {
        self.declare::<T>(name, description, Kind::Interface(Fields::default()));
        ObjectBuilder::new(self, name)
    }

    /// Adds to an object type that another room declares.
    pub fn on<T: Any + Send + Sync>(&mut self, name: &str) -> ObjectBuilder<'_, T> {
        self.draft(name, Kind::Object(Fields::default()));
        self.stand::<T>(name);
        ObjectBuilder::new(self, name)
    }

    /// Adds root fields of queries. They are looked up unless said otherwise.
    pub fn query(&mut self) -> ObjectBuilder<'_, Root> {
        let mut builder = self.object("Query", "What may be read.");
        builder.cost = Cost::LookedUp;
        builder
    }

    /// Declares a union of object types.
    pub fn union(&mut self, name: &str, description: &str, members: &[&str]) {
        let members = members.iter().map(|one| Arc::from(*one)).collect();
        self.add(name, description, Kind::Union(members));
    }

    /// Declares an enum.
    pub fn enumeration(&mut self, name: &str, description: &str, items: Vec<EnumItem>) {
        let items = items.into_iter().map(EnumItem::named);
        self.add(name, description, Kind::Enum(items.collect()));
    }

    /// Declares an input object.
    pub fn input(&mut self, name: &str, description: &str, fields: Vec<Argument>) {
        let fields = fields.into_iter().map(Argument::named);
        self.add(name, description, Kind::Input(fields.collect()));
    }

    /// Declares a scalar by how it reads input.
    pub fn scalar(
        &mut self, name: &str, description: &str,
        read: impl Fn(&Json) -> Result<Json, Option<String>> + Send + Sync + 'static,
    ) {
        self.add(name, description, Kind::Scalar(Arc::new(read)));
    }

    /// Whether a type of this name was declared so far.
    pub fn has(&self, name: &str) -> bool {
        self.drafts.get(name).is_some_and(|draft| draft.declared)
    }

    /// An object type that is declared by then implements an interface.
    pub(super) fn implement(&mut self, object: &str, interface: &str) {
        match self.drafts.get_mut(object).map(|draft| &mut draft.def.kind) {
            Some(Kind::Object(fields)) => {
                fields.implements.insert(interface.into());
            }
            _ => self
                .problems
                .push(format!("{object} implements {interface} and is no object type")),
        }
    }

    fn add(&mut self, name: &str, description: &str, kind: Kind) {
        if self.has(name) {
            self.problems.push(format!("{name} is declared twice"));
        }
        let draft = self.draft(name, kind);
        draft.declared = true;
        draft.def.description = description.to_owned();
    }

    fn declare<T: Any>(&mut self, name: &str, description: &str, kind: Kind) {
        let draft = self.draft(name, kind);
        draft.declared = true;
        if draft.def.description.is_empty() {
            draft.def.description = description.to_owned();
        }
        self.stand::<T>(name);
    }

    fn draft(&mut self, name: &str, kind: Kind) -> &mut Draft {
        let system = self.system;
        self.drafts.entry(name.into()).or_insert_with(|| Draft {
            def: TypeDef { name: name.into(), description: String::new(), system, kind },
            declared: false,
            rust: None,
            through: BTreeMap::new(),
        })
    }

    fn stand<T: Any>(&mut self, name: &str) {
        let rust = (TypeId::of::<T>(), std::any::type_name::<T>());
        let known = self.drafts.get_mut(name).map(|draft| *draft.rust.get_or_insert(rust));
        if let Some(known) = known.filter(|known| known.0 != rust.0) {
            let problem = format!("{name} stands for {} and for {}", known.1, rust.1);
            self.problems.push(problem);
        }
    }
}

/// Adds the fields of one object type or interface. What follows a field,
/// such as [`cost`](Self::cost), is said of that field.
pub struct ObjectBuilder<'g, T> {
    pub(super) graph: &'g mut Graph,
    name: Arc<str>,
    last: Option<Arc<str>>,
    cost: Cost,
    rust: PhantomData<fn() -> T>,
}

impl<'g, T: Any + Send + Sync> ObjectBuilder<'g, T> {
    pub(super) fn new(graph: &'g mut Graph, name: &str) -> ObjectBuilder<'g, T> {
        ObjectBuilder {
            graph,
            name: name.into(),
            last: None,
            cost: Cost::Plain,
            rust: PhantomData,
        }
    }

    /// The type implements an interface.
    pub fn implements(mut self, interface: &str) -> Self {
        if let Some(fields) = self.fields() {
            fields.implements.insert(interface.into());
        }
        self
    }

    /// The type implements an interface by what its objects hold, which answers the
    /// fields of it that the type does not declare.
    pub fn implements_by<U: Any + Send + Sync>(
        self, interface: &str, of: impl Fn(&T) -> Arc<U> + Send + Sync + 'static,
    ) -> Self {
        let through = Through::of(move |node: &Node| Ok(of(downcast::<T>(node)?)));
        if let Some(draft) = self.graph.drafts.get_mut(&self.name) {
            draft.through.insert(interface.into(), through);
        }
        self.implements(interface)
    }

    /// A field answered from the object alone.
    pub fn field<S: Shape>(
        self, name: &str, shape: S, answer: impl Fn(&T) -> S::Value + Send + Sync + 'static,
    ) -> Self {
        let of = shape.clone();
        let resolver = Resolver::Plain(Arc::new(move |node: &Node| {
            Ok(of.answer(answer(downcast::<T>(node)?)))
        }));
        self.add(name, shape, resolver)
    }

    /// A field with what it is, whose type is that of the Rust value: a text, a
    /// number, yes or no, or an instant; nullable where that is an option.
    pub fn value<V: Plain>(
        self, name: &str, about: &str, answer: impl Fn(&T) -> V + Send + Sync + 'static,
    ) -> Self {
        self.field(name, V::shape(), answer).describe(about)
    }

    /// A field that takes work, for one object; in lists use
    /// [`level`](Self::level) or [`load`](Self::load), or every row asks.
    pub fn resolve<S, F, Fut>(self, name: &str, shape: S, answer: F) -> Self
    where
        S: Shape,
        F: Fn(Arc<T>, Args, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<S::Value, Fault>> + Send + 'static,
    {
        let of = shape.clone();
        let answer = Arc::new(answer);
        let resolver = Resolver::Level(Arc::new(move |parents, args, context| {
            let one = |node| -> BoxFuture<'static, Result<Answer, Fault>> {
                let (of, answer) = (of.clone(), answer.clone());
                let (args, context) = (args.clone(), context.clone());
                Box::pin(async move {
                    let parent = shared::<T>(node)?;
                    let value = answer(parent, args, context).await?;
                    Ok(of.answer(value))
                })
            };
            Box::pin(joined(parents.into_iter().map(one).collect()))
        }));
        self.add(name, shape, resolver)
    }

    /// A field answered for all objects of a level at once, in their order.
    pub fn level<S, F, Fut>(self, name: &str, shape: S, answer: F) -> Self
    where
        S: Shape,
        F: Fn(Vec<Arc<T>>, Args, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Vec<S::Value>, Fault>> + Send + 'static,
    {
        let of = shape.clone();
        let answer = Arc::new(answer);
        let resolver = Resolver::Level(Arc::new(move |parents, args, context| {
            let (of, answer) = (of.clone(), answer.clone());
            Box::pin(async move {
                let count = parents.len();
                let shared = parents.into_iter().map(shared::<T>);
                let found = match shared.collect::<Result<Vec<_>, Fault>>() {
                    Ok(parents) => answer(parents, args, context).await,
                    Err(fault) => Err(fault),
                };
                let found = found.map(|all| all.into_iter().map(|one| Ok(of.answer(one))));
                answered(count, found.map(Iterator::collect))
            })
        }));
        self.add(name, shape, resolver)
    }

    /// Another object by its key, read for the whole level at once; what is
    /// missing or hidden is null.
    pub fn load<L, S>(
        self, name: &str, shape: S,
        key: impl Fn(&T) -> Option<L::Key> + Clone + Send + Sync + 'static,
    ) -> Self
    where
        L: Loader,
        S: Shape<Value = Option<L::Value>>,
    {
        self.level(name, shape, move |parents: Vec<Arc<T>>, _, context| {
            let keys: Vec<Option<L::Key>> = parents.iter().map(|parent| key(parent)).collect();
            async move {
                let found = context.load::<L>(keys.iter().flatten().cloned()).await?;
                let of = |key: &Option<L::Key>| found.get(key.as_ref()?).cloned();
                Ok(keys.iter().map(of).collect())
            }
        })
    }

    /// Says what the field is.
    pub fn describe(self, text: &str) -> Self {
        self.change(|field| field.description = format!("{text}{}", field.description))
    }

    /// Adds an argument.
    pub fn arg(self, argument: Argument) -> Self {
        let (name, input) = argument.named();
        self.change(|field| {
            field.arguments.insert(name, input);
        })
    }

    /// Takes what an input declares, and more; see [`Args::read`].
    pub fn args<I: GraphInput>(self) -> Self {
        I::arguments().into_iter().fold(self, Self::arg)
    }

    /// Sets what it costs.
    pub fn cost(self, cost: Cost) -> Self {
        self.change(|field| field.cost = cost)
    }

    /// It reads Git storage.
    pub fn git(self) -> Self {
        self.change(|field| field.git = true)
    }

    /// Scopes any of which let a token use it.
    pub fn scopes(self, scopes: &'static [&'static str]) -> Self {
        self.change(|field| field.scopes = scopes)
    }

    /// It may stand only so often in one operation.
    pub fn at_most(self, times: u32) -> Self {
        self.change(|field| field.at_most = Some(times))
    }

    /// It is deprecated or an experiment.
    pub fn mark(self, mark: Mark) -> Self {
        self.change(|field| {
            field.description.push_str(&mark.suffix());
            field.mark = Some(mark);
        })
    }

    /// It is never null, though its resolver might say so: a list of a parent
    /// that exists.
    pub fn never_null(self) -> Self {
        self.change(|field| field.ty = field.ty.clone().required())
    }

    pub(super) fn page(self, most: u32) -> Self {
        self.change(|field| {
            field.cost = Cost::LookedUp;
            field.page = Some(most);
        })
    }

    /// A field of an interface that every object answers by itself.
    pub fn promise<S: Shape>(self, name: &str, shape: S) -> Self {
        self.add_field(name, shape, None)
    }

    fn add<S: Shape>(self, name: &str, shape: S, resolver: Resolver) -> Self {
        self.add_field(name, shape, Some(resolver))
    }

    fn add_field<S: Shape>(mut self, name: &str, shape: S, resolver: Option<Resolver>) -> Self {
        let field = Field {
            name: name.into(),
            description: String::new(),
            ty: shape.type_ref(),
            arguments: BTreeMap::new(),
            cost: self.cost,
            git: false,
            scopes: READ,
            mark: None,
            page: None,
            at_most: None,
            resolver,
        };
        self.last = Some(field.name.clone());
        self.graph.add_field(&self.name, field, shape.rust());
        self
    }

    fn fields(&mut self) -> Option<&mut Fields> {
        self.graph.fields(&self.name)
    }

    fn change(self, work: impl FnOnce(&mut Field)) -> Self {
        if let Some(field) = self.graph.field(&self.name, self.last.as_ref()) {
            work(field);
        }
        self
    }
}

/// What builders of all types share.
impl Graph {
    fn fields(&mut self, owner: &str) -> Option<&mut Fields> {
        match &mut self.drafts.get_mut(owner)?.def.kind {
            Kind::Object(fields) | Kind::Interface(fields) => Some(fields),
            _ => None,
        }
    }

    fn add_field(&mut self, owner: &str, field: Field, rust: Option<(TypeId, &'static str)>) {
        let at = format!("{owner}.{}", field.name);
        if let Some(rust) = rust {
            self.expected
                .push(Expected { at: at.clone(), name: field.ty.name().clone(), rust });
        }
        let fields = self.fields(owner);
        let before = fields.and_then(|all| all.fields.insert(field.name.clone(), field));
        if before.is_some() {
            self.problems.push(format!("{at} is declared twice"));
        }
    }

    fn field(&mut self, owner: &str, name: Option<&Arc<str>>) -> Option<&mut Field> {
        let known = name.is_some_and(|name| {
            let fields = self.fields(owner);
            fields.is_some_and(|fields| fields.fields.contains_key(name))
        });
        if !known {
            let problem = format!("{owner}: something is said of no field");
            self.problems.push(problem);
        }
        self.fields(owner)?.fields.get_mut(name?)
    }
}

/// The answers of one level.
type Answers = Vec<Result<Answer, Fault>>;

/// Waits for the answers of all objects of a level.
async fn joined(all: Vec<BoxFuture<'static, Result<Answer, Fault>>>) -> Answers {
    join_all(all).await
}

/// The answers of a level of so many objects.
fn answered(count: usize, found: Result<Answers, Fault>) -> Answers {
    match found {
        Ok(answers) if answers.len() == count => answers,
        Ok(_) => vec![Err(Error::internal("a level lost answers").into()); count],
        Err(fault) => vec![Err(fault); count],
    }
}

fn downcast<T: Any>(node: &Node) -> Result<&T, Fault> {
    node.downcast_ref::<T>().ok_or_else(wrong_type::<T>)
}

fn shared<T: Any + Send + Sync>(node: Node) -> Result<Arc<T>, Fault> {
    node.downcast::<T>().map_err(|_| wrong_type::<T>())
}

fn wrong_type<T>() -> Fault {
    let name = std::any::type_name::<T>();
    Error::internal(format!("an object is not the {name} its type says")).into()
}

impl ObjectBuilder<'_, Root> {
    /// A root field answered from nothing but its context.
    pub fn answer<S, F, Fut>(self, name: &str, shape: S, answer: F) -> Self
    where
        S: Shape,
        F: Fn(Args, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<S::Value, Fault>> + Send + 'static,
    {
        self.resolve(name, shape, move |_, args, context| answer(args, context))
    }
}

impl Answer {
    /// Whether there is nothing.
    pub fn is_null(&self) -> bool {
        matches!(self, Answer::Null | Answer::Value(Json::Null))
    }
}
