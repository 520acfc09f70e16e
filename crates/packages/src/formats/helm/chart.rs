//! What a chart says of itself: `Chart.yaml` at the top of its archive.

use crate::archive::{self, Wanted};
use crate::readme::{self, Readme};
use kernel::error::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;

/// Longest name of a chart or channel, in bytes.
const MAX_NAME: usize = 255;
/// Most bytes of what is kept of a chart.
const MAX_KEPT: usize = 64 * 1024;
/// Longest name of an annotation, in bytes: YAML readers take no longer keys.
const MAX_KEY: usize = 512;

/// The fields of a chart that clients read. Others are left out.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "the names are those of Chart.yaml")]
pub struct Chart {
    pub api_version: String,
    pub name: String,
    pub version: String,
    pub app_version: Option<String>,
    pub kube_version: Option<String>,
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub description: Option<String>,
    pub keywords: Option<Vec<String>>,
    pub home: Option<String>,
    pub sources: Option<Vec<String>>,
    pub icon: Option<String>,
    pub deprecated: Option<bool>,
    pub condition: Option<String>,
    pub tags: Option<String>,
    pub annotations: Option<BTreeMap<String, Option<String>>>,
    pub maintainers: Option<Vec<Maintainer>>,
    pub dependencies: Option<Vec<Dependency>>,
}

#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are those of Chart.yaml")]
pub struct Maintainer {
    pub name: Option<String>,
    pub email: Option<String>,
    pub url: Option<String>,
}

#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are those of Chart.yaml")]
pub struct Dependency {
    pub name: String,
    pub version: Option<String>,
    pub repository: Option<String>,
    pub condition: Option<String>,
    pub tags: Option<Vec<String>>,
    pub enabled: Option<bool>,
    pub alias: Option<String>,
    #[serde(rename = "import-values")]
    pub import_values: Option<Vec<Value>>,
}

impl Chart {
    /// Reads the chart in an archive, and what it says at length.
    pub fn read(file: File) -> Result<(Chart, Option<Readme>)> {
        let size = file.metadata().map_err(Error::internal)?.len();
        let mut contents = archive::tar_gz(file, size, |path| match is_charts(path) {
            true => Wanted::Whole,
            false => readme::wanted(path),
        })?;
        let readme = readme::take(&mut contents);
        let mut members = contents.members.into_iter();
        let Some(first) = members.next() else {
            return Err(refused("the archive has no Chart.yaml"));
        };
        // Clients drop the first folder, whatever it is called.
        if members.next().is_some() {
            return Err(refused("the archive has more than one Chart.yaml"));
        }
        Ok((Chart::parse(&first.bytes)?, readme))
    }

    /// Reads and checks the text.
    pub fn parse(text: &[u8]) -> Result<Chart> {
        let chart: Chart =
            serde_saphyr::from_slice_with_options(text, options()).map_err(|error| {
                let reason: String = error.to_string().chars().take(200).collect();
                refused(&format!("Chart.yaml cannot be read: {reason}"))
            })?;
        chart.check()?;
        Ok(chart)
    }

    fn check(&self) -> Result<()> {
        if !matches!(self.api_version.as_str(), "v1" | "v2") {
            return Err(refused("apiVersion in Chart.yaml is neither v1 nor v2"));
        }
        if !is_name(&self.name) {
            return Err(refused("name in Chart.yaml is invalid"));
        }
        if self.version.len() > MAX_NAME || precedence(&self.version).is_none() {
            return Err(refused("version in Chart.yaml is invalid"));
        }
        let keys = self.annotations.iter().flat_map(BTreeMap::keys);
        let imported = self.dependencies.iter().flatten();
        let imported = imported.flat_map(|it| it.import_values.iter().flatten());
        if keys.into_iter().any(|key| key.len() > MAX_KEY) || !imported.into_iter().all(is_short) {
            return Err(refused("Chart.yaml has a key that is too long"));
        }
        if self.kept()?.len() > MAX_KEPT {
            return Err(refused("Chart.yaml is too large"));
        }
        Ok(())
    }

