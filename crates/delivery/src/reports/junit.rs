//! Reports in the form of JUnit: XML from strangers. A document type definition is refused,
//! depth, cases and texts are bounded, and several documents may follow one another.

use indexmap::IndexMap;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

/// Deepest element.
const MAX_DEPTH: usize = 64;
/// Most cases of one report.
const MAX_CASES: usize = 50_000;
/// Longest text of a case, and longest name, in bytes.
const MAX_TEXT: usize = 64 * 1024;
const MAX_NAME: usize = 2_000;
const FAILED: &str = "JUnit XML parsing failed:";

/// What came of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Success,
    Failed,
    Error,
    Skipped,
}

impl Outcome {
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Success => "success",
            Outcome::Failed => "failed",
            Outcome::Error => "error",
            Outcome::Skipped => "skipped",
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    pub name: String,
    pub class: Option<String>,
    pub file: Option<String>,
    /// Seconds.
    pub time: f64,
    pub outcome: Outcome,
    /// Why it did not succeed.
    pub output: Option<String>,
    /// A path that its output names as a picture of it or the like.
    pub attachment: Option<String>,
}

/// The cases of a report; of one class and name the last counts.
pub type Cases = IndexMap<(Option<String>, String), Case>;

/// What is wrong with a report, in words for people.
#[derive(Debug, PartialEq, Eq)]
pub struct Wrong(pub String);

fn wrong(cause: impl std::fmt::Display) -> Wrong {
    Wrong(format!("{FAILED} {cause}"))
}

/// The cases of a report.
///
/// # Errors
///
/// Where it is no XML that may be read.
pub fn parse(text: &str) -> Result<Cases, Wrong> {
    let mut reading = Reading::default();
    let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
    loop {
        match reader.read_event().map_err(wrong)? {
            Event::Start(start) => reading.open(&start)?,
            Event::Empty(start) => {
                reading.open(&start)?;
                reading.close();
            }
            Event::End(_) => reading.close(),
            Event::Text(part) => reading.add(&part.xml10_content()),
            Event::CData(part) => reading.add(&part.xml10_content()),
            Event::GeneralRef(reference) => {
                let known = match reference.resolve_char_ref().map_err(wrong)? {
                    Some(one) => Some(one.to_string()),
                    None => {
                        quick_xml::escape::resolve_predefined_entity(&reference).map(str::to_owned)
                    }
                };
                let known = known.ok_or_else(|| wrong("an unknown entity"))?;
                reading.add(&known);
            }
            Event::DocType(_) => return Err(wrong("it has a document type definition")),
            Event::Eof => break,
            Event::Decl(_) | Event::PI(_) | Event::Comment(_) => {}
        }
    }
    match reading.path.is_empty() {
        true => Ok(reading.cases),
        false => Err(wrong("it ends before its last element does")),
    }
}

/// What a text within a case is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// It says why the case did not succeed.
    Reason(Outcome),
    Printed,
}

impl Part {
    fn of(element: &str) -> Option<Part> {
        match element {
            "failure" => Some(Part::Reason(Outcome::Failed)),
            "error" => Some(Part::Reason(Outcome::Error)),
            "skipped" => Some(Part::Reason(Outcome::Skipped)),
            "system-out" => Some(Part::Printed),
            _ => None,
        }
    }
}

#[derive(Default)]
struct Reading {
    path: Vec<String>,
    cases: Cases,
    /// The case that is open, and how deep it lies.
    case: Option<(usize, Case)>,
    /// What is open within it: its depth, its text, and what stands for that otherwise.
    part: Option<(usize, Part, String, String)>,
}

impl Reading {
    fn open(&mut self, start: &BytesStart<'_>) -> Result<(), Wrong> {
        let name = start.local_name().as_ref().to_owned();
        self.path.push(name.clone());
        let depth = self.path.len();
        if depth > MAX_DEPTH {
            return Err(wrong("it is nested too deeply"));
        }
        if name == "testcase" && self.case.is_none() {
            if self.cases.len() >= MAX_CASES {
                return Err(wrong("it has too many cases"));
            }
            self.case = Some((depth, case(start)?));
        } else if self.case.is_some()
            && self.part.is_none()
            && let Some(part) = Part::of(&name)
        {
            let message = attribute(start, "message")?.unwrap_or_default();
            self.part = Some((depth, part, String::new(), message));
        }
        Ok(())
    }

    fn add(&mut self, text: &str) {
        if let Some((_, _, taken, _)) = &mut self.part {
            let room = MAX_TEXT.saturating_sub(taken.len());
            taken.push_str(&text[..text.floor_char_boundary(room)]);
        }
    }

    fn close(&mut self) {
        let depth = self.path.len();
        if let Some((_, part, text, message)) = self.part.take_if(|part| part.0 == depth)
            && let Some((_, case)) = &mut self.case
        {
            finish(case, part, &text, message);
        }
        if let Some((_, case)) = self.case.take_if(|case| case.0 == depth) {
            let key = (case.class.clone(), case.name.clone());
            self.cases.insert(key, case);
        }
        self.path.pop();
    }
}

