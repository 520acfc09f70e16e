//! The text of a file in conflict, as somebody chose it. Pure.

use super::sections::{Pick, Text};
use code::line_ends::restored;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// What is said where a side is not chosen, or marks are left.
pub const UNCHOSEN: &str = "Choose a side of every conflict in this file";
pub const MARKED: &str = "There are still marks of a conflict in this text";

/// What somebody chose for a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// Where the file was then.
    pub path: String,
    /// All of it, as it was typed.
    pub text: Option<String>,
    /// Sides by the names of conflicts.
    pub picks: HashMap<String, Pick>,
}

impl Answer {
    /// The sides that were chosen, for the conflicts in their order.
    pub fn picks(&self, text: &Text) -> Vec<Option<Pick>> {
        text.names().iter().map(|name| self.picks.get(name).copied()).collect()
    }

    /// The text that comes of it, with the ends of lines that the file has.
    ///
    /// # Errors
    ///
    /// What is missing, in words.
    pub fn resolved(&self, text: &Text) -> Result<String, &'static str> {
        let Some(typed) = &self.text else {
            return text.resolved(&self.picks(text)).ok_or(UNCHOSEN);
        };
        match text.has_marks(typed) {
            true => Err(MARKED),
            false => Ok(restored(text.ours(), typed)),
        }
    }
}

/// What a form sends for files, by their keys; what makes no sense is left out.
pub fn answers(sent: &Map<String, Value>) -> HashMap<String, Answer> {
    let answer = |(key, value): (&String, &Value)| {
        let said = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let picks = value.get("picks").and_then(Value::as_object).into_iter().flatten();
        let pick = |(name, side): (&String, &Value)| {
            Some((name.clone(), Pick::from_text(side.as_str()?)?))
        };
        let answer = Answer {
            path: said("path").unwrap_or_default(),
            text: said("text"),
            picks: picks.filter_map(pick).collect(),
        };
        (key.clone(), answer)
    };
    sent.iter().map(answer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::time::{Duration, Instant};

    fn text(base: &str, ours: &str, theirs: &str) -> Text {
        let until = Instant::now() + Duration::from_secs(60);
        Text::of(base.into(), ours.into(), theirs.into(), until)
    }

    fn sent(value: &Value) -> Answer {
        let sent = json!({"k": value});
        let found = answers(sent.as_object().expect("an object"));
        found.get("k").cloned().expect("an answer")
    }

    #[test]
    fn sides_are_chosen_by_the_names_of_conflicts() {
        let file = text("a\n-\nb\n", "x\n-\nX\n", "y\n-\nY\n");
        let names = file.names();
        let answer = sent(&json!({"path": "f", "picks": {&names[0]: "ours", &names[1]: "theirs"}}));
        assert_eq!(answer.resolved(&file).as_deref(), Ok("x\n-\nY\n"));
        let half = sent(&json!({"picks": {&names[0]: "ours", &names[1]: "neither"}}));
        assert_eq!(half.resolved(&file), Err(UNCHOSEN));
        assert_eq!(sent(&json!("odd")), Answer::default());
    }

    #[test]
    fn typed_texts_end_their_lines_as_the_file_does() {
        let file = text("a\r\nb\r\n", "x\r\nb\r\n", "y\r\nb\r\n");
        let typed = |text: &str| sent(&json!({"text": text})).resolved(&file);
        assert_eq!(typed("z\r\nb\r\n").as_deref(), Ok("z\r\nb\r\n"));
        assert_eq!(typed("z\nb\n").as_deref(), Ok("z\r\nb\r\n"));
        let unix = text("a\n", "x\n", "y\n");
        let answer = sent(&json!({"text": "z\r\n"}));
        assert_eq!(answer.resolved(&unix).as_deref(), Ok("z\n"));
        assert_eq!(typed("<<<<<<< side\r\nx\r\n"), Err(MARKED));
    }
}
