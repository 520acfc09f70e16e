//! The texts, codes, places and paths that clients match on.

use super::*;

#[test]
fn every_rule_has_its_code_and_text() {
    let cases = [
        (
            "{nope}",
            "undefinedField",
            "Field 'nope' doesn't exist on type 'Query'",
        ),
        (
            r#"{project(fullPath:"p", x:1){id}}"#,
            "argumentNotAccepted",
            "Field 'project' doesn't accept argument 'x'",
        ),
        (
            "{project{id}}",
            "missingRequiredArguments",
            "Field 'project' is missing required arguments: fullPath",
        ),
        (
            "{filtered(filter:{many:1})}",
            "missingRequiredInputObjectAttribute",
            "Argument 'must' on InputObject 'Filter' is required. Expected type Int!",
        ),
        (
            "{filtered(filter:{must:1,x:2})}",
            "argumentNotAccepted",
            "InputObject 'Filter' doesn't accept argument 'x'",
        ),
        (
            "{echo(text:1)}",
            "argumentLiteralsIncompatible",
            "Argument 'text' on Field 'echo' has an invalid value (1). Expected type 'String!'.",
        ),
        (
            "{filtered(sort:NOPE)}",
            "argumentLiteralsIncompatible",
            "Argument 'sort' on Field 'filtered' has an invalid value (NOPE). Expected type 'Sort'.",
        ),
        (
            "{filtered(sort:\"created_asc\")}",
            "argumentLiteralsIncompatible",
            "Argument 'sort' on Field 'filtered' has an invalid value (\"created_asc\"). \
             Expected type 'Sort'.",
        ),
        (
            "{filtered(filter:{must:null})}",
            "argumentLiteralsIncompatible",
            "Argument 'must' on InputObject 'Filter' has an invalid value (null). Expected type \
             'Int!'.",
        ),
        (
            "{filtered(pair:2147483648)}",
            "argumentLiteralsIncompatible",
            "Argument 'pair' on Field 'filtered' has an invalid value (2147483648). Expected \
             type 'Int'.",
        ),
        (
            "{byId(id:\"7\"){id}}",
            "argumentLiteralsIncompatible",
            "\"7\" is not a valid Global ID",
        ),
        (
            "{byId(id:\"gid://other/Project/7\"){id}}",
            "argumentLiteralsIncompatible",
            "\"gid://other/Project/7\" is not a Service Global ID",
        ),
        (
            "{byId(id:\"gid://service/Issue/7\"){id}}",
            "argumentLiteralsIncompatible",
            "\"gid://service/Issue/7\" does not represent an instance of Project",
        ),
        (
            r#"{project(fullPath:"p")}"#,
            "selectionMismatch",
            "Field must have selections (field 'project' returns Project but has no selections. \
             Did you mean 'project { ... }'?)",
        ),
        (
            "{echo(text:\"\"){a b}}",
            "selectionMismatch",
            "Selections can't be made on scalars (field 'echo' returns String but has selections \
             [\"a\", \"b\"])",
        ),
        (
            r#"{project(fullPath:"p"){issues{nodes{state{a}}}}}"#,
            "selectionMismatch",
            "Selections can't be made on enums (field 'state' returns State but has selections \
             [\"a\"])",
        ),
        (
            "{}",
            "selectionMismatch",
            "Field must have selections (anonymous query returns Query but has no selections. \
             Did you mean ' { ... }'?)",
        ),
        (
            "query($v:String){echo(text:$v)}",
            "variableMismatch",
            "Nullability mismatch on variable $v and argument text (String / String!)",
        ),
        (
            "query($v:Int!){echo(text:$v)}",
            "variableMismatch",
            "Type mismatch on variable $v and argument text (Int! / String!)",
        ),
        (
            "query($v:[Int]){filtered(pair:$v)}",
            "variableMismatch",
            "List dimension mismatch on variable $v and argument pair ([Int] / Int)",
        ),
        (
            "query Q($v:Int){costly}",
            "variableNotUsed",
            "Variable $v is declared by Q but not used",
        ),
        (
            "query Q{echo(text:$v)}",
            "variableNotDefined",
            "Variable $v is used by Q but not declared",
        ),
        (
            "{echo(text:$v)}",
            "variableNotDefined",
            "Variable $v is used by anonymous query but not declared",
        ),
        (
            "query($v:Nope){costly}",
            "variableRequiresValidType",
            "Nope isn't a defined input type (on $v)",
        ),
        (
            "query($v:Project){costly}",
            "variableRequiresValidType",
            "Project isn't a valid input type (on $v)",
        ),
        (
            "query($v:Int=\"x\"){filtered(pair:$v)}",
            "defaultValueInvalidType",
            "Default value for $v doesn't match type Int",
        ),
        (
            "query($v:Int,$v:Int){filtered(pair:$v)}",
            "variableNotUnique",
            "There can only be one variable named \"v\"",
        ),
        (
            "{... on Nope{id}}",
            "undefinedType",
            "No such type Nope, so it can't be a fragment condition",
        ),
        (
            "{... on Int{id}}",
            "fragmentOnNonCompositeType",
            "Invalid fragment on type Int (must be Union, Interface or Object)",
        ),
        (
            "{...F} fragment F on Query{...F}",
            "infiniteLoop",
            "Fragment F contains an infinite loop",
        ),
        (
            "{...F}",
            "useAndDefineFragment",
            "Fragment F was used, but not defined",
        ),
        (
            "{costly} fragment F on Query{costly}",
            "useAndDefineFragment",
            "Fragment F was defined, but not used",
        ),
        (
            "{...F} fragment F on Query{costly} fragment F on Query{costly}",
            "fragmentNotUnique",
            "Fragment name \"F\" must be unique",
        ),
        (
            r#"{project(fullPath:"p"){... on Group{name}}}"#,
            "cannotSpreadFragment",
            "Fragment on Group can't be spread inside Project",
        ),
        (
            r#"{project(fullPath:"p"){...G}} fragment G on Group{name}"#,
            "cannotSpreadFragment",
            "Fragment G on Group can't be spread inside Project",
        ),
        (
            "{a:costly a:filtered}",
            "fieldConflict",
            "Field 'a' has a field conflict: costly or filtered?",
        ),
        (
            "{echo(text:\"a\") echo(text:\"b\")}",
            "fieldConflict",
            "Field 'echo' has an argument conflict: {text:\"\\\"a\\\"\"} or {text:\"\\\"b\\\"\"}?",
        ),
        (
            "{user{... on UserCore{size} ... on CurrentUser{size}}}",
            "fieldConflict",
            "Field 'size' has a return_type conflict: `Int` or `String`?",
        ),
        (
            "{costly @nope}",
            "undefinedDirective",
            "Directive @nope is not defined",
        ),
        (
            "query @skip(if:true){costly}",
            "directiveCannotBeApplied",
            "'@skip' can't be applied to queries (allowed: fields, fragment spreads, inline \
             fragments)",
        ),
        (
            "{costly @skip(if:true) @skip(if:false)}",
            "directiveNotUniqueForLocation",
            "The directive \"skip\" can only be used once at this location.",
        ),
        (
            "{costly @skip}",
            "missingRequiredArguments",
            "Directive 'skip' is missing required arguments: if",
        ),
        (
            "{filtered(pair:1,pair:2)}",
            "argumentNotUnique",
            "There can be only one argument named \"pair\"",
        ),
        (
            "{filtered(filter:{must:1,must:2})}",
            "inputFieldNotUnique",
            "There can be only one input field named \"must\"",
        ),
        (
            "subscription{a}",
            "missingSubscriptionConfiguration",
            "Schema is not configured for subscriptions",
        ),
        (
            "type A{a:Int}",
            "queryContainsSchemaDefinition",
            "Query cannot contain schema definitions",
        ),
        ("", "parseError", "Unexpected end of document"),
        (" # nothing\n", "parseError", "Unexpected end of document"),
        (
            "{a",
            "parseError",
            "Expected NAME, actual: (none) (\"\") at [1, 3]",
        ),
        (
            "{a(}",
            "parseError",
            "Expected NAME, actual: RCURLY (\"}\") at [1, 4]",
        ),
        (
            "{a(b:)}",
            "parseError",
            "Expected VALUE, actual: RPAREN (\")\") at [1, 6]",
        ),
        (
            "query($v:Int",
            "parseError",
            "Expected VAR_SIGN, actual: (none) (\"\") at [1, 13]",
        ),
        (
            "nope",
            "parseError",
            "Expected one of SCHEMA, SCALAR, TYPE, ENUM, INPUT, UNION, INTERFACE, actual: \
             IDENTIFIER (\"nope\") at [1, 1]",
        ),
    ];
    for (query, code, text) in cases {
        let (found_code, found) = first(query);
        assert_eq!(
            (found_code.as_str(), found.as_str()),
            (code, text),
            "{query}"
        );
        assert!(!found.contains('\n'), "one line");
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
    assert_eq!(
        error["path"],
        json!(["fragment F", "... on Query", "echo", "text"])
    );
    let error = refused("{filtered(filter:{must:1,inner:{must:\"x\"}})}")[0].json();
    assert_eq!(
        error["path"],
        json!(["query", "filtered", "filter", "inner", "must"])
    );
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
    let limits = Limits {
        validation: std::time::Duration::ZERO,
        ..Limits::of(false)
    };
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
    for bad in [
        r#"{echo(text:"\ud83d")}"#,
        r#"{echo(text:"\q")}"#,
        r#"{echo(text:"\u{}")}"#,
    ] {
        assert!(
            first(bad).1.starts_with("Expected string or block string"),
            "{bad}"
        );
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
    assert_eq!(
        errors[0].message,
        "Field 'old' doesn't exist on type 'Package'"
    );
}

#[test]
fn literals_are_masked_for_the_log() {
    let text = "query Q($v: Int = 5) { # why\n a(b: \"secret\", c: [1.5, X]) { ...F } }";
    assert_eq!(
        crate::validation::lexer::masked(text),
        "query Q($v:Int=0){a(b:\"…\"c:[0 X]){...F}}"
    );
}
