//! What rooms plug in for those below them.

use crate::{Error, Result};
use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::sync::Arc;

/// Values that every transaction of a store can reach, one of each type.
///
/// They are given with the [`Config`](crate::Config), so that no transaction
/// runs before they are there, and stores in one process do not share them.
#[derive(Clone, Default)]
pub struct Plugs(HashMap<TypeId, Arc<dyn Any + Send + Sync>>);

impl Plugs {
    /// Plugs a value in. A second one of its type is refused.
    pub fn plug<T: Any + Send + Sync>(&mut self, value: T) -> Result<()> {
        match self.0.insert(TypeId::of::<T>(), Arc::new(value)) {
            None => Ok(()),
            Some(_) => Err(Error::PluggedTwice { what: type_name::<T>() }),
        }
    }

    /// The value of this type.
    pub fn get<T: Any + Send + Sync>(&self) -> Result<&T> {
        let value = self.0.get(&TypeId::of::<T>());
        value
            .and_then(|value| value.downcast_ref())
            .ok_or(Error::NotPlugged { what: type_name::<T>() })
    }
}