fn finish(case: &mut Case, part: Part, text: &str, message: String) {
    match part {
        Part::Printed => case.attachment = attachment(text),
        // A failure counts before an error, and that before what was left out.
        Part::Reason(outcome) => {
            let rank = |one: Outcome| match one {
                Outcome::Failed => 3,
                Outcome::Error => 2,
                Outcome::Skipped => 1,
                Outcome::Success => 0,
            };
            if rank(outcome) > rank(case.outcome) {
                let said = if text.trim().is_empty() {
                    message
                } else {
                    text.trim().to_owned()
                };
                case.outcome = outcome;
                case.output = Some(said).filter(|said| !said.is_empty());
            }
        }
    }
}

/// `[[ATTACHMENT|path]]` in what a case printed.
fn attachment(text: &str) -> Option<String> {
    let rest = text.split_once("[[ATTACHMENT|")?.1;
    let path = rest.split_once("]]")?.0.trim();
    (!path.is_empty() && path.len() <= MAX_NAME).then(|| path.to_owned())
}

fn case(start: &BytesStart<'_>) -> Result<Case, Wrong> {
    let time = attribute(start, "time")?.unwrap_or_default().replace(',', "");
    let time = time.trim().parse::<f64>().ok().filter(|time| time.is_finite() && *time >= 0.0);
    Ok(Case {
        name: attribute(start, "name")?.unwrap_or_default(),
        class: attribute(start, "classname")?,
        file: attribute(start, "file")?,
        time: time.unwrap_or_default(),
        outcome: Outcome::Success,
        output: None,
        attachment: None,
    })
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Result<Option<String>, Wrong> {
    for found in start.attributes() {
        let found = found.map_err(wrong)?;
        if found.key.local_name().as_ref() == name {
            let value = found.normalized_value(XmlVersion::Implicit1_0).map_err(wrong)?;
            return Ok(Some(value[..value.floor_char_boundary(MAX_NAME)].to_owned()));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, Outcome, Option<String>)> {
        let cases = parse(text).unwrap();
        cases.into_values().map(|case| (case.name, case.outcome, case.output)).collect()
    }

    #[test]
    fn cases_are_found_at_any_depth() {
        let text = r#"<?xml version="1.0"?><testsuites><testsuite><testsuite>
            <testcase name="a" classname="C" time="1,000.5" file="a.rs"/>
            <testcase name="b"><failure message="no">bent &lt;iron&gt;</failure></testcase>
            <testcase name="c"><error message="gone"/></testcase>
            <testcase name="d"><skipped/></testcase></testsuite>
            <testcase name="e"><system-out><![CDATA[x [[ATTACHMENT|a/b.png]]]]></system-out>
            </testcase></testsuite></testsuites>
            <testsuite><testcase name="f"/></testsuite>"#;
        let said = |text: &str| Some(text.to_owned());
        assert_eq!(
            read(text),
            [
                ("a".to_owned(), Outcome::Success, None),
                ("b".to_owned(), Outcome::Failed, said("bent <iron>")),
                ("c".to_owned(), Outcome::Error, said("gone")),
                ("d".to_owned(), Outcome::Skipped, None),
                ("e".to_owned(), Outcome::Success, None),
                ("f".to_owned(), Outcome::Success, None),
            ]
        );
        let cases = parse(text).unwrap();
        let first = &cases[0];
        assert_eq!((first.time, first.class.as_deref()), (1000.5, Some("C")));
        assert_eq!(cases[4].attachment.as_deref(), Some("a/b.png"));
    }

    #[test]
    fn the_last_of_a_name_counts() {
        let text = r#"<s><testcase name="a"><failure>x</failure></testcase>
            <testcase name="a"/></s>"#;
        assert_eq!(read(text), [("a".to_owned(), Outcome::Success, None)]);
    }

    #[test]
    fn what_is_no_report_is_told_of() {
        let deep = "<a>".repeat(100);
        let laughs = r#"<!DOCTYPE l [<!ENTITY l "ha">]><l>&l;</l>"#;
        for text in ["<a>", "<a></b>", "<a>&what;</a>", laughs, deep.as_str()] {
            let Wrong(said) = parse(text).unwrap_err();
            assert!(said.starts_with("JUnit XML parsing failed: "), "{said}");
        }
        assert!(read("no xml at all").is_empty());
    }

    #[test]
    fn texts_are_cut() {
        let long = "ü".repeat(MAX_TEXT);
        let text = format!("<s><testcase name=\"a\"><failure>{long}</failure></testcase></s>");
        let cases = parse(&text).unwrap();
        assert_eq!(cases[0].output.as_ref().map(String::len), Some(MAX_TEXT));
    }
}
