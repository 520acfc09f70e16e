//! Code over GraphQL: repositories, folders, files, commits, and what changes them.

use serde_json::{Value, json};
use testkit::{Client, TestServer};

async fn ask(client: &Client, query: &str) -> Value {
    let request = client.request(http::Method::POST, "/api/graphql");
    request.json(&json!({"query": query})).await.is(200).json()
}

async fn data(client: &Client, query: &str) -> Value {
    let answer = ask(client, query).await;
    assert_eq!(answer["errors"], json!(null), "{query}");
    answer["data"].clone()
}

/// What a query of the repository of `acme/anvil` answers.
async fn repository(client: &Client, fields: &str) -> Value {
    let query = format!("{{project(fullPath:\"acme/anvil\"){{repository{{{fields}}}}}}}");
    data(client, &query).await["project"]["repository"].clone()
}

fn message(answer: &Value) -> &str {
    answer["errors"][0]["message"].as_str().unwrap_or_default()
}

#[testkit::story]
async fn a_repository_is_told(t: TestServer) {
    let empty = t.project("acme/empty").await;
    let query = "{project(fullPath:\"acme/empty\"){repository{exists empty rootRef diskPath \
        tree{blobs{nodes{name}}} commit(ref:\"main\"){sha}}}}";
    let told = data(&t.admin(), query).await["project"]["repository"].clone();
    assert_eq!(
        told,
        json!({"exists": false, "empty": true, "rootRef": null, "diskPath": null, "tree": null, "commit": null})
    );
    let (project, git) = super::history(&t).await;
    let told = repository(&t.admin(), "exists empty rootRef").await;
    assert_eq!(told, json!({"exists": true, "empty": false, "rootRef": "main"}));
    let names = "branchNames(searchPattern:\"*\",offset:1,limit:5)";
    assert_eq!(repository(&t.admin(), names).await["branchNames"], json!(["main", "side"]));
    let names = "branchNames(searchPattern:\"*i*\",offset:0,limit:1)";
    assert_eq!(repository(&t.admin(), names).await["branchNames"], json!(["main"]));

    let commit = "commit(ref:\"main~1\"){sha}";
    assert_eq!(repository(&t.admin(), commit).await["commit"], json!(null));
    let id = git.id("one", "main~1").await;
    let fields = "id sha shortId title fullTitle titleHtml message description authoredDate committedDate \
        webPath webUrl authorName authorEmail committerName parentIds author{username}";
    let told = repository(&t.admin(), &format!("commit(ref:\"{id}\"){{{fields}}}")).await;
    let commit = &told["commit"];
    assert_eq!(commit["id"], format!("gid://service/Commit/{id}"));
    assert_eq!((&commit["sha"], &commit["shortId"]), (&json!(id), &json!(id[..8])));
    assert_eq!(commit["title"], "Move the horn");
    assert!(commit["description"].as_str().unwrap().starts_with("It was in the way."));
    assert_eq!(commit["webPath"], format!("/acme/anvil/-/commit/{id}"));
    assert_eq!((&commit["authorName"], &commit["author"]), (&json!("Ada"), &json!(null)));
    let ada = t.user("ada").await;
    project.add(&ada, 20).await;
    let author = "commit(ref:\"side\",refType:HEADS){author{username}}";
    assert_eq!(repository(&t.admin(), author).await["commit"]["author"]["username"], "ada");
    let none = "commit(ref:\"side\",refType:TAGS){sha}";
    assert_eq!(repository(&t.admin(), none).await["commit"], json!(null));

    // Who may not read code sees none of it.
    let guest = t.user("guest").await;
    project.add(&guest, 10).await;
    let query =
        "{project(fullPath:\"acme/anvil\"){name repository{exists} branchRules{nodes{name}}}}";
    let told = data(&guest, query).await;
    assert_eq!(told["project"]["repository"], json!(null));
    assert_eq!(told["project"]["branchRules"], json!(null));
    assert_eq!(data(&t.anonymous(), query).await["project"], json!(null));
    drop(empty);
}

