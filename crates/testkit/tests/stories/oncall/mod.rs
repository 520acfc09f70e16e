//! Stories about on-call: schedules and who is on call by them, and whom
//! alerts page that nobody looks after (docs/interface/monitoring.md 3).

mod graphql;
mod home;
mod pages;
mod paging;
mod policies;
mod schedules;

use http::Method;
use serde_json::{Value, json};
use testkit::{Client, Reply, TestProject, TestServer, TestUser};

/// A project that receives alerts, and people who look after them.
pub struct Watch {
    /// The project, `acme/anvil`.
    pub project: TestProject,
    /// A developer.
    pub jane: TestUser,
    /// Another.
    pub carl: TestUser,
    /// An administrator.
    pub admin: Client,
    nobody: Client,
    address: String,
    key: String,
}

impl Watch {
    /// Sets it up.
    pub async fn new(t: &TestServer) -> Watch {
        let project = t.project("acme/anvil").await;
        let body = json!({"name": "Pager", "active": true});
        let all = project.at("/alert_management/http_integrations");
        let made = t.admin().post(all).json(&body).await.is(201).json();
        let (jane, carl) = (t.user("jane").await, t.user("carl").await);
        project.add(&jane, 30).await;
        project.add(&carl, 30).await;
        Watch {
            project,
            jane,
            carl,
            admin: t.admin(),
            nobody: t.anonymous(),
            address: made["url"].as_str().unwrap().to_owned(),
            key: made["token"].as_str().unwrap().to_owned(),
        }
    }

    /// Path of the schedules, below `/api/v4`.
    pub fn schedules(&self) -> String {
        self.project.at("/alert_management/oncall_schedules")
    }

    /// Path of the policies, below `/api/v4`.
    pub fn policies(&self) -> String {
        self.project.at("/alert_management/escalation_policies")
    }

    /// A schedule; its path.
    pub async fn schedule(&self, name: &str) -> String {
        let body = json!({"name": name, "timezone": "Europe/Berlin"});
        let made = self.admin.post(self.schedules()).json(&body).await.is(201);
        format!("{}/{}", self.schedules(), made.json()["iid"])
    }

    /// Daily turns of these people, from this time on; its path.
    pub async fn rotation(&self, schedule: &str, starts_at: &str, users: &[&TestUser]) -> String {
        let ids: Vec<i64> = users.iter().map(|user| user.id).collect();
        let name = format!("Turns of {}", users[0].username);
        let body = json!({"name": name, "starts_at": starts_at, "length": 1,
            "length_unit": "days", "user_ids": ids});
        let path = format!("{schedule}/rotations");
        let made = self.admin.post(&path).json(&body).await.is(201);
        format!("{path}/{}", made.id())
    }

    /// The policy of the project; its path.
    pub async fn policy(&self, rules: Value) -> String {
        let body = json!({"name": "Wake up", "rules": rules});
        let made = self.admin.post(self.policies()).json(&body).await.is(201);
        format!("{}/{}", self.policies(), made.id())
    }

    /// Sends an alert.
    pub async fn send(&self, payload: Value) -> Reply {
        self.nobody
            .request(Method::POST, &self.address)
            .header("authorization", &format!("Bearer {}", self.key))
            .json(&payload)
            .await
            .is(200)
    }

    /// Says what becomes of an alert.
    pub async fn set(&self, iid: i64, status: &str) {
        let path = self.project.at(&format!("/alert_management/alerts/{iid}"));
        let body = json!({"status": status});
        self.admin.put(path).json(&body).await.is(200);
    }

    /// What notes say of whom an alert paged, the oldest first.
    pub async fn told(&self, t: &TestServer, iid: i64) -> Vec<String> {
        let project = self.project.id;
        t.app()
            .read(move |tx| {
                Ok(tx.all(
                    store::sql!(
                        "select n.body from notes n join alerts a on a.id = n.noteable_id
                         where n.noteable_type = 'AlertManagement::Alert' and a.project_id = $1
                            and a.iid = $2 and (n.body like 'paged %' escape '\\'
                                or n.body like 'found nobody%' escape '\\') order by n.id"
                    ),
                    (project, iid),
                )?)
            })
            .await
            .unwrap()
    }
}

/// Whom mail paged about this, in no order.
pub fn mailed(t: &TestServer, title: &str) -> Vec<String> {
    let subject = format!("anvil | Page: {title}");
    let sent = t.app().mailer().sent().into_iter();
    let mut to: Vec<String> = sent
        .filter(|mail| mail.subject == subject)
        .map(|mail| mail.to.split('@').next().unwrap_or_default().to_owned())
        .collect();
    to.sort_unstable();
    to
}
