//! A blank credential, as scripts send it whose variable is not set, is none.

use http::Method;
use serde_json::json;
use testkit::Request;

#[testkit::story]
async fn a_blank_credential_counts_as_none(t: testkit::TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    t.admin()
        .put(project.at("/packages/generic/a/1.0/a.txt"))
        .bytes("a")
        .await
        .is(201);
    let file = project.at("/packages/generic/a/1.0/a.txt");
    let jane = t.user("jane").await;
    type Blank = fn(Request) -> Request;
    let headers: [Blank; 5] = [
        |request| request.header("private-token", ""),
        |request| request.header("private-token", "  "),
        |request| request.header("authorization", "Bearer "),
        |request| request.header("authorization", "Bearer"),
        |request| request.header("job-token", ""),
    ];
    let queries =
        ["access_token=", "private_token=", "bearer_token=", "job_token=", "access_token"];
    for path in ["/projects".to_owned(), project.at(""), file] {
        for blank in headers {
            blank(t.anonymous().get(&path)).await.is(200);
        }
        for query in queries {
            t.anonymous().get(format!("{path}?{query}")).await.is(200);
        }
    }
    t.anonymous().get("/user").header("private-token", "").await.is(401);
    // The next one counts.
    let token = jane.token().expect("a token");
    let both = t.anonymous().get("/user?access_token=").header("private-token", token);
    assert_eq!(both.await.is(200).json()["username"], "jane");
    let both = jane.get("/user").header("authorization", "Bearer ");
    assert_eq!(both.await.is(200).json()["username"], "jane");
    let path = "/api/graphql?query=%7BcurrentUser%7Busername%7D%7D";
    let nobody = t.anonymous().request(Method::GET, path).header("private-token", "");
    assert_eq!(nobody.await.is(200).json(), json!({"data": {"currentUser": null}}));
}
