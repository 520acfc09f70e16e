//! The XML of a Maven repository: what is refused of it, and the list of
//! versions without those that were deleted.
//!
//! Only names, texts and the order of elements are read. A document type
//! definition ends the reading, so no entity is ever expanded.

use super::address::SNAPSHOT;
use kernel::error::{Error, Result};
use quick_xml::Reader;
use quick_xml::events::Event;
use std::io::Read;

/// Most bytes of a document that are looked at.
pub const MAX_DOCUMENT: u64 = 4 * 1024 * 1024;

const VERSION: [&str; 4] = ["metadata", "versioning", "versions", "version"];
const LATEST: [&str; 3] = ["metadata", "versioning", "latest"];
const RELEASE: [&str; 3] = ["metadata", "versioning", "release"];
const LAST_UPDATED: [&str; 3] = ["metadata", "versioning", "lastUpdated"];
const PLUGINS: [&str; 2] = ["metadata", "plugins"];

/// Refuses a document with a document type definition: its entities would be
/// expanded by whoever reads it with less care. What is no XML at all is the
/// matter of those who sent it and read it.
pub fn refuse_dtd(name: &str, from: impl Read) -> Result<()> {
    let refused = |why: &str| Err(Error::BadRequest(format!("{name} {why}")));
    let mut bytes = Vec::new();
    from.take(MAX_DOCUMENT).read_to_end(&mut bytes)?;
    if bytes.starts_with(&[0xfe, 0xff]) || bytes.starts_with(&[0xff, 0xfe]) {
        return refused("is not UTF-8");
    }
    let text = String::from_utf8_lossy(&bytes);
    let mut reader = Reader::from_str(&text);
    loop {
        match reader.read_event() {
            Ok(Event::DocType(_)) => return refused("has a document type definition"),
            Ok(Event::Eof) | Err(_) if bytes.len() as u64 == MAX_DOCUMENT => {
                return refused("has no element near its beginning");
            }
            // A definition stands before the first element.
            Ok(Event::Start(_) | Event::Empty(_) | Event::Eof) | Err(_) => return Ok(()),
            Ok(_) => {}
        }
    }
}

/// What is left of a list of versions.
#[derive(Debug, PartialEq, Eq)]
pub enum Left {
    /// All of it, or it cannot be understood.
    Same,
    /// Nothing that would be worth a document.
    Nothing,
    Document(String),
}

/// The list without versions that are gone, as of a time written
/// `yyyyMMddHHmmss`. All else stays as the client wrote it.
pub fn keep_versions(text: &str, is_there: impl Fn(&str) -> bool, as_of: &str) -> Left {
    let text = text.trim_start_matches('\u{feff}');
    let Some(elements) = elements(text) else {
        return Left::Same;
    };
    let listed = || elements.iter().filter(|one| one.kind == Kind::Version);
    let kept: Vec<&str> = listed()
        .map(|one| one.text.trim())
        .filter(|version| is_there(version))
        .collect();
    if kept.len() == listed().count() {
        return Left::Same;
    }
    if kept.is_empty() && !elements.iter().any(|one| one.kind == Kind::Plugins) {
        return Left::Nothing;
    }
    let newest = |fits: fn(&&&str) -> bool| kept.iter().rev().find(fits).copied();
    let mut document = String::with_capacity(text.len());
    let mut copied = 0;
    for one in &elements {
        let old = Some(one.text.trim()).filter(|old| kept.contains(old));
        let text_now = match one.kind {
            Kind::Version => old,
            Kind::Latest => old.or_else(|| newest(|_| true)),
            Kind::Release => old.or_else(|| newest(|one| !one.ends_with(SNAPSHOT))),
            Kind::LastUpdated => Some(as_of),
            Kind::Plugins => continue,
        };
        document.push_str(&text[copied..one.begin]);
        copied = one.end;
        match text_now {
            Some(text_now) => {
                let name = one.kind.element();
                document.push_str(&format!("<{name}>{text_now}</{name}>"));
            }
            None => document.truncate(document.trim_end().len()),
        }
    }
    document.push_str(&text[copied..]);
    Left::Document(document)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Version,
    Latest,
    Release,
    LastUpdated,
    Plugins,
}

impl Kind {
    fn of(path: &[String]) -> Option<Kind> {
        let kinds: [(&[&str], Kind); 5] = [
            (&VERSION, Kind::Version),
            (&LATEST, Kind::Latest),
            (&RELEASE, Kind::Release),
            (&LAST_UPDATED, Kind::LastUpdated),
            (&PLUGINS, Kind::Plugins),
        ];
        let fits = |wanted: &[&str]| wanted.iter().eq(path.iter());
        let mut kinds = kinds.into_iter();
        kinds.find(|(wanted, _)| fits(wanted)).map(|(_, kind)| kind)
    }

    fn element(self) -> &'static str {
        match self {
            Kind::Version => VERSION[3],
            Kind::Latest => LATEST[2],
            Kind::Release => RELEASE[2],
            Kind::LastUpdated => LAST_UPDATED[2],
            Kind::Plugins => PLUGINS[1],
        }
    }
}

/// An element of the document that matters here.
struct Element {
    kind: Kind,
    /// What stands in it, as written.
    text: String,
    /// Where it begins and ends.
    begin: usize,
    end: usize,
}

