//! Packages as they are read: alone, in a project, in a group.

mod lists;

use crate::graphql::{ask, ask_with, data, message, people, statements};
use packages::model::{PackageType, Status};
use packages::store::packages::{NewPackage, add_to_count, find, insert, set_metadata};
use serde_json::{Value, json};
use store::sql;
use testkit::{Client, TestServer};

/// A package with a tag.
async fn npm(t: &TestServer, project_id: i64, name: &str, version: &str) -> i64 {
    let id = made(t, project_id, PackageType::Npm, name, version).await;
    let version = version.to_owned();
    let tagged = t.app().write(move |tx| {
        let now = tx.now();
        tx.execute(
            sql!(
                "insert into package_tags (package_id, name, created_at, updated_at)
                 values ($1, $2, $3, $3)"
            ),
            (id, format!("tag-{version}"), now),
        )?;
        Ok(id)
    });
    tagged.await.expect("a tag can be set")
}

/// A package of a format whose protocol is not spoken here.
async fn made(t: &TestServer, project_id: i64, of: PackageType, name: &str, version: &str) -> i64 {
    let (name, version) = (name.to_owned(), version.to_owned());
    let made = t.app().write(move |tx| {
        let new = NewPackage {
            project_id,
            package_type: of,
            name: &name,
            version: Some(&version),
            recipe: None,
            status: Status::Default,
            creator_id: None,
        };
        insert(tx, &new)?;
        add_to_count(tx, project_id, 1)?;
        let made = find(tx, project_id, of, &name, Some(&version))?;
        Ok(made.expect("it was made").id)
    });
    made.await.expect("a package can be made")
}

/// Keeps what a format would have read in an archive.
async fn keep(t: &TestServer, id: i64, metadata: Value) {
    let kept = t.app().write(move |tx| set_metadata(tx, id, &metadata.to_string()));
    kept.await.expect("it can be kept");
}

/// Gives a package two files of the bytes that the oldest file has.
async fn copy_files(t: &TestServer, package_id: i64) {
    let done = t.app().write(move |tx| {
        for name in ["a", "b"] {
            tx.execute(
                sql!(
                    "insert into package_files (package_id, file_name, size, md5, sha1, sha256,
                        sha512, blob_key, status, created_at, updated_at)
                     select $1, $2, size, md5, sha1, sha256, sha512, blob_key, status,
                        created_at, updated_at
                     from package_files order by id limit 1"
                ),
                (package_id, name),
            )?;
        }
        Ok(())
    });
    done.await.expect("files can be made");
}

/// Puts a package into another state.
async fn turn(t: &TestServer, id: i64, status: Status) {
    let done = t.app().write(move |tx| {
        tx.execute(sql!("update packages set status = $2 where id = $1"), (id, status))?;
        Ok(())
    });
    done.await.expect("the state can be set");
}

fn gid(id: i64) -> String {
    format!("gid://service/Packages::Package/{id}")
}

/// `name@version` of the packages of a project, or null.
async fn listed(client: &Client, path: &str, args: &str) -> Value {
    let query =
        format!("{{project(fullPath:\"{path}\"){{packages{args}{{nodes{{name version}}}}}}}}");
    names(&data(client, &query).await["project"]["packages"])
}

fn names(packages: &Value) -> Value {
    let Some(nodes) = packages["nodes"].as_array() else {
        return json!(null);
    };
    let name = |one: &Value| {
        let text = |field: &str| one[field].as_str().unwrap_or("-").to_owned();
        json!(format!("{}@{}", text("name"), text("version")))
    };
    nodes.iter().map(name).collect()
}

