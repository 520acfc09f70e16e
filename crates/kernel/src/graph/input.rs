//! Arguments, input fields and values of enums on their way into the table.

use super::shape::Typed;
use super::table::{EnumValue, Input, Mark};
use super::types::TypeRef;
use serde_json::Value as Json;
use std::sync::Arc;

/// An argument or input field on its way into the table.
pub struct Argument {
    name: Arc<str>,
    input: Input,
}

/// An argument of this name and type.
pub fn argument(name: &str, ty: impl Typed) -> Argument {
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
    EnumItem {
        name,
        description: description.to_owned(),
        mark: None,
    }
}

impl EnumItem {
    /// It is deprecated or an experiment.
    pub fn mark(mut self, mark: Mark) -> EnumItem {
        self.description.push_str(&mark.suffix());
        self.mark = Some(mark);
        self
    }

    pub(super) fn named(self) -> (Arc<str>, EnumValue) {
        let value = EnumValue {
            description: self.description,
            mark: self.mark,
        };
        (Arc::from(self.name), value)
    }
}
