//! The rules of validation of the GraphQL specification (October 2021,
//! section 5), each with what it allows and what it refuses. Texts are tested
//! apart; here only whether, and by which rule.

use super::*;

/// Checks documents, a line each, below the code of their refusal or `passes`.
pub fn judged(cases: &str) {
    let lines = cases.lines().map(str::trim);
    let mut code = None;
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.contains('{') {
            true => check_first(line, code),
            false => code = Some(line).filter(|word| *word != "passes"),
        }
    }
}

/// Checks the first operation of a document, without values for variables.
fn check_first(document: &str, code: Option<&str>) {
    let name = document
        .strip_prefix("query ")
        .and_then(|rest| rest.split(['(', '{', ' ']).next());
    let source = Source {
        operation_name: name.map(str::to_owned),
        ..source(document, json!({}))
    };
    let found = match run(source, &TABLE) {
        Ok(_) => None,
        // What is required has no value here, which is no rule of documents.
        Err(errors) => errors
            .iter()
            .map(|error| error.code().to_owned())
            .find(|code| code != "invalidVariable"),
    };
    assert_eq!(found.as_deref(), code, "{document}");
}

#[test]
fn documents_hold_operations_and_fragments_only() {
    judged(
        r#"
        passes
            {costly}
            query Q{...F} fragment F on Query{costly}
        queryContainsSchemaDefinition
            {costly} type A{a:Int}
            {costly} extend type Query{a:Int}
            {costly} scalar S
        "#,
    );
}

#[test]
fn names_of_operations_are_unique_and_only_one_may_have_none() {
    judged(
        r#"
        passes
            query A{costly} query B{costly}
            query A{costly} mutation B{echoCreate(input:{}){errors}}
        uniquelyNamedOperations
            query A{costly} query A{costly}
            query A{costly} mutation A{echoCreate(input:{}){errors}}
            query A{costly} {costly}
        operationNameRequired
            {costly} {costly}
        missingSubscriptionConfiguration
            subscription{costly}
        "#,
    );
}

#[test]
fn fields_exist_on_the_type_they_are_selected_on() {
    judged(
        r#"
        passes
            {user{name id __typename}}
            {user{... on UserCore{core name}}}
            {thing{__typename}}
            {__schema{types{name}} __type(name:"A"){name}}
        undefinedField
            {nope}
            {user{core}}
            {user{... on UserCore{a}}}
            {user{nope:missing}}
            {thing{name}}
            {user{__schema{types{name}}}}
            {user{...F}} fragment F on User{friend{nope}}
            query A{costly} query B{nope}
        "#,
    );
}

#[test]
fn fields_of_one_key_can_be_merged() {
    judged(
        r#"
        passes
            {costly costly}
            {x:costly x:costly}
            {user{name} user{id}}
            {filtered(pair:1,share:2.0) filtered(share:2.0,pair:1)}
            query Q($v:Int){filtered(pair:$v) filtered(pair:$v)}
            {a:filtered(pair:1) b:filtered(pair:2)}
            # Never the same object, so fields may differ, and shapes may not.
            {user{... on UserCore{x:core} ... on CurrentUser{x:a}}}
            {user{... on UserCore{x:name} ... on CurrentUser{x:name}}}
            {user{...A ...A}} fragment A on User{name}
            {user{name ... on UserCore{name}}}
            {user{friend{name}} user{friend{... on UserCore{name}}}}
        fieldConflict
            {x:costly x:filtered}
            {user{name:id name}}
            {user{id name:id ... on UserCore{name}}}
            {user{... on User{x:name} ... on UserCore{x:size}}}
            {filtered(pair:1) filtered}
            {filtered filtered(pair:1)}
            {filtered(pair:1) filtered(pair:2)}
            {filtered(pair:1) filtered(share:1)}
            query Q($v:Int){filtered(pair:$v) filtered(pair:1)}
            query Q($v:Int,$w:Int){filtered(pair:$v) filtered(pair:$w)}
            # Below, and through fragments.
            {user{friend{x:name}} user{friend{x:id}}}
            {user{friend{friend{x:name}}} user{friend{friend{x:id}}}}
            {user{...A ...B}} fragment A on User{x:name} fragment B on User{x:id}
            {user{x:name ...A}} fragment A on User{...B} fragment B on User{x:id}
            # Shapes of objects that are never the same.
            {user{... on UserCore{size} ... on CurrentUser{size}}}
            {user{... on UserCore{x:core} ... on CurrentUser{x:friend{id}}}}
            {thing{... on Project{name} ... on Package{name}}}
            {user{... on UserCore{f:friend{x:name}} ... on CurrentUser{f:friend{x:id}}}}
            # Of an operation that does not run, too.
            query A{costly} query B{x:costly x:filtered}
        "#,
    );
}

