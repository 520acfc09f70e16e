//! What the pipelines of a schedule are given for the inputs that their file declares.

use super::model::ScheduleInput;
use crate::pipelines::create::inputs::MOST;
use kernel::http::params::{Param, Unusable};
use serde_json::{Value, json};

/// Letters of a name.
const LONGEST_NAME: usize = 255;
/// Bytes of a value.
const LONGEST_VALUE: usize = 10_000;

/// What stands for an input: a text, a number, a flag or a list.
#[derive(Debug, Clone, PartialEq)]
pub struct InputValue(pub Value);

impl Param for InputValue {
    fn parse(value: &Value) -> Result<Self, Unusable> {
        match value {
            Value::Null | Value::Object(_) => Err(Unusable::Invalid),
            value if has_nul(value) => Err(Unusable::Invalid),
            value => Ok(InputValue(value.clone())),
        }
    }
    fn schema() -> Value {
        json!({"oneOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"},
            {"type": "array", "items": {}}]})
    }
}

/// No database stores it.
fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(fields) => {
            fields.iter().any(|(name, value)| name.contains('\0') || has_nul(value))
        }
        _ => false,
    }
}

kernel::params! {
    /// An input that becomes this, or goes.
    pub struct InputChange {
        /// Its name.
        pub name: String,
        /// What pipelines are given for it.
        pub value: Option<InputValue>,
        /// It is given no more.
        pub destroy: Option<bool>,
    }
}

/// Inputs with what is sent: those that are not named stay.
///
/// # Errors
///
/// What is wrong, in words that follow the name of the field.
pub fn changed(
    before: &[ScheduleInput], sent: &[InputChange],
) -> Result<Vec<ScheduleInput>, String> {
    let mut after = before.to_vec();
    for one in sent {
        check_name(&one.name)?;
        let place = after.iter().position(|known| known.name == one.name);
        match (one.destroy == Some(true), place, &one.value) {
            (true, Some(place), _) => drop(after.remove(place)),
            (true, None, _) => return Err(format!("have no {}", one.name)),
            (false, _, None) => return Err(format!("need a value for {}", one.name)),
            (false, _, Some(value)) => {
                check_value(one, value)?;
                let input = ScheduleInput { name: one.name.clone(), value: value.0.clone() };
                match place {
                    Some(place) => after[place] = input,
                    None => after.push(input),
                }
            }
        }
    }
    match after.len() > MOST {
        true => Err(format!("cannot be more than {MOST}")),
        false => Ok(after),
    }
}

fn check_name(name: &str) -> Result<(), String> {
    match name.chars().count() {
        0 => Err("need names".to_owned()),
        count if count > LONGEST_NAME => {
            Err(format!("have a name that is too long (maximum is {LONGEST_NAME} characters)"))
        }
        _ => Ok(()),
    }
}

fn check_value(one: &InputChange, value: &InputValue) -> Result<(), String> {
    match value.0.to_string().len() > LONGEST_VALUE {
        true => {
            let name = &one.name;
            Err(format!("have a value of {name} that is too long (maximum is {LONGEST_VALUE})"))
        }
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(name: &str, value: Value) -> ScheduleInput {
        ScheduleInput { name: name.to_owned(), value }
    }

    fn sent(name: &str, value: Option<Value>, destroy: bool) -> InputChange {
        let destroy = Some(destroy);
        InputChange { name: name.to_owned(), value: value.map(InputValue), destroy }
    }

    #[test]
    fn inputs_are_added_changed_and_taken_by_their_names() {
        let before = [input("a", json!("x")), input("b", json!(1))];
        let add = sent("c", Some(json!([1, "y"])), false);
        let change = sent("a", Some(json!(true)), false);
        let after = changed(&before, &[add, change, sent("b", None, true)]).unwrap();
        assert_eq!(after, [input("a", json!(true)), input("c", json!([1, "y"]))]);
        let many: Vec<_> = (0..21).map(|n| sent(&format!("i{n}"), Some(json!(n)), false)).collect();
        for (wrong, text) in [
            (vec![sent("z", None, true)], "have no z"),
            (vec![sent("z", None, false)], "need a value for z"),
            (vec![sent("", Some(json!(1)), false)], "need names"),
            (vec![sent("z", Some(json!("x".repeat(10_000))), false)], "too long"),
            (many, "cannot be more than 20"),
        ] {
            let refused = changed(&[], &wrong).unwrap_err();
            assert!(refused.contains(text), "{refused}");
        }
    }

    #[test]
    fn a_value_is_no_map_and_not_nothing() {
        assert!(InputValue::parse(&json!({"a": 1})).is_err());
        assert!(InputValue::parse(&Value::Null).is_err());
        assert!(InputValue::parse(&json!(["a", {"b": "\0"}])).is_err());
        assert_eq!(InputValue::parse(&json!(false)), Ok(InputValue(json!(false))));
    }
}
