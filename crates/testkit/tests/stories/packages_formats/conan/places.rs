//! The address of the instance, where recipes name their project, and groups.

use super::{RREV, hammer, listed, recipe_at};
use serde_json::json;

#[testkit::story]
async fn the_user_of_a_recipe_names_its_project(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;
    let named = recipe_at("", "hammer/1.0/acme+anvil/stable");

    named.recipe(&jane, RREV).await;
    assert_eq!(listed(&jane, named.v2("revisions")).await, [RREV]);
    let inside = recipe_at(&project.at(""), "hammer/1.0/acme+anvil/stable");
    assert_eq!(listed(&jane, inside.v2("revisions")).await, [RREV]);
    // What is called otherwise in the project is not found from outside.
    hammer(&project.at("")).recipe(&jane, RREV).await;
    let search = jane.get("/packages/conan/v2/conans/search").await.is(200).json();
    assert_eq!(search, json!({"results": ["hammer/1.0@acme+anvil/stable"]}));

    let bare = recipe_at("", "hammer/1.0/_/_");
    jane.get(bare.v2("latest")).await.is(404);
    bare.put(&jane, RREV, "conanfile.py", b"x").await.is(404);
    jane.get(recipe_at("", "hammer/1.0/acme+nothing/stable").v2("latest"))
        .await
        .is(404);
    // To strangers it is all the same.
    for path in ["hammer/1.0/acme+anvil/stable", "hammer/1.0/acme+nothing/stable"] {
        t.anonymous().get(recipe_at("", path).v2("latest")).await.is(401);
    }
    let nobody = t
        .anonymous()
        .get("/packages/conan/v1/conans/search?q=ham*")
        .await
        .is(200)
        .json();
    assert_eq!(nobody, json!({"results": []}));
}

#[testkit::story]
async fn a_group_has_the_recipes_its_reader_may_see(t: testkit::TestServer) {
    let (anvil, forge) = (t.project("acme/anvil").await, t.project("acme/deep/forge").await);
    let (group, jane) = (t.group("acme").await, t.user("jane").await);
    anvil.add(&jane, 20).await;
    let admin = t.admin();
    hammer(&anvil.at("")).recipe(&admin, RREV).await;
    recipe_at(&forge.at(""), "secret/1.0/_/_").recipe(&admin, RREV).await;
    let owner = group.at("/-");
    let search = format!("{owner}/packages/conan/v2/conans/search");

    assert_eq!(
        admin.get(&search).await.is(200).json(),
        json!({"results": ["hammer/1.0@acme/stable", "secret/1.0@_/_"]})
    );
    assert_eq!(
        jane.get(&search).await.is(200).json(),
        json!({"results": ["hammer/1.0@acme/stable"]})
    );
    assert_eq!(listed(&jane, hammer(&owner).v2("revisions")).await, [RREV]);
    let file = hammer(&owner).in_recipe(RREV, "/files/conanfile.py");
    jane.get(file).await.is(200);
    jane.get(recipe_at(&owner, "secret/1.0/_/_").v2("latest")).await.is(404);
    t.anonymous().get(hammer(&owner).v2("latest")).await.is(401);
    t.anonymous().get(&search).await.is(401);
    // Nothing is published or deleted there.
    let put = hammer(&owner).put(&admin, RREV, "conanfile.py", b"x").await.status;
    assert!([404, 405].contains(&put), "{put}");
}
