//! Packages of a project and of a group.

use super::*;

#[testkit::story]
async fn packages_of_a_project_are_filtered_sorted_and_counted(t: TestServer) {
    let project = t.project("acme/anvil").await;
    project.generic_package("saw", "2.0").await;
    project.generic_package("axe", "3.0").await;
    project.generic_package("bolt", "1.0").await;
    npm(&t, project.id, "@acme/axe", "0.1.0").await;
    let admin = t.admin();
    let of = async |args: &str| listed(&admin, "acme/anvil", args).await;
    assert_eq!(of("").await, json!(["@acme/axe@0.1.0", "bolt@1.0", "axe@3.0", "saw@2.0"]));
    assert_eq!(of("(sort:CREATED_ASC,first:2)").await, json!(["saw@2.0", "axe@3.0"]));
    assert_eq!(of("(sort:NAME_ASC,last:2)").await, json!(["bolt@1.0", "saw@2.0"]));
    assert_eq!(of("(sort:NAME_DESC,first:1)").await, json!(["saw@2.0"]));
    assert_eq!(of("(sort:VERSION_DESC,first:2)").await, json!(["axe@3.0", "saw@2.0"]));
    assert_eq!(of("(sort:TYPE_ASC,first:1)").await, json!(["@acme/axe@0.1.0"]));
    assert_eq!(of("(packageName:\"AXE\",packageType:GENERIC)").await, json!(["axe@3.0"]));
    assert_eq!(of("(packageVersion:\"1.0\")").await, json!(["bolt@1.0"]));
    assert_eq!(of("(status:HIDDEN)").await, json!([]));
    assert_eq!(of("(packageName:\"%\")").await, json!([]));
    let many = "a b c d e f g h i j k l m n o p q";
    let query = format!(
        "{{project(fullPath:\"acme/anvil\"){{packages(packageName:\"{many}\"){{count}}}}}}"
    );
    assert_eq!(
        message(&ask(&admin, &query).await),
        "`packageName` cannot have more than 16 words"
    );

    let query = "{project(fullPath:\"acme/anvil\"){all:packages(first:1){count few:count(limit:2)} \
        some:packages(packageName:\"axe\"){count few:count(limit:1)} none:packages(status:ERROR){count}}}";
    assert_eq!(
        data(&admin, query).await["project"],
        json!({"all": {"count": 4, "few": 3},
        "some": {"count": 2, "few": 2}, "none": {"count": 0}})
    );
}

#[testkit::story]
async fn packages_page_in_every_order(t: TestServer) {
    let project = t.project("acme/anvil").await;
    for (name, version) in [
        ("axe", "1.0"),
        ("axe", "2.0"),
        ("bolt", "1.0"),
        ("cog", "2.0"),
        ("dowel", "1.0"),
    ] {
        npm(&t, project.id, name, version).await;
    }
    for sort in ["CREATED_ASC", "CREATED_DESC", "NAME_ASC", "VERSION_DESC", "TYPE_ASC"] {
        let whole = listed(&t.admin(), "acme/anvil", &format!("(sort:{sort})")).await;
        let (mut seen, mut after) = (Vec::new(), String::new());
        loop {
            let query = format!(
                "{{project(fullPath:\"acme/anvil\"){{packages(sort:{sort},first:2,\
                after:\"{after}\"){{nodes{{name version}} pageInfo{{hasNextPage endCursor}}}}}}}}"
            );
            let page = data(&t.admin(), &query).await["project"]["packages"].clone();
            seen.extend(names(&page).as_array().expect("names").clone());
            if page["pageInfo"]["hasNextPage"] == false {
                break;
            }
            after = page["pageInfo"]["endCursor"].as_str().expect("a cursor").to_owned();
        }
        assert_eq!(json!(seen), whole, "{sort}");
        let other = if sort == "NAME_ASC" { "NAME_DESC" } else { "NAME_ASC" };
        let query = format!(
            "{{project(fullPath:\"acme/anvil\"){{packages(sort:{other},after:\"{after}\"){{count}}}}}}"
        );
        assert_eq!(message(&ask(&t.admin(), &query).await), "Please provide a valid cursor");
    }
}

#[testkit::story]
async fn packages_of_a_group_are_those_below_it(t: TestServer) {
    for path in ["acme/zinc", "acme/tools/brass", "apex/iron"] {
        let project = t.project(path).await;
        npm(&t, project.id, &format!("in-{}", project.id), "1.0").await;
        npm(&t, project.id, "common", "1.0").await;
    }
    let query = |args: &str| {
        format!(
            "{{group(fullPath:\"acme\"){{packages{args}{{count \
        nodes{{name project{{path}}}} pageInfo{{endCursor}}}}}}}}"
        )
    };
    let of = async |args: &str| -> Vec<(Value, Value)> {
        let found = data(&t.admin(), &query(args)).await["group"]["packages"]["nodes"].clone();
        let nodes = found.as_array().expect("nodes").clone().into_iter();
        nodes.map(|one| (one["project"]["path"].clone(), one["name"].clone())).collect()
    };
    let sorted = of("(sort:PROJECT_PATH_ASC)").await;
    assert_eq!(
        sorted.iter().map(|one| one.0.clone()).collect::<Vec<_>>(),
        ["brass", "brass", "zinc", "zinc"]
    );
    let first = data(&t.admin(), &query("(sort:PROJECT_PATH_ASC,first:3)")).await;
    let cursor = first["group"]["packages"]["pageInfo"]["endCursor"].as_str().expect("a cursor");
    assert_eq!(first["group"]["packages"]["count"], 4);
    assert_eq!(of(&format!("(sort:PROJECT_PATH_ASC,after:\"{cursor}\")")).await, sorted[3..]);
    assert_eq!(
        of("(packageName:\"common\",sort:PROJECT_PATH_DESC,first:1)").await,
        [(json!("zinc"), json!("common"))]
    );
    let groups =
        data(&t.admin(), "{groups{nodes{fullPath packages(first:1){count nodes{name}}}}}").await;
    let counts = groups["groups"]["nodes"].as_array().expect("groups").iter();
    assert_eq!(
        counts.map(|one| one["packages"]["count"].clone()).collect::<Vec<_>>(),
        [4, 2, 2]
    );
}