#[testkit::story]
async fn a_package_is_shown_with_all_that_is_known_of_it(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let old = project.generic_package("hammer", "1.0").await;
    let package = project.generic_package("hammer", "2.0").await;
    let query = "query($id: PackagesPackageID!){package(id:$id){__typename id name version \
        packageType status statusMessage metadata{__typename} _links{webPath} canDestroy \
        userPermissions{destroyPackage} protectionRuleExists lastDownloadedAt \
        project{fullPath} tags{nodes{name}} pipelines{count nodes{id iid status}} \
        dependencyLinks{nodes{id}} versions{count nodes{__typename id version}} \
        packageFiles{nodes{id fileName size fileMd5 fileSha1 fileSha256 downloadPath \
        fileMetadata{createdAt}}}}}";
    let found = ask_with(&t.admin(), query, json!({"id": gid(package.id)})).await;
    let mut found = found["data"]["package"].clone();
    let files = found["packageFiles"]["nodes"].take();
    let path = format!("/acme/anvil/-/packages/{}", package.id);
    assert_eq!(
        found,
        json!({"__typename": "PackageDetailsType", "id": gid(package.id),
        "name": "hammer", "version": "2.0", "packageType": "GENERIC", "status": "DEFAULT",
        "statusMessage": null, "metadata": null, "_links": {"webPath": path},
        "canDestroy": true, "userPermissions": {"destroyPackage": true},
        "protectionRuleExists": false, "lastDownloadedAt": null,
        "project": {"fullPath": "acme/anvil"}, "tags": {"nodes": []},
        "pipelines": {"count": 0, "nodes": []}, "dependencyLinks": {"nodes": []},
        "versions": {"count": 1, "nodes":
            [{"__typename": "PackageBase", "id": gid(old.id), "version": "1.0"}]},
        "packageFiles": {"nodes": null}})
    );
    assert_eq!(files[0]["fileName"], "hammer.txt");
    assert_eq!((&files[0]["size"], &files[0]["fileMetadata"]), (&json!("6"), &json!(null)));
    assert_eq!(files[0]["fileSha256"], testkit::sha256("hammer"));
    let path = files[0]["downloadPath"].as_str().expect("a path");
    assert_eq!(t.admin().at(path).await.is(200).text(), "hammer");
}

#[testkit::story]
async fn a_package_names_the_registries_of_all_formats(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let package = project.generic_package("hammer", "1.0").await;
    let id = gid(package.id);
    let query = format!(
        "{{package(id:\"{id}\"){{npmUrl mavenUrl conanUrl nugetUrl pypiUrl \
        pypiSetupUrl composerUrl composerConfigRepositoryUrl}}}}"
    );
    let group = t.admin().get("/groups/acme").await.is(200).id();
    let api = format!("{}/api/v4/projects/{}/packages", t.url(), project.id);
    let host = t.url().split_once("//").expect("a scheme").1.to_owned();
    assert_eq!(
        data(&t.admin(), &query).await["package"],
        json!({
            "npmUrl": format!("{api}/npm"), "mavenUrl": format!("{api}/maven"),
            "conanUrl": format!("{api}/conan"), "nugetUrl": format!("{api}/nuget/index.json"),
            "pypiUrl": format!("{api}/pypi/simple"), "pypiSetupUrl": format!("{api}/pypi"),
            "composerUrl": format!("{}/api/v4/group/{group}/-/packages/composer/packages.json", t.url()),
            "composerConfigRepositoryUrl": format!("{host}/{group}"),
        })
    );
}

#[testkit::story]
async fn a_package_is_asked_for_once_in_a_query(t: TestServer) {
    let twice = "{a:package(id:\"gid://service/Packages::Package/1\"){id} \
        b:package(id:\"gid://service/Packages::Package/2\"){id}}";
    let answer = ask(&t.admin(), twice).await;
    assert_eq!(answer.get("data"), None);
    assert_eq!(
        message(&answer),
        "\"package\" field can be requested only for 1 Query(s) at a time."
    );
    let foreign = ask(&t.admin(), "{package(id:\"gid://service/Project/1\"){id}}").await;
    assert_eq!(
        message(&foreign),
        "\"gid://service/Project/1\" does not represent an instance of Packages::Package"
    );
}

#[testkit::story]
async fn only_usable_packages_are_shown_alone(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let package = project.generic_package("hammer", "1.0").await;
    let query = format!("{{package(id:\"{}\"){{name}}}}", gid(package.id));
    let shown = json!({"package": {"name": "hammer"}});
    for (status, seen) in [
        (Status::Default, true),
        (Status::Deprecated, true),
        (Status::Hidden, false),
        (Status::Processing, false),
        (Status::Error, false),
    ] {
        turn(&t, package.id, status).await;
        let expected = if seen { shown.clone() } else { json!({"package": null}) };
        assert_eq!(data(&t.admin(), &query).await, expected, "{status}");
    }
    turn(&t, package.id, Status::Error).await;
    let query = "{project(fullPath:\"acme/anvil\"){packages{nodes{status _links{webPath}}}}}";
    assert_eq!(
        data(&t.admin(), query).await["project"]["packages"]["nodes"],
        json!([{"status": "ERROR", "_links": {"webPath": null}}])
    );
    t.admin().delete(&package.path).await.is(204);
    assert_eq!(listed(&t.admin(), "acme/anvil", "").await, json!([]));
}

