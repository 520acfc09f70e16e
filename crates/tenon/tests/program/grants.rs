//! Codes and refresh tokens work once, also where two servers are asked at
//! the same time.

use crate::place::{Place, Server};
use http::Method;
use serde_json::Value;
use testkit::{Browser, Client, Reply, run};

const CALLBACK: &str = "https://app.example/cb";
/// How many ask at once, at the servers in turn.
const TRIES: usize = 100;

/// A confidential application that needs no consent.
struct Application {
    uid: String,
    secret: String,
}

impl Application {
    fn register(place: &Place) -> Application {
        let mut arguments = vec!["application", "create", "--name", "Shop", "--trusted"];
        arguments.extend(["--redirect-uri", CALLBACK, "--scopes", "read_user"]);
        let told = place.succeeds(&arguments);
        let made: Value = serde_json::from_str(&told).expect("JSON");
        let text = |key: &str| made[key].as_str().expect(key).to_owned();
        Application { uid: text("client_id"), secret: text("client_secret") }
    }

    async fn code(&self, browser: &Browser) -> String {
        let path = format!(
            "/oauth/authorize?client_id={}&redirect_uri={CALLBACK}&response_type=code&scope=read_user",
            self.uid
        );
        let reply = browser.get(&path).await.is(302);
        let url = url::Url::parse(reply.header("location")).expect("an address");
        let code = url.query_pairs().find(|(key, _)| key == "code");
        code.expect("a code").1.into_owned()
    }

    /// Asks all nodes in turn for the same grant, at once. Exactly one must
    /// win; answers its tokens.
    async fn race(&self, nodes: &[Client], grant: &[(&str, &str)]) -> Value {
        let mut fields = vec![("client_id", &*self.uid), ("client_secret", &*self.secret)];
        fields.extend_from_slice(grant);
        let form = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(fields)
            .finish();
        let tries = (0..TRIES).map(|number| {
            let node = &nodes[number % nodes.len()];
            node.request(Method::POST, "/oauth/token").form(form.clone()).into_future()
        });
        let replies: Vec<Reply> = futures_util::future::join_all(tries).await;
        let (won, lost): (Vec<Reply>, Vec<Reply>) =
            replies.into_iter().partition(|reply| reply.status == 200);
        for reply in lost {
            assert_eq!(reply.is(400).json()["error"], "invalid_grant");
        }
        assert_eq!(won.len(), 1, "{grant:?}");
        won[0].json()
    }
}

#[test]
fn a_code_and_a_refresh_token_work_once_on_two_nodes() {
    run(async {
        if let Some(place) = Place::postgres() {
            let nodes = [place.serve(), place.serve()];
            work_once(&place, &nodes).await;
        }
    });
}

#[test]
fn a_code_and_a_refresh_token_work_once_on_sqlite() {
    run(async {
        let place = Place::sqlite();
        let nodes = [place.serve()];
        work_once(&place, &nodes).await;
    });
}

async fn work_once(place: &Place, nodes: &[Server]) {
    let shop = Application::register(place);
    let clients: Vec<Client> = nodes.iter().map(|node| Client::nobody(&node.url)).collect();
    let browser = Browser::of(clients[0].clone());
    browser.sign_in("root").await;
    // Each round fails 198 times; 600 a minute are too many from one address.
    for round in 0..2 {
        let code = shop.code(&browser).await;
        let grant = [
            ("grant_type", "authorization_code"),
            ("redirect_uri", CALLBACK),
            ("code", &code),
        ];
        let tokens = shop.race(&clients, &grant).await;
        let token = tokens["refresh_token"].as_str().expect("a refresh token");
        let grant = [("grant_type", "refresh_token"), ("refresh_token", token)];
        let tokens = shop.race(&clients, &grant).await;

        // The races were no theft: what the winner got works on every node.
        let access = tokens["access_token"].as_str().expect("an access token");
        for node in &clients {
            let bearer = format!("Bearer {access}");
            let me = node.get("/user").header("authorization", &bearer).await;
            assert_eq!(me.is(200).json()["username"], "root", "round {round}");
        }
    }
}
