//! Conditions and orders of the feed, asked of versions.

use super::filter::{Function, Key, Node, Operator, Property, Value};
use crate::formats::nuget::entries::Entry;
use crate::keys::nuget as version;
use std::cmp::Ordering;

impl Node {
    /// Whether it holds of the version.
    pub fn holds(&self, of: &Entry) -> bool {
        self.value(of) == Value::Truth(true)
    }

    /// The name that all versions of which it holds have, where it says so.
    pub fn name(&self) -> Option<&str> {
        match self {
            Node::Join(Operator::And, one, two) => one.name().or_else(|| two.name()),
            Node::Join(Operator::Equal, one, two) => match (one.as_ref(), two.as_ref()) {
                (name, Node::Literal(Value::Text(text)))
                | (Node::Literal(Value::Text(text)), name)
                    if name.is_name() =>
                {
                    Some(text)
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn is_name(&self) -> bool {
        match self {
            Node::Property(Property::Id) => true,
            Node::Call(Function::ToLower | Function::ToUpper, of) => of.iter().all(Node::is_name),
            _ => false,
        }
    }

    fn value(&self, of: &Entry) -> Value {
        match self {
            Node::Literal(value) => value.clone(),
            Node::Property(property) => property.value(of),
            Node::Call(function, values) => {
                let values: Vec<Value> = values.iter().map(|one| one.value(of)).collect();
                function.value(&values)
            }
            Node::Not(inner) => match inner.value(of) {
                Value::Truth(truth) => Value::Truth(!truth),
                _ => Value::Null,
            },
            Node::Join(Operator::And, one, two) => Value::Truth(one.holds(of) && two.holds(of)),
            Node::Join(Operator::Or, one, two) => Value::Truth(one.holds(of) || two.holds(of)),
            Node::Join(operator, one, two) => {
                Value::Truth(compares(*operator, &one.value(of), &two.value(of)))
            }
        }
    }
}

fn compares(operator: Operator, one: &Value, two: &Value) -> bool {
    let order = match (one, two) {
        (Value::Null, Value::Null) => Some(Ordering::Equal),
        (Value::Number(one), Value::Number(two)) => Some(one.cmp(two)),
        (Value::Truth(one), Value::Truth(two)) => Some(one.cmp(two)),
        (Value::Text(one), Value::Text(two)) => Some(one.cmp(two)),
        _ => None,
    };
    match operator {
        Operator::Equal => order == Some(Ordering::Equal),
        Operator::Unequal => order != Some(Ordering::Equal),
        Operator::Less => order == Some(Ordering::Less),
        Operator::AtMost => order.is_some_and(Ordering::is_le),
        Operator::Greater => order == Some(Ordering::Greater),
        Operator::AtLeast => order.is_some_and(Ordering::is_ge),
        Operator::And | Operator::Or => false,
    }
}

impl Function {
    fn value(self, values: &[Value]) -> Value {
        let text = |at: usize| match values.get(at) {
            Some(Value::Text(text)) => Some(text.as_str()),
            _ => None,
        };
        let Some(first) = text(0) else {
            return Value::Null;
        };
        let second = text(1).unwrap_or_default();
        let length = |text: &str| i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        match self {
            Function::ToLower => Value::Text(first.to_lowercase()),
            Function::ToUpper => Value::Text(first.to_uppercase()),
            Function::Trim => Value::Text(first.trim().to_owned()),
            Function::Length => Value::Number(length(first)),
            _ if text(1).is_none() => Value::Null,
            Function::Concat => Value::Text(format!("{first}{second}")),
            // The first is looked for in the second.
            Function::SubstringOf => Value::Truth(second.contains(first)),
            Function::StartsWith => Value::Truth(first.starts_with(second)),
            Function::EndsWith => Value::Truth(first.ends_with(second)),
            Function::IndexOf => {
                Value::Number(first.find(second).map_or(-1, |at| length(&first[..at])))
            }
        }
    }
}

impl Property {
    fn value(self, of: &Entry) -> Value {
        let text = |text: &str| Value::Text(text.to_owned());
        match self {
            Property::Id => text(&of.row.name),
            Property::Version => text(of.version()),
            Property::NormalizedVersion => Value::Text(version::normal(of.version())),
            Property::Title if of.nuspec.title.is_empty() => text(&of.row.name),
            Property::Title => text(&of.nuspec.title),
            Property::Authors => text(&of.nuspec.authors),
            Property::Description => text(&of.nuspec.description),
            Property::Summary => text(&of.nuspec.summary),
            Property::Tags => text(&of.nuspec.tags),
            Property::IsLatestVersion => Value::Truth(of.is_latest),
            Property::IsAbsoluteLatestVersion => Value::Truth(of.is_absolute_latest),
            Property::IsPrerelease => Value::Truth(of.number.is_prerelease()),
            Property::Listed => Value::Truth(true),
            Property::DownloadCount | Property::VersionDownloadCount => Value::Number(0),
            Property::PackageSize => Value::Number(of.file.file.size),
            Property::Created
            | Property::Published
            | Property::LastUpdated
            | Property::LastEdited => Value::Number(of.row.created_at.as_microsecond()),
        }
    }
}

/// Puts versions in order; equal ones stay as they are.
pub fn sort(entries: &mut [Entry], keys: &[Key]) {
    entries.sort_by(|one, two| {
        let orders = keys.iter().map(|key| {
            let order = compare(&key.of, one, two);
            if key.descending { order.reverse() } else { order }
        });
        orders.fold(Ordering::Equal, Ordering::then)
    });
}

fn compare(of: &Node, one: &Entry, two: &Entry) -> Ordering {
    if let Node::Property(Property::Version | Property::NormalizedVersion) = of {
        return one.number.cmp(&two.number);
    }
    match (of.value(one), of.value(two)) {
        (Value::Number(one), Value::Number(two)) => one.cmp(&two),
        (Value::Truth(one), Value::Truth(two)) => one.cmp(&two),
        (Value::Text(one), Value::Text(two)) => one.to_lowercase().cmp(&two.to_lowercase()),
        _ => Ordering::Equal,
    }
}
