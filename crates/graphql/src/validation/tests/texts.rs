//! The texts, codes, places and paths that clients match on.

use super::*;

/// Documents, each with the code and the text of its first error below it.
const TEXTS: &str = include_str!("texts.txt");

#[test]
fn every_rule_has_its_code_and_text() {
    let lines: Vec<&str> = TEXTS.lines().collect();
    assert!(lines.len() > 100 && lines.len().is_multiple_of(2));
    let cases = lines.chunks(2).map(|case| (case[0], case[1]));
    let empty = "  parseError: Unexpected end of document";
    for (query, wanted) in cases.chain([("", empty), (" # nothing\n", empty)]) {
        let (code, text) = first(query);
        assert_eq!(format!("  {code}: {text}"), wanted, "{query}");
        assert!(!text.contains('\n'), "one line");
    }
}

#[test]
fn errors_have_places_and_paths() {
    let query = "query Q {\n  project(fullPath: \"p\") {\n    name\n    é: nope\n  }\n}";
    assert_eq!(refused(query)[0].code(), "parseError", "é is no name");
    let query = query.replace('é', "e");
    let error = refused(&query)[0].json();
    assert_eq!(error["locations"], json!([{"line": 4, "column": 5}]));
    assert_eq!(error["path"], json!(["query Q", "project", "e"]));
    assert_eq!(
        error["extensions"],
        json!({"code": "undefinedField", "typeName": "Project", "fieldName": "nope"})
    );
    let error = refused("{...F} fragment F on Query{... on Query{echo(text:1)}}")[0].json();
    assert_eq!(error["path"], json!(["fragment F", "... on Query", "echo", "text"]));
    let error = refused("{filtered(filter:{must:1,inner:{must:\"x\"}})}")[0].json();
    assert_eq!(error["path"], json!(["query", "filtered", "filter", "inner", "must"]));
    let error = refused("")[0].json();
    assert_eq!(error["locations"], json!([]));
    let error = refused("{a:costly a:filtered}")[0].json();
    let places = json!([{"line": 1, "column": 2}, {"line": 1, "column": 11}]);
    assert_eq!(error["locations"], places);
}

#[test]
fn at_most_five_errors_are_told() {
    assert_eq!(refused("{a b c}").len(), 3);
    assert_eq!(refused("{a b c d e f g}").len(), 5);
}

#[test]
fn validation_stops_when_its_time_is_over() {
    let parsed = parse(source(&format!("{{{}}}", "costly ".repeat(200)), json!({}))).unwrap();
    let limits = Limits { validation: std::time::Duration::ZERO, ..Limits::of(false) };
    let errors = check(&TABLE, parsed, limits).unwrap_err();
    assert_eq!(errors[0].message, "Timeout on validation of query");
}

#[test]
fn what_is_right_passes() {
    for query in [
        "query($v:Int!){filtered(pair:$v)}",
        "query($v:Int=1){filtered(numbers:[$v])}",
        "query($v:Int){filtered(json:{a:[$v],b:X})}",
        "query($v:[Int!]!){filtered(numbers:$v)}",
        "{filtered(numbers:1, deep:[[1]])}",
        "{... on Query{costly} ...{costly}}",
        "{user{... on UserCore{name} ... on CurrentUser{id}} thing{... on Thing{__typename}}}",
        "mutation{echoCreate(input:{messages:[\"a\"]}){errors echoes}}",
        "{user{... on UserCore{x:core} ... on CurrentUser{x:a}}}",
        "{echo(text:\"\"\"a \\\"\"\" b\"\"\")}",
        "{echo(text:\"\\u00e9\\ud83d\\ude00\\u{1F600}\")}",
        "\u{feff}{costly,,,}",
    ] {
        let variables = json!({"v": [1]});
        let one = run(source(query, variables), &TABLE);
        let other = run(source(query, json!({"v": 1})), &TABLE);
        assert!(one.is_ok() || other.is_ok(), "{query}: {one:?} {other:?}");
    }
    for bad in [r#"{echo(text:"\ud83d")}"#, r#"{echo(text:"\q")}"#, r#"{echo(text:"\u{}")}"#] {
        assert!(first(bad).1.starts_with("Expected string or block string"), "{bad}");
    }
}

#[test]
fn a_newer_field_may_be_asked_for() {
    passes("{project(fullPath:\"p\"){soon @service_introduced(version:\"99.0\") id}}");
    passes("{... on Soon @service_introduced(version:\"99.0\"){a}}");
    assert_eq!(first("{soon @skip(if:true)}").0, "undefinedField");
}

#[test]
fn without_deprecated_members_they_do_not_exist() {
    let table = TABLE.without_marked();
    for query in [
        "{package{old}}",
        "{filtered(filter:{must:1,old:2})}",
        r#"{project(fullPath:"p"){issues(old:1){nodes{iid}}}}"#,
        r#"{project(fullPath:"p"){issues(state:old){nodes{iid}}}}"#,
    ] {
        passes(query);
        assert!(run(source(query, json!({})), &table).is_err(), "{query}");
    }
    let errors = run(source("{package{old}}", json!({})), &table).unwrap_err();
    assert_eq!(errors[0].message, "Field 'old' doesn't exist on type 'Package'");
}

#[test]
fn literals_are_masked_for_the_log() {
    let text = "query Q($v: Int = 5) { # why\n a(b: \"secret\", c: [1.5, X]) { ...F } }";
    assert_eq!(
        crate::validation::lexer::masked(text),
        "query Q($v:Int=0){a(b:\"…\"c:[0 X]){...F}}"
    );
}
