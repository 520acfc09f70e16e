//! The multipart form of a request: `operations` as JSON, `map` from the parts
//! that follow to places in its variables, then the files.
//!
//! Limits: [`MAX_FILES`] files of [`MAX_BYTES`] together, `operations` like any
//! other body, a `map` of [`MAX_MAP`] bytes. The form is one that any page of
//! any site may send, so a session needs its token even for queries.

use super::incoming::{self, Entry, Kind, MAX_BODY};
use super::refused;
use crate::validation::{Checked, StaticError};
use identity::{Viewer, csrf};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::graph::TypeRef;
use kernel::graph::table::{Kind as TypeKind, Table};
use kernel::graph::uploads::{File, UPLOAD, UploadKey, Uploads};
use kernel::http::{Call, FromCall, Part, Parts};
use serde_json::Value as Json;

/// Most files of a request.
const MAX_FILES: usize = 10;
/// Most bytes of all files of a request.
const MAX_BYTES: u64 = 100 * 1024 * 1024;
/// Most bytes of `map`.
const MAX_MAP: usize = 64 * 1024;
/// Most steps from the variables to a file, as deep as JSON may be.
const MAX_STEPS: usize = 32;
/// Characters of a caller's text that a refusal repeats.
const SHOWN: usize = 60;

/// A place in the variables of an entry: keys and indexes.
pub type Place = Vec<String>;

/// Files that were announced and are not read yet.
pub struct Pending {
    parts: Parts,
    expected: Vec<Expected>,
}

struct Expected {
    field: String,
    key: UploadKey,
}

/// Reads a form up to its files.
pub async fn read(call: &mut Call, viewer: &Viewer) -> Result<(Kind, Pending)> {
    if call.extensions.get::<csrf::Unproven>().is_some() {
        return refused(422, "Invalid CSRF token");
    }
    if viewer.user_id().is_none() {
        return refused(401, "Uploads need a signed-in user");
    }
    let mut parts = Parts::from_call(call).await?;
    let operations = text(parts.next().await?, "operations", MAX_BODY).await?;
    let map = text(parts.next().await?, "map", MAX_MAP).await?;
    let mut operations = incoming::parsed(operations.as_bytes())?;
    let Json::Object(map) = incoming::parsed(map.as_bytes())? else {
        return refused(422, "map must be an object");
    };
    if map.len() > MAX_FILES {
        return refused(422, format!("At most {MAX_FILES} files can be sent"));
    }
    let mut expected = Vec::new();
    let mut placed = Vec::new();
    for (field, paths) in map {
        let key = UploadKey::random();
        placed.push(put(&mut operations, &field, &paths, &key)?);
        expected.push(Expected { field, key });
    }
    let mut kind = incoming::kind(&operations)?;
    for (entry, place) in placed {
        if let Some(entry) = kind.entries_mut().get_mut(entry) {
            entry.files.push(place);
        }
    }
    Ok((kind, Pending { parts, expected }))
}

/// The text of a part that must be the next one.
async fn text(part: Option<Part>, name: &str, most: usize) -> Result<String> {
    let Some(part) = part.filter(|part| part.name() == name) else {
        let order = "The form must hold operations, then map, then the files";
        return refused(422, order);
    };
    match part.beginning(most, most).await {
        Ok((text, _)) => Ok(text),
        Err(Error::TooLarge) => refused(413, format!("{name} is too large")),
        Err(other) => Err(other),
    }
}

/// Puts the key of a file where `paths` says, which must be null; answers the
/// number of the entry and the place in its variables.
fn put(
    operations: &mut Json, field: &str, paths: &Json, key: &UploadKey,
) -> Result<(usize, Place)> {
    let only = match paths.as_array().map(Vec::as_slice) {
        Some([Json::String(path)]) => path,
        _ => {
            let text =
                format!("map: {} must name one place, as [\"variables.file\"]", shown(field));
            return refused(422, text);
        }
    };
    match place(operations, only) {
        Some((entry, steps, value)) if value.is_null() => {
            *value = key.json();
            Ok((entry, steps))
        }
        _ => {
            let text = format!("map: {} is no null in the variables", shown(only));
            refused(422, text)
        }
    }
}

/// The value at a path such as `variables.input.file`, in a batch
/// `0.variables.input.file`.
fn place<'o>(operations: &'o mut Json, path: &str) -> Option<(usize, Place, &'o mut Json)> {
    let mut steps = path.split('.');
    let (entry, given) = match operations {
        Json::Array(entries) => {
            let entry = index(steps.next()?)?;
            (entry, entries.get_mut(entry)?)
        }
        single => (0, single),
    };
    let mut value = match steps.next()? {
        "variables" => given.get_mut("variables")?,
        _ => return None,
    };
    let steps: Place = steps.map(str::to_owned).collect();
    if steps.is_empty() || steps.len() > MAX_STEPS {
        return None;
    }
    for step in &steps {
        value = match value {
            Json::Object(fields) => fields.get_mut(step)?,
            Json::Array(items) => items.get_mut(index(step)?)?,
            _ => return None,
        };
    }
    Some((entry, steps, value))
}

