//! What fails on the way: told with its place and path, and what is undone for it.

use super::tree::{Path, Tree};
use super::{Built, Merged, Run};
use crate::validation::ast::Field;
use crate::validation::error::Pos;
use kernel::error::Error;
use kernel::graph::fault::NOT_AVAILABLE;
use kernel::graph::{Fault, Node};
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;

/// What is told of changes that were undone, or not begun, since another one
/// that belongs to them failed.
pub const UNDONE: &str = "Nothing was changed: another mutation of this request failed";
/// The code of that error.
pub const UNDONE_CODE: &str = "undone";

/// Where an error happened.
pub(super) struct ErrorSite<'p> {
    pub(super) object: &'p str,
    pub(super) field: &'p Field,
    pub(super) mutates: bool,
}

impl<'r> Run<'r> {
    /// Whether what was done so far is to be undone.
    pub(super) fn is_undone(&self) -> bool {
        let request = &self.context.request;
        let has_errors = || self.errors.lock().is_ok_and(|errors| !errors.is_empty());
        request.atomic && (request.has_failed() || has_errors())
    }

    /// Of fields that are undone, only the one that failed, the last that ran,
    /// tells what became of it.
    pub(super) fn undo(
        &self, mut columns: Vec<Vec<Built>>, merged: &Merged<'r>, parents: &[(Node, Path)],
    ) -> Vec<Vec<Built>> {
        if !self.is_undone() {
            return columns;
        }
        let failed = columns.len().saturating_sub(1);
        columns.resize_with(merged.len(), Vec::new);
        let fields = merged.iter().zip(&mut columns).enumerate();
        for (_, ((key, fields), column)) in fields.filter(|(at, _)| *at != failed) {
            *column = vec![Ok(Json::Null); parents.len()];
            let path = Path::default().then(&**key);
            let text = UNDONE.to_owned();
            self.tell(text, fields[0].pos, &path, UNDONE_CODE, Map::new());
        }
        columns
    }

    /// Tells a fault, unless it reads as «not there».
    pub(super) fn fault(&self, fault: Fault, at: &ErrorSite<'_>, path: &Path) -> Tree {
        let pos = at.field.pos;
        match fault {
            Fault::Said { message, code, extensions } => {
                self.tell(message, pos, path, code, extensions)
            }
            Fault::Denied(denied) => return self.fault(denied.told(), at, path),
            Fault::Timeout => {
                let text = format!("Timeout on {}.{}", at.object, at.field.name);
                self.tell(text, pos, path, "timeout", Map::new());
            }
            Fault::Refused(error) => match &*error {
                Error::NotFound(_)
                | Error::NotFoundText(_)
                | Error::Forbidden(_)
                | Error::InsufficientScope(_)
                | Error::Unauthenticated
                | Error::Moved(_) => {
                    if !at.mutates {
                        return Tree::Value(Json::Null);
                    }
                    let text = NOT_AVAILABLE.to_owned();
                    self.tell(text, pos, path, "notAvailable", Map::new());
                }
                Error::Parameters(texts) => {
                    self.tell(texts.join(", "), pos, path, "argumentError", Map::new());
                }
                Error::BadRequest(text) | Error::Unprocessable(text) | Error::Conflict(text) => {
                    self.tell(text.clone(), pos, path, "argumentError", Map::new());
                }
                _ => self.end(error),
            },
        }
        Tree::Failed
    }

    pub(super) fn tell(
        &self, message: String, pos: Pos, path: &Path, code: &str,
        mut extensions: Map<String, Json>,
    ) {
        extensions.insert("code".to_owned(), json!(code));
        let error = json!({
            "message": message,
            "locations": crate::validation::error::places(&[pos]),
            "path": path.json(),
            "extensions": extensions,
        });
        if let Ok(mut errors) = self.errors.lock() {
            errors.push(error);
        }
    }

    pub(super) fn broken(&self, error: Error) -> Tree {
        self.end(Arc::new(error));
        Tree::Failed
    }

    fn end(&self, error: Arc<Error>) {
        if let Ok(mut broken) = self.broken.lock() {
            broken.get_or_insert(error);
        }
    }
}
