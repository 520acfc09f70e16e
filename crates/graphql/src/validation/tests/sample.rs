//! A small interface with one of everything.

use kernel::graph::{
    Connection, Cost, Done, FLOAT, GlobalId, Graph, HasTypeRef, ID, INT, JSON, Mark, STRING, Table,
    argument, enumeration, item, named, object, one_of,
};

struct Thing;

const PROJECT_ID: GlobalId = GlobalId::new("ProjectID", "Project");

fn old(replacement: &'static str) -> Mark {
    Mark::Deprecated {
        reason: "This was renamed",
        milestone: "14.8",
        replacement: Some(replacement),
    }
}

pub fn table() -> Table {
    let mut g = Graph::new();
    PROJECT_ID.register(&mut g);
    let sorts = vec![item("created_asc", ""), item("created_desc", "")];
    g.enumeration("Sort", "", sorts);
    let states = vec![item("opened", ""), item("old", "").mark(old("opened"))];
    g.enumeration("State", "", states);
    let filter = vec![
        argument("must", INT.required()),
        argument("many", INT.list()),
        argument("inner", named("Filter")),
        argument("old", INT).mark(old("many")),
    ];
    g.input("Filter", "", filter);
    queries(&mut g);
    objects(&mut g);
    g.mutation::<Thing>("echoCreate", "")
        .input(argument("messages", STRING.required().list()))
        .answers("echoes", STRING.required().list(), |_| None)
        .run(|_: serde_json::Value, _| async { Ok(Done::from(Thing)) });
    g.finish().unwrap()
}

fn queries(g: &mut Graph) {
    let project = object::<Thing>("Project");
    g.query()
        .field("echo", STRING.required(), |_| String::new())
        .arg(argument("text", STRING.required()))
        .field("project", project.clone(), |_| None)
        .arg(argument("fullPath", ID.required()))
        .field("byId", project, |_| None)
        .arg(argument("id", PROJECT_ID.required()))
        .field("package", object::<Thing>("Package"), |_| None)
        .at_most(1)
        .arg(argument("id", ID))
        .field("user", one_of::<Thing>("User", |_| "UserCore"), |_| None)
        .field("named", one_of::<Thing>("Named", |_| "Project"), |_| None)
        .field("thing", one_of::<Thing>("Thing", |_| "Package"), |_| None)
        .field("filtered", INT, |_| None)
        .arg(argument("filter", named("Filter")))
        .arg(argument("json", JSON))
        .arg(argument("sort", named("Sort")))
        .arg(argument("numbers", INT.required().list()))
        .arg(argument("pair", INT).default(2))
        .arg(argument("deep", INT.list().list()))
        .arg(argument("share", FLOAT))
        .field("queryComplexity", object::<Thing>("QueryComplexity"), |_| None)
        .field("costly", INT, |_| None)
        .cost(Cost::Constant(126));
}

fn objects(g: &mut Graph) {
    g.interface::<Thing>("Named", "").field("name", STRING, |_| None);
    issues(g.object::<Thing>("Project", ""))
        .implements("Named")
        .field("id", ID.required(), |_| String::new())
        .field("name", STRING.required(), |_| String::new())
        .field("group", object::<Thing>("Group"), |_| None)
        .field("branch", STRING, |_| None)
        .git();
    g.object::<Thing>("Group", "")
        .field("project", object::<Thing>("Project"), |_| None)
        .field("parent", object::<Thing>("Group"), |_| None)
        .field("name", STRING, |_| None);
    g.object::<Thing>("Issue", "")
        .field("iid", ID.required(), |_| String::new())
        .field("state", enumeration("State"), |_| None)
        .field("author", one_of::<Thing>("User", |_| "UserCore"), |_| None);
    g.object::<Thing>("Package", "")
        .field("id", ID.required(), |_| String::new())
        .field("name", STRING, |_| None)
        .field("old", STRING, |_| None)
        .mark(old("Package.name"));
    g.object::<Thing>("QueryComplexity", "").field("score", INT, |_| None).field(
        "limit",
        INT,
        |_| None,
    );
    g.interface::<Thing>("User", "")
        .field("name", STRING, |_| None)
        .field("id", ID, |_| None)
        .field("friend", one_of::<Thing>("User", |_| "UserCore"), |_| None);
    g.object::<Thing>("UserCore", "")
        .implements("User")
        .implements("Named")
        .field("core", INT, |_| None)
        .field("size", INT, |_| None);
    g.object::<Thing>("CurrentUser", "")
        .implements("User")
        .field("a", INT, |_| None)
        .field("b", INT, |_| None)
        .field("size", STRING, |_| None);
    g.union("Thing", "", &["Project", "Package"]);
}

fn issues(
    project: kernel::graph::ObjectBuilder<'_, Thing>,
) -> kernel::graph::ObjectBuilder<'_, Thing> {
    project
        .connection("issues", object::<Thing>("Issue"), |_, _, _, _| async {
            Ok(Some(Connection::empty()))
        })
        .arg(argument("iid", STRING))
        .arg(argument("iids", STRING.required().list()))
        .arg(argument("search", STRING))
        .arg(argument("state", named("State")))
        .arg(argument("sort", named("Sort")).default("created_desc"))
        .arg(argument("old", INT).mark(old("state")))
}
