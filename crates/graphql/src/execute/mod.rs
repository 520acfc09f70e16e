//! Runs a checked operation, level by level.
//!
//! A field is answered for all objects that a path reaches, in one call; then
//! the objects found below go on together, grouped by their type. So a list
//! of a hundred rows asks once for what belongs to them.

use crate::validation::ast::{Field, Fragment, OperationKind, Selection};
use crate::validation::{Checked, is_taken, literals};
use futures_util::future::join_all;
use kernel::error::Error;
use kernel::graph::table::{self, Resolver, Root};
use kernel::graph::{Answer, Args, Context, Fault, Node};
use serde_json::{Map, Value as Json, json};
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

mod errors;
#[cfg(test)]
mod tests;
mod tree;

pub use errors::{UNDONE, UNDONE_CODE};

use errors::ErrorSite;
use tree::{Path, PendingNode, Tree};

#[derive(Debug)]
pub struct Outcome {
    /// An object, or null when a required field of the root failed.
    pub data: Json,
    /// What failed on the way, each with its path.
    pub errors: Vec<Json>,
}

impl Outcome {
    /// As it stands in the response.
    pub fn json(self) -> Json {
        if self.errors.is_empty() {
            json!({"data": self.data})
        } else {
            json!({"errors": self.errors, "data": self.data})
        }
    }
}

/// Runs the operation. An error is one of the whole request: the database
/// gave up, or something is broken.
pub async fn run(context: Context, checked: &Checked) -> Result<Outcome, Arc<Error>> {
    let operation = checked.operation();
    let by_name = checked.document.fragments.iter();
    let run = Run {
        fragments: by_name.map(|one| (one.name.clone(), one)).collect(),
        serial: operation.kind == OperationKind::Mutation,
        checked,
        context,
        errors: Mutex::default(),
        broken: Mutex::default(),
    };
    let root: Arc<str> = operation.kind.root().into();
    let parent: (Node, Path) = (Arc::new(Root), Path::default());
    let sets = vec![operation.selections.as_slice()];
    let mut answers = run.objects(root, sets, vec![parent], true).await;
    if let Some(error) = run.broken.into_inner().ok().flatten() {
        return Err(error);
    }
    Ok(Outcome {
        data: answers.pop().and_then(Result::ok).unwrap_or_default(),
        errors: run.errors.into_inner().unwrap_or_default(),
    })
}

/// A value, or the mark that it failed and its error is told already.
type Built = Result<Json, ()>;
type Builds<'r> = Pin<Box<dyn Future<Output = Vec<Built>> + Send + 'r>>;

struct Run<'r> {
    context: Context,
    checked: &'r Checked,
    fragments: HashMap<Arc<str>, &'r Fragment>,
    /// Root fields run one after another: they change something.
    serial: bool,
    errors: Mutex<Vec<Json>>,
    broken: Mutex<Option<Arc<Error>>>,
}

/// Selections with one response key, in the order of the document.
type Merged<'r> = Vec<(Arc<str>, Vec<&'r Field>)>;