    /// What an index shows of it: JSON that is YAML too, of what it says.
    pub fn kept(&self) -> Result<String> {
        let mut json = serde_json::to_value(self).map_err(Error::internal)?;
        for list in ["maintainers", "dependencies"] {
            let parts = json.get_mut(list).and_then(Value::as_array_mut);
            parts.into_iter().flatten().for_each(leave_out_unsaid);
        }
        leave_out_unsaid(&mut json);
        Ok(super::index::printable(&json.to_string()))
    }
}

fn leave_out_unsaid(of: &mut Value) {
    if let Value::Object(fields) = of {
        fields.retain(|_, value| !value.is_null());
    }
}

fn is_charts(path: &str) -> bool {
    let folder = path.strip_suffix("/Chart.yaml");
    folder.is_some_and(|folder| !folder.is_empty() && !folder.contains('/'))
}

/// Caps that no real chart comes near: aliases are what bombs are made of.
fn options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_documents: 1,
            max_depth: 32,
            max_nodes: 20_000,
            max_events: 50_000,
            max_aliases: 32,
            max_anchors: 32,
            max_recorded_anchor_events: 2_000,
            max_recorded_anchor_bytes: 64 * 1024,
            max_total_scalar_bytes: 1024 * 1024,
            max_merge_keys: 32,
        },
        with_snippet: false,
    }
}

/// A name of a chart or channel: letters and digits, after each at most one of
/// `.`, `-` and `_`, and none at the end (docs/interface/packages.md 2.2).
pub fn is_name(text: &str) -> bool {
    let mut after_letter = false;
    for byte in text.bytes() {
        match byte {
            b'.' | b'-' | b'_' if after_letter => after_letter = false,
            _ if byte.is_ascii_alphanumeric() => after_letter = true,
            _ => return false,
        }
    }
    after_letter && text.len() <= MAX_NAME
}

/// A version by which charts are ordered; a `v` before it may stand.
pub fn precedence(version: &str) -> Option<semver::Version> {
    semver::Version::parse(version.strip_prefix('v').unwrap_or(version)).ok()
}

/// No key in it is longer than YAML readers take.
fn is_short(value: &Value) -> bool {
    match value {
        Value::Object(fields) => {
            let mut fields = fields.iter();
            fields.all(|(key, value)| key.len() <= MAX_KEY && is_short(value))
        }
        Value::Array(items) => items.iter().all(is_short),
        _ => true,
    }
}

/// What holds of every Chart.yaml, whatever its bytes: it is refused with a
/// reason, or what is kept of it reads back as it was. Panics where a promise
/// is broken; the fuzz target and a test below feed it.
pub fn hostile(bytes: &[u8]) {
    match Chart::parse(bytes) {
        Ok(chart) => {
            let kept = chart.kept().expect("a chart that was checked");
            let again = Chart::parse(kept.as_bytes()).expect("JSON is YAML");
            assert_eq!(again, chart);
        }
        Err(error) => assert!(matches!(error, Error::BadRequest(_)), "{error}"),
    }
}

