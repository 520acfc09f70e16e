//! What resolvers receive.

use super::fault::Fault;
use super::table::Table;
use crate::app::App;
use crate::error::Error;
use http::Extensions;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};
use std::any::{Any, TypeId};
use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::hash::Hash;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::Mutex as AsyncMutex;
use tokio::time::Instant;

/// The arguments of one field, coerced to their types, defaults filled in.
#[derive(Debug, Clone, Default)]
pub struct Args(pub Arc<Map<String, Json>>);

impl Args {
    /// One argument as a Rust value; an absent one reads as null.
    pub fn get<T: DeserializeOwned>(&self, name: &str) -> Result<T, Fault> {
        let value = self.0.get(name).cloned().unwrap_or(Json::Null);
        serde_json::from_value(value).map_err(|error| Error::internal(error).into())
    }

    /// Those that an input declares.
    pub fn read<I: DeserializeOwned>(&self) -> Result<I, Fault> {
        serde_json::from_value(Json::Object((*self.0).clone()))
            .map_err(|error| Error::internal(error).into())
    }

    /// Whether a value, not null, was given or defaulted.
    pub fn has(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|value| !value.is_null())
    }
}

/// What one kind of loader has found so far.
type Shelf = Arc<AsyncMutex<Box<dyn Any + Send>>>;

/// What all operations of one HTTP request share.
pub struct Request {
    /// What the transport leaves for resolvers: the application, the viewer,
    /// the request's head (`Arc<Asked>`).
    pub extensions: Extensions,
    /// Scopes of the caller's token; `None` for those that need none.
    pub scopes: Option<Vec<String>>,
    /// Whether nobody is signed in.
    pub anonymous: bool,
    /// When unfinished work is given up.
    pub deadline: Instant,
    /// All mutations succeed or none does.
    pub atomic: bool,
    /// A mutation did not succeed.
    failed: AtomicBool,
    loaded: Mutex<HashMap<TypeId, Shelf>>,
}

impl Request {
    /// A request with this much time left.
    pub fn new(extensions: Extensions, deadline: Instant) -> Request {
        Request {
            extensions,
            scopes: None,
            anonymous: true,
            deadline,
            atomic: false,
            failed: AtomicBool::new(false),
            loaded: Mutex::default(),
        }
    }

    /// Notes that a mutation did not succeed.
    pub fn fail(&self) {
        self.failed.store(true, Ordering::Relaxed);
    }

    /// Whether one did not.
    pub fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// Forgets what was loaded and what failed, for another try.
    pub fn begin_anew(&self) {
        self.failed.store(false, Ordering::Relaxed);
        if let Ok(mut loaded) = self.loaded.lock() {
            loaded.clear();
        }
    }
}

/// A cheap handle on the request and the operation.
#[derive(Clone)]
pub struct Context {
    /// The HTTP request.
    pub request: Arc<Request>,
    /// The visible interface.
    pub table: Arc<Table>,
    /// Complexity of the operation.
    pub score: u64,
    /// The most it may have.
    pub limit: u64,
}

/// Reads many things of one kind at once, for all objects of a level.
pub trait Loader: 'static {
    /// What names one.
    type Key: Eq + Hash + Clone + Send + Sync + 'static;
    /// What is found.
    type Value: Clone + Send + 'static;

    /// Those that exist and may be seen.
    fn load(
        context: Context, keys: Vec<Self::Key>,
    ) -> impl Future<Output = Result<HashMap<Self::Key, Self::Value>, Fault>> + Send;
}

type Known<L> = HashMap<<L as Loader>::Key, Option<<L as Loader>::Value>>;

impl Context {
    /// The application.
    pub fn app(&self) -> Result<&App, Fault> {
        self.get::<App>()
            .ok_or_else(|| Error::internal("no application in the context").into())
    }

    /// Something the transport left.
    pub fn get<T: Clone + Send + Sync + 'static>(&self) -> Option<&T> {
        self.request.extensions.get::<T>()
    }

    /// Whether the caller's token permits one of these scopes.
    pub fn permits(&self, scopes: &[&str]) -> bool {
        let given = self.request.scopes.as_ref();
        given.is_none_or(|given| scopes.iter().any(|scope| given.iter().any(|one| one == scope)))
    }

    /// Loads what is not yet known, in one call, and answers all. Fields of one
    /// level that need the same things wait for the first of them.
    pub async fn load<L: Loader>(
        &self, keys: impl IntoIterator<Item = L::Key>,
    ) -> Result<HashMap<L::Key, L::Value>, Fault> {
        let keys: Vec<L::Key> = keys.into_iter().collect();
        let shelf = self.shelf::<L>()?;
        let mut shelf = shelf.lock().await;
        let known = shelf
            .downcast_mut::<Known<L>>()
            .ok_or_else(|| Error::internal("a loader's shelf holds something else"))?;
        let mut wanted: Vec<L::Key> = Vec::new();
        let mut seen = HashSet::new();
        for key in keys.iter().filter(|key| !known.contains_key(key)) {
            if seen.insert(key) {
                wanted.push(key.clone());
            }
        }
        if !wanted.is_empty() {
            let mut fresh = L::load(self.clone(), wanted.clone()).await?;
            for key in wanted {
                let value = fresh.remove(&key);
                known.insert(key, value);
            }
        }
        let found = keys.into_iter().filter_map(|key| {
            let value = known.get(&key)?.clone()?;
            Some((key, value))
        });
        Ok(found.collect())
    }

    /// Forgets what was loaded: something changed.
    pub fn forget(&self) {
        if let Ok(mut loaded) = self.request.loaded.lock() {
            loaded.clear();
        }
    }

    fn shelf<L: Loader>(&self) -> Result<Shelf, Fault> {
        let mut loaded = self.request.loaded.lock();
        let loaded = loaded
            .as_mut()
            .map_err(|_| Error::internal("the loaders' shelves are locked"))?;
        let empty = || -> Shelf { Arc::new(AsyncMutex::new(Box::new(Known::<L>::new()))) };
        Ok(loaded.entry(TypeId::of::<L>()).or_insert_with(empty).clone())
    }
}
