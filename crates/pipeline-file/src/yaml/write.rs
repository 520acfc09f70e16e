//! A tree as YAML again, for people who ask what came of their file.

use super::{Map, Node, Value, float_text, scalar};

/// Writes a tree in block style.
pub(crate) fn write(node: &Node) -> String {
    let mut out = String::from("---\n");
    match &node.value {
        Value::Map(map) if !map.is_empty() => write_map(map, 0, &mut out),
        Value::List(items) if !items.is_empty() => write_list(items, 0, &mut out),
        _ => {
            write_scalar(&node.value, 0, &mut out);
            out.push('\n');
        }
    }
    out
}

fn indent(depth: usize, out: &mut String) {
    out.extend(std::iter::repeat_n("  ", depth));
}

fn write_map(map: &Map, depth: usize, out: &mut String) {
    for (at, (key, node)) in map.iter().enumerate() {
        // The first key of an item stands behind its dash.
        if at > 0 || out.ends_with('\n') {
            indent(depth, out);
        }
        write_text(key, depth, out);
        out.push(':');
        write_below(&node.value, depth, out);
    }
}

fn write_below(value: &Value, depth: usize, out: &mut String) {
    match value {
        Value::Map(map) if !map.is_empty() => {
            out.push('\n');
            write_map(map, depth + 1, out);
        }
        Value::List(items) if !items.is_empty() => {
            out.push('\n');
            write_list(items, depth, out);
        }
        value => {
            out.push(' ');
            write_scalar(value, depth + 1, out);
            out.push('\n');
        }
    }
}

fn write_list(items: &[Node], depth: usize, out: &mut String) {
    for item in items {
        indent(depth, out);
        out.push_str("- ");
        match &item.value {
            Value::Map(map) if !map.is_empty() => write_map(map, depth + 1, out),
            Value::List(inner) if !inner.is_empty() => {
                out.truncate(out.len() - 1);
                out.push('\n');
                write_list(inner, depth + 1, out);
            }
            value => {
                write_scalar(value, depth + 1, out);
                out.push('\n');
            }
        }
    }
}

fn write_scalar(value: &Value, depth: usize, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Int(number) => out.push_str(&number.to_string()),
        Value::Float(number) => out.push_str(&float_text(*number)),
        Value::Text(text) => write_text(text, depth, out),
        Value::List(_) => out.push_str("[]"),
        Value::Map(_) => out.push_str("{}"),
        Value::Reference(path) => {
            let quoted: Vec<String> = path.iter().map(|key| quoted(key)).collect();
            out.push_str(&format!("!reference [{}]", quoted.join(", ")));
        }
    }
}

/// Plain where it is read back as the same text, as a block where it has lines.
fn write_text(text: &str, depth: usize, out: &mut String) {
    let clean = text.chars().all(|c| {
        c == '\n'
            || (!c.is_control() && !matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}'))
    });
    let block = clean && text.contains('\n') && !text.starts_with([' ', '\n', '\t']) && depth > 0;
    if block && !text.ends_with("\n\n") && text.lines().all(|line| !line.ends_with([' ', '\t'])) {
        out.push_str(if text.ends_with('\n') { "|" } else { "|-" });
        for line in text.lines() {
            out.push('\n');
            if !line.is_empty() {
                indent(depth, out);
                out.push_str(line);
            }
        }
        return;
    }
    match is_plain(text) {
        true => out.push_str(text),
        false => out.push_str(&quoted(text)),
    }
}

fn is_plain(text: &str) -> bool {
    let safe = |c: char| c.is_ascii_alphanumeric() || "_./$-+()@^ ".contains(c);
    text.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/' | '$'))
        && text.chars().all(safe)
        && !text.ends_with(' ')
        && text != "..."
        && matches!(scalar::resolve(text), Ok(Value::Text(_)))
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;
    use crate::limits::Limits;

    #[test]
    fn what_is_written_reads_the_same() {
        let text = "
a: {script: [one, 'two: 2', \"on\", '012', '', ' x', 'y '], b: [], c: {}, d: null}
'on': true
m: [[1, [2.5]], {k: [v], l: \"x\\ny\\n\"}, \"l1\\nl2\", \"  lead\\nx\", \"t\\n\\n\", '2024-01-01']
\"k: x\": \"\\u0007\\\\\\\"\"
";
        let read = |text: &str| parse(text, 0, &Limits::default()).unwrap().nodes.remove(0);
        let node = read(text);
        let written = write(&node);
        assert_eq!(read(&written), node, "{written}");
    }
}