#[testkit::story]
async fn folders_are_told(t: TestServer) {
    let (_, git) = super::history(&t).await;
    let entry = "nodes{id sha name type path flatPath}";
    let fields = format!(
        "tree{{lastCommit{{sha}} trees{{{entry}}} submodules{{{entry}}} \
         blobs{{nodes{{name mode webPath webUrl lfsOid}}}}}}"
    );
    let tree = repository(&t.admin(), &fields).await["tree"].clone();
    assert_eq!(tree["lastCommit"]["sha"], git.id("one", "main").await.as_str());
    let src = git.id("one", "main:src").await;
    let told = json!({"id": src, "sha": src, "name": "src", "type": "tree", "path": "src", "flatPath": "src"});
    assert_eq!(tree["trees"]["nodes"][1], told);
    assert_eq!(tree["submodules"]["nodes"][0]["name"], "parts");
    assert_eq!(tree["submodules"]["nodes"][0]["type"], "commit");
    let readme = &tree["blobs"]["nodes"][0];
    assert_eq!((&readme["name"], &readme["mode"]), (&json!("README.md"), &json!("100755")));
    assert_eq!(readme["webPath"], "/acme/anvil/-/blob/main/README.md");
    let odd = tree["blobs"]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["name"] == "odd \"é\tname");
    assert_eq!(odd.unwrap()["webPath"], "/acme/anvil/-/blob/main/odd%20%22%C3%A9%09name");

    let fields = "tree(path:\"docs\",ref:\"side\"){lastCommit{sha} blobs{nodes{path}}}";
    let tree = repository(&t.admin(), fields).await["tree"].clone();
    assert_eq!(tree["blobs"]["nodes"], json!([{"path": "docs/guide.md"}]));
    assert_eq!(tree["lastCommit"]["sha"], git.id("one", "side").await.as_str());
    for none in ["path:\"README.md\"", "path:\"../x\"", "path:\"none\"", "ref:\"none\""] {
        let told = repository(&t.admin(), &format!("tree({none}){{blobs{{nodes{{path}}}}}}")).await;
        assert_eq!(told["tree"], json!(null), "{none}");
    }
    let all = "tree(recursive:true){blobs(first:2){nodes{path} pageInfo{hasNextPage endCursor}}}";
    let page = repository(&t.admin(), all).await["tree"]["blobs"].clone();
    assert_eq!(page["nodes"], json!([{"path": "README.md"}, {"path": "docs/guide.md"}]));
    let cursor = page["pageInfo"]["endCursor"].as_str().unwrap();
    let next =
        format!("tree(recursive:true){{blobs(first:1,after:\"{cursor}\"){{nodes{{path}}}}}}");
    assert_eq!(
        repository(&t.admin(), &next).await["tree"]["blobs"]["nodes"],
        json!([{"path": "link"}])
    );

    let part = |after: &str| {
        format!(
            "paginatedTree(first:3{after}){{nodes{{trees{{nodes{{name}}}} blobs{{nodes{{name}}}}}} \
            pageInfo{{hasNextPage endCursor}}}}"
        )
    };
    let page = repository(&t.admin(), &part("")).await["paginatedTree"].clone();
    assert_eq!(page["pageInfo"]["hasNextPage"], true);
    let cursor = page["pageInfo"]["endCursor"].as_str().unwrap();
    let second = repository(&t.admin(), &part(&format!(",after:\"{cursor}\""))).await;
    let names = |page: &Value| {
        let node = &page["nodes"][0];
        let all = [&node["trees"]["nodes"], &node["blobs"]["nodes"]];
        all.iter().flat_map(|all| all.as_array().unwrap().clone()).collect::<Vec<_>>()
    };
    let both = [names(&page), names(&second["paginatedTree"])].concat();
    assert_eq!(both.len(), 5, "one is a submodule: {both:?}");
}

