//! Rust values and the GraphQL types they fit.

use super::fault::Fault;
use super::types::TypeRef;
use serde_json::Value as Json;
use std::any::{Any, TypeId};
use std::fmt::Display;
use std::marker::PhantomData;
use std::sync::Arc;

/// An object on its way through execution.
pub type Node = Arc<dyn Any + Send + Sync>;

/// What a resolver found.
#[derive(Clone)]
pub enum Answer {
    /// Nothing.
    Null,
    /// A leaf.
    Value(Json),
    /// An object, with the name of its object type.
    Object(Arc<str>, Node),
    /// A list.
    List(Vec<Answer>),
    /// An answer with an error told beside it; of a field as a whole.
    Beside(Box<Answer>, Fault),
}

/// Something that names a type.
pub trait HasTypeRef: Clone + Send + Sync + 'static {
    /// The type.
    fn type_ref(&self) -> TypeRef;

    /// A list of it.
    fn list(self) -> ListOf<Self> {
        ListOf(self)
    }

    /// It, never null.
    fn required(self) -> Required<Self> {
        Required(self)
    }
}

/// A type with the Rust values that fit it.
pub trait Shape: HasTypeRef {
    /// What a resolver gives; `Option` where the type is nullable.
    type Value: Send + 'static;

    /// The value on its way out.
    fn answer(&self, value: Self::Value) -> Answer;

    /// For objects: the Rust type that must stand behind the name.
    fn rust(&self) -> Option<(TypeId, &'static str)> {
        None
    }
}

/// A Rust type that stands for one type of the interface.
pub trait Plain: Sized + Send + 'static {
    /// That type.
    type Shape: Shape<Value = Self>;

    /// That type.
    fn shape() -> Self::Shape;
}

/// A list; see [`HasTypeRef::list`].
#[derive(Clone)]
pub struct ListOf<S>(S);

/// Never null; see [`HasTypeRef::required`].
#[derive(Clone)]
pub struct Required<S>(S);

impl<S: HasTypeRef> HasTypeRef for ListOf<S> {
    fn type_ref(&self) -> TypeRef {
        self.0.type_ref().list()
    }
}

impl<S: HasTypeRef> HasTypeRef for Required<S> {
    fn type_ref(&self) -> TypeRef {
        self.0.type_ref().required()
    }
}

impl<S: Shape> Shape for ListOf<S> {
    type Value = Option<Vec<S::Value>>;

    fn answer(&self, value: Self::Value) -> Answer {
        match value {
            Some(items) => Answer::List(items.into_iter().map(|one| self.0.answer(one)).collect()),
            None => Answer::Null,
        }
    }

    fn rust(&self) -> Option<(TypeId, &'static str)> {
        self.0.rust()
    }
}

impl<V: Send + 'static, S: Shape<Value = Option<V>>> Shape for Required<S> {
    type Value = V;

    fn answer(&self, value: V) -> Answer {
        self.0.answer(Some(value))
    }

    fn rust(&self) -> Option<(TypeId, &'static str)> {
        self.0.rust()
    }
}

/// A scalar or enum.
pub struct Leaf<T> {
    name: &'static str,
    json: fn(T) -> Json,
}

impl<T> Clone for Leaf<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Leaf<T> {}

impl<T> Leaf<T> {
    /// A leaf of this name, written by `json`.
    pub const fn new(name: &'static str, json: fn(T) -> Json) -> Leaf<T> {
        Leaf { name, json }
    }
}

impl<T: Display> Leaf<T> {
    /// An enum of this name, whose values are called as those of `T`, in upper
    /// case.
    pub const fn upper(name: &'static str) -> Leaf<T> {
        Leaf::new(name, |it| Json::String(it.to_string().to_ascii_uppercase()))
    }
}

impl<T: 'static> HasTypeRef for Leaf<T> {
    fn type_ref(&self) -> TypeRef {
        TypeRef::named(self.name)
    }
}

impl<T: Send + 'static> Shape for Leaf<T> {
    type Value = Option<T>;

    fn answer(&self, value: Option<T>) -> Answer {
        match value {
            Some(value) => Answer::Value((self.json)(value)),
            None => Answer::Null,
        }
    }
}

/// An enum of this name; resolvers give the names of its values.
pub const fn enumeration(name: &'static str) -> Leaf<&'static str> {
    Leaf::new(name, |value| Json::String(value.to_owned()))
}

/// A type by name only, for arguments.
pub fn named(name: &'static str) -> Name {
    Name(name)
}

/// See [`named`].
#[derive(Clone, Copy)]
pub struct Name(&'static str);

impl HasTypeRef for Name {
    fn type_ref(&self) -> TypeRef {
        TypeRef::named(self.0)
    }
}

/// An object type; see [`object`] and [`one_of`].
pub struct Object<T> {
    name: Arc<str>,
    concrete: Option<fn(&T) -> &'static str>,
    rust: PhantomData<fn() -> T>,
}

impl<T> Clone for Object<T> {
    fn clone(&self) -> Self {
        Object {
            name: self.name.clone(),
            concrete: self.concrete,
            rust: PhantomData,
        }
    }
}

/// The object type of this name, behind which stands `T`.
pub fn object<T: Any + Send + Sync>(name: &str) -> Object<T> {
    Object { name: name.into(), concrete: None, rust: PhantomData }
}

/// An interface or union; `concrete` names the object type of a value.
pub fn one_of<T: Any + Send + Sync>(name: &str, concrete: fn(&T) -> &'static str) -> Object<T> {
    Object {
        name: name.into(),
        concrete: Some(concrete),
        rust: PhantomData,
    }
}

impl<T: Any + Send + Sync> HasTypeRef for Object<T> {
    fn type_ref(&self) -> TypeRef {
        TypeRef::Named(self.name.clone())
    }
}

impl<T: Any + Send + Sync> Shape for Object<T> {
    type Value = Option<Arc<T>>;

    fn answer(&self, value: Option<Arc<T>>) -> Answer {
        let Some(value) = value else {
            return Answer::Null;
        };
        let name = match self.concrete {
            Some(concrete) => concrete(&value).into(),
            None => self.name.clone(),
        };
        Answer::Object(name, value)
    }

    fn rust(&self) -> Option<(TypeId, &'static str)> {
        let plain = self.concrete.is_none();
        plain.then(|| (TypeId::of::<T>(), std::any::type_name::<T>()))
    }
}
