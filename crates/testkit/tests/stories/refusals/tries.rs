//! Every route, asked about what is hidden with a body that is complete.

use crate::refusals::hidden::{EVERYWHERE, Hidden};
use http::Method;
use kernel::http::routes::Surface;
use serde_json::{Value, json};
use testkit::{Client, Reply};

/// Fields of which one is needed, which the description cannot say.
const ONE_OF: &[(&str, &str)] = &[
    ("POST /projects", "name"),
    ("POST /projects/user/{user_id}", "name"),
    ("POST /projects/{id}/invitations", "email"),
    ("POST /groups/{id}/invitations", "email"),
    ("PUT /user/avatar", "avatar"),
    ("POST /projects/{id}/trigger/pipeline", "token"),
    ("POST /projects/{id}/ref/{ref}/trigger/pipeline", "token"),
    ("POST /snippets", "content"),
    ("POST /snippets", "file_name"),
    ("POST /projects/{id}/snippets", "content"),
    ("POST /projects/{id}/snippets", "file_name"),
];

/// Tells everybody that there is nothing here, by 501.
const SAME_TO_ALL: &str = "/api/v4/runners/router/discovery";

/// A key that nobody has, and the fingerprint of one that is hidden.
const FREE_KEY: &str =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDDfMSf8Z0VjturFWrz3otazDYmR61m/RVEK8ftQIdKb";
const FINGERPRINT: &str = "ae:6f:ba:1b:70:2c:ae:c7:5c:ab:6e:4d:5e:d4:c7:23";

/// What a route is asked with that takes a key of its own in the query: a
/// wrong one.
const WITH_KEY: &[(&str, &str)] = &[
    ("POST /error_tracking/collector/api/{id}/envelope", "sentry_key=svet_wrong"),
    ("POST /error_tracking/collector/api/{id}/store", "sentry_key=svet_wrong"),
];

/// One route with its hidden subject and a body that is complete.
pub struct Try {
    /// Method and template, as in the lists above.
    pub name: String,
    pub method: Method,
    pub path: String,
    pub body: Option<Value>,
}

impl Hidden {
    /// The template with the hidden things in its places.
    fn filled(&self, template: &str) -> String {
        let first = template.split('/').nth(1).unwrap_or_default();
        let mut path = String::new();
        for part in template.split('{') {
            let Some((name, rest)) = part.split_once('}') else {
                path.push_str(part);
                continue;
            };
            let of = |room: &str| {
                let mut known = self.ids.iter();
                known.find(|((a, b), _)| *a == room && *b == name).map(|(_, id)| id.clone())
            };
            // What is below these is another thing than what issues have.
            let mut rooms = ["snippets", "merge_requests", "commits"].into_iter();
            let room = rooms.find(|room| template.contains(&format!("/{room}/{{")));
            let id = room.and_then(of).or_else(|| of(first)).or_else(|| of(EVERYWHERE));
            path.push_str(&id.unwrap_or_else(|| panic!("say what {{{name}}} of {template} is")));
            path.push_str(rest);
        }
        path
    }

    /// Every route of the API, ready to be asked.
    pub fn tries(&self) -> Vec<Try> {
        let document: Value = serde_json::from_str(&tenon::system::openapi_file()).unwrap();
        let routes = tenon::wiring::routes();
        let of_api = routes.all().iter().filter(|route| route.surface == Surface::Api);
        of_api
            .filter(|route| route.path != SAME_TO_ALL)
            .map(|route| {
                let template = route.path.trim_start_matches("/api/v4");
                let operation = &document["paths"][route.path.replace("{*", "{")]
                    [route.method.as_str().to_ascii_lowercase()];
                let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
                let name = format!("{} {template}", route.method);
                let mut body = schema.is_object().then(|| self.sample("", schema));
                for (_, field) in ONE_OF.iter().filter(|(route, _)| *route == name) {
                    if let Some(body) = &mut body {
                        body[field] = self.sample(field, &Value::Null);
                    }
                }
                if let Some(body) = body.as_mut().filter(|_| name.ends_with("/gpg_keys")) {
                    body["key"] = json!(crate::signatures::ADA);
                }
                let query = match why(WITH_KEY, &name) {
                    Some(key) => format!("?{key}"),
                    None => self.query(operation),
                };
                Try {
                    name,
                    method: route.method.clone(),
                    path: format!("{}{query}", self.filled(template)),
                    body,
                }
            })
            .collect()
    }

    /// What a GET must be told.
    fn query(&self, operation: &Value) -> String {
        let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
        let needed =
            parameters.iter().filter(|one| one["in"] == "query" && one["required"] == true);
        let pairs = needed.map(|one| {
            let name = one["name"].as_str().unwrap_or_default();
            let sample = self.sample(name, &one["schema"]);
            let pair = |value: &Value| format!("{name}={}", value.to_string().trim_matches('"'));
            match sample.as_array().and_then(|all| all.first()) {
                Some(one) => format!("{0}&{0}", pair(one)),
                None => pair(&sample),
            }
        });
        let pairs: Vec<String> = pairs.collect();
        if pairs.is_empty() {
            String::new()
        } else {
            format!("?{}", pairs.join("&"))
        }
    }

    /// The id of a hidden thing.
    fn number(&self, room: &'static str, name: &'static str) -> Value {
        json!(self.ids.get(&(room, name)).and_then(|id| id.parse::<i64>().ok()))
    }

    /// A usable value of this schema.
    fn sample(&self, name: &str, schema: &Value) -> Value {
        if let Some(first) = schema["enum"].as_array().and_then(|all| all.first()) {
            return first.clone();
        }
        let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str());
        match (kind, name) {
            (Some("object"), _) => {
                let needed = schema["required"].as_array().cloned().unwrap_or_default();
                let fields = needed.iter().filter_map(|field| {
                    let field = field.as_str()?;
                    let sample = self.sample(field, &schema["properties"][field]);
                    Some((field.to_owned(), sample))
                });
                Value::Object(fields.collect())
            }
            (Some("array"), "scopes") => json!(["self_rotate"]),
            (Some("array"), "ids") => json!([self.number("suggestions", "id")]),
            (Some("array"), _) => json!([self.sample("", &schema["items"])]),
            (Some("integer"), "access_level" | "group_access") => json!(30),
            (Some("integer"), "from" | "to") => self.number(EVERYWHERE, "export_id"),
            (Some("integer"), _) => json!(self.keeper),
            (Some("boolean"), _) => json!(true),
            _ if schema["format"] == "date-time" => json!("2100-01-01T00:00:00Z"),
            (_, "email") => json!("new@example.com"),
            (_, "avatar") => json!(""),
            (_, "version") => json!("2.0.0"),
            (_, "key") => json!(FREE_KEY),
            (_, "fingerprint") => json!(FINGERPRINT),
            (_, "user_id") => json!(self.keeper.to_string()),
            _ => json!("hammer"),
        }
    }
}

/// Asks it; a server that fails is never an answer.
pub async fn ask(client: &Client, one: &Try) -> Reply {
    let request = client.api(one.method.clone(), &one.path);
    let reply = match &one.body {
        Some(body) => request.json(body).await,
        None => request.await,
    };
    assert!(reply.status < 500, "{}: {reply:?}", one.name);
    reply
}

/// The reason with which a list names a route.
pub fn why(list: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    list.iter().find(|(route, _)| *route == name).map(|(_, why)| *why)
}