#[testkit::story]
async fn files_are_told(t: TestServer) {
    let (project, git) = super::history(&t).await;
    let fields = "nodes{id oid path name mode size rawSize rawBlob rawTextBlob plainData lfsOid \
        storedExternally webPath rawPath editBlobPath blamePath historyPath permalinkPath fileType \
        simpleViewer{type fileType tooLarge} richViewer{type} language canModifyBlob \
        canCurrentUserPushToBranch}";
    let query =
        format!("blobs(paths:[\"src/beak.txt\",\"none\",\"src\",\"pixels\",\"../x\"]){{{fields}}}");
    let told = repository(&t.admin(), &query).await["blobs"]["nodes"].clone();
    assert_eq!(told.as_array().map(Vec::len), Some(2));
    let (beak, pixels) = (&told[0], &told[1]);
    let oid = git.id("one", "main:src/beak.txt").await;
    assert_eq!((&beak["oid"], &beak["size"]), (&json!(oid), &json!("17")));
    for name in ["rawBlob", "rawTextBlob", "plainData"] {
        assert_eq!(beak[name], "one\n2\nthree\nfour\n");
        assert_eq!(pixels[name], json!(null));
    }
    assert_eq!(beak["editBlobPath"], "/acme/anvil/-/edit/main/src/beak.txt");
    let main = git.id("one", "main").await;
    assert_eq!(beak["permalinkPath"], format!("/acme/anvil/-/blob/{main}/src/beak.txt"));
    assert_eq!(
        (&beak["canModifyBlob"], &beak["storedExternally"]),
        (&json!(true), &json!(false))
    );
    let reader = t.user("reader").await;
    project.add(&reader, 20).await;
    let may = "blobs(paths:[\"README.md\"],ref:\"side\"){nodes{canCurrentUserPushToBranch}}";
    let told = repository(&reader, may).await["blobs"]["nodes"].clone();
    assert_eq!(told[0]["canCurrentUserPushToBranch"], false);

    let pointer = format!(
        "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 12\n",
        "a1".repeat(32)
    );
    let put = json!({"branch": "main", "commit_message": "Large", "content": pointer});
    t.admin().put(project.at("")).json(&json!({"lfs_enabled": false})).await.is(200);
    t.admin()
        .post(project.at("/repository/files/large.bin"))
        .json(&put)
        .await
        .is(201);
    let large = "blobs(paths:[\"large.bin\"]){nodes{lfsOid size externalStorage}} tree{blobs{nodes{name lfsOid}}}";
    let told = repository(&t.admin(), large).await;
    let node = &told["blobs"]["nodes"][0];
    assert_eq!((&node["lfsOid"], &node["size"]), (&json!("a1".repeat(32)), &json!("12")));
    let listed = told["tree"]["blobs"]["nodes"].as_array().unwrap();
    let listed = listed.iter().filter(|one| !one["lfsOid"].is_null()).count();
    assert_eq!(listed, 1);

    let many: Vec<String> = (0..101).map(|n| format!("\"f{n}\"")).collect();
    let query = format!(
        "{{project(fullPath:\"acme/anvil\"){{repository{{blobs(paths:[{}]){{nodes{{path}}}}}}}}}}",
        many.join(",")
    );
    let refused = ask(&t.admin(), &query).await;
    assert_eq!(message(&refused), "paths cannot have more than 100 entries");
}

const CREATE: &str = "mutation{commitCreate(input:{projectPath:\"acme/anvil\",BRANCH,message:\"By graph\",\
    actions:[ACTIONS]}){errors commit{title sha}}}";

fn committing(branch: &str, actions: &str) -> String {
    CREATE.replace("BRANCH", branch).replace("ACTIONS", actions)
}

