//! What is known of every member of the interface.

use super::context::{Args, Context};
use super::fault::Fault;
use super::models::Models;
use super::shape::{Answer, Node};
use super::types::TypeRef;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// Scopes any of which let a token read a field (docs/interface/graphql.md 2).
pub const READ: &[&str] = &["api", "read_api"];
/// Scopes any of which let a token change something.
pub const WRITE: &[&str] = &["api"];

/// The system type that holds `__schema` and `__type`; executors and
/// validators look them up at the query root.
pub const INTROSPECTION_ROOT: &str = "__Root";

/// The parent of root fields.
#[derive(Debug, Clone, Copy)]
pub struct Root;

/// The whole interface.
#[derive(Clone, Default)]
pub struct Table {
    types: BTreeMap<Arc<str>, TypeDef>,
    /// For interfaces and unions: the object types a value may have.
    possible: BTreeMap<Arc<str>, BTreeSet<Arc<str>>>,
    /// What is found by global ID.
    pub(super) models: Arc<Models>,
}

/// One type.
#[derive(Clone)]
pub struct TypeDef {
    /// Its name.
    pub name: Arc<str>,
    /// What it is, in a sentence.
    pub description: String,
    /// Part of the language itself (introspection, built-in scalars), so not
    /// in the SDL.
    pub system: bool,
    /// What kind of type.
    pub kind: Kind,
}

/// What kind of type.
#[derive(Clone)]
pub enum Kind {
    /// A leaf with its own rules of input.
    Scalar(Scalar),
    /// Fields with resolvers.
    Object(Fields),
    /// Fields that several objects share.
    Interface(Fields),
    /// One of several objects.
    Union(BTreeSet<Arc<str>>),
    /// A closed list.
    Enum(BTreeMap<Arc<str>, EnumValue>),
    /// An object as input.
    Input(BTreeMap<Arc<str>, Input>),
}

/// How a scalar reads input: its wire form, `Err(None)` for the standard
/// text, `Err(Some(…))` for a text of its own.
pub type Scalar = Arc<dyn Fn(&Json) -> Result<Json, Option<String>> + Send + Sync>;

/// The fields of an object or interface.
#[derive(Clone, Default)]
pub struct Fields {
    /// By name.
    pub fields: BTreeMap<Arc<str>, Field>,
    /// Interfaces it implements.
    pub implements: BTreeSet<Arc<str>>,
}

/// One field.
#[derive(Clone)]
pub struct Field {
    /// Its name.
    pub name: Arc<str>,
    /// What it is.
    pub description: String,
    /// What it answers.
    pub ty: TypeRef,
    /// Arguments by name.
    pub arguments: BTreeMap<Arc<str>, Input>,
    /// What it costs.
    pub cost: Cost,
    /// Reads Git storage, which costs one more.
    pub git: bool,
    /// Scopes any of which let a token use it.
    pub scopes: &'static [&'static str],
    /// Deprecation or experiment.
    pub mark: Option<Mark>,
    /// For connections: the most rows of a page.
    pub page: Option<u32>,
    /// How often it may stand in one operation.
    pub at_most: Option<u32>,
    /// How it is answered; interfaces need none.
    pub resolver: Option<Resolver>,
}

/// An argument or input field.
#[derive(Clone)]
pub struct Input {
    /// Its name.
    pub name: Arc<str>,
    /// What it does.
    pub description: String,
    /// What it takes.
    pub ty: TypeRef,
    /// Taken when absent.
    pub default: Option<Json>,
    /// Deprecation or experiment.
    pub mark: Option<Mark>,
}

impl Input {
    /// Whether a caller has to give it.
    pub fn is_required(&self) -> bool {
        self.ty.is_required() && self.default.is_none()
    }
}

/// One value of an enum.
#[derive(Clone)]
pub struct EnumValue {
    /// What it means.
    pub description: String,
    /// Deprecation or experiment.
    pub mark: Option<Mark>,
}

/// The cost class of a field (docs/interface/graphql.md «Complexity, exactly»).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    /// This, plus its children.
    Constant(u32),
    /// One, plus its children.
    Plain,
    /// Looked up or filtered: one, and more for sorting, search and pages.
    LookedUp,
}

impl Cost {
    /// Of a text that is rendered: it takes more than its bytes do.
    pub const RENDERED: Cost = Cost::Constant(5);
}

/// Why a member will not stay (docs/interface/graphql.md 7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// It goes in the next major release.
    Deprecated {
        /// Without a period at its end.
        reason: &'static str,
        /// The release that deprecated it, such as `14.8`.
        milestone: &'static str,
        /// What to use: `Type.field` or a name.
        replacement: Option<&'static str>,
    },
    /// It may change at any time.
    Experiment {
        /// The release that brought it.
        milestone: &'static str,
    },
}

impl Mark {
    /// As introspection and `@deprecated` say it.
    pub fn reason(&self) -> String {
        match self {
            Mark::Experiment { milestone } => {
                format!("**Status**: Experiment. Introduced in {milestone}.")
            }
            Mark::Deprecated { reason, milestone, replacement: Some(name) } => {
                format!("{reason}. Please use `{name}`. Deprecated in {milestone}.")
            }
            Mark::Deprecated { reason, milestone, .. } => {
                format!("{reason}. Deprecated in {milestone}.")
            }
        }
    }

