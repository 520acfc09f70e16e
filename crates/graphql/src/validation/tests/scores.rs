//! Complexity, depth, recursion and call counts.

use super::*;
use crate::validation::{check_sum, report};

fn score(query: &str) -> u64 {
    passes(query).score
}

fn complexity(query: &str) -> u64 {
    let text = refused(query)[0].message.clone();
    let number = text.strip_prefix("Query has complexity of ").unwrap();
    number.split(',').next().unwrap().parse().unwrap()
}

#[test]
fn the_vectors_of_the_contract_hold() {
    let checked = passes(r#"{echo(text:"a")}"#);
    assert_eq!((checked.score, checked.depth), (1, 1));
    let checked = passes(r#"{project(fullPath:"p"){id}}"#);
    assert_eq!((checked.score, checked.depth), (2, 2));
    assert_eq!(score(r#"{project(fullPath:"p"){id name}}"#), 3);
    let issues = |args: &str| {
        format!(r#"{{project(fullPath:"p"){{issues{args}{{edges{{node{{iid}}}}}}}}}}"#)
    };
    assert_eq!(score(&issues("(first:1)")), 6);
    assert_eq!(score(&issues("(first:100)")), 11);
    let query = r#"{queryComplexity{score limit} project(fullPath:"p"){name}}"#;
    assert_eq!(score(query), 5);
}

#[test]
fn pages_sorting_and_search_cost_more() {
    let issues = |args: &str| {
        score(&format!(r#"{{project(fullPath:"p"){{issues{args}{{edges{{node{{iid}}}}}}}}}}"#))
    };
    assert_eq!(issues("(first:1000)"), 11, "no more than the page's maximum");
    assert_eq!(issues("(last:50)"), 8, "5 × 1.5 = 7.5, floored, and the project");
    assert_eq!(issues("(first:-1)"), 6);
    assert_eq!(issues(r#"(iid:"1")"#), 6, "one row multiplies nothing");
    assert_eq!(issues(r#"(iids:["1"])"#), 6);
    assert_eq!(issues("(sort:null)"), 9, "no value, no cost: 4 × 2, and the project");
    assert_eq!(issues(r#"(search:"x", first:0)"#), 11);
    let query = r#"query($n: Int){project(fullPath:"p"){issues(first:$n){nodes{iid}}}}"#;
    assert_eq!(passes_with(query, json!({"n": 0})).score, 5);
    assert_eq!(passes_with(query, json!({"n": 100})).score, 9);
    assert_eq!(complexity("{a:costly b:costly}"), 252, "a constant cost");
    assert_eq!(score(r#"{project(fullPath:"p"){branch}}"#), 3, "Git costs one more");
}

#[test]
fn merged_fields_cost_once_and_aliases_each() {
    assert_eq!(score(r#"{project(fullPath:"p"){id id id}}"#), 2);
    assert_eq!(score(r#"{project(fullPath:"p"){id} project(fullPath:"p"){name}}"#), 3);
    assert_eq!(score(r#"{project(fullPath:"p"){a:id b:id}}"#), 3);
    assert_eq!(score(r#"{project(fullPath:"p"){id @skip(if:true) name}}"#), 2);
    assert_eq!(score(r#"{project(fullPath:"p"){id @include(if:false) name}}"#), 2);
    assert_eq!(score(r#"{project(fullPath:"p"){__typename id}}"#), 3);
    let spreads = r#"query{a:project(fullPath:"p"){...F} b:project(fullPath:"p"){...F}}
        fragment F on Project{id name}"#;
    assert_eq!(score(spreads), 6, "a fragment counts at each spread");
    let two = r#"{user{name}} "#;
    assert_eq!(score(two), 2);
}

#[test]
fn abstract_types_cost_what_their_dearest_type_costs() {
    assert_eq!(score("{user{name ... on UserCore{core} ... on CurrentUser{a b}}}"), 4);
    assert_eq!(score("{thing{... on Project{id} ... on Package{name}}}"), 2);
    let nested = "{user{friend{name} ... on UserCore{friend{id}}}}";
    assert_eq!(score(nested), 4);
}

#[test]
fn only_the_chosen_operation_counts() {
    let text = "query A{a:costly b:costly} query B{echo(text:\"a\")}";
    let with = |name: &str| Source {
        operation_name: Some(name.to_owned()),
        ..source(text, json!({}))
    };
    assert_eq!(run(with("B"), &TABLE).unwrap().score, 1);
    assert!(run(with("A"), &TABLE).is_err());
}

#[test]
fn limits_depend_on_the_caller() {
    let limits = Limits::of(true);
    assert_eq!((limits.complexity, limits.depth), (200, 15));
    let limits = Limits::of(false);
    assert_eq!((limits.complexity, limits.depth), (250, 20));
    let at = |extra: usize| {
        let many: String = (0..124 + extra).map(|n| format!("a{n}:echo(text:\"\") ")).collect();
        format!("{{costly {many}}}")
    };
    assert_eq!(passes(&at(0)).score, 250);
    assert_eq!(
        first(&at(1)),
        (
            "queryTooComplex".into(),
            "Query has complexity of 251, which exceeds max complexity of 250".into()
        )
    );
}

#[test]
fn depth_counts_every_level_of_fields() {
    let groups = |levels: usize| {
        let open = "parent{".repeat(levels);
        format!(r#"{{project(fullPath:"p"){{group{{{open}name{}}}}}}}"#, "}".repeat(levels))
    };
    assert_eq!(passes(&groups(2)).depth, 5);
    let errors = refused(&groups(18));
    let texts: Vec<&str> = errors.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(texts[0], "Query has depth of 21, which exceeds max depth of 20");
    assert!(texts[1].starts_with("Recursive query - too many of fields '{\"parent\"=>3}'"));
    let spread = "query{project(fullPath:\"p\"){...F}} fragment F on Project{group{name}}";
    assert_eq!(passes(spread).depth, 3, "fragments are no level");
}

#[test]
fn a_field_may_stand_twice_on_a_branch() {
    let twice = r#"{project(fullPath:"p"){group{parent{parent{name}}}}}"#;
    passes(twice);
    let thrice = r#"{project(fullPath:"p"){group{parent{parent{parent{name}}}}}}"#;
    assert_eq!(
        first(thrice).1,
        "Recursive query - too many of fields '{\"parent\"=>3}' detected in single branch of \
         the query"
    );
    let bomb = "{__schema{types{fields{type{fields{type{fields{type{name}}}}}}}}}";
    assert!(first(bomb).1.starts_with("Recursive query"));
    let wrappers = "{__schema{types{ofType{ofType{ofType{ofType{name}}}}}}}";
    passes(wrappers);
}

#[test]
fn some_fields_stand_once_only() {
    passes("{package{id}}");
    assert_eq!(
        first("{a:package{id} b:package{id}}"),
        (
            "fieldCalledTooOften".into(),
            "\"package\" field can be requested only for 1 Query(s) at a time.".into()
        )
    );
}

#[test]
fn operations_on_the_interface_itself_have_their_own_limit() {
    assert_eq!(passes("{__schema{types{name}}}").limit, 500);
    assert_eq!(passes("{__typename __type(name:\"X\"){name}}").limit, 500);
    assert_eq!(passes("{...F} fragment F on Query{__schema{types{name}}}").limit, 500);
    assert_eq!(passes("{__schema{types{name}} echo(text:\"a\")}").limit, 250);
}

#[test]
fn a_batch_has_one_limit_for_its_sum() {
    let one = passes("{costly}");
    check_sum(&[&one], Limits::of(false)).unwrap();
    let error = check_sum(&[&one, &one], Limits::of(false)).unwrap_err();
    assert_eq!(
        error.message,
        "Query has complexity of 252, which exceeds max complexity of 250"
    );
}

#[test]
fn what_is_used_is_told_for_the_log() {
    let checked = passes(r#"{project(fullPath:"p"){issues(old:1){nodes{iid}}} package{old}}"#);
    assert!(checked.used_fields.contains(&"Project.issues".to_owned()));
    assert_eq!(checked.deprecated_fields, ["Package.old"]);
    assert_eq!(checked.deprecated_arguments, ["Project.issues(old)"]);
}

/// Path, member and cost of every field.
fn parts(query: &str) -> Vec<(String, String, u64)> {
    let cost = report::cost(&TABLE, &passes(query));
    let fields = cost["fields"].as_array().unwrap().iter();
    let part = |part: &Json| {
        let keys = part["path"].as_array().unwrap().iter();
        let keys: Vec<&str> = keys.map(|key| key.as_str().unwrap()).collect();
        let member = part["field"].as_str().unwrap().to_owned();
        (keys.join("."), member, part["cost"].as_u64().unwrap())
    };
    fields.map(part).collect()
}

#[test]
fn every_field_tells_its_part() {
    let query = r#"{p:project(fullPath:"p"){issues(first:1){nodes{iid}} name ...more}}
        fragment more on Project{name id}"#;
    let of = |path: &str, member: &str, cost| (path.to_owned(), member.to_owned(), cost);
    let wanted = [
        of("p", "Query.project", 7),
        of("p.issues", "Project.issues", 4),
        of("p.issues.nodes", "IssueConnection.nodes", 2),
        of("p.issues.nodes.iid", "Issue.iid", 1),
        of("p.name", "Project.name", 1),
        of("p.id", "Project.id", 1),
    ];
    assert_eq!(parts(query), wanted);
    assert_eq!(score(query), 7);
}

#[test]
fn of_several_types_the_dearest_is_told() {
    let query = "{user{name ...on CurrentUser{a b} ...on UserCore{core}}}";
    let members: Vec<String> = parts(query).into_iter().map(|part| part.1).collect();
    let wanted = ["Query.user", "CurrentUser.name", "CurrentUser.a", "CurrentUser.b"];
    assert_eq!(members, wanted);
}

#[test]
fn deprecated_members_in_use_are_told() {
    let query = r#"query($f: Filter, $s: State){
        thing{...on Package{old}} filtered(filter: $f)
        project(fullPath: "p"){issues(state: $s, old: 1){nodes{iid}}}
        again: filtered(filter: {must: 1, inner: {must: 2, old: 3}})
        hidden: package{old @skip(if: true) name}
    }"#;
    let given = json!({"f": {"must": 1, "many": [1]}, "s": "old"});
    let used = json!(report::deprecations(&TABLE, &passes_with(query, given)));
    let members: Vec<&str> = used
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["member"].as_str().unwrap())
        .collect();
    assert_eq!(members, ["Filter.old", "Package.old", "Project.issues(old)", "State.old"]);
    assert_eq!(
        used[1],
        json!({
            "member": "Package.old",
            "reason": "This was renamed. Please use `Package.name`. Deprecated in 14.8.",
            "replacement": "Package.name",
            "removedIn": "16.0",
        })
    );
    assert_eq!(json!(report::deprecations(&TABLE, &passes("{package{name}}"))), json!([]));
}