#[testkit::story]
async fn code_is_changed_by_mutations(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let writer = t.user("writer").await;
    project.add(&writer, 30).await;
    let first = committing(
        "branch:\"main\"",
        "{action:CREATE,filePath:\"a.txt\",content:\"one\"},{action:CREATE,filePath:\"b.bin\",content:\"AAEC\",encoding:BASE64}",
    );
    let made = data(&t.admin(), &first).await["commitCreate"].clone();
    assert_eq!((&made["errors"], &made["commit"]["title"]), (&json!([]), &json!("By graph")));
    let raw = t.admin().get(project.at("/repository/files/b.bin/raw?ref=main")).await.is(200);
    assert_eq!(raw.body.as_ref(), b"\0\x01\x02");
    let again = data(&t.admin(), &first).await["commitCreate"].clone();
    assert_eq!(
        again,
        json!({"errors": ["A file with this name already exists"], "commit": null})
    );
    let side = committing(
        "branch:\"side\",startBranch:\"main\"",
        "{action:MOVE,filePath:\"c.txt\",previousPath:\"a.txt\"},{action:DELETE,filePath:\"b.bin\"}",
    );
    // Developers begin branches, and change no protected ones.
    assert_eq!(data(&writer, &side).await["commitCreate"]["errors"], json!([]));
    let protected =
        committing("branch:\"main\"", "{action:UPDATE,filePath:\"a.txt\",content:\"two\"}");
    let refused = data(&writer, &protected).await["commitCreate"].clone();
    assert_eq!(refused["errors"], json!(["You are not allowed to push into this branch"]));
    for (actions, text) in [
        ("{action:UPDATE,filePath:\"a.txt\"}", "content is missing"),
        ("{action:MOVE,filePath:\"a.txt\"}", "previousPath is missing"),
        (
            "{action:CREATE,filePath:\"x\",content:\"!\",encoding:BASE64}",
            "content is not valid base64",
        ),
    ] {
        let refused = ask(&t.admin(), &committing("branch:\"main\"", actions)).await;
        assert_eq!(message(&refused), text);
    }
    let stale = committing(
        "branch:\"main\"",
        &format!(
            "{{action:UPDATE,filePath:\"a.txt\",content:\"x\",lastCommitId:\"{}\"}}",
            "1".repeat(40)
        ),
    );
    let refused = data(&t.admin(), &stale).await["commitCreate"]["errors"][0].clone();
    assert!(
        refused
            .as_str()
            .unwrap()
            .starts_with("The file has changed since you started editing it")
    );

    let make = |name: &str, what: &str, rest: &str| {
        format!(
            "mutation{{{name}(input:{{projectPath:\"acme/anvil\",name:\"{what}\",ref:\"main\"{rest}}}){{errors \
            {}{{name commit{{title}}}}}}}}",
            if name == "tagCreate" { "tag" } else { "branch" }
        )
    };
    let made = data(&writer, &make("createBranch", "new", "")).await["createBranch"].clone();
    assert_eq!(made["branch"], json!({"name": "new", "commit": {"title": "By graph"}}));
    let again = data(&writer, &make("createBranch", "new", "")).await["createBranch"].clone();
    assert_eq!(again, json!({"errors": ["Branch already exists"], "branch": null}));
    let made =
        data(&writer, &make("tagCreate", "v1", ",message:\"first\"")).await["tagCreate"].clone();
    assert_eq!(made["tag"], json!({"name": "v1", "commit": {"title": "By graph"}}));
    let told = t.admin().get(project.at("/repository/tags/v1")).await.is(200).json();
    assert_eq!(told["message"], "first");
    let wrong = data(&writer, &make("tagCreate", "v1", "")).await["tagCreate"]["errors"].clone();
    assert_eq!(wrong, json!(["Tag v1 already exists"]));
    let end = |name: &str, what: &str| {
        format!(
            "mutation{{{name}(input:{{projectPath:\"acme/anvil\",name:\"{what}\"}}){{errors}}}}"
        )
    };
    assert_eq!(
        data(&writer, &end("branchDelete", "new")).await["branchDelete"]["errors"],
        json!([])
    );
    assert_eq!(data(&writer, &end("tagDelete", "v1")).await["tagDelete"]["errors"], json!([]));
    let refused =
        data(&writer, &end("branchDelete", "main")).await["branchDelete"]["errors"][0].clone();
    assert!(
        refused
            .as_str()
            .is_some_and(|text| text.contains("default branch") || text.contains("protected")),
        "{refused}"
    );
    t.admin().get(project.at("/repository/branches/new")).await.is(404);

    // What is missing or hidden, and who may not push, look alike.
    let (reader, other) = (t.user("reader").await, t.user("other").await);
    project.add(&reader, 20).await;
    let text = "The resource that you are attempting to access does not exist or you don't have \
        permission to perform this action";
    for (client, query) in [
        (&*reader, make("createBranch", "x", "")),
        (&*other, make("createBranch", "x", "")),
        (&t.anonymous(), make("createBranch", "x", "")),
        (&*writer, end("branchDelete", "none")),
        (
            &*reader,
            committing("branch:\"x\",startBranch:\"main\"", "{action:DELETE,filePath:\"a.txt\"}"),
        ),
    ] {
        assert_eq!(message(&ask(client, &query).await), text, "{query}");
    }
    let atomic = t
        .admin()
        .request(http::Method::POST, "/api/graphql")
        .header("x-service-batch", "atomic");
    let answer = atomic
        .json(&json!({"query": make("createBranch", "x", "")}))
        .await
        .is(200)
        .json();
    assert!(message(&answer).contains("undone together"), "{answer}");
    t.admin().get(project.at("/repository/branches/x")).await.is(404);
}

