//! Forms as a browser sends them.

use http::Method;
use testkit::{Client, Reply, Request, TestServer};

/// The value of one cookie that an answer sets.
pub fn cookie(reply: &Reply, name: &str) -> Option<String> {
    let set = reply.headers.get_all("set-cookie").iter();
    let mut values = set.filter_map(|value| value.to_str().ok());
    let found = values.find_map(|value| value.strip_prefix(&format!("{name}=")))?;
    Some(found.split(';').next().unwrap_or_default().to_owned())
}

/// The value of a hidden field of a form.
#[track_caller]
pub fn field(reply: &Reply, name: &str) -> String {
    let text = reply.text();
    let at = text.find(&format!("name=\"{name}\""));
    let rest = &text[at.unwrap_or_else(|| panic!("no {name}: {text}"))..];
    let start = rest.find("value=\"").expect("a hidden field has a value") + 7;
    let value = rest[start..].split('"').next();
    value.unwrap_or_default().to_owned()
}

/// A browser without a session that opened some page with a form.
pub struct Browser {
    client: Client,
    form: String,
    csrf: String,
    /// The page it opened.
    pub page: Reply,
}

impl Browser {
    /// Opens a page.
    pub async fn open(t: &TestServer, path: &str) -> Browser {
        let page = t.anonymous().at(path).await.is(200);
        Browser {
            client: t.anonymous(),
            form: cookie(&page, "_service_form").expect("the form is bound to the browser"),
            csrf: field(&page, "authenticity_token"),
            page,
        }
    }

    /// Sends a form, its fields written as they are sent.
    pub fn post(&self, path: &str, fields: &str) -> Request {
        let body = format!("authenticity_token={}&{fields}", self.csrf);
        let post = self.client.request(Method::POST, path);
        post.header("cookie", &format!("_service_form={}", self.form)).form(body)
    }

    /// Signs in.
    pub fn sign_in(&self, login: &str, password: &str) -> Request {
        let password = password.replace(' ', "+");
        self.post("/users/sign_in", &format!("login={login}&password={password}"))
    }
}
