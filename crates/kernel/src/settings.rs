//! Settings that administrators change while the program runs.
//!
//! One JSON value per key. A value is read through a cache of a few seconds,
//! so another node's change is seen soon without asking on every request.

use crate::app::App;
use crate::error::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};
use store::{Json, Tx, sql};

/// How long a cached value is believed.
const FRESH: Duration = Duration::from_secs(3);

type Cached = (Instant, Option<serde_json::Value>);

/// The cache; see [`App::settings`].
#[derive(Clone, Default)]
pub struct Settings(Arc<RwLock<HashMap<&'static str, Cached>>>);

/// A group of settings stored under one key, with defaults in code.
pub trait Setting: Serialize + DeserializeOwned + Default + Send + 'static {
    /// Its key.
    const KEY: &'static str;
}

/// Declares what is stored under a key, and what it is until somebody changes it:
/// `setting! { pub struct SignIn = "identity.sign_in" { pub per_minute: i64 = 10 } }`.
#[macro_export]
macro_rules! setting {
    ($(#[$outer:meta])* $vis:vis struct $name:ident = $key:literal {
        $($(#[doc = $doc:literal])* $fvis:vis $field:ident: $ty:ty = $default:expr),* $(,)?
    }) => {
        $(#[$outer])*
        #[derive(Debug, Clone, $crate::serde::Serialize, $crate::serde::Deserialize)]
        #[serde(default, crate = "kernel::serde")]
        $vis struct $name { $($(#[doc = $doc])* $fvis $field: $ty),* }

        impl Default for $name {
            fn default() -> $name {
                $name { $($field: $default),* }
            }
        }

        impl $crate::settings::Setting for $name {
            const KEY: &'static str = $key;
        }
    };
}

impl Settings {
    /// The current value, at most a few seconds old.
    pub async fn get<S: Setting>(&self, app: &App) -> Result<S> {
        if let Some(value) = self.fresh(S::KEY) {
            return parse(value);
        }
        // Past the counter of the request, which did not ask for it.
        let asked = app.store().read(|tx| read_value(tx, S::KEY));
        let value = asked.await?;
        if let Ok(mut cache) = self.0.write() {
            cache.insert(S::KEY, (Instant::now(), value.clone()));
        }
        parse(value)
    }

    /// The value that was read last, however long ago; what it is by default
    /// until it is read.
    pub fn known<S: Setting>(&self) -> S {
        let cache = self.0.read().ok();
        let value = cache.and_then(|cache| cache.get(S::KEY)?.1.clone());
        parse(value).unwrap_or_default()
    }

    fn fresh(&self, key: &str) -> Option<Option<serde_json::Value>> {
        let cache = self.0.read().ok()?;
        let (at, value) = cache.get(key)?;
        (at.elapsed() < FRESH).then(|| value.clone())
    }

    /// Stores a value; this node sees it at once after the commit.
    pub fn set<S: Setting>(&self, tx: &mut Tx<'_>, value: &S) -> Result<()> {
        let now = tx.now();
        let json = serde_json::to_value(value).map_err(Error::internal)?;
        tx.execute(
            sql!(
                "insert into settings (key, value, updated_at) values ($1, $2, $3)
                 on conflict (key) do update
                 set value = excluded.value, updated_at = excluded.updated_at"
            ),
            (S::KEY, Json(json), now),
        )?;
        let cache = self.0.clone();
        tx.after_commit(move || {
            if let Ok(mut cache) = cache.write() {
                cache.remove(S::KEY);
            }
        });
        Ok(())
    }
}

/// The stored value, read in the caller's transaction.
pub fn read<S: Setting>(tx: &mut Tx<'_>) -> Result<S> {
    parse(read_value(tx, S::KEY)?)
}

fn read_value(tx: &mut Tx<'_>, key: &'static str) -> Result<Option<serde_json::Value>> {
    let row: Option<(serde_json::Value,)> =
        tx.optional(sql!("select value from settings where key = $1"), (key,))?;
    Ok(row.map(|(value,)| value))
}

fn parse<S: Setting>(value: Option<serde_json::Value>) -> Result<S> {
    match value {
        Some(value) => serde_json::from_value(value).map_err(Error::internal),
        None => Ok(S::default()),
    }
}
