//! People who come and go.

use super::{deed, deeds};
use crate::spaces::run_job;
use serde_json::json;
use testkit::TestServer;

#[testkit::story(noon)]
async fn who_joins_leaves_and_runs_out_is_told(t: TestServer) {
    let group = t.group("acme").await;
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    group.add(&jane, 50).await;
    let until = (t.now() + std::time::Duration::from_secs(2 * 86_400)).to_string();
    let body = json!({"user_id": joe.id, "access_level": 30, "expires_at": &until[..10]});
    jane.post(project.at("/members")).json(&body).await.is(201);
    assert_eq!(
        deeds(&jane, &project.at("/events?target_type=user")).await,
        [deed("joined", "")]
    );
    // A group's members are told in the group, not in its projects.
    assert_eq!(deeds(&jane, "/events?action=joined").await, [deed("joined", "")]);

    t.advance(3 * 86_400);
    run_job(&t, "spaces.expire_members").await;
    let expired = deed("removed due to membership expiration from", "");
    assert_eq!(
        deeds(&jane, &project.at("/events?target_type=user")).await,
        [expired.clone(), deed("joined", "")]
    );
    assert_eq!(deeds(&jane, &project.at("/events?action=expired")).await, [expired]);

    let body = json!({"user_id": joe.id, "access_level": 30});
    jane.post(project.at("/members")).json(&body).await.is(201);
    joe.delete(project.at(&format!("/members/{}", joe.id))).await.is(204);
    assert_eq!(deeds(&jane, &project.at("/events?action=left")).await, [deed("left", "")]);
}

#[testkit::story]
async fn a_request_joins_once_it_is_approved(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 40).await;
    joe.post(project.at("/access_requests")).await.is(201);
    assert_eq!(deeds(&joe, "/events").await, []);
    let approve = project.at(&format!("/access_requests/{}/approve", joe.id));
    jane.put(approve).await.is(201);
    assert_eq!(deeds(&joe, "/events").await, [deed("joined", "")]);
}
