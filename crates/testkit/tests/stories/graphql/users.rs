//! `currentUser`, `user`, `users`, and the root fields of no room.

use crate::graphql::{ask, ask_with, data, message};
use serde_json::{Value, json};

#[testkit::story]
async fn the_caller_is_told_who_they_are(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let query = "{currentUser{__typename id username name state bot human active webUrl webPath \
        avatarUrl publicEmail email userPermissions{createSnippet}}}";
    let id = format!("gid://service/User/{}", jane.id);
    assert_eq!(
        data(&jane, query).await["currentUser"],
        json!({
            "__typename": "CurrentUser", "id": id, "username": "jane", "name": "jane",
            "state": "active", "bot": false, "human": true, "active": true,
            "webUrl": format!("{}/jane", t.url()), "webPath": "/jane", "avatarUrl": null,
            "publicEmail": null, "email": null, "userPermissions": {"createSnippet": true},
        })
    );
    assert_eq!(data(&t.anonymous(), query).await, json!({"currentUser": null}));
}

#[testkit::story]
async fn a_user_is_found_by_one_of_two_names(t: testkit::TestServer) {
    let (jane, john) = (t.user("jane").await, t.user("john").await);
    let by_name = data(&jane, "{user(username:\"John\"){id name}}").await;
    assert_eq!(by_name["user"]["name"], "john");
    let id = format!("gid://service/User/{}", john.id);
    let by_id = format!("{{user(id:\"{id}\"){{__typename username}}}}");
    let john = json!({"user": {"__typename": "UserCore", "username": "john"}});
    assert_eq!(data(&jane, &by_id).await, john);
    assert_eq!(data(&t.anonymous(), &by_id).await, json!({"user": null}));
    assert_eq!(data(&jane, "{user(username:\"nobody\"){id}}").await, json!({"user": null}));
    assert_eq!(
        data(&jane, "{user(id:\"gid://service/User/99999\"){id}}").await["user"],
        json!(null)
    );
    for misused in ["{user{id}}", "{user(username:\"a\",id:\"gid://service/User/1\"){id}}"] {
        let answer = ask(&jane, misused).await;
        assert_eq!(answer["data"], json!({"user": null}));
        assert_eq!(message(&answer), "Provide either a single username or id");
    }
    for (id, text) in [
        ("7", "\"7\" is not a valid Global ID".to_owned()),
        (
            "gid://service/Issue/7",
            "\"gid://service/Issue/7\" does not represent an instance of User".to_owned(),
        ),
    ] {
        let answer = ask(&jane, &format!("{{user(id:\"{id}\"){{id}}}}")).await;
        assert_eq!(message(&answer), text);
    }
}

#[testkit::story]
async fn users_page_forwards_and_backwards(t: testkit::TestServer) {
    let jane = t.user("ann").await;
    for name in ["bea", "cid", "dan", "eve"] {
        t.user(name).await;
    }
    let page = async |args: Value| {
        let query = "query($f:Int,$l:Int,$a:String,$b:String){users(usernames:[\"ann\",\"bea\",\
            \"cid\",\"dan\",\"eve\"],sort:created_asc,first:$f,last:$l,after:$a,before:$b)\
            {nodes{username} edges{cursor} pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}";
        ask_with(&jane, query, args).await["data"]["users"].clone()
    };
    let names = |page: &Value| -> Vec<String> {
        let nodes = page["nodes"].as_array().expect("nodes");
        nodes
            .iter()
            .map(|node| node["username"].as_str().unwrap_or_default().to_owned())
            .collect()
    };
    let (mut seen, mut after) = (Vec::new(), json!(null));
    loop {
        let one = page(json!({"f": 2, "a": after})).await;
        seen.extend(names(&one));
        assert_eq!(one["pageInfo"]["hasPreviousPage"], !after.is_null());
        after = one["pageInfo"]["endCursor"].clone();
        if one["pageInfo"]["hasNextPage"] == false {
            break;
        }
    }
    assert_eq!(seen, ["ann", "bea", "cid", "dan", "eve"]);
    let last = page(json!({"l": 2})).await;
    assert_eq!(names(&last), ["dan", "eve"]);
    assert_eq!(last["pageInfo"]["hasPreviousPage"], true);
    let before = page(json!({"l": 2, "b": last["pageInfo"]["startCursor"]})).await;
    assert_eq!(names(&before), ["bea", "cid"]);
    assert_eq!(before["pageInfo"]["hasNextPage"], true);
    let none = page(json!({"f": -1})).await;
    assert_eq!(none["pageInfo"]["endCursor"], json!(null));
    assert_eq!(none["nodes"], json!([]));
}