#[testkit::story]
async fn rules_for_branches_are_told(t: TestServer) {
    let (project, _) = super::history(&t).await;
    t.admin()
        .post(project.at("/protected_branches?name=*&push_access_level=30&allow_force_push=true"))
        .await
        .is(201);
    let query = "{project(fullPath:\"acme/anvil\"){branchRules{nodes{id name isDefault isProtected \
        matchingBranchesCount branchProtection{allowForcePush codeOwnerApprovalRequired \
        pushAccessLevels{nodes{accessLevel accessLevelDescription}} mergeAccessLevels{nodes{accessLevel}}}}}}}";
    let told = data(&t.admin(), query).await["project"]["branchRules"]["nodes"].clone();
    assert_eq!((&told[0]["name"], &told[0]["matchingBranchesCount"]), (&json!("*"), &json!(3)));
    assert_eq!(
        told[0]["branchProtection"],
        json!({
            "allowForcePush": true,
            "codeOwnerApprovalRequired": false,
            "pushAccessLevels": {"nodes": [
                {"accessLevel": 30, "accessLevelDescription": "Developers + Maintainers"}]},
            "mergeAccessLevels": {"nodes": [{"accessLevel": 40}]},
        })
    );
    assert_eq!((&told[1]["name"], &told[1]["isDefault"]), (&json!("main"), &json!(true)));
}

/// Statements that are sent for one query.
async fn statements(t: &TestServer, query: &str) -> u64 {
    let line = "http_request_statements_total{method=\"POST\",route=\"/api/graphql\"} ";
    let sent = || {
        let text = t.app().metrics().render();
        let count = text.lines().find_map(|one| one.strip_prefix(line).map(str::to_owned));
        count.map_or(0, |count| count.parse::<u64>().expect("a count"))
    };
    let before = sent();
    data(&t.admin(), query).await;
    sent() - before
}

#[testkit::story]
async fn repositories_of_a_list_cost_no_statement_each(t: TestServer) {
    for n in 0..12 {
        let project = t.project(&format!("acme/p{n}")).await;
        let put = json!({"branch": "main", "commit_message": "Begin", "content": "x"});
        t.admin().post(project.at("/repository/files/a.txt")).json(&put).await.is(201);
    }
    let query = |rows: usize| {
        format!(
            "{{projects(first:{rows}){{nodes{{branchRules{{nodes{{name}}}} repository{{rootRef empty commit(ref:\"main\"){{title \
            author{{username}}}} tree{{lastCommit{{sha}} blobs{{nodes{{name}}}}}} \
            blobs(paths:[\"a.txt\"]){{nodes{{rawTextBlob}}}}}}}}}}}}"
        )
    };
    // What each node keeps in its cache is not looked up again.
    statements(&t, &query(12)).await;
    let (few, many) = (statements(&t, &query(3)).await, statements(&t, &query(12)).await);
    assert_eq!(few, many);
    let names = "branchNames(searchPattern:\"*\",offset:0,limit:1)";
    let query =
        |rows: usize| format!("{{projects(first:{rows}){{nodes{{repository{{{names}}}}}}}}}");
    assert_eq!(statements(&t, &query(3)).await, statements(&t, &query(12)).await);
}