#[testkit::story]
async fn packages_are_shown_to_those_rest_shows_them_to(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let package = project.generic_package("hammer", "1.0").await;
    let one = format!(
        "{{package(id:\"{}\"){{name canDestroy userPermissions{{destroyPackage}}}}}}",
        gid(package.id)
    );
    let people = people(&t, &project).await;
    for (level, who) in &people {
        let may = *level >= 40;
        let expected = if *level >= 20 {
            json!({"name": "hammer", "canDestroy": may, "userPermissions": {"destroyPackage": may}})
        } else {
            json!(null)
        };
        assert_eq!(data(who, &one).await["package"], expected, "{level}");
        let in_list = if *level >= 20 {
            json!(["hammer@1.0"])
        } else {
            json!(null)
        };
        assert_eq!(listed(who, "acme/anvil", "").await, in_list, "{level}");
        let group =
            data(who, "{group(fullPath:\"acme\"){packages{count nodes{name version}}}}").await;
        let shown = &group["group"]["packages"];
        let in_group = if *level >= 20 { json!(["hammer@1.0"]) } else { json!([]) };
        assert!(shown.is_null() || names(shown) == in_group, "{level}");
        assert!(
            shown.is_null() || shown["count"] == in_group.as_array().map_or(0, Vec::len),
            "{level}"
        );
    }
    t.admin()
        .put(project.at(""))
        .json(&json!({"package_registry_access_level": "public"}))
        .await
        .is(200);
    let open = format!("{{package(id:\"{}\"){{name}}}}", gid(package.id));
    assert_eq!(data(&t.anonymous(), &open).await["package"]["name"], "hammer");
    let hidden = format!("{{package(id:\"{}\"){{name project{{name}}}}}}", gid(package.id));
    assert_eq!(ask(&t.anonymous(), &hidden).await["data"], json!({"package": null}));
    t.admin()
        .put(project.at(""))
        .json(&json!({"package_registry_access_level": "disabled"}))
        .await
        .is(200);
    for (level, who) in &people {
        assert_eq!(data(who, &one).await["package"], json!(null), "{level}");
        assert_eq!(listed(who, "acme/anvil", "").await, json!(null), "{level}");
    }
}

#[testkit::story]
async fn formats_tell_what_they_know(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let of = async |kind, name: &str| made(&t, project.id, kind, name, "1.0").await;
    of(PackageType::Maven, "com/acme/anvil").await;
    let pypi = of(PackageType::Pypi, "anvil").await;
    keep(
        &t,
        pypi,
        json!({"requires_python": ">=3.9", "summary": "It is hard.", "other": 1}),
    )
    .await;
    let composer = of(PackageType::Composer, "acme/anvil").await;
    keep(
        &t,
        composer,
        json!({"name": "acme/anvil", "license": ["MIT", "ISC"], "require": {}}),
    )
    .await;
    let terraform = of(PackageType::TerraformModule, "anvil/local").await;
    keep(&t, terraform, json!({"root": {"inputs": []}})).await;
    of(PackageType::Pypi, "silent").await;
    let conan = of(PackageType::Conan, "anvil").await;
    let named = t.app().write(move |tx| {
        let recipe = "anvil/1.0@acme/stable";
        Ok(tx.execute(sql!("update packages set conan_name = $2 where id = $1"), (conan, recipe))?)
    });
    named.await.expect("a recipe can be set");
    let query = "{project(fullPath:\"acme/anvil\"){packages(sort:CREATED_ASC){nodes{metadata{__typename \
        ... on MavenMetadata{path appGroup appName appVersion} ... on PypiMetadata{requiredPython summary keywords} \
        ... on ComposerMetadata{targetSha composerJson{name type license}} ... on TerraformModuleMetadata{fields} \
        ... on ConanMetadata{recipe recipePath packageUsername packageChannel}}}}}}";
    let found = data(&t.admin(), query).await["project"]["packages"]["nodes"].clone();
    let found: Vec<Value> = found
        .as_array()
        .expect("packages")
        .iter()
        .map(|one| one["metadata"].clone())
        .collect();
    assert_eq!(
        found,
        [
            json!({"__typename": "MavenMetadata", "path": "com/acme/anvil/1.0", "appGroup": "com.acme",
            "appName": "anvil", "appVersion": "1.0"}),
            json!({"__typename": "PypiMetadata", "requiredPython": ">=3.9", "summary": "It is hard.", "keywords": null}),
            json!({"__typename": "ComposerMetadata", "targetSha": null, "composerJson":
            {"name": "acme/anvil", "type": null, "license": "MIT, ISC"}}),
            json!({"__typename": "TerraformModuleMetadata", "fields": {"root": {"inputs": []}}}),
            json!(null),
            json!({"__typename": "ConanMetadata", "recipe": "anvil/1.0@acme/stable",
            "recipePath": "anvil/1.0/acme/stable", "packageUsername": "acme", "packageChannel": "stable"}),
        ]
    );
}

