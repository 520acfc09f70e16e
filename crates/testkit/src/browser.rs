//! A browser as stories need it: cookies, forms and their tokens.

use crate::client::{Client, Reply, Request};
use crate::server::TestServer;
use http::Method;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The password of every user the fixtures make.
pub const PASSWORD: &str = "correct horse battery";

/// Keeps cookies and the last form token it saw; follows no redirect.
pub struct Browser {
    client: Client,
    cookies: Mutex<BTreeMap<String, String>>,
    form_token: Mutex<String>,
}

impl TestServer {
    /// A browser where nobody is signed in.
    pub fn new_browser(&self) -> Browser {
        Browser::of(self.anonymous())
    }

    /// A browser where this user, made by the fixtures, is signed in and has
    /// seen a page, so that it can send forms.
    pub async fn browser(&self, login: &str) -> Browser {
        let browser = self.new_browser();
        browser.sign_in(login).await;
        browser.get("/-/user_settings/profile").await;
        browser
    }
}

impl Browser {
    /// A browser of whoever this client speaks to.
    pub fn of(client: Client) -> Browser {
        Browser {
            client,
            cookies: Mutex::default(),
            form_token: Mutex::default(),
        }
    }

    /// Signs in through the page.
    pub async fn sign_in(&self, login: &str) -> Reply {
        self.get("/users/sign_in?again=true").await.is(200);
        let fields = [("login", login), ("password", PASSWORD)];
        self.post("/users/sign_in", &fields).await.is(302)
    }

    /// GET of a page or of an address it was sent to.
    pub async fn get(&self, path: &str) -> Reply {
        self.send(Method::GET, path, None, &[]).await
    }

    /// Sends a form by any method, asking for answers of this type.
    pub async fn send_as(
        &self, method: Method, path: &str, fields: &[(&str, &str)], accept: &str,
    ) -> Reply {
        let headers = [("accept", accept)];
        self.send(method, path, Some(encode(fields)), &headers).await
    }

    /// Posts a form as it is, with these headers of a browser.
    pub async fn post_with(
        &self, path: &str, fields: &[(&str, &str)], headers: &[(&str, &str)],
    ) -> Reply {
        self.send(Method::POST, path, Some(encode(fields)), headers).await
    }

    /// Posts a form that is written as it is sent.
    pub async fn post_text(&self, path: &str, form: &str) -> Reply {
        self.send(Method::POST, path, Some(form.to_owned()), &[]).await
    }

    /// Posts a form of the last page that was seen, with that page's token.
    pub async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let token = self.form_token();
        let mut all = vec![("authenticity_token", token.as_str())];
        all.extend_from_slice(fields);
        self.post_bare(path, &all).await
    }

    /// Posts a form with one file and the page's token.
    pub async fn post_file(&self, path: &str, field: &str, bytes: &[u8]) -> Reply {
        let token = self.form_token();
        let part = "--part\r\nContent-Disposition: form-data; name=";
        let mut body = format!(
            "{part}\"authenticity_token\"\r\n\r\n{token}\r\n\
             {part}\"{field}\"; filename=\"file\"\r\n\r\n"
        )
        .into_bytes();
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n--part--\r\n");
        let request = self.request(Method::POST, path).bytes(body);
        let request = request.header("content-type", "multipart/form-data; boundary=part");
        let reply = request.await;
        self.remember(&reply);
        reply
    }

    /// Posts a form without the page's token.
    pub async fn post_bare(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        self.post_with(path, fields, &[]).await
    }

    /// Posts a form that is accepted: the page it leads to, by its address.
    pub async fn submit(&self, path: &str, fields: &[(&str, &str)]) -> (String, String) {
        let led = self.post(path, fields).await.is(303);
        let to = led.header("location").to_owned();
        let page = self.get(&to).await.is(200);
        (to, page.text())
    }

    async fn send(
        &self, method: Method, path: &str, form: Option<String>, headers: &[(&str, &str)],
    ) -> Reply {
        let mut request = self.request(method, path);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if let Some(form) = form {
            request = request.form(form);
        }
        let reply = request.await;
        self.remember(&reply);
        reply
    }

    /// The cookies as a request sends them; empty without any.
    pub fn cookie(&self) -> String {
        let known = self.cookies.lock().unwrap_or_else(PoisonError::into_inner);
        let pairs = known.iter().map(|(name, value)| format!("{name}={value}"));
        pairs.collect::<Vec<_>>().join("; ")
    }

    /// The token of the last form that was seen.
    pub fn form_token(&self) -> String {
        self.form_token.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A request with the cookies.
    pub fn request(&self, method: Method, path: &str) -> Request {
        let cookie = self.cookie();
        let request = self.client.request(method, path);
        match cookie.is_empty() {
            true => request,
            false => request.header("cookie", &cookie),
        }
    }

    fn remember(&self, reply: &Reply) {
        let mut known = self.cookies.lock().unwrap_or_else(PoisonError::into_inner);
        for value in reply.headers.get_all("set-cookie") {
            let text = value.to_str().unwrap_or_default();
            let Some((name, value)) = text.split(';').next().and_then(|pair| pair.split_once('='))
            else {
                continue;
            };
            match value.is_empty() {
                true => known.remove(name),
                false => known.insert(name.to_owned(), value.to_owned()),
            };
        }
        if let Some(token) = reply.hidden("authenticity_token") {
            *self.form_token.lock().unwrap_or_else(PoisonError::into_inner) = token;
        }
    }
}

fn encode(fields: &[(&str, &str)]) -> String {
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    form.extend_pairs(fields).finish()
}

impl Reply {
    /// The value of a hidden field of a page.
    pub fn hidden(&self, name: &str) -> Option<String> {
        let text = self.text();
        let rest = &text[text.find(&format!("name=\"{name}\""))?..];
        let value = rest.split("value=\"").nth(1)?.split('"').next()?;
        let text = [("&#60;", "<"), ("&#62;", ">"), ("&#34;", "\""), ("&#39;", "'")]
            .into_iter()
            .fold(value.to_owned(), |text, (code, sign)| text.replace(code, sign));
        Some(text.replace("&amp;", "&").replace("&#38;", "&"))
    }
}