/// The elements that matter, in order; `None` if the document is broken or
/// has a document type definition.
fn elements(text: &str) -> Option<Vec<Element>> {
    let mut reader = Reader::from_str(text);
    let mut path: Vec<String> = Vec::new();
    let mut found = Vec::new();
    loop {
        let begin = position(&reader)?;
        match reader.read_event().ok()? {
            Event::Start(start) => {
                path.push(start.name().0.to_owned());
                let Some(kind) = Kind::of(&path) else {
                    continue;
                };
                let inner = reader.read_text(start.name()).ok()?;
                path.pop();
                found.push(Element {
                    kind,
                    text: inner.to_string(),
                    begin,
                    end: position(&reader)?,
                });
            }
            Event::End(_) => {
                path.pop();
            }
            Event::DocType(_) => return None,
            Event::Eof => return path.is_empty().then_some(found),
            _ => {}
        }
    }
}

fn position(reader: &Reader<&[u8]>) -> Option<usize> {
    usize::try_from(reader.buffer_position()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LIST: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<metadata>
  <groupId>com.acme</groupId>
  <artifactId>anvil</artifactId>
  <versioning>
    <latest>2.0-SNAPSHOT</latest>
    <release>1.1</release>
    <versions>
      <version>1.0</version>
      <version>1.1</version>
      <version>2.0-SNAPSHOT</version>
    </versions>
    <lastUpdated>20310101000000</lastUpdated>
  </versioning>
</metadata>
";

    fn without(gone: &[&str]) -> Left {
        keep_versions(LIST, |version| !gone.contains(&version), "20310506120000")
    }

    #[test]
    fn deleted_versions_leave_the_list_and_nothing_else() {
        let Left::Document(text) = without(&["2.0-SNAPSHOT", "1.1"]) else {
            panic!("the list changes");
        };
        let wanted = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<metadata>
  <groupId>com.acme</groupId>
  <artifactId>anvil</artifactId>
  <versioning>
    <latest>1.0</latest>
    <release>1.0</release>
    <versions>
      <version>1.0</version>
    </versions>
    <lastUpdated>20310506120000</lastUpdated>
  </versioning>
</metadata>
";
        assert_eq!(text, wanted);
    }

    #[test]
    fn a_list_of_snapshots_names_no_release() {
        let Left::Document(text) = without(&["1.0", "1.1"]) else {
            panic!("the list changes");
        };
        assert!(text.contains("<latest>2.0-SNAPSHOT</latest>\n    <versions>"), "{text}");
    }

    #[test]
    fn lists_stay_where_nothing_is_gone_and_end_where_all_is() {
        assert_eq!(without(&[]), Left::Same);
        assert_eq!(without(&["3.0"]), Left::Same);
        assert_eq!(without(&["1.0", "1.1", "2.0-SNAPSHOT"]), Left::Nothing);
        let with_plugins = LIST.replace("<versioning>", "<plugins><plugin/></plugins><versioning>");
        let left = keep_versions(&with_plugins, |_| false, "20310506120000");
        let Left::Document(text) = left else {
            panic!("the plugins stay");
        };
        assert!(text.contains("<plugins>") && !text.contains("<version>"), "{text}");
    }

    #[test]
    fn what_is_broken_stays_as_it_is() {
        for text in [
            "",
            "versions",
            "<metadata>",
            "<metadata></other>",
            "<!DOCTYPE metadata><metadata/>",
            &LIST.replace("</versions>", ""),
            &LIST.replace("<metadata>", "<!DOCTYPE metadata [<!ENTITY a 'b'>]><metadata>"),
        ] {
            assert_eq!(keep_versions(text, |_| false, "1"), Left::Same, "{text}");
        }
    }

    #[test]
    fn documents_with_a_type_definition_are_refused() {
        let bomb = "<?xml version=\"1.0\"?>\n<!-- x -->\n<!DOCTYPE lolz [<!ENTITY lol \"lol\">]>
            <project>&lol;</project>";
        let long = format!("<!-- {} --><!DOCTYPE a><a/>", "x".repeat(5 << 20));
        let wide = b"\xff\xfe<\0!\0D\0O\0C\0";
        for bytes in [bomb.as_bytes(), b"<!doctype a><a/>", long.as_bytes(), wide] {
            assert!(refuse_dtd("pom", bytes).is_err());
        }
        for text in [LIST, "", "no XML", "<a><!DOCTYPE a></a>", "<!-- <!DOCTYPE a> --><a/>", "<"] {
            assert!(refuse_dtd("pom", text.as_bytes()).is_ok(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_harm(
            text in "(<[a-z/!?]{0,3}|metadata>|versioning>|versions>|version>|1\\.0|\\PC|&a;|]]>|--)*"
        ) {
            keep_versions(&text, |version| version.len() % 2 == 0, "1");
            prop_assert!(refuse_dtd("x", text.as_bytes()).is_ok() || text.contains("<!"));
        }

        #[test]
        fn what_is_kept_is_what_is_there(there in proptest::collection::vec(any::<bool>(), 1..20)) {
            let listed: String = (0..there.len()).map(|n| format!("<version>{n}</version>\n")).collect();
            let text = format!(
                "<metadata><versioning><versions>{listed}</versions></versioning></metadata>"
            );
            let is_there = |version: &str| there[version.parse::<usize>().unwrap()];
            let count = there.iter().filter(|is_there| **is_there).count();
            match keep_versions(&text, is_there, "1") {
                Left::Same => prop_assert_eq!(count, there.len()),
                Left::Nothing => prop_assert_eq!(count, 0),
                Left::Document(text) => {
                    prop_assert_eq!(text.matches("<version>").count(), count);
                    prop_assert_eq!(keep_versions(&text, is_there, "1"), Left::Same);
                }
            }
        }
    }
}
