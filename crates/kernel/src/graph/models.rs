//! What is found by global ID, and how.

use super::context::Context;
use super::fault::Fault;
use super::shape::Answer;
use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

type Found = Result<HashMap<i64, Answer>, Fault>;
pub(super) type Find =
    Arc<dyn Fn(Context, Vec<i64>) -> Pin<Box<dyn Future<Output = Found> + Send>> + Send + Sync>;

/// One model among the nodes.
#[derive(Clone)]
pub(super) struct Model {
    /// The object type.
    pub(super) ty: Arc<str>,
    /// Finds what the viewer may see.
    pub(super) find: Find,
}

/// The models by name.
pub(super) type Models = BTreeMap<&'static str, Model>;
