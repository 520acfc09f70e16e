//! Files that come with a request, for arguments of the scalar `Upload`.
//!
//! The transport receives them and puts a key into the variables where each
//! belongs; a resolver takes the file by its key. Files that nobody takes are
//! gone with the request.

use super::context::Context;
use super::fault::Fault;
use crate::blobs::Received;
use crate::secrets::random_bytes;
use serde::Deserialize;
use serde_json::Value as Json;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Name of the scalar.
pub const UPLOAD: &str = "Upload";
/// What every key begins with.
const PREFIX: &str = "upload:";

/// Stands in the variables for a file; how inputs read an `Upload`. Random,
/// so that nobody can name a file without having sent it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize)]
pub struct UploadKey(String);

impl UploadKey {
    /// A key that was never used.
    pub fn random() -> UploadKey {
        UploadKey(format!("{PREFIX}{}", hex::encode(random_bytes::<16>())))
    }

    /// As it stands in the variables.
    pub fn json(&self) -> Json {
        Json::String(self.0.clone())
    }
}

/// Whether a value has the form of a key.
pub(super) fn is_key(value: &Json) -> bool {
    let rest = value.as_str().and_then(|text| text.strip_prefix(PREFIX));
    rest.is_some_and(|rest| rest.len() == 32 && rest.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// A file as it was sent.
pub struct File {
    /// Its name, as the client says.
    pub name: String,
    /// Its bytes; [`Blobs::keep`](crate::blobs::Blobs::keep) stores them.
    pub received: Received,
}

/// The files of a request, each to be taken once.
#[derive(Clone, Default)]
pub struct Uploads(Arc<Mutex<HashMap<UploadKey, File>>>);

impl Uploads {
    /// Adds a file.
    pub fn put(&self, key: UploadKey, file: File) {
        if let Ok(mut files) = self.0.lock() {
            files.insert(key, file);
        }
    }

    fn take(&self, key: &UploadKey) -> Option<File> {
        self.0.lock().ok()?.remove(key)
    }
}

impl Context {
    /// Takes a file that came with the request.
    pub fn upload(&self, key: &UploadKey) -> Result<File, Fault> {
        let file = self.get::<Uploads>().and_then(|all| all.take(key));
        file.ok_or_else(|| Fault::argument("The file is not part of this request"))
    }
}
