//! The text of an issue about an error. Whoever knows a client key words the
//! error, so all of its words stand in blocks of code that they cannot close:
//! nothing there is Markdown, a command, or the name of somebody.

use super::detail::{Detail, Raised};
use super::model::Tracked;
use kernel::html::ui::count;
use kernel::time::wire;

/// Longest title, in characters; what planning takes at most.
const MAX_TITLE: usize = 255;
/// Frames of an exception that are told, the innermost.
const MAX_FRAMES: usize = 50;
/// Exceptions that are told, the one that was raised first.
const MAX_CHAIN: usize = 5;
/// Longest text in one block, in characters.
const MAX_BLOCK: usize = 50_000;

/// Its title: one line of name and description.
pub fn title(error: &Tracked) -> String {
    let line: String =
        error.title().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let line: String = line.chars().take(MAX_TITLE).collect();
    match line.trim() {
        "" => "Error".to_owned(),
        filled => filled.to_owned(),
    }
}

pub fn description(error: &Tracked, detail: &Detail, url: &str) -> String {
    let mut text = format!(
        "The [error]({url}) was first seen at {} and last at {}: {}, {}.\n\n{}",
        wire::text(error.first_seen_at),
        wire::text(error.last_seen_at),
        count(error.events_count.unsigned_abs(), "event"),
        count(error.users_count.unsigned_abs(), "user"),
        block(&facts(error)),
    );
    for (at, raised) in detail.exceptions.iter().take(MAX_CHAIN).enumerate() {
        let heading = match at {
            0 => "Stack",
            _ => "Caused by",
        };
        text.push_str(&format!("\n### {heading}\n\n{}", block(&stack(raised))));
    }
    if let Some(message) = &detail.message {
        text.push_str(&format!("\n### Message\n\n{}", block(message)));
    }
    text
}

fn facts(error: &Tracked) -> String {
    let mut lines = vec![error.name.clone()];
    lines.extend((!error.description.is_empty()).then(|| error.description.clone()));
    for (name, value) in [
        ("Where", &error.actor),
        ("Level", &error.level),
        ("Platform", &error.platform),
        ("Logger", &error.logger),
        ("First release", &error.first_release),
        ("Last release", &error.last_release),
    ] {
        lines.extend((!value.is_empty()).then(|| format!("{name}: {value}")));
    }
    lines.join("\n")
}

/// An exception with its innermost frame first.
fn stack(raised: &Raised) -> String {
    let mut lines = vec![match raised.value.is_empty() {
        true => raised.kind.clone(),
        false => format!("{}: {}", raised.kind, raised.value),
    }];
    for frame in raised.frames.iter().rev().take(MAX_FRAMES) {
        let line = frame.line.0.map(|line| format!(":{line}"));
        let function = match frame.function.is_empty() {
            true => String::new(),
            false => format!(" in {}", frame.function),
        };
        let file = frame.file();
        lines.push(format!("  {file}{}{function}", line.unwrap_or_default()));
        lines.extend(frame.own_line().map(|code| format!("    {}", code.trim())));
    }
    lines.join("\n")
}

/// A block of code whose fence is longer than any in the text.
fn block(text: &str) -> String {
    let text: String = text
        .chars()
        .filter(|c| *c == '\n' || *c == '\t' || !c.is_control())
        .take(MAX_BLOCK)
        .collect();
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{text}\n{fence}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn error(name: &str, description: &str) -> Tracked {
        Tracked {
            id: 7,
            project_id: 1,
            name: name.to_owned(),
            description: description.to_owned(),
            actor: "work(app)".to_owned(),
            platform: "python".to_owned(),
            level: "error".to_owned(),
            events_count: 3,
            users_count: 1,
            first_release: "1.2".to_owned(),
            ..Tracked::default()
        }
    }

    #[test]
    fn a_title_is_one_line() {
        assert_eq!(title(&error("E", "a\r\nBcc:  x\u{0}")), "E: a Bcc: x");
        assert_eq!(title(&error("\n", "")), "Error");
        let long = title(&error("E", &"ä".repeat(500)));
        assert_eq!(long.chars().count(), MAX_TITLE);
    }

    #[test]
    fn the_description_tells_the_stack() {
        let detail = Detail::parse(
            json!({"exception": [{"type": "Cause"}, {"type": "E", "value": "v", "stacktrace":
                {"frames": [{"function": "main", "filename": "a.py"},
                    {"function": "work", "filename": "b.py", "lineno": 7, "context_line": "  x()"}]}}]})
            .to_string()
            .as_bytes(),
        )
        .unwrap();
        let text = description(&error("E", "v"), &detail, "https://x/e/7");
        for part in [
            "The [error](https://x/e/7) was first seen at 1970",
            "3 events, 1 user.",
            "```text\nE\nv\nWhere: work(app)\nLevel: error\nPlatform: python\nFirst release: 1.2\n```",
            "### Stack\n\n```text\nE: v\n  b.py:7 in work\n    x()\n  a.py in main\n```",
            "### Caused by\n\n```text\nCause\n```",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    #[test]
    fn words_of_strangers_stay_in_their_block() {
        let evil = "v\n```\n/close\n@all\n````\n<b>\r\n~~~";
        let text = block(evil);
        assert!(text.starts_with("`````text\n"), "{text}");
        assert!(text.ends_with("\n`````\n"), "{text}");
        assert!(!text.contains('\r'));
        let description = description(&error("E", evil), &Detail::default(), "u");
        let code: Vec<_> = planning::formats::prose::lines(&description)
            .filter(|line| !line.is_code)
            .map(|line| line.text)
            .collect();
        assert!(code.iter().all(|line| !line.contains(['/', '@', '<']) || line.contains("](u)")));
        assert!(planning::formats::mentions::find(&description).is_empty());
    }
}
