//! Somebody who signs in by the page, for the cookie that pages are asked with.

use std::io::{Read, Write};
use std::net::TcpStream;

/// Signs in and answers the header line of the session.
pub fn cookie(url: &str, login: &str, password: &str) -> Result<String, String> {
    let page = send(url, "GET", "/users/sign_in", "", "")?;
    let token = between(&page, "name=\"authenticity_token\" value=\"", "\"")
        .ok_or("the page to sign in has no token")?;
    let form = format!(
        "authenticity_token={}&login={}&password={}",
        encoded(token),
        encoded(login),
        encoded(password)
    );
    let led = send(url, "POST", "/users/sign_in", &cookies(&page), &form)?;
    match led.starts_with("HTTP/1.1 302") {
        true => Ok(cookies(&led)),
        false => Err(format!("signing in: {}", led.lines().next().unwrap_or_default())),
    }
}

/// Sends one request; the whole answer.
fn send(url: &str, method: &str, path: &str, cookie: &str, form: &str) -> Result<String, String> {
    let host = url.trim_start_matches("http://");
    let line = if cookie.is_empty() {
        String::new()
    } else {
        format!("{cookie}\r\n")
    };
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n{line}\
         content-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{form}",
        form.len()
    );
    let mut answer = Vec::new();
    TcpStream::connect(host)
        .and_then(|mut stream| {
            stream.write_all(request.as_bytes())?;
            stream.read_to_end(&mut answer)
        })
        .map_err(|error| format!("{method} {path}: {error}"))?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// The cookies that an answer sets, as a header line.
fn cookies(answer: &str) -> String {
    let head = answer.split("\r\n\r\n").next().unwrap_or_default();
    let set = head.lines().filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("set-cookie").then(|| value.trim())
    });
    let pairs: Vec<&str> = set.filter_map(|cookie| cookie.split(';').next()).collect();
    format!("cookie: {}", pairs.join("; "))
}

fn between<'t>(text: &'t str, begin: &str, end: &str) -> Option<&'t str> {
    text.split_once(begin)?.1.split_once(end).map(|(found, _)| found)
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}
