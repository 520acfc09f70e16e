use super::*;

params! {
    /// A rule.
    struct Rule {
        /// Its name.
        name: String,
        level: Option<i64>,
    }
}
choices! { enum Sort { Asc = "asc", Desc = "desc" } }
params! {
    struct Everything {
        kind as "type": Option<Sort>,
        ids: Option<Vec<i64>>,
        rules: Option<Vec<Rule>>,
        note: Patch<String>,
    }
}

params! {
    struct RulePath {
        /// The rule.
        id: i64,
    }
}
params! {
    struct UpdateRule {
        at: Flat<RulePath>,
        rule: Flat<Rule>,
        note: Patch<String>,
    }
}

params! {
    /// What a rule takes, of which clients say a part.
    #[derive(Default, PartialEq)]
    struct RuleInput {
        name: Text,
        level: Option<i64> = Some(1),
    }
}

#[test]
fn a_field_with_a_value_is_no_parameter() {
    let read = |text| RuleInput::from_params(&form(text)).unwrap();
    let rule = |name: &str| RuleInput { name: name.to_owned().into(), level: Some(1) };

    assert_eq!(read("name=a&level=3"), rule("a"));
    assert_eq!(read(""), rule(""));
    let declared: Vec<_> = RuleInput::fields().iter().map(|it| it.name).collect();
    assert_eq!(declared, ["name"]);
}

fn form(text: &str) -> Source {
    let mut source = Source::new();
    parse_form(text.as_bytes(), &mut source).unwrap();
    source
}

#[test]
fn bracketed_keys_read_like_json() {
    let read = Everything::from_params(&form(
        "type=desc&ids[]=1&ids[]=2&rules[][name]=a&rules[][level]=3&rules[][name]=b&note=",
    ))
    .unwrap();
    assert_eq!(read.kind, Some(Sort::Desc));
    assert_eq!(Sort::ALL, [Sort::Asc, Sort::Desc]);
    assert_eq!(read.ids, Some(vec![1, 2]));
    let rules = read.rules.unwrap();
    assert_eq!((rules[0].name.as_str(), rules[0].level), ("a", Some(3)));
    assert_eq!(rules[1].name, "b");
    assert_eq!(read.note, Patch::Value(String::new()));
}

params! {
    #[derive(Default)]
    struct Typed {
        name: Text,
    }
}

#[test]
fn a_text_that_was_not_sent_is_empty() {
    let read = |text: &str| Typed::from_params(&form(text)).unwrap().name;
    assert_eq!(read("name=a").to_string(), "a");
    assert_eq!((read("name="), read("")), (Text::default(), Typed::default().name));
}

#[test]
fn indexed_and_comma_lists_are_lists() {
    let read =
        Everything::from_params(&form("ids=3,%204&rules[1][name]=y&rules[0][name]=x")).unwrap();
    assert_eq!(read.ids, Some(vec![3, 4]));
    assert_eq!(read.rules.unwrap()[0].name, "x");
    assert_eq!(read.note, Patch::Absent);
}

params! {
    struct Lists {
        ids: Option<Vec<i64>>,
        names: Option<Vec<String>>,
        sorts: Patch<Vec<Sort>>,
        rules: Vec<Rule>,
    }
}

#[test]
fn a_list_of_one_blank_is_none() {
    let read = Lists::from_params(&form("ids[]=&names[]=&sorts[]=&rules[]=")).unwrap();
    assert_eq!((read.ids, read.names), (Some(Vec::new()), Some(Vec::new())));
    assert_eq!(read.sorts, Patch::Value(Vec::new()));
    assert!(read.rules.is_empty());
    let read = Lists::from_params(&form("ids=&names=&sorts=&rules=")).unwrap();
    assert_eq!((read.ids, read.names), (Some(Vec::new()), Some(Vec::new())));
    assert_eq!(read.sorts, Patch::Value(Vec::new()));
    assert!(read.rules.is_empty());

    // Among others a blank is one of them.
    let read = Lists::from_params(&form("names[]=&names[]=a&rules=")).unwrap();
    assert_eq!(read.names, Some(vec![String::new(), "a".to_owned()]));
    let errors =
        Lists::from_params(&form("ids[]=&ids[]=1&sorts[]=asc&sorts[]=&rules=")).unwrap_err();
    assert_eq!(errors, ["ids is invalid", "sorts does not have a valid value"]);
}

#[test]
fn every_error_is_reported_with_its_name() {
    let errors = Everything::from_params(&form("type=up&ids[]=x&rules[][level]=1")).unwrap_err();
    assert_eq!(
        errors,
        ["type does not have a valid value", "ids is invalid", "rules[name] is missing"]
    );
}

#[test]
fn what_sets_share_stands_among_their_own() {
    let read = UpdateRule::from_params(&form("id=7&name=a&note=x")).unwrap();
    assert_eq!((read.at.id, read.rule.name.as_str()), (7, "a"));
    assert_eq!(read.note, Patch::Value("x".to_owned()));
    let errors = UpdateRule::from_params(&form("id=x&level=y")).unwrap_err();
    let wrong = ["id is invalid", "name is missing", "level is invalid"];
    assert_eq!(errors, wrong);
    assert_eq!(read.note, Patch::Value("x".to_owned()));
    let fields = UpdateRule::fields();
    let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
    assert_eq!(names, ["id", "name", "level", "note"]);
    assert!(fields[1].required && fields[0].description == "The rule.");
}

#[test]
fn hostile_shapes_are_refused_not_fatal() {
    let mut source = Source::new();
    let deep = format!("a{}=1", "[x]".repeat(100));
    assert!(parse_form(deep.as_bytes(), &mut source).is_err());
    let nested = format!("{{\"a\":{}1{}}}", "[".repeat(100), "]".repeat(100));
    assert!(parse_json(nested.as_bytes(), &mut source).is_err());
    assert!(parse_json(b"[1]", &mut source).is_err());
    assert!(i64::parse(&json!("99999999999999999999999999")).is_err());
    assert!(String::parse(&json!("a\0b")).is_err());
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let mut source = Source::new();
    for bad in ["a=%FF", "a%FF=1", "a=%C3&b=%A4", "a=%ED%A0%80"] {
        assert!(parse_form(bad.as_bytes(), &mut source).is_err(), "{bad}");
    }
    parse_form("a=%C3%A4".as_bytes(), &mut source).unwrap();
    assert_eq!(source["a"], "ä");
}