/// An index as a path writes it: digits only.
fn index(step: &str) -> Option<usize> {
    let digits = !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| step.parse().ok())?
}

/// The beginning of a caller's text, in quotes.
fn shown(text: &str) -> String {
    let beginning: String = text.chars().take(SHOWN).collect();
    format!("{beginning:?}")
}

impl Pending {
    /// Receives the files, in any order.
    pub async fn receive(mut self, app: &App) -> Result<Uploads> {
        let uploads = Uploads::default();
        let mut room = MAX_BYTES;
        while let Some(part) = self.parts.next().await? {
            let named = |one: &Expected| one.field == part.name();
            let Some(at) = self.expected.iter().position(named) else {
                let name = shown(part.name());
                return refused(422, format!("File {name} is not in the map, or comes twice"));
            };
            let Expected { key, .. } = self.expected.swap_remove(at);
            let name = part.file_name().unwrap_or_default().to_owned();
            let received = match app.blobs().receive(part.bytes(), Some(room)).await {
                Err(Error::TooLarge) => return refused(413, "Files are too large"),
                other => other?,
            };
            room -= received.stored().size;
            uploads.put(key, File { name, received });
        }
        match self.expected.first() {
            Some(missing) => refused(422, format!("File {} is missing", shown(&missing.field))),
            None => Ok(uploads),
        }
    }
}

/// Refuses files where the operation takes none: at places that are not of
/// type `Upload`.
pub fn check(
    table: &Table, entry: &Entry, checked: &Checked,
) -> std::result::Result<(), Vec<StaticError>> {
    let misplaced = |place: &&Place| !takes_file(table, checked, place);
    match entry.files.iter().find(misplaced) {
        None => Ok(()),
        Some(place) => {
            let text =
                format!("No file can stand at variables.{}: it is no Upload", place.join("."));
            Err(vec![StaticError::new("uploadMisplaced", text)])
        }
    }
}

fn takes_file(table: &Table, checked: &Checked, place: &[String]) -> bool {
    let at = || {
        let (name, steps) = place.split_first()?;
        let mut variables = checked.operation().variables.iter();
        let variable = variables.find(|one| *one.name == **name)?;
        steps.iter().try_fold(&variable.ty, |ty, step| below(table, ty, step))
    };
    at().is_some_and(|ty: &TypeRef| **ty.name() == *UPLOAD)
}

fn below<'t>(table: &'t Table, ty: &'t TypeRef, step: &str) -> Option<&'t TypeRef> {
    match ty.nullable() {
        TypeRef::List(inner) => Some(inner),
        TypeRef::Named(name) => match &table.get(name)?.kind {
            TypeKind::Input(inputs) => inputs.get(step).map(|input| &input.ty),
            _ => None,
        },
        TypeRef::NonNull(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_lead_to_what_is_there_and_nowhere_else() {
        let single =
            json!({"query": "q", "variables": {"a": null, "l": [1, null], "o": {"f": null}}});
        let found = |operations: &Json, path: &str| {
            let mut operations = operations.clone();
            place(&mut operations, path).map(|(entry, steps, _)| (entry, steps.join(".")))
        };
        for path in ["a", "l.1", "o.f"] {
            let whole = format!("variables.{path}");
            assert_eq!(found(&single, &whole), Some((0, path.to_owned())));
        }
        for path in [
            "",
            ".",
            "variables",
            "variables.",
            "variables.b",
            "variables.a.b",
            "variables.l.2",
            "variables.l.+1",
            "variables.l.-1",
            "variables.l.99999999999999999999999",
            "variables.l.",
            "variables.__proto__",
            "variables.constructor.prototype",
            "query",
            "operationName",
            "0.variables.a",
            "variables.o.f.__proto__",
            "extensions.cost",
        ] {
            assert_eq!(found(&single, path), None, "{path}");
        }
        let deep = format!("variables{}", ".a".repeat(100_000));
        assert_eq!(found(&single, &deep), None);
        let batch = json!([{"variables": {}}, single]);
        assert_eq!(found(&batch, "1.variables.a"), Some((1, "a".to_owned())));
        for path in ["variables.a", "2.variables.a", "-1.variables.a", "0.variables.a"] {
            assert_eq!(found(&batch, path), None, "{path}");
        }
    }
}
