//! Arguments, input fields and values of enums on their way into the table.

use super::shape::HasTypeRef;
use super::table::{EnumValue, Input, Mark};
use super::types::TypeRef;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use std::sync::Arc;

/// An argument or input field on its way into the table.
pub struct Argument {
    name: Arc<str>,
    input: Input,
}

/// An argument of this name and type.
pub fn argument(name: &str, ty: impl HasTypeRef) -> Argument {
    of_type(name, ty.type_ref())
}

pub(super) fn of_type(name: &str, ty: TypeRef) -> Argument {
    Argument {
        name: name.into(),
        input: Input {
            name: name.into(),
            description: String::new(),
            ty,
            default: None,
            mark: None,
        },
    }
}

impl Argument {
    /// Says what it does.
    pub fn describe(mut self, text: &str) -> Argument {
        self.input.description = text.to_owned();
        self
    }

    /// Taken when absent.
    pub fn default(mut self, value: impl Into<Json>) -> Argument {
        self.input.default = Some(value.into());
        self
    }

    /// It is deprecated or an experiment.
    pub fn mark(mut self, mark: Mark) -> Argument {
        self.input.description.push_str(&mark.suffix());
        self.input.mark = Some(mark);
        self
    }

    pub(super) fn named(self) -> (Arc<str>, Input) {
        (self.name, self.input)
    }
}

/// A value of an enum on its way into the table.
pub struct EnumItem {
    name: &'static str,
    description: String,
    mark: Option<Mark>,
}

/// A value of this name.
pub fn item(name: &'static str, description: &str) -> EnumItem {
    EnumItem { name, description: description.to_owned(), mark: None }
}

impl EnumItem {
    /// It is deprecated or an experiment.
    pub fn mark(mut self, mark: Mark) -> EnumItem {
        self.description.push_str(&mark.suffix());
        self.mark = Some(mark);
        self
    }

    pub(super) fn named(self) -> (Arc<str>, EnumValue) {
        let value = EnumValue { description: self.description, mark: self.mark };
        (Arc::from(self.name), value)
    }
}

/// What a mutation takes, or an input object; made by [`graph_input!`].
///
/// [`graph_input!`]: crate::graph_input
pub trait GraphInput: DeserializeOwned + Send + 'static {
    /// Its fields as GraphQL knows them.
    fn arguments() -> Vec<Argument>;
}

/// Declares an input once: a struct, how it is read, and its fields in GraphQL.
///
/// A field is `name: RustType = SHAPE`; its comment describes it and its name
/// is written in camel case. `name as "other"` has another name outside,
/// `SHAPE => value` a default, and `..shared: Shared` brings the fields of
/// another input. A `Patch` says `#[serde(default)]`, so that absent is not
/// null.
///
/// ```
/// use kernel::graph::input::GraphInput;
/// use kernel::graph::{ID, INT, STRING, HasTypeRef};
/// use kernel::http::params::Patch;
///
/// kernel::graph_input! {
///     struct Change {
///         /// Full path of the project.
///         project_path: String = ID.required(),
///         /// What it is about.
///         kind as "type": Option<String> = STRING,
///         /// How heavy it is; null for nothing.
///         #[serde(default)]
///         weight: Patch<i64> = INT,
///     }
/// }
///
/// assert_eq!(Change::arguments().len(), 3);
/// ```
#[macro_export]
macro_rules! graph_input {
    (@wire $field:ident) => { $crate::graph::input::camel(stringify!($field)) };
    (@wire $field:ident $wire:literal) => { $wire.to_owned() };
    ($(#[$outer:meta])* $vis:vis struct $name:ident {
        $(.. $shared:ident : $of:ty,)*
        $($(#[doc = $doc:literal])* $(#[serde($($serde:tt)*)])? $fvis:vis $field:ident
            $(as $wire:literal)? : $ty:ty = $shape:expr $(=> $default:expr)?),* $(,)?
    }) => {
        $(#[$outer])*
        #[derive(::serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        $vis struct $name {
            $(#[serde(flatten)] $shared: $of,)*
            $($(#[doc = $doc])* $(#[serde($($serde)*)])? $(#[serde(rename = $wire)])?
                $fvis $field: $ty,)*
        }

        impl $crate::graph::input::GraphInput for $name {
            fn arguments() -> Vec<$crate::graph::Argument> {
                let shared: Vec<Vec<$crate::graph::Argument>> =
                    vec![$(<$of as $crate::graph::input::GraphInput>::arguments()),*];
                let own = [$($crate::graph::argument(
                    &$crate::graph_input!(@wire $field $($wire)?), $shape)
                    .describe(concat!($($doc),*).trim())
                    $(.default($default))?),*];
                shared.into_iter().flatten().chain(own).collect()
            }
        }
    };
}

/// `project_path` as `projectPath`.
#[doc(hidden)]
pub fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let mut out = words.next().unwrap_or_default().to_owned();
    for word in words {
        let (first, rest) = word.split_at(word.len().min(1));
        out.push_str(&first.to_ascii_uppercase());
        out.push_str(rest);
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::graph::{Done, Graph, HasTypeRef, ID, INT, STRING, sdl};
    use crate::http::params::Patch;
    use serde_json::{Value as Json, json};

    crate::graph_input! {
        struct Place {
            /// Full path of the project.
            project_path: String = ID.required(),
        }
    }

    crate::graph_input! {
        /// One of everything.
        struct Change {
            ..place: Place,
            /// What it is about,
            /// in one word.
            kind as "type": Option<String> = STRING,
            /// How heavy it is; null for nothing.
            #[serde(default)]
            weight: Patch<i64> = INT,
            /// How often.
            times: i64 = INT => 3,
        }
    }

    #[test]
    fn an_input_is_declared_once() {
        let mut g = Graph::new();
        g.query().field("one", INT, |_| None);
        g.mutation::<Change>("change", "Changes.")
            .answers("type", STRING, |change| change.kind.clone())
            .handle(|change: Change, _| async { Ok(Done::from(change)) });
        let table = g.finish().unwrap();
        let sdl = sdl::text(&table);
        let input = sdl.split("input ChangeInput {").nth(1).unwrap();
        let input = input.split("\n}").next().unwrap();
        for line in [
            "  projectPath: ID!",
            "  times: Int = 3",
            "  \"\"\"What it is about, in one word.\"\"\"\n  type: String",
            "  weight: Int",
        ] {
            assert!(input.contains(line), "{input} lacks {line}");
        }
        let read = |sent: Json| serde_json::from_value::<Change>(sent).unwrap();
        let change =
            read(json!({"projectPath": "a/b", "times": 3, "type": "task", "weight": null}));
        assert_eq!((&*change.place.project_path, change.times), ("a/b", 3));
        assert_eq!((change.kind.as_deref(), change.weight), (Some("task"), Patch::Null));
        let change = read(json!({"projectPath": "a/b", "times": 1, "weight": 7}));
        assert_eq!((change.kind, change.weight), (None, Patch::Value(7)));
        let change = read(json!({"projectPath": "a/b", "times": 1}));
        assert_eq!(change.weight, Patch::Absent);
    }
}