#[testkit::story]
async fn rules_for_branches_are_made_changed_and_ended(t: TestServer) {
    let (project, _) = super::history(&t).await;
    let (mia, dev) = (t.user("mia").await, t.user("dev").await);
    project.add(&mia, 40).await;
    project.add(&dev, 30).await;
    let rule = "branchRule{id name matchingBranchesCount branchProtection{allowForcePush \
        pushAccessLevels{nodes{accessLevel}} mergeAccessLevels{nodes{accessLevel}}}} errors";
    let run = async |by: &Client, name: &str, input: &str| {
        ask(by, &format!("mutation{{{name}(input:{{{input}}}){{{rule}}}}}")).await
    };
    let new = "projectPath:\"acme/anvil\",name:\"release/*\",branchProtection:{\
        allowForcePush:true,pushAccessLevels:[{accessLevel:30}]}";
    assert!(message(&run(&dev, "branchRuleCreate", new).await).contains("permission"));
    let made = run(&mia, "branchRuleCreate", new).await["data"]["branchRuleCreate"].clone();
    assert_eq!(made["errors"], json!([]), "{made}");
    let protection = &made["branchRule"]["branchProtection"];
    assert_eq!(
        *protection,
        json!({"allowForcePush": true,
            "pushAccessLevels": {"nodes": [{"accessLevel": 30}]},
            "mergeAccessLevels": {"nodes": [{"accessLevel": 40}]}})
    );
    let twice = run(&mia, "branchRuleCreate", new).await["data"]["branchRuleCreate"].clone();
    assert_eq!(
        twice,
        json!({"branchRule": null,
            "errors": ["Protected branch 'release/*' already exists"]})
    );

    let id = made["branchRule"]["id"].as_str().unwrap().to_owned();
    let change = format!(
        "id:\"{id}\",branchProtection:{{allowForcePush:false,pushAccessLevels:[{{accessLevel:0}}]}}"
    );
    assert!(message(&run(&dev, "branchRuleUpdate", &change).await).contains("permission"));
    let told = run(&mia, "branchRuleUpdate", &change).await["data"]["branchRuleUpdate"].clone();
    assert_eq!(
        told["branchRule"]["branchProtection"],
        json!({"allowForcePush": false,
            "pushAccessLevels": {"nodes": [{"accessLevel": 0}]},
            "mergeAccessLevels": {"nodes": [{"accessLevel": 40}]}})
    );
    let renamed = run(&mia, "branchRuleUpdate", &format!("id:\"{id}\",name:\"x\"")).await;
    assert_eq!(
        renamed["data"]["branchRuleUpdate"]["errors"],
        json!(["The name of a rule cannot be changed"])
    );
    let wrong = change.replace("accessLevel:0", "accessLevel:7");
    let refused = run(&mia, "branchRuleUpdate", &wrong).await;
    assert!(refused["data"]["branchRuleUpdate"]["errors"][0].is_string(), "{refused}");

    let end = format!("id:\"{id}\"");
    assert!(message(&run(&dev, "branchRuleDelete", &end).await).contains("permission"));
    let gone = run(&mia, "branchRuleDelete", &end).await["data"]["branchRuleDelete"].clone();
    assert_eq!(gone, json!({"branchRule": null, "errors": []}));
    assert!(message(&run(&mia, "branchRuleDelete", &end).await).contains("not exist"));
}
