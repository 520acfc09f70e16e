//! What stands beside the document: the name of the operation and the variables.

use super::*;

#[test]
fn the_operation_is_picked_by_name() {
    let pick = |text: &str, name: Option<&str>| {
        let source = Source {
            operation_name: name.map(str::to_owned),
            ..source(text, json!({}))
        };
        run(source, &TABLE)
            .map(|checked| checked.operation().title())
            .map_err(|errors| errors[0].message.clone())
    };
    let two = "query A{costly} query B{costly}";
    assert_eq!(pick(two, None), Err("An operation name is required".into()));
    assert_eq!(pick(two, Some("B")), Ok("B".into()));
    assert_eq!(pick(two, Some("X")), Err("No operation named \"X\"".into()));
    assert_eq!(pick("{costly}", Some("")), Ok("anonymous query".into()));
    let same = "query A{costly} query A{costly}";
    assert_eq!(pick(same, Some("A")), Err("Operation name \"A\" must be unique".into()));
    let nameless = "query A{costly} {costly}";
    assert_eq!(
        pick(nameless, Some("A")),
        Err("Operation name is required when multiple operations are present".into())
    );
    let only = "fragment F on Query{costly}";
    assert_eq!(pick(only, None), Err("Query has no operation to execute".into()));
}

#[test]
fn variables_come_in_several_forms() {
    let sent = |given: Json| crate::validation::variables::sent(Some(&given));
    for empty in [json!({}), json!(null), json!(""), json!("{}"), json!("null")] {
        assert!(sent(empty).unwrap().is_empty());
    }
    assert!(crate::validation::variables::sent(None).unwrap().is_empty());
    assert_eq!(sent(json!("{\"a\":1}")).unwrap()["a"], json!(1));
    assert_eq!(sent(json!([1])), Err("Unexpected parameter: [1]".into()));
    assert_eq!(sent(json!(7)), Err("Unexpected parameter: 7".into()));
    assert_eq!(sent(json!("[1]")), Err("Unexpected parameter: [1]".into()));
    assert!(sent(json!("{")).unwrap_err().starts_with("Invalid JSON: "));
    let deep = format!("{}{}", "[".repeat(33), "]".repeat(33));
    assert_eq!(sent(json!(deep)), Err("JSON is nested too deep".into()));
}

#[test]
fn variables_are_coerced_or_refused_with_their_problems() {
    let query = "query($v: Filter!){filtered(filter:$v)}";
    let checked = passes_with(query, json!({"v": {"must": 1, "many": 2}}));
    assert_eq!(checked.variables["v"], json!({"must": 1, "many": [2]}));

    let refused_as = |given: Json| {
        let error = refused_with(query, given).remove(0).json();
        (error["message"].as_str().unwrap().to_owned(), error["extensions"].clone())
    };
    let start = "Variable $v of type Filter! was provided invalid value";
    let (text, extensions) = refused_as(json!({}));
    assert_eq!(text, start);
    assert_eq!(extensions["value"], json!(null));
    let problem = json!([{"path": [], "explanation": "Expected value to not be null"}]);
    assert_eq!(extensions["problems"], problem);
    let (text, extensions) = refused_as(json!({"v": {"x": 1, "must": "a"}}));
    assert_eq!(
        text,
        format!(
            "{start} for x (Field is not defined on Filter), must (Could not coerce value \"a\" \
             to Int)"
        )
    );
    assert_eq!(extensions["value"], json!({"x": 1, "must": "a"}));
    assert_eq!(extensions["problems"][0]["path"], json!(["x"]));
    let (text, _) = refused_as(json!({"v": {"must": 1, "many": [1, 1.5]}}));
    assert_eq!(text, format!("{start} for many.1 (Could not coerce value 1.5 to Int)"));

    let query = "query($v: ProjectID!){byId(id:$v){id}}";
    assert_eq!(
        passes_with(query, json!({"v": "gid://service/Project/7"})).variables["v"],
        json!(7)
    );
    let error = refused_with(query, json!({"v": "gid://service/Issue/7"}))[0].json();
    assert_eq!(
        error["extensions"]["problems"][0]["explanation"],
        json!("\"gid://service/Issue/7\" does not represent an instance of Project")
    );
    let query = "query($v: Int = 3){filtered(pair:$v)}";
    assert_eq!(passes_with(query, json!({})).variables["v"], json!(3));
    assert_eq!(passes_with(query, json!({"v": null})).variables["v"], json!(null));
    let query = "query($v: Sort){filtered(sort:$v)}";
    let error = refused_with(query, json!({"v": "NOPE"}))[0].json();
    assert_eq!(
        error["extensions"]["problems"][0]["explanation"],
        json!("Expected \"NOPE\" to be one of: created_asc, created_desc")
    );
}
