//! Rooms that know each other one way only, and what `finish` refuses.

use super::connection::{Ask, Connection, Key, Order};
use super::*;
use crate::secrets::Secrets;
use serde_json::{Value as Json, json};
use std::sync::Arc;

/// A room below: knows nothing of packages.
mod spaces {
    use super::*;

    pub struct Project {
        pub id: i64,
    }
    pub const PROJECT_ID: GlobalId = GlobalId::new("ProjectID", "Project");

    pub fn graph(g: &mut Graph) {
        PROJECT_ID.register(g);
        g.object::<Project>("Project", "A project.")
            .field("id", ID.required(), |project| PROJECT_ID.of(project.id));
        g.query()
            .answer("project", object::<Project>("Project"), |_, _| async {
                Ok(Some(Arc::new(Project { id: 1 })))
            })
            .arg(argument("fullPath", ID.required()));
    }
}

/// A room above: adds to the project, and answers it.
mod packages {
    use super::*;

    pub struct Package {
        pub id: i64,
    }
    pub struct File;

    pub fn graph(g: &mut Graph) {
        g.on::<spaces::Project>("Project").connection(
            "packages",
            object::<Package>("Package"),
            |_, _, _, _| async { Ok(Some(Connection::empty())) },
        );
        g.count("Package");
        g.object::<Package>("Package", "A package.")
            .field("id", ID.required(), |package| package.id.to_string())
            .field("project", object::<spaces::Project>("Project"), |_| None)
            .field("file", object::<File>("PackageFile"), |_| None);
        g.object::<File>("PackageFile", "A file.").field(
            "package",
            object::<Package>("Package"),
            |_| None,
        );
    }
}

