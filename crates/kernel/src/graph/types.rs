//! References to types, with their wrappers.

use std::fmt;
use std::sync::Arc;

/// A type by name, wrapped in lists and non-null marks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TypeRef {
    /// A type of this name.
    Named(Arc<str>),
    /// A list.
    List(Box<TypeRef>),
    /// Never null.
    NonNull(Box<TypeRef>),
}

impl TypeRef {
    /// A nullable type of this name.
    pub fn named(name: &str) -> TypeRef {
        TypeRef::Named(name.into())
    }

    /// A list of this.
    pub fn list(self) -> TypeRef {
        TypeRef::List(Box::new(self))
    }

    /// This, never null.
    pub fn required(self) -> TypeRef {
        match self {
            TypeRef::NonNull(_) => self,
            other => TypeRef::NonNull(Box::new(other)),
        }
    }

    /// The name inside all wrappers.
    pub fn name(&self) -> &Arc<str> {
        match self {
            TypeRef::Named(name) => name,
            TypeRef::List(inner) | TypeRef::NonNull(inner) => inner.name(),
        }
    }

    /// Whether null is excluded.
    pub fn is_required(&self) -> bool {
        matches!(self, TypeRef::NonNull(_))
    }

    /// The same type without an outer non-null mark.
    pub fn nullable(&self) -> &TypeRef {
        match self {
            TypeRef::NonNull(inner) => inner,
            other => other,
        }
    }

    /// How many lists are around the name.
    pub fn list_depth(&self) -> usize {
        match self {
            TypeRef::Named(_) => 0,
            TypeRef::List(inner) => 1 + inner.list_depth(),
            TypeRef::NonNull(inner) => inner.list_depth(),
        }
    }
}

impl fmt::Display for TypeRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TypeRef::Named(name) => f.write_str(name),
            TypeRef::List(inner) => write!(f, "[{inner}]"),
            TypeRef::NonNull(inner) => write!(f, "{inner}!"),
        }
    }
}
