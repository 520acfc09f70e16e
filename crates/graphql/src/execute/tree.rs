//! The values of a field: taken apart into the objects to go on with, and put
//! together again once those are answered.

use super::errors::ErrorSite;
use super::{Built, Run};
use kernel::error::Error;
use kernel::graph::table::Kind;
use kernel::graph::{Answer, Node, TypeRef};
use serde_json::{Map, Value as Json};
use std::sync::Arc;

/// Keys and indexes from the root, innermost first.
#[derive(Debug, Clone, Default)]
pub(super) struct Path(Option<Arc<(Json, Path)>>);

impl Path {
    pub(super) fn then(&self, step: impl Into<Json>) -> Path {
        Path(Some(Arc::new((step.into(), self.clone()))))
    }

    pub(super) fn json(&self) -> Json {
        let mut steps = Vec::new();
        let mut at = self;
        while let Some(step) = &at.0 {
            steps.push(step.0.clone());
            at = &step.1;
        }
        steps.reverse();
        Json::Array(steps)
    }
}

/// A value whose objects are not yet answered.
pub(super) enum Tree {
    Failed,
    Value(Json),
    Object(usize),
    List(Vec<Tree>),
}

pub(super) struct PendingNode {
    pub(super) ty: Arc<str>,
    pub(super) node: Node,
    pub(super) path: Path,
}

impl Run<'_> {
    /// Separates the objects of an answer from the rest.
    pub(super) fn tree(
        &self, ty: &TypeRef, answer: Answer, path: &Path, found: &mut Vec<PendingNode>,
    ) -> Tree {
        match (ty.nullable(), answer) {
            (_, Answer::Null) => Tree::Value(Json::Null),
            (TypeRef::List(inner), Answer::List(items)) => {
                let items = items.into_iter().enumerate();
                let item = |(index, one)| self.tree(inner, one, &path.then(index), found);
                Tree::List(items.map(item).collect())
            }
            (TypeRef::Named(name), Answer::Object(object, node)) => {
                if !self.context.table.is_a(&object, name) {
                    return self.broken(Error::internal(format!("{object} is no {name}")));
                }
                found.push(PendingNode { ty: object, node, path: path.clone() });
                Tree::Object(found.len() - 1)
            }
            (TypeRef::Named(name), Answer::Value(value)) => {
                let kind = self.context.table.get(name).map(|def| &def.kind);
                let fits = match (kind, value.as_str()) {
                    (Some(Kind::Enum(values)), Some(text)) => values.contains_key(text),
                    (Some(Kind::Scalar(_)), _) => true,
                    _ => value.is_null(),
                };
                if fits {
                    Tree::Value(value)
                } else if let Some(Kind::Enum(_)) = kind {
                    // A value without deprecated members that is one of them.
                    Tree::Value(Json::Null)
                } else {
                    self.broken(Error::internal(format!("{value} is no {name}")))
                }
            }
            (ty, _) => self.broken(Error::internal(format!("an answer does not fit {ty}"))),
        }
    }

    /// Puts the answered objects in their places; a null where none may be
    /// fails what it stands in.
    pub(super) fn build(
        &self, ty: &TypeRef, tree: Tree, below: &mut [Option<Built>], at: &ErrorSite<'_>,
        path: &Path,
    ) -> Built {
        let value = match tree {
            Tree::Failed => Err(()),
            Tree::Value(value) => Ok(value),
            Tree::Object(index) => below[index].take().unwrap_or(Err(())),
            Tree::List(items) => {
                let inner = match ty.nullable() {
                    TypeRef::List(inner) => inner,
                    other => other,
                };
                let items = items.into_iter().enumerate();
                let item = |(index, one)| self.build(inner, one, below, at, &path.then(index));
                // Every item is built, so that each tells its own errors.
                let items: Vec<Built> = items.map(item).collect();
                items.into_iter().collect::<Result<_, _>>().map(Json::Array)
            }
        };
        match (ty.is_required(), value) {
            (true, Ok(Json::Null)) => {
                let name = &at.field.name;
                let text =
                    format!("Cannot return null for non-nullable field {}.{name}", at.object);
                self.tell(text, at.field.pos, path, "nullForRequired", Map::new());
                Err(())
            }
            (true, value) => value,
            (false, value) => Ok(value.unwrap_or_default()),
        }
    }
}