impl<'r> Run<'r> {
    /// Answers objects of one type, all from the same place of the document.
    fn objects<'s>(
        &'s self, ty: Arc<str>, sets: Vec<&'r [Selection]>, parents: Vec<(Node, Path)>, root: bool,
    ) -> Builds<'s> {
        Box::pin(async move {
            let mut merged = Merged::new();
            let mut places = HashMap::new();
            for set in sets {
                self.collect(set, &ty, &mut merged, &mut places);
            }
            let fields = merged.iter().map(|(key, fields)| self.field(&ty, key, fields, &parents));
            let columns = if root && self.serial {
                let columns = self.one_after_another(fields).await;
                self.undo(columns, &merged, &parents)
            } else {
                join_all(fields).await
            };
            let mut columns: Vec<_> = columns.into_iter().map(Vec::into_iter).collect();
            let row = |_| -> Built {
                let mut object = Map::new();
                let mut whole = Ok(());
                for ((key, _), column) in merged.iter().zip(&mut columns) {
                    match column.next() {
                        Some(Ok(value)) => {
                            object.insert(key.to_string(), value);
                        }
                        _ => whole = Err(()),
                    }
                }
                whole.map(|()| Json::Object(object))
            };
            (0..parents.len()).map(row).collect()
        })
    }

    /// Root fields that change something; where all of them count or none, up
    /// to the first that fails.
    async fn one_after_another<'s>(
        &self, fields: impl Iterator<Item = Builds<'s>>,
    ) -> Vec<Vec<Built>> {
        let mut columns = Vec::new();
        for field in fields {
            columns.push(field.await);
            self.context.forget();
            if self.is_undone() {
                break;
            }
        }
        columns
    }

    fn collect(
        &self, set: &'r [Selection], object: &str, into: &mut Merged<'r>,
        places: &mut HashMap<Arc<str>, usize>,
    ) {
        let (table, variables) = (&self.context.table, &self.checked.variables);
        for selection in set {
            match selection {
                Selection::Field(field) if is_taken(&field.directives, variables) => {
                    let place = *places.entry(field.key().clone()).or_insert_with(|| {
                        into.push((field.key().clone(), Vec::new()));
                        into.len() - 1
                    });
                    let known = into[place].1.iter().any(|one| std::ptr::eq(*one, field));
                    if !known {
                        into[place].1.push(field);
                    }
                }
                Selection::Inline(inline) if is_taken(&inline.directives, variables) => {
                    let on = inline.on.as_ref();
                    if on.is_none_or(|on| table.is_a(object, on)) {
                        self.collect(&inline.selections, object, into, places);
                    }
                }
                Selection::Spread(spread) if is_taken(&spread.directives, variables) => {
                    let fragment = self.fragments.get(&spread.name);
                    if let Some(fragment) = fragment.filter(|one| table.is_a(object, &one.on)) {
                        self.collect(&fragment.selections, object, into, places);
                    }
                }
                _ => {}
            }
        }
    }

    fn field<'s>(
        &'s self, object: &'s Arc<str>, key: &'s Arc<str>, merged: &'s [&'r Field],
        parents: &'s [(Node, Path)],
    ) -> Builds<'s> {
        Box::pin(async move {
            let field = merged[0];
            if &*field.name == "__typename" {
                return vec![Ok(json!(**object)); parents.len()];
            }
            let Some(def) = self.context.table.field(object, &field.name) else {
                // Newer than this server, and the document knows that.
                return vec![Ok(Json::Null); parents.len()];
            };
            let answers = self.resolve(object, def, field, parents).await;
            let at = ErrorSite {
                object,
                field,
                mutates: self.serial && &**object == "Mutation",
            };
            let mut found = Vec::new();
            let trees: Vec<(Tree, Path)> = answers
                .into_iter()
                .zip(parents)
                .map(|(answer, (_, path))| {
                    let path = path.then(&**key);
                    let tree = match answer {
                        Ok(Answer::Beside(answer, fault)) => {
                            self.fault(fault, &at, &path);
                            self.tree(&def.ty, *answer, &path, &mut found)
                        }
                        Ok(answer) => self.tree(&def.ty, answer, &path, &mut found),
                        Err(fault) => self.fault(fault, &at, &path),
                    };
                    (tree, path)
                })
                .collect();
            let mut below = self.below(merged, found).await;
            let build = |(tree, path)| self.build(&def.ty, tree, &mut below, &at, &path);
            trees.into_iter().map(build).collect()
        })
    }

    async fn resolve(
        &self, object: &str, def: &table::Field, field: &Field, parents: &[(Node, Path)],
    ) -> Vec<Result<Answer, Fault>> {
        let all = |fault: Fault| vec![Err(fault); parents.len()];
        if object == "Mutation" && self.context.request.anonymous {
            return all(Fault::not_available());
        }
        if !self.context.permits(def.scopes) {
            return all(Error::Forbidden(String::new()).into());
        }
        let deadline = self.context.request.deadline;
        if tokio::time::Instant::now() >= deadline {
            return all(Fault::Timeout);
        }
        match &def.resolver {
            Some(Resolver::Plain(resolve)) => {
                parents.iter().map(|(node, _)| resolve(node)).collect()
            }
            Some(Resolver::Level(resolve)) => {
                let variables = &self.checked.variables;
                let given = &field.arguments;
                let args =
                    literals::arguments(&self.context.table, &def.arguments, given, variables);
                let nodes = parents.iter().map(|(node, _)| node.clone()).collect();
                let work = resolve(nodes, Args(Arc::new(args)), self.context.clone());
                let answers = tokio::time::timeout_at(deadline, work).await;
                answers.unwrap_or_else(|_| all(Fault::Timeout))
            }
            None => all(Error::internal(format!("{object}.{} has no resolver", def.name)).into()),
        }
    }

    /// Answers the objects below a field, grouped by their type.
    async fn below(&self, merged: &[&'r Field], found: Vec<PendingNode>) -> Vec<Option<Built>> {
        let mut answers: Vec<Option<Built>> = found.iter().map(|_| None).collect();
        let mut groups: Vec<(Arc<str>, Vec<usize>, Vec<(Node, Path)>)> = Vec::new();
        for (index, one) in found.into_iter().enumerate() {
            let parent = (one.node, one.path);
            match groups.iter_mut().find(|group| group.0 == one.ty) {
                Some(group) => {
                    group.1.push(index);
                    group.2.push(parent);
                }
                None => groups.push((one.ty, vec![index], vec![parent])),
            }
        }
        let sets: Vec<&'r [Selection]> =
            merged.iter().map(|field| field.selections.as_slice()).collect();
        let work = groups.into_iter().map(|(ty, indexes, parents)| {
            let objects = self.objects(ty, sets.clone(), parents, false);
            async move { (indexes, objects.await) }
        });
        for (indexes, built) in join_all(work).await {
            for (index, one) in indexes.into_iter().zip(built) {
                answers[index] = Some(one);
            }
        }
        answers
    }
}