#[test]
fn leaves_have_no_selections_and_all_else_has_some() {
    judged(
        r#"
        passes
            {costly user{name}}
            {user{friend{friend{name}}}}
        selectionMismatch
            {costly{a}}
            {user}
            {user{friend}}
            {thing}
            {user{__typename{a}}}
            {}
            {user{}}
        "#,
    );
}

#[test]
fn arguments_are_known_unique_and_complete() {
    judged(
        r#"
        passes
            {filtered}
            {filtered(pair:null)}
            {filtered(share:1,pair:2)}
            {costly @skip(if:true)}
        argumentNotAccepted
            {costly(a:1)}
            {filtered(nope:1)}
            {costly @skip(if:true,unless:true)}
            {user{... on UserCore{core(a:1)}}}
        argumentNotUnique
            {filtered(pair:1,pair:1)}
            {filtered(pair:1,share:1,pair:2)}
            {costly @skip(if:true,if:true)}
        missingRequiredArguments
            {echo}
            {project{id}}
            {costly @include}
        argumentLiteralsIncompatible
            {echo(text:null)}
            {costly @skip(if:null)}
        "#,
    );
}

#[test]
fn fragments_are_unique_used_and_on_types_that_have_fields() {
    judged(
        r#"
        passes
            {...F} fragment F on Query{costly}
            {user{... on User{name} ...{id}}}
            {thing{... on Thing{__typename}}}
            {... @include(if:true){costly}}
        fragmentNotUnique
            {...F} fragment F on Query{costly} fragment F on Query{filtered}
        undefinedType
            {...F} fragment F on Nope{costly}
            {... on Nope{costly}}
            {user{... on Nope{name}}}
        fragmentOnNonCompositeType
            {...F} fragment F on Int{costly}
            {... on Sort{costly}}
            {... on Filter{must}}
        useAndDefineFragment
            {costly} fragment F on Query{costly}
            {costly} fragment F on Query{...G} fragment G on Query{costly}
            {...F}
            {user{...F}}
            {...F} fragment F on Query{...G}
        parseError
            {...on} fragment on on Query{costly}
        "#,
    );
}

#[test]
fn fragments_form_no_cycles() {
    judged(
        r#"
        passes
            {user{...A ...B}} fragment A on User{...B} fragment B on User{name}
        infiniteLoop
            {user{...A}} fragment A on User{friend{...A}}
            {user{...A}} fragment A on User{... on User{...A}}
            {user{...A}} fragment A on User{...B} fragment B on User{...A}
            {user{...A}} fragment A on User{...B} fragment B on User{...C} fragment C on User{...B}
            {costly} fragment A on User{...A}
        "#,
    );
}

#[test]
fn fragments_are_spread_where_they_may_apply() {
    judged(
        r#"
        passes
            {user{... on UserCore{core}}}
            {user{... on UserCore{... on User{name}}}}
            {user{... on UserCore{... on UserCore{core}}}}
            {thing{... on Project{id}}}
            {thing{... on Project{... on Thing{__typename}}}}
            {named{... on User{id}}}
            {named{... on Thing{__typename}}}
            {user{...F}} fragment F on Named{name}
        cannotSpreadFragment
            {user{... on UserCore{... on CurrentUser{a}}}}
            {user{... on Project{id}}}
            {thing{... on Group{name}}}
            {thing{... on User{name}}}
            {user{... on Thing{__typename}}}
            {named{... on CurrentUser{a}}}
            {user{...F}} fragment F on Package{name}
            {project(fullPath:"p"){... on User{name}}}
        "#,
    );
}