    /// The release that may remove it: the first major one after six more
    /// releases, of which a major one has twelve (docs/interface/graphql.md 7). An
    /// experiment may go at any time.
    pub fn removed_in(&self) -> Option<String> {
        let Mark::Deprecated { milestone, .. } = self else {
            return None;
        };
        let (major, minor) = milestone.split_once('.')?;
        let release = major.parse::<u32>().ok()? * 12 + minor.parse::<u32>().ok()? + 6;
        Some(format!("{}.0", release.div_ceil(12)))
    }

    /// What the description of the member ends with.
    pub fn suffix(&self) -> String {
        match self {
            Mark::Experiment { .. } => String::new(),
            Mark::Deprecated { reason, milestone, .. } => {
                format!(" Deprecated in {milestone}: {reason}.")
            }
        }
    }
}

type Plain = Arc<dyn Fn(&Node) -> Result<Answer, Fault> + Send + Sync>;
/// The work of a field for all its parents of one level.
pub type Work = Pin<Box<dyn Future<Output = Vec<Result<Answer, Fault>>> + Send>>;
type Level = Arc<dyn Fn(Vec<Node>, Args, Context) -> Work + Send + Sync>;

/// How a field is answered.
#[derive(Clone)]
pub enum Resolver {
    /// From its parent alone, at once.
    Plain(Plain),
    /// For all parents of one level together; answers in their order.
    Level(Level),
}

impl Table {
    pub(super) fn new(types: BTreeMap<Arc<str>, TypeDef>, models: Arc<Models>) -> Table {
        let mut possible: BTreeMap<Arc<str>, BTreeSet<Arc<str>>> = BTreeMap::new();
        for def in types.values() {
            match &def.kind {
                Kind::Union(members) => {
                    possible.insert(def.name.clone(), members.clone());
                }
                Kind::Object(fields) => {
                    for interface in &fields.implements {
                        let of = possible.entry(interface.clone()).or_default();
                        of.insert(def.name.clone());
                    }
                }
                _ => {}
            }
        }
        Table { types, possible, models }
    }

    /// All types, by name.
    pub fn types(&self) -> impl Iterator<Item = &TypeDef> {
        self.types.values()
    }

    /// The type of this name.
    pub fn get(&self, name: &str) -> Option<&TypeDef> {
        self.types.get(name)
    }

    /// The fields of an object or interface; none for other types.
    pub fn fields(&self, name: &str) -> Option<&Fields> {
        match &self.get(name)?.kind {
            Kind::Object(fields) | Kind::Interface(fields) => Some(fields),
            _ => None,
        }
    }

    /// One field of an object or interface, those that begin with `__`
    /// included where they may stand.
    pub fn field(&self, of: &str, name: &str) -> Option<&Field> {
        match name {
            "__typename" => self.fields(INTROSPECTION_ROOT)?.fields.get(name),
            "__schema" | "__type" if of == "Query" => {
                self.fields(INTROSPECTION_ROOT)?.fields.get(name)
            }
            _ => self.fields(of)?.fields.get(name),
        }
    }

    /// The object type of a model that is found by global ID.
    pub fn node_type(&self, model: &str) -> Option<&str> {
        self.models.get(model).map(|model| &*model.ty)
    }

    /// Whether there is a mutation root.
    pub fn has_mutations(&self) -> bool {
        self.types.contains_key("Mutation")
    }

    /// The object types that a value of this type may have.
    pub fn possible(&self, name: &str) -> Vec<Arc<str>> {
        match self.possible.get(name) {
            Some(set) => set.iter().cloned().collect(),
            None => match self.types.get_key_value(name) {
                Some((key, def)) if matches!(def.kind, Kind::Object(_)) => vec![key.clone()],
                _ => Vec::new(),
            },
        }
    }

    /// Whether a value of object type `object` is one of `name`.
    pub fn is_a(&self, object: &str, name: &str) -> bool {
        object == name || self.possible.get(name).is_some_and(|set| set.contains(object))
    }

    /// Whether the type is a leaf: a scalar or an enum.
    pub fn is_leaf(&self, name: &str) -> bool {
        self.get(name)
            .is_some_and(|def| matches!(def.kind, Kind::Scalar(_) | Kind::Enum(_)))
    }

    /// Whether the type may be an argument.
    pub fn is_input(&self, name: &str) -> bool {
        self.is_leaf(name) || self.get(name).is_some_and(|def| matches!(def.kind, Kind::Input(_)))
    }

    /// The same interface without what is deprecated or an experiment
    /// (`remove_deprecated=true`).
    pub fn without_marked(&self) -> Table {
        let mut types = self.types.clone();
        for def in types.values_mut() {
            match &mut def.kind {
                Kind::Object(fields) | Kind::Interface(fields) => {
                    fields.fields.retain(|_, field| field.mark.is_none());
                    for field in fields.fields.values_mut() {
                        field.arguments.retain(|_, input| input.mark.is_none());
                    }
                }
                Kind::Enum(values) => values.retain(|_, value| value.mark.is_none()),
                Kind::Input(inputs) => inputs.retain(|_, input| input.mark.is_none()),
                Kind::Scalar(_) | Kind::Union(_) => {}
            }
        }
        Table::new(types, self.models.clone())
    }
}
