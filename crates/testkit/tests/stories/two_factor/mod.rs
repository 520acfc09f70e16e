//! Stories about second factors, on both engines. The codes are those of
//! `oathtool`, a stock program (`cargo xtask test` installs it).

mod admin;
mod demand;
mod fresh;
mod keys;
mod set_up;
mod sign_in;

use identity::two_factor::totp;
use kernel::mail::Message;
use serde_json::json;
use testkit::{Browser, PASSWORD, Reply, TestServer, TestUser};

const STEP: &str = "/users/sign_in/two_factor";
/// Seconds a code is shown.
const SHOWN: i64 = 30;

/// A phone with an app that shows codes.
struct Phone {
    /// The secret in base 32.
    secret: String,
}

impl Phone {
    /// The code it shows when its clock is so many seconds off.
    fn off(&self, t: &TestServer, seconds: i64) -> String {
        let at = t.now() + jiff::SignedDuration::from_secs(seconds);
        let at = at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string();
        let shown = std::process::Command::new("oathtool")
            .args(["--totp", "--base32", &self.secret, "--now", &at])
            .output()
            .expect("oathtool runs: install it, or run `cargo xtask test`");
        assert!(shown.status.success(), "{shown:?}");
        let code = String::from_utf8(shown.stdout).expect("digits");
        code.trim().to_owned()
    }

    /// The code it shows now.
    fn code(&self, t: &TestServer) -> String {
        self.off(t, 0)
    }
}

/// Gives a user a phone, without the pages.
async fn phone(t: &TestServer, user: &TestUser) -> Phone {
    let secret = *b"a secret of 20 bytes";
    let (app, id) = (t.app().clone(), user.id);
    let stored = t.app().write(move |tx| totp::store(&app, tx, id, &secret, 0));
    stored.await.expect("the secret is stored");
    Phone { secret: totp::written(&secret).replace(' ', "") }
}

/// Lets stories sign in as often as they like.
async fn patient(t: &TestServer) {
    let wide = json!({"sign_in_limit_per_minute": 1000});
    let put = t.admin().put("/application/settings").json(&wide);
    put.await.is(200);
}

/// A browser whose password step is done.
async fn halfway(t: &TestServer, login: &str) -> Browser {
    let browser = t.new_browser();
    let reply = browser.sign_in(login).await;
    assert_eq!(reply.header("location"), STEP);
    browser.get(STEP).await.is(200);
    browser
}

/// Sends a code as second factor.
async fn enter(browser: &Browser, code: &str) -> Reply {
    browser.post(STEP, &[("code", code)]).await
}

/// Whether somebody is signed in.
async fn is_in(browser: &Browser) -> bool {
    browser.get("/api/v4/user").await.status == 200
}

/// The mails sent so far, after all jobs are done.
async fn sent(t: &TestServer) -> Vec<Message> {
    t.settle().await;
    t.app().mailer().sent()
}

/// How often an action was recorded.
async fn recorded(t: &TestServer, action: &'static str) -> i64 {
    let count = t.app().read(move |tx| {
        Ok(tx.one("select count(*) from audit_records where action = $1", (action,))?)
    });
    count.await.expect("a number")
}

/// Where second factors are set up.
const PAGE: &str = "/-/profile/two_factor_auth";

/// The secret that the page shows to be typed: eight groups of four.
fn secret_in(page: &Reply) -> String {
    let text = page.text();
    let is_secret = |part: &&[u8]| {
        part.iter().enumerate().all(|(at, b)| match at % 5 {
            4 => *b == b' ',
            _ => b.is_ascii_uppercase() || (b'2'..=b'7').contains(b),
        })
    };
    let found = text.as_bytes().windows(39).find(is_secret);
    let found = found.unwrap_or_else(|| panic!("no secret: {text}"));
    String::from_utf8_lossy(found).replace(' ', "")
}

/// The recovery codes that a page shows.
fn codes_in(page: &Reply) -> Vec<String> {
    let text = page.text();
    let parts = text.split("<code>").skip(1);
    let codes = parts.filter_map(|part| part.split("</code>").next());
    codes.map(str::to_owned).collect()
}

/// Sets up an app through the page.
async fn set_up(t: &TestServer, browser: &Browser) -> (Phone, Vec<String>) {
    let page = browser.get(PAGE).await.is(200);
    let phone = Phone { secret: secret_in(&page) };
    let sealed = page.hidden("secret").expect("the sealed secret");
    let code = phone.code(t);
    let fields = [("secret", sealed.as_str()), ("code", &code), ("current_password", PASSWORD)];
    let done = browser.post(PAGE, &fields).await.is(200);
    (phone, codes_in(&done))
}

/// Signs a user in with both factors.
async fn browser_of(t: &TestServer, login: &str, phone: &Phone) -> Browser {
    let browser = halfway(t, login).await;
    enter(&browser, &phone.code(t)).await.is(302);
    browser
}
