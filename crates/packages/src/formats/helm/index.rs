//! The index of a channel. Each chart is one line of JSON, which YAML readers
//! take as it is, so a large index is put together from kept texts.

use super::chart::precedence;
use crate::store::index::ChannelFile;
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The newest file of each name and version, highest versions first.
/// `files` come newest first. `pushed_at` is where clients publish, if they
/// can.
pub fn write(files: &[ChannelFile], pushed_at: Option<&str>, now: Timestamp) -> String {
    let mut entries: BTreeMap<&str, Vec<&ChannelFile>> = BTreeMap::new();
    for file in files.iter().filter(|file| !super::is_provenance(file)) {
        let versions = entries.entry(&file.name).or_default();
        if versions.iter().all(|known| known.version != file.version) {
            versions.push(file);
        }
    }
    let mut text = String::from("apiVersion: v1\n");
    text.push_str(if entries.is_empty() {
        "entries: {}\n"
    } else {
        "entries:\n"
    });
    for (name, mut versions) in entries {
        versions.sort_by_cached_key(|file| {
            std::cmp::Reverse(precedence(file.version.as_deref().unwrap_or_default()))
        });
        let _ = writeln!(text, "  {}:", quoted(name));
        for file in versions {
            text.push_str("  - ");
            entry(&mut text, file);
            text.push('\n');
        }
    }
    let _ = writeln!(text, "generated: {}", quoted(&instant(now)));
    if let Some(path) = pushed_at {
        let _ = writeln!(text, "serverInfo: {{\"contextPath\": {}}}", quoted(path));
    }
    text
}

fn entry(text: &mut String, file: &ChannelFile) {
    let chart = file.file.metadata.as_deref().unwrap_or("{}");
    text.push_str(chart.strip_suffix('}').unwrap_or(chart));
    let row = &file.file.file;
    let address = quoted(&format!("charts/{}", row.file_name));
    let _ = write!(
        text,
        ",\"created\":{},\"digest\":\"{}\",\"urls\":[{address}]}}",
        quoted(&instant(row.created_at)),
        row.sha256
    );
}

/// A time with nanoseconds, as clients write it.
fn instant(at: Timestamp) -> String {
    format!("{at:.9}")
}

fn quoted(text: &str) -> String {
    printable(&serde_json::Value::from(text).to_string())
}

/// JSON without the characters that YAML does not allow in a stream or takes
/// for ends of lines (YAML 1.1 section 4.1): they are escaped.
pub fn printable(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '\u{7f}'..='\u{9f}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{feff}'
            | '\u{fffe}'
            | '\u{ffff}' => {
                let _ = write!(text, "\\u{:04x}", u32::from(c));
            }
            _ => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::PackageFile;
    use crate::samples;

    fn file(id: i64, name: &str, version: &str) -> ChannelFile {
        let chart = format!("{{\"name\":\"{name}\",\"version\":\"{version}\"}}");
        let file = PackageFile {
            id,
            sha256: format!("{id:064}"),
            created_at: Timestamp::from_microsecond(1_000_000 * id + 5).unwrap(),
            ..samples::file(&format!("{name}-{version}.tgz"))
        };
        ChannelFile {
            name: name.into(),
            version: Some(version.into()),
            file: samples::indexed(file, Some(chart)),
        }
    }

    #[test]
    fn an_index_lists_the_newest_of_each_version() {
        let mut sum = file(4, "hammer", "1.0.0");
        sum.file.file.file_name.push_str(".prov");
        let files = [
            sum,
            file(3, "hammer", "1.0.0"),
            file(2, "hammer", "1.10.0"),
            file(1, "hammer", "1.0.0"),
            file(0, "anvil", "v0.1.0"),
        ];
        let text = write(&files, Some("/x"), Timestamp::UNIX_EPOCH);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..4], ["apiVersion: v1", "entries:", "  \"anvil\":", lines[3]]);
        assert!(lines[5].contains("1.10.0") && lines[6].contains(&format!("{:064}", 3)));
        assert_eq!(
            lines[6],
            format!(
                "  - {{\"name\":\"hammer\",\"version\":\"1.0.0\",\
                 \"created\":\"1970-01-01T00:00:03.000005000Z\",\"digest\":\"{:064}\",\
                 \"urls\":[\"charts/hammer-1.0.0.tgz\"]}}",
                3
            )
        );
        assert_eq!(lines[7], "generated: \"1970-01-01T00:00:00.000000000Z\"");
        assert_eq!(lines[8], "serverInfo: {\"contextPath\": \"/x\"}");
        assert_eq!(lines.len(), 9);
    }

    #[test]
    fn an_empty_channel_has_an_index_too() {
        let text = write(&[], None, Timestamp::UNIX_EPOCH);
        assert!(text.starts_with("apiVersion: v1\nentries: {}\ngenerated: "));
        assert!(!text.contains("serverInfo"));
    }

    #[test]
    fn what_yaml_does_not_take_is_escaped() {
        let text = quoted("a\u{7f}\u{85}\u{2028}\u{feff}\n\"ä😀");
        assert_eq!(text, "\"a\\u007f\\u0085\\u2028\\ufeff\\n\\\"ä😀\"");
        let read: String = serde_json::from_str(&text).unwrap();
        assert_eq!(read, "a\u{7f}\u{85}\u{2028}\u{feff}\n\"ä😀");
        let read: String = serde_saphyr::from_str(&text).unwrap();
        assert_eq!(read, "a\u{7f}\u{85}\u{2028}\u{feff}\n\"ä😀");
    }
}
