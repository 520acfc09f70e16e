//! Somebody in front of a browser: cookies are kept, forms carry their token.

use http::Method;
use std::sync::Mutex;
use testkit::{Client, Reply, TestServer};

pub const PASSWORD: &str = "correct horse battery";

/// A browser that is signed in.
pub struct Browser {
    client: Client,
    csrf: String,
    cookies: Mutex<Vec<(String, String)>>,
}

/// The value of a hidden field of a page.
pub fn field(page: &str, name: &str) -> String {
    let at = page
        .find(&format!("name=\"{name}\""))
        .unwrap_or_else(|| panic!("no {name}: {page}"));
    let rest = &page[at..];
    let start = rest.find("value=\"").expect("a hidden field has a value") + 7;
    let value = rest[start..].split('"').next();
    value.unwrap_or_default().to_owned()
}

fn encoded(form: &[(&str, &str)]) -> String {
    let pairs = form
        .iter()
        .map(|(name, value)| format!("{}={}", escaped(name), escaped(value)));
    pairs.collect::<Vec<_>>().join("&")
}

fn escaped(text: &str) -> String {
    let one = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(one).collect()
}

impl Browser {
    /// Signs in as a user of [`TestServer::user`].
    pub async fn of(t: &TestServer, login: &str) -> Browser {
        let mut browser = Browser {
            client: t.anonymous(),
            csrf: String::new(),
            cookies: Mutex::default(),
        };
        let page = browser.open("/users/sign_in").await.is(200);
        browser.csrf = field(&page.text(), "authenticity_token");
        let form = [("login", login), ("password", PASSWORD)];
        browser.send("/users/sign_in", &form).await.is(302);
        let own = browser.open("/-/user_settings/profile").await.is(200);
        browser.csrf = field(&own.text(), "authenticity_token");
        browser
    }

    fn cookie_header(&self) -> String {
        let cookies = self.cookies.lock().unwrap();
        let pairs = cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"));
        pairs.collect::<Vec<_>>().join("; ")
    }

    fn keep(&self, reply: &Reply) {
        let mut cookies = self.cookies.lock().unwrap();
        for set in reply.headers.get_all("set-cookie") {
            let text = set.to_str().unwrap();
            let (name, rest) = text.split_once('=').unwrap();
            cookies.retain(|(known, _)| known != name);
            if !text.contains("Max-Age=0") {
                let value = rest.split(';').next().unwrap_or_default();
                cookies.push((name.to_owned(), value.to_owned()));
            }
        }
    }

    /// GET of a page.
    pub async fn open(&self, path: &str) -> Reply {
        let reply = self
            .client
            .at(path)
            .header("cookie", &self.cookie_header())
            .await;
        self.keep(&reply);
        reply
    }

    /// POST of a form with the session's token.
    pub async fn send(&self, path: &str, form: &[(&str, &str)]) -> Reply {
        let mut whole = vec![("authenticity_token", self.csrf.as_str())];
        whole.extend(form);
        self.send_bare(path, &whole).await
    }

    /// POST of a form as it is.
    pub async fn send_bare(&self, path: &str, form: &[(&str, &str)]) -> Reply {
        let request = self.client.request(Method::POST, path);
        let request = request.header("cookie", &self.cookie_header());
        let reply = request.form(encoded(form)).await;
        self.keep(&reply);
        reply
    }

    /// POST of a form that is accepted: the page it leads to, by its address.
    pub async fn submit(&self, path: &str, form: &[(&str, &str)]) -> (String, String) {
        let led = self.send(path, form).await.is(303);
        let to = led.header("location").to_owned();
        let page = self.open(&to).await.is(200);
        (to, page.text())
    }
}