fn refused(reason: &str) -> Error {
    Error::BadRequest(reason.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HEAD: &str = "apiVersion: v2\nname: hammer\nversion: 1.0.0\n";

    fn with(rest: &str) -> Result<Chart> {
        Chart::parse(format!("{HEAD}{rest}").as_bytes())
    }

    #[test]
    fn a_chart_tells_what_it_is() {
        let chart = with(
            "appVersion: 1.10\ndeprecated: true\ndescription: >-\n  Strikes\n  hard\n\
             keywords: [iron, 5]\nmaintainers:\n- name: Jane\n  email: jane@example.com\n\
             dependencies:\n- {name: nail, version: ~1.0, repository: 'https://x', import-values: [{child: a, parent: b}]}\n\
             annotations:\n  a/b: 1\n  empty:\nunknown: {deep: [1]}\n",
        )
        .unwrap();
        let json: Value = serde_json::from_str(&chart.kept().unwrap()).unwrap();
        assert_eq!(
            json,
            serde_json::json!({
                "apiVersion": "v2", "name": "hammer", "version": "1.0.0", "appVersion": "1.10",
                "description": "Strikes hard", "keywords": ["iron", "5"], "deprecated": true,
                "annotations": {"a/b": "1", "empty": null},
                "maintainers": [{"name": "Jane", "email": "jane@example.com"}],
                "dependencies": [{"name": "nail", "version": "~1.0", "repository": "https://x",
                    "import-values": [{"child": "a", "parent": "b"}]}],
            })
        );
    }

    #[test]
    fn what_is_no_chart_is_refused() {
        for text in [
            "",
            "[]",
            "hammer",
            "name: hammer\nversion: 1.0.0\n",
            "apiVersion: v3\nname: hammer\nversion: 1.0.0\n",
            "apiVersion: v2\nname: ../hammer\nversion: 1.0.0\n",
            "apiVersion: v2\nname: hammer\nversion: '1.0'\n",
            "apiVersion: v2\nname: hammer\nversion: latest\n",
            "apiVersion: v2\nname: hammer\nversion: 1.0.0/..\n",
            "apiVersion: v2\nname: {a: b}\nversion: 1.0.0\n",
            "apiVersion: v2\nname: hammer\nversion: 1.0.0\n---\na: b\n",
            "apiVersion: v2\nname: hammer\nversion: 1.0.0\nkeywords: word\n",
            "apiVersion: v2\nname: hammer\n\tversion: 1.0.0\n",
        ] {
            assert!(Chart::parse(text.as_bytes()).is_err(), "{text}");
        }
        assert!(Chart::parse(b"\xff\xfe\x00").is_err());
        assert!(Chart::parse(b"apiVersion: v1\nname: a\nversion: v1.0.0-rc.1+b\n").is_ok());
    }

    #[test]
    fn bombs_do_not_go_off() {
        let mut bomb = String::from("a: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for level in 1..10 {
            let below = format!("*a{}, ", level - 1).repeat(10);
            bomb.push_str(&format!("b{level}: &a{level} [{below}]\n"));
        }
        bomb.push_str("keywords: *a9\n");
        let deep = format!("x: {}{}\n", "[".repeat(5_000), "]".repeat(5_000));
        let block: String = (0..5_000).map(|at| format!("{}a:\n", " ".repeat(at % 900))).collect();
        let merged = format!("x: &x {{a: b}}\ny:\n{}", "  <<: *x\n".repeat(5_000));
        let many = format!("keywords:\n{}", "- x\n".repeat(100_000));
        let long = format!("annotations: {{\"{}\": a}}\n", "k".repeat(2_000));
        let large = format!("description: {}\n", "d".repeat(100_000));
        for text in [bomb, deep, block, merged, many, long, large] {
            let began = std::time::Instant::now();
            assert!(with(&text).is_err(), "{}", &text[..60]);
            assert!(began.elapsed().as_secs() < 5);
        }
    }

    #[test]
    fn names_have_single_marks_between_letters() {
        for name in ["a", "nginx-ingress", "a.b_c-d", "0"] {
            assert!(is_name(name), "{name}");
        }
        let long = "a".repeat(256);
        for name in ["", "-a", "a-", "a--b", "a._b", ".", "..", "a/b", "ä", "a b", &long] {
            assert!(!is_name(name), "{name}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_answered(text in "[ -~\n\t&*<>\\[\\]{}]{0,300}") {
            hostile(text.as_bytes());
            hostile(format!("{HEAD}{text}").as_bytes());
        }
    }
}
