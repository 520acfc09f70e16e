//! The address of the instance, for who has a transaction and no [`App`](crate::app::App).

use std::sync::OnceLock;

/// Where users reach the instance, without a trailing slash; plugged into its store, and
/// said as soon as it is known.
#[derive(Debug, Default)]
pub struct OwnAddress(OnceLock<String>);

impl OwnAddress {
    /// Says it. What was said first stays.
    pub fn say(&self, url: &str) {
        self.0.get_or_init(|| url.to_owned());
    }

    /// The address; nothing before it is known.
    pub fn get(&self) -> &str {
        self.0.get().map_or("", String::as_str)
    }
}