#[testkit::story]
async fn cursors_cannot_be_made_up_or_taken_elsewhere(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let of = async |args: &str| {
        ask(&jane, &format!("{{users({args}){{nodes{{id}} edges{{cursor}}}}}}")).await
    };
    let answer = of("sort:created_asc,first:1").await;
    let cursor = answer["data"]["users"]["edges"][0]["cursor"]
        .as_str()
        .expect("a cursor")
        .to_owned();
    for bad in [
        format!("sort:created_desc,after:\"{cursor}\""),
        format!("sort:created_asc,after:\"{}\"", &cursor[1..]),
        "after:\"eyJpZCI6MX0\"".to_owned(),
    ] {
        let answer = of(&bad).await;
        assert_eq!(message(&answer), "Please provide a valid cursor", "{bad}");
        assert_eq!(answer["data"], json!({"users": null}));
    }
    let both = of("first:1,last:1").await;
    assert_eq!(message(&both), "Can only provide either `first` or `last`, not both");
    for (args, text) in [
        ("first:2147483648", "has an invalid value (2147483648). Expected type 'Int'."),
        ("first:\"5\"", "has an invalid value (\"5\"). Expected type 'Int'."),
        ("first:1.5", "has an invalid value (1.5). Expected type 'Int'."),
    ] {
        assert!(message(&of(args).await).ends_with(text), "{args}");
    }
    assert_eq!(data(&t.anonymous(), "{users{nodes{id}}}").await["users"]["nodes"], json!([]));
}

#[testkit::story]
async fn users_are_filtered(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    t.user("janet").await;
    let of = async |args: &str| -> Vec<Value> {
        let answer = data(&jane, &format!("{{users({args}){{nodes{{username}}}}}}")).await;
        let nodes = answer["users"]["nodes"].as_array().expect("nodes").clone();
        nodes.into_iter().map(|node| node["username"].clone()).collect()
    };
    assert_eq!(of("search:\"jane\",sort:created_asc").await, ["jane", "janet"]);
    assert_eq!(of("search:\"%\"").await, Vec::<Value>::new());
    assert_eq!(of("admins:true").await, ["root"]);
    assert_eq!(of(&format!("ids:[\"gid://service/User/{}\"]", jane.id)).await, ["jane"]);
}

#[testkit::story]
async fn profiles_of_a_page_are_read_at_once(t: testkit::TestServer) {
    for n in 0..12 {
        t.user(&format!("user{n}")).await;
    }
    let metric = async || {
        let text = t.anonymous().at("/-/metrics").await.text();
        let line = "http_request_statements_total{method=\"POST\",route=\"/api/graphql\"} ";
        let found = text.lines().find_map(|one| one.strip_prefix(line));
        found.and_then(|number| number.parse::<i64>().ok()).unwrap_or(0)
    };
    let query = "{users{nodes{username bio location jobTitle publicEmail}}}";
    let before = metric().await;
    data(&t.admin(), query).await;
    let took = metric().await - before;
    assert!(took <= 10, "{took} statements");
}

#[testkit::story]
async fn echo_says_who_speaks(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    assert_eq!(data(&jane, "{echo(text:\"hello\")}").await["echo"], "\"jane\" says: hello");
    assert_eq!(data(&t.anonymous(), "{echo(text:\"hello\")}").await["echo"], "nil says: hello");
    let query = "{queryComplexity{score limit} metadata{version}}";
    let version = t.app().config().version;
    assert_eq!(
        data(&jane, query).await,
        json!({
            "queryComplexity": {"score": 5, "limit": 250}, "metadata": {"version": version},
        })
    );
    let query = "{queryComplexity{score limit} metadata{kas{enabled}}}";
    assert_eq!(
        data(&t.anonymous(), query).await,
        json!({
            "queryComplexity": {"score": 6, "limit": 200}, "metadata": null,
        })
    );
    let errors = "mutation{echoCreate(input:{clientMutationId:\"me\",errors:[\"It is bad\"]})\
        {clientMutationId errors echoes}}";
    assert_eq!(
        data(&jane, errors).await["echoCreate"],
        json!({
            "clientMutationId": "me", "errors": ["It is bad"], "echoes": null,
        })
    );
}