#[testkit::story]
async fn rules_about_a_name_are_told(t: TestServer) {
    let project = t.project("acme/anvil").await;
    project.generic_package("hammer", "1.0").await;
    project.generic_package("axe", "1.0").await;
    npm(&t, project.id, "hammer", "1.0").await;
    let rule = json!({"package_name_pattern": "ham*", "package_type": "generic",
        "minimum_access_level_for_push": "owner"});
    t.admin()
        .post(project.at("/packages/protection/rules"))
        .json(&rule)
        .await
        .is(201);
    let query = "{project(fullPath:\"acme/anvil\"){packages(sort:CREATED_ASC){nodes{protectionRuleExists}}}}";
    assert_eq!(
        data(&t.admin(), query).await["project"]["packages"]["nodes"],
        json!([
        {"protectionRuleExists": true}, {"protectionRuleExists": false}, {"protectionRuleExists": false}])
    );
}

#[testkit::story]
async fn a_hundred_packages_with_their_files_take_four_statements(t: TestServer) {
    let project = t.project("acme/anvil").await;
    project.generic_package("tool", "0.1").await;
    for n in 0..99 {
        let id = npm(&t, project.id, &format!("tool{n}"), "1.0").await;
        copy_files(&t, id).await;
    }
    let maintainer = t.user("maintainer").await;
    project.add(&maintainer, 40).await;
    let query =
        "{project(fullPath:\"acme/anvil\"){packages{nodes{name packageFiles{nodes{fileName}}}}}}";
    for who in [&t.admin(), &maintainer] {
        data(who, query).await;
        let before = statements(&t).await;
        let found = data(who, query).await["project"]["packages"]["nodes"].clone();
        let took = statements(&t).await - before;
        let files = |one: &Value| one["packageFiles"]["nodes"].as_array().map_or(0, Vec::len);
        let found = found.as_array().expect("packages").clone();
        assert_eq!((found.len(), found.iter().map(files).sum::<usize>()), (100, 199));
        assert!(took <= 4, "{took} statements");
    }
}

#[testkit::story]
async fn what_belongs_to_packages_is_read_at_once(t: TestServer) {
    let query = "{projects(sort:\"id_asc\"){nodes{packages{count nodes{name version canDestroy \
        protectionRuleExists metadata{__typename} tags{nodes{name}} project{fullPath} versions{count nodes{version}}}}}}}";
    let mut took = Vec::new();
    for round in 0..2 {
        for n in 0..(if round == 0 { 2 } else { 8 }) {
            let project = t.project(&format!("acme/p{round}x{n}")).await;
            for m in 0..(if round == 0 { 2 } else { 12 }) {
                npm(&t, project.id, &format!("n{}", m % 3), &format!("1.{m}")).await;
            }
        }
        data(&t.admin(), query).await;
        let before = statements(&t).await;
        let found = data(&t.admin(), query).await["projects"]["nodes"].clone();
        took.push(statements(&t).await - before);
        let projects = found.as_array().expect("projects").iter();
        let packages = projects.map(|one| one["packages"]["nodes"].as_array().map_or(0, Vec::len));
        assert_eq!(packages.sum::<usize>(), if round == 0 { 4 } else { 100 });
        let last = &found[0]["packages"]["nodes"][0];
        assert_eq!(
            (&last["name"], &last["tags"]["nodes"][0]["name"]),
            (&json!("n1"), &json!("tag-1.1"))
        );
    }
    assert_eq!(took[0], took[1], "statements do not grow with the rows");
    let versions = "{project(fullPath:\"acme/p1x0\"){packages(packageVersion:\"1.0\"){nodes{name \
        versions(first:2){count nodes{version} pageInfo{hasNextPage}}}}}}";
    assert_eq!(
        data(&t.admin(), versions).await["project"]["packages"]["nodes"],
        json!([{"name": "n0",
        "versions": {"count": 3, "nodes": [{"version": "1.9"}, {"version": "1.6"}],
            "pageInfo": {"hasNextPage": true}}}])
    );
}

#[testkit::story]
async fn pipelines_have_pages_of_twenty(t: TestServer) {
    let project = t.project("acme/anvil").await;
    project.generic_package("hammer", "1.0").await;
    let of = async |args: &str| {
        let query = format!(
            "{{queryComplexity{{score}} project(fullPath:\"acme/anvil\"){{packages(first:1){{\
            nodes{{pipelines{args}{{nodes{{id}}}}}}}}}}}}"
        );
        ask(&t.admin(), &query).await
    };
    let most = of("(first:100)").await;
    assert_eq!(most, of("(first:20)").await);
    assert_eq!(most, of("").await);
    let bad = of("(after:\"x\")").await;
    assert_eq!(message(&bad), "Please provide a valid cursor");
}