fn refusal(build: impl FnOnce(&mut Graph)) -> String {
    let mut g = Graph::new();
    g.query().field("one", INT, |_| None);
    build(&mut g);
    match g.finish() {
        Ok(_) => String::from("accepted"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn types_of_two_rooms_refer_to_each_other_in_either_order() {
    for rooms in [[spaces::graph, packages::graph], [packages::graph, spaces::graph]] {
        let mut g = Graph::new();
        rooms.iter().for_each(|room| room(&mut g));
        let table = g.finish().unwrap();

        let packages = table.field("Project", "packages").unwrap();
        assert_eq!(packages.ty.to_string(), "PackageConnection");
        assert_eq!(packages.page, Some(100));
        assert_eq!(packages.cost, Cost::LookedUp);
        let back = table.field("Package", "project").unwrap();
        assert_eq!(back.ty.to_string(), "Project");
        let count = table.field("PackageConnection", "count").unwrap();
        assert_eq!(count.ty.to_string(), "Int!");
    }
}

#[test]
fn objects_are_of_an_interface_by_what_they_hold() {
    struct User(i64);
    struct Reviewer(Arc<User>);
    let mut g = Graph::new();
    g.query().field("one", INT, |_| None);
    g.interface::<User>("User", "A user.")
        .field("number", INT.required(), |it| it.0);
    g.object::<Reviewer>("Reviewer", "Who reviews.")
        .implements_by::<User>("User", |it| it.0.clone())
        .field("late", BOOLEAN, |_| None);
    let table = g.finish().unwrap();

    assert!(table.is_a("Reviewer", "User"));
    let field = table.field("Reviewer", "number").unwrap();
    let Some(table::Resolver::Plain(answer)) = &field.resolver else {
        panic!("a plain field");
    };
    let reviewer: shape::Node = Arc::new(Reviewer(Arc::new(User(7))));
    let Ok(Answer::Value(number)) = answer(&reviewer) else {
        panic!("no number");
    };
    assert_eq!(number, json!(7));
    let other = refusal(|g| {
        g.interface::<User>("User", "A user.")
            .field("number", INT.required(), |it| it.0);
        g.object::<Reviewer>("Reviewer", "Who reviews.")
            .implements_by::<Reviewer>("User", |it| Arc::new(Reviewer(it.0.clone())))
            .field("late", BOOLEAN, |_| None);
    });
    assert!(other.contains("Reviewer.number does not fit User.number"), "{other}");
}

#[test]
fn what_does_not_fit_together_is_refused_by_name() {
    struct Other;
    let cases: Vec<(String, &str)> = vec![
        (
            refusal(|g| {
                g.query().field("lost", object::<Other>("Lost"), |_| None);
            }),
            "Query.lost answers unknown Lost",
        ),
        (
            refusal(|g| {
                g.on::<Other>("Lost").field("a", INT, |_| None);
            }),
            "fields are added to Lost, which nobody declares",
        ),
        (
            refusal(|g| {
                spaces::graph(g);
                g.query().field("p", object::<Other>("Project"), |_| None);
            }),
            "Query.p gives",
        ),
        (
            refusal(|g| {
                spaces::graph(g);
                g.on::<Other>("Project").field("a", INT, |_| None);
            }),
            "Project stands for",
        ),
        (
            refusal(|g| {
                g.query().field("a", INT, |_| None).arg(argument("b", named("Lost")));
            }),
            "Query.a(b) takes unknown Lost",
        ),
        (
            refusal(|g| {
                g.query().field("a", INT, |_| None).arg(argument("b", INT).default("x"));
            }),
            "Query.a(b) has a default that does not fit",
        ),
        (
            refusal(|g| {
                g.query().field("one", INT, |_| None);
            }),
            "Query.one is declared twice",
        ),
        (refusal(|g| g.union("U", "", &["Lost"])), "U has Lost, which is no object type"),
        (
            refusal(|g| {
                g.interface::<Other>("I", "").field("a", INT, |_| None);
                g.object::<Root>("O", "").implements("I").field("b", INT, |_| None);
            }),
            "O.a does not fit I.a",
        ),
        (
            refusal(|g| {
                let taken = || argument("x", INT);
                g.interface::<Other>("I", "").field("a", INT, |_| None).arg(taken());
                g.object::<Root>("O", "").implements("I").field("a", INT, |_| None);
            }),
            "O.a does not fit I.a",
        ),
        (
            refusal(|g| {
                g.interface::<Other>("I", "").field("a", INT, |_| None);
                g.object::<Root>("O", "")
                    .implements("I")
                    .field("a", INT, |_| None)
                    .arg(argument("x", INT.required()));
            }),
            "O.a does not fit I.a",
        ),
        (
            refusal(|g| {
                g.query().field("é", INT, |_| None);
            }),
            "Query.é is no name for a field",
        ),
    ];
    for (text, wanted) in cases {
        assert!(text.contains(wanted), "{text} lacks {wanted}");
    }
}

#[test]
fn deprecations_follow_their_form() {
    let marked = |reason, milestone, replacement| {
        refusal(|g| {
            g.query().field("old", INT, |_| None).mark(Mark::Deprecated {
                reason,
                milestone,
                replacement,
            });
        })
    };
    let renamed = "This was renamed";
    assert_eq!(marked(renamed, "14.8", Some("Query.one")), "accepted");
    assert_eq!(marked(renamed, "14.8", Some("one")), "accepted");
    assert!(marked("Use that.", "14.8", None).contains("ends with a period"));
    assert!(marked("", "14.8", None).contains("empty"));
    for milestone in ["14", "14.", "x.8", "14.8.1", "14.8 "] {
        assert!(marked(renamed, milestone, None).contains("no X.Y"), "{milestone}");
    }
    assert!(marked(renamed, "1.0", Some("Query.two")).contains("Query.two, which is unknown"));
    let required = refusal(|g| {
        let mark = Mark::Experiment { milestone: "1.0" };
        g.query()
            .field("a", INT, |_| None)
            .arg(argument("b", INT.required()).mark(mark));
    });
    assert!(required.contains("Query.a(b) is required and deprecated"));

    let mark = Mark::Deprecated {
        reason: renamed,
        milestone: "14.8",
        replacement: Some("CiRunner.paused"),
    };
    let said = "This was renamed. Please use `CiRunner.paused`. Deprecated in 14.8.";
    assert_eq!(mark.reason(), said);
    assert_eq!(mark.suffix(), " Deprecated in 14.8: This was renamed.");
    let said = "**Status**: Experiment. Introduced in 1.0.";
    assert_eq!(Mark::Experiment { milestone: "1.0" }.reason(), said);
}

#[test]
fn marked_members_can_be_left_out() {
    let mark = || Mark::Deprecated {
        reason: "This was renamed",
        milestone: "14.6",
        replacement: None,
    };
    let mut g = Graph::new();
    g.enumeration("State", "", vec![item("NEW", ""), item("OLD", "").mark(mark())]);
    g.input("In", "", vec![argument("a", INT), argument("b", INT).mark(mark())]);
    g.query()
        .field("one", INT, |_| None)
        .arg(argument("in", named("In")))
        .arg(argument("state", named("State")))
        .arg(argument("old", INT).mark(mark()))
        .field("two", INT, |_| None)
        .mark(mark());
    let table = g.finish().unwrap();
    assert!(sdl::text(&table).contains("two: Int @cost(lookedUp: true) @deprecated(reason:"));

    let text = sdl::text(&table.without_marked());

    assert!(!text.contains("@deprecated"), "{text}");
    assert!(text.contains("one(") && text.contains("NEW") && !text.contains("OLD"));
}

#[test]
fn objects_inherit_the_fields_of_their_interface() {
    struct Person;
    let mut g = Graph::new();
    g.interface::<Person>("User", "")
        .field("name", STRING.required(), |_| String::from("x"));
    g.object::<Person>("UserCore", "").implements("User");
    g.query().field("user", one_of::<Person>("User", |_| "UserCore"), |_| None);
    let table = g.finish().unwrap();
    assert!(table.field("UserCore", "name").unwrap().resolver.is_some());
    assert!(table.is_a("UserCore", "User") && !table.is_a("User", "UserCore"));
}

#[test]
fn input_is_read_by_its_type() {
    let mut g = Graph::new();
    spaces::graph(&mut g);
    g.enumeration("State", "", vec![item("A", ""), item("B", "")]);
    let fields = vec![
        argument("must", INT.required()),
        argument("many", INT.required().list()),
        argument("text", STRING).default("x"),
    ];
    g.input("In", "", fields);
    let table = g.finish().unwrap();
    let named = TypeRef::named;
    let read = |ty: TypeRef, value: Json| {
        coerce::value(&table, &ty, &value).map_err(|problems| {
            let all = problems.into_iter();
            all.map(|one| (json!(one.path).to_string(), one.explanation))
                .collect::<Vec<_>>()
        })
    };
    let refused = |ty: TypeRef, value: Json| read(ty, value).unwrap_err()[0].1.clone();

    assert_eq!(read(named("Int"), json!(5)), Ok(json!(5)));
    for bad in [json!("5"), json!(1.5), json!(2147483648_i64), json!(true)] {
        assert_eq!(
            refused(named("Int"), bad.clone()),
            format!("Could not coerce value {bad} to Int")
        );
    }
    assert_eq!(read(named("ID"), json!(5)), Ok(json!("5")));
    assert_eq!(read(named("Int").list(), json!(5)), Ok(json!([5])));
    assert_eq!(read(named("Float"), json!(5)), Ok(json!(5.0)));
    assert_eq!(read(named("Date"), json!("2021-03-09")), Ok(json!("2021-03-09")));
    assert!(read(named("Date"), json!("2021-13-09")).is_err());
    assert!(read(named("Time"), json!("2021-03-09T14:58:50Z")).is_ok());
    assert!(read(named("Time"), json!("2021-03-09")).is_ok());
    assert!(read(named("JsonString"), json!("{")).is_err());
    assert_eq!(refused(named("State"), json!("C")), "Expected \"C\" to be one of: A, B");
    assert_eq!(refused(named("Int").required(), json!(null)), "Expected value to not be null");
    assert_eq!(refused(named("In"), json!(1)), "Expected 1 to be a key-value object.");
    assert_eq!(
        read(named("In"), json!({"must": 1, "many": 2})),
        Ok(json!({"must": 1, "many": [2], "text": "x"}))
    );
    assert_eq!(
        read(named("In"), json!({"many": [1, "x"], "other": 1})),
        Err(vec![
            ("[\"other\"]".into(), "Field is not defined on In".into()),
            ("[\"many\",1]".into(), "Could not coerce value \"x\" to Int".into()),
            ("[\"must\"]".into(), "Expected value to not be null".into()),
        ])
    );
}

#[test]
fn global_ids_say_what_is_wrong_with_them() {
    let id = spaces::PROJECT_ID;
    assert_eq!(id.of(7), "gid://service/Project/7");
    assert_eq!(id.read("gid://service/Project/7"), Ok(7));
    let digits = |count| format!("gid://service/Project/{}", "9".repeat(count));
    for unknown in ["gid://service/Project/x", "gid://service/Project/-1", &digits(64)] {
        assert_eq!(id.read(unknown), Ok(0), "{unknown}");
    }
    for bad in [
        "7",
        "",
        "gid://",
        "gid://service/Project",
        "gid://service/Project/",
        "gid://service/Project/1/2",
        "gid://service/Project/1' or 1=1--",
        "gid://service/Project/1 ",
        "gid://service/Project/1%00",
        "gid://service/Project/1?a=b",
        "gid://service/Project/١",
        "gid://service/Pro ject/1",
        "gid:///Project/1",
        &digits(65),
    ] {
        assert_eq!(id.read(bad), Err(format!("{bad:?} is not a valid Global ID")));
    }
    let other = "gid://other/Project/7";
    assert_eq!(id.read(other), Err(format!("{other:?} is not a Service Global ID")));
    let issue = "gid://service/Issue/7";
    let text = format!("{issue:?} does not represent an instance of Project");
    assert_eq!(id.read(issue), Err(text));
}

fn ask(args: Json) -> Result<Ask, String> {
    let Json::Object(args) = args else {
        panic!("arguments are an object")
    };
    Ask::read(&Args(Arc::new(args)), 100).map_err(said)
}

fn said(fault: Fault) -> String {
    match fault {
        Fault::Said { message, .. } => message,
        other => panic!("{other:?}"),
    }
}

const KEYS: &[Key] = &[Key::text("users.name", Order::Asc), Key::int("users.id", Order::Desc)];

fn secrets() -> (tempfile::TempDir, Secrets) {
    let folder = tempfile::tempdir().unwrap();
    let secrets = Secrets::open(&folder.path().join("keys"), None).unwrap();
    (folder, secrets)
}

#[test]
fn page_sizes_are_clamped() {
    assert_eq!(ask(json!({})).unwrap().rows, 100);
    assert_eq!(ask(json!({"first": -1})).unwrap().rows, 0);
    assert_eq!(ask(json!({"first": 1000})).unwrap().rows, 100);
    assert_eq!(ask(json!({"last": 3})).unwrap().rows, 3);
    let both = ask(json!({"first": 1, "last": 1})).unwrap_err();
    assert_eq!(both, "Can only provide either `first` or `last`, not both");
}

#[test]
fn a_cursor_opens_the_next_page_of_its_own_sort_only() {
    let (_folder, secrets) = secrets();
    let window = |args, sort| ask(args).unwrap().window_with(secrets.clone(), sort, KEYS);
    let rows = vec![("a", 3), ("a", 2), ("b", 1)];
    let keys = |row: &(&str, i64)| vec![json!(row.0), json!(row.1)];

    let first = window(json!({"first": 2, "after": ""}), "name_asc").unwrap();
    let page = first.page(rows, keys);
    assert_eq!(page.rows.len(), 2);
    assert!(page.next && !page.previous);
    let cursor = page.rows[1].1.clone();

    let next = window(json!({"first": 2, "after": cursor}), "name_asc").unwrap();
    let mut statement = store::Fragment::new("select * from users where true");
    next.narrow(&mut statement);
    assert_eq!(
        statement.text(),
        "select * from users where true and ((users.name > $1) or (users.name = $2 and \
         users.id < $3)) order by users.name asc, users.id desc limit $4"
    );
    assert!(next.page(vec![("b", 1)], keys).previous);

    let bad = "Please provide a valid cursor";
    for forged in [cursor[1..].to_owned(), format!("{cursor}A"), "eyJpZCI6MX0".into()] {
        let refused = window(json!({"after": forged}), "name_asc").err().map(said);
        assert_eq!(refused.as_deref(), Some(bad));
    }
    let other = window(json!({"after": cursor}), "name_desc").err().map(said);
    assert_eq!(other.as_deref(), Some(bad));
}

#[test]
fn a_page_from_the_end_is_read_backwards() {
    let (_folder, secrets) = secrets();
    let ask = ask(json!({"last": 2})).unwrap();
    let window = ask.window_with(secrets, "name_asc", KEYS).unwrap();
    let mut statement = store::Fragment::new("select * from users where true");
    window.narrow(&mut statement);
    assert!(statement.text().contains("order by users.name desc, users.id asc"));

    let rows = vec![("c", 1), ("b", 2), ("a", 3)];
    let page = window.page(rows, |row| vec![json!(row.0), json!(row.1)]);

    let names: Vec<&str> = page.rows.iter().map(|(row, _)| row.0).collect();
    assert_eq!(names, ["b", "c"]);
    assert!(page.previous && !page.next);
}
