//! Users in GraphQL: `currentUser`, `user`, `users` (docs/interface/graphql.md 9). As in REST,
//! strangers see no users.

mod tally;

pub use tally::{Tally, caller};

use crate::access;
use crate::model::{ProfileTexts, User, UserKind, UserState, Words};
use crate::settings::SignIn;
use crate::users::{self, Availability, Status, escape_like};
use crate::viewer::Viewer;
use kernel::app::App;
use kernel::graph::context::Loader;
use kernel::graph::{
    Args, Ask, BOOLEAN, Connection, Context, Fault, GlobalId, Graph, HasTypeRef, ID, Key, Mark,
    NODE, ObjectBuilder, Order, STRING, TIME, argument, enumeration, item, named, object,
};
use kernel::ids::fold;
use serde_json::Value as Json;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use store::Fragment;

pub const USER_ID: GlobalId = GlobalId::new("UserID", "User");

/// A user as the interface shows them; behind `User` and all that implement
/// it.
pub struct Person {
    pub user: User,
    avatar_url: Option<String>,
    web_url: String,
    web_path: String,
}

impl Person {
    pub fn new(app: &App, user: User) -> Arc<Person> {
        let web_path = format!("/{}", user.username);
        Arc::new(Person {
            avatar_url: users::avatar_url(app, &user),
            web_url: app.url(&web_path),
            web_path,
            user,
        })
    }
}

pub fn viewer(context: &Context) -> Viewer {
    context.get::<Viewer>().cloned().unwrap_or_default()
}

/// The ids of those people whose activity and memberships the caller may see.
pub async fn open_profiles(
    context: &Context, people: &[Arc<Person>],
) -> Result<HashSet<i64>, Fault> {
    let (app, reader) = (context.app()?, viewer(context));
    let rules: SignIn = app.settings().get(app).await?;
    let sees = |it: &&Arc<Person>| {
        let private = it.user.is_private.unwrap_or(rules.new_users_private);
        access::sees_activity_of(&reader, &it.user, private)
    };
    Ok(people.iter().filter(sees).map(|it| it.user.id).collect())
}

pub fn graph(g: &mut Graph) {
    USER_ID.register(g);
    states(g);
    g.object::<Permissions>("UserPermissions", "What the caller may do for a user.")
        .field("createSnippet", BOOLEAN.required(), |it| it.create_snippet)
        .describe("Write snippets as this user.");
    person(g.interface("User", "Someone who works here."));
    g.object::<Person>("UserCore", "A user.").implements("User");
    g.object::<Person>("CurrentUser", "Who asks.")
        .implements("User")
        .implements(NODE);
    g.node::<Visible, _>(USER_ID, object("UserCore"));
    queries(g);
}

struct Permissions {
    create_snippet: bool,
}

fn states(g: &mut Graph) {
    let states = vec![
        item("active", "May sign in."),
        item("blocked", "Shut out, or not yet let in."),
        item("deactivated", "Dormant until they sign in by browser."),
    ];
    g.enumeration("UserState", "Whether a user may act.", states);
    let availabilities =
        vec![item("NOT_SET", "They say nothing of it."), item("BUSY", "They are busy.")];
    g.enumeration("AvailabilityEnum", "Whether a user can be reached.", availabilities);
    g.object::<Status>("UserStatus", "What a user says they are doing.")
        .field("availability", enumeration("AvailabilityEnum").required(), |it| {
            match it.status_availability {
                Some(Availability::Busy) => "BUSY",
                _ => "NOT_SET",
            }
        })
        .describe("Whether they can be reached.")
        .field("emoji", STRING, |it| Some(it.emoji()))
        .describe("Name of an emoji.")
        .field("message", STRING, |it| it.status_message.clone())
        .describe("A few words.")
        .field("messageHtml", STRING, |it| Some(it.message_html()))
        .describe("The message as HTML.")
        .field("clearStatusAt", TIME, |it| it.status_clear_at)
        .describe("When it is forgotten.");
    let sorts = vec![
        item("CREATED_ASC", "Oldest first."),
        item("CREATED_DESC", "Newest first."),
        item("UPDATED_ASC", "Longest unchanged first."),
        item("UPDATED_DESC", "Last changed first."),
        item("created_asc", "Oldest first."),
        item("created_desc", "Newest first."),
        item("updated_asc", "Longest unchanged first."),
        item("updated_desc", "Last changed first."),
    ];
    g.enumeration("Sort", "Common orders of lists.", sorts);
}

fn state(user: &User) -> &'static str {
    match user.state {
        UserState::Active => "active",
        UserState::Deactivated => "deactivated",
        _ => "blocked",
    }
}

fn person(user: ObjectBuilder<'_, Person>) {
    let user = user
        .field("id", USER_ID.node().required(), |it| it.user.id)
        .describe("Global ID.")
        .field("username", STRING.required(), |it| it.user.username.clone())
        .describe("Login and path of their namespace.")
        .field("name", STRING.required(), |it| it.user.name.clone())
        .describe("Display name.")
        .field("state", enumeration("UserState").required(), |it| state(&it.user))
        .describe("Whether they may act.")
        .field("bot", BOOLEAN.required(), |it| it.user.kind.is_bot())
        .describe("Whether the program made the account.")
        .field("human", BOOLEAN, |it| Some(!it.user.kind.is_bot()))
        .describe("Whether it is a person.")
        .field("active", BOOLEAN, |it| Some(it.user.state == UserState::Active))
        .describe("Whether they may sign in.")
        .field("avatarUrl", STRING, |it| it.avatar_url.clone())
        .describe("Their picture.")
        .field("webUrl", STRING.required(), |it| it.web_url.clone())
        .describe("Their page.")
        .field("webPath", STRING.required(), |it| it.web_path.clone())
        .describe("Path of their page.")
        .field("createdAt", TIME, |it| Some(it.user.created_at))
        .describe("When the account was made.");
    let user = of_profile(user, "publicEmail", SHOWN, |it| &it.public_email);
    let user = of_profile(user, "email", SHOWN, |it| &it.public_email).mark(Mark::Deprecated {
        reason: "This was renamed",
        milestone: "13.7",
        replacement: Some("User.publicEmail"),
    });
    let user = of_profile(user, "location", "Where they are.", |it| &it.location);
    let user = of_profile(user, "bio", "A few words.", |it| &it.bio);
    of_profile(user, "jobTitle", "As what they work.", |it| &it.job_title)
        .load::<Statuses, _>("status", object::<Status>("UserStatus"), |it| Some(it.user.id))
        .describe("What they say they are doing.")
        .resolve(
            "userPermissions",
            object::<Permissions>("UserPermissions").required(),
            |it, _, context| async move {
                let own = viewer(&context).user_id() == Some(it.user.id);
                Ok(Arc::new(Permissions { create_snippet: own && !it.user.is_external }))
            },
        )
        .describe("What the caller may do for them.");
}

const SHOWN: &str = "E-mail they show to everyone.";

/// A field of the profile, which private users show to few.
fn of_profile<'g>(
    user: ObjectBuilder<'g, Person>, name: &str, text: &str, field: fn(&ProfileTexts) -> &Words,
) -> ObjectBuilder<'g, Person> {
    let texts = move |people: Vec<Arc<Person>>, _, context: Context| async move {
        let ids: Vec<i64> = people.iter().map(|it| it.user.id).collect();
        let found = context.load::<Profiles>(ids.clone()).await?;
        let of = |id: &i64| field(found.get(id)?).0.clone();
        Ok(ids.iter().map(of).collect())
    };
    user.level(name, STRING, texts).describe(text)
}

/// Profiles that the caller may see, by user.
struct Profiles;

impl Loader for Profiles {
    type Key = i64;
    type Value = Arc<ProfileTexts>;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, Self::Value>, Fault> {
        let Viewer::User(signed_in) = viewer(&context) else {
            return Ok(HashMap::new());
        };
        let found = context.app()?.read(move |tx| {
            let users = crate::entities::load_basic(tx, &ids)?.into_values().collect();
            let wholes = users::wholes(tx, users, Some(signed_in.user.id))?;
            let shown = wholes.into_iter().filter(|whole| {
                let own = whole.user.id == signed_in.user.id;
                own || signed_in.user.is_admin || !whole.is_private
            });
            Ok(shown.map(|whole| (whole.user.id, Arc::new(whole.profile.texts))).collect())
        });
        Ok(found.await?)
    }
}

/// What users say they are doing, for who is signed in, as in REST.
struct Statuses;

impl Loader for Statuses {
    type Key = i64;
    type Value = Arc<Status>;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, Arc<Status>>, Fault> {
        if viewer(&context).signed_in().is_err() {
            return Ok(HashMap::new());
        }
        let found = context.app()?.read(move |tx| users::statuses(tx, &ids));
        let said = found.await?.into_iter().filter(|(_, it)| !it.is_empty());
        Ok(said.map(|(id, status)| (id, Arc::new(status))).collect())
    }
}

/// Users by id, as who is signed in may look them up.
pub struct Visible;

impl Loader for Visible {
    type Key = i64;
    type Value = Arc<Person>;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, Arc<Person>>, Fault> {
        if viewer(&context).signed_in().is_err() {
            return Ok(HashMap::new());
        }
        let found = context.load::<People>(ids).await?.into_iter();
        Ok(found.filter(|(_, it)| it.user.kind != UserKind::Leaving).collect())
    }
}

/// Users by id, for rooms that name them.
pub struct People;

impl Loader for People {
    type Key = i64;
    type Value = Arc<Person>;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, Arc<Person>>, Fault> {
        let app = context.app()?.clone();
        let found = app.read(move |tx| Ok(crate::entities::load_basic(tx, &ids)?));
        let found = found.await?.into_iter();
        Ok(found.map(|(id, user)| (id, Person::new(&app, user))).collect())
    }
}

fn queries(g: &mut Graph) {
    g.query()
        .answer("currentUser", object::<Person>("CurrentUser"), |_, context| async move {
            let app = context.app()?;
            let viewer = viewer(&context);
            Ok(viewer.user().map(|user| Person::new(app, user.clone())))
        })
        .describe("Who asks; null for strangers.")
        .answer("user", object::<Person>("UserCore"), one)
        .describe("One user, by ID or name.")
        .arg(argument("id", USER_ID).describe("Their global ID."))
        .arg(argument("username", STRING).describe("Their login."))
        .connection("users", object::<Person>("UserCore"), |_, ask, args, context| {
            list(ask, args, context)
        })
        .describe("Users of this instance.")
        .arg(argument("ids", ID.required().list()).describe("Only these, by global ID."))
        .arg(argument("usernames", STRING.required().list()).describe("Only these, by login."))
        .arg(argument("search", STRING).describe("Part of login or name, or the whole e-mail."))
        .arg(argument("sort", named("Sort")).default("created_desc").describe("The order."))
        .arg(argument("admins", BOOLEAN).default(false).describe("Only administrators."));
}

async fn one(args: Args, context: Context) -> Result<Option<Arc<Person>>, Fault> {
    let (id, username): (Option<i64>, Option<String>) = (args.get("id")?, args.get("username")?);
    if id.is_some() == username.is_some() {
        return Err(Fault::argument("Provide either a single username or id"));
    }
    viewer(&context).signed_in()?;
    let app = context.app()?.clone();
    let found = app.read(move |tx| match (id, username) {
        (Some(id), _) => users::find(tx, id),
        (None, name) => users::find_by_username(tx, &name.unwrap_or_default()),
    });
    Ok(found.await?.map(|user| Person::new(&app, user)))
}

struct Filter {
    ids: Option<Vec<i64>>,
    usernames: Option<Vec<String>>,
    search: Option<String>,
    admins: bool,
}

impl Filter {
    fn read(args: &Args) -> Result<Filter, Fault> {
        let ids: Option<Vec<String>> = args.get("ids")?;
        let read = |text: &String| match text.parse::<i64>() {
            Ok(id) => Ok(id),
            Err(_) => USER_ID.read(text).map_err(Fault::argument),
        };
        let ids = ids.map(|all| all.iter().map(read).collect::<Result<_, Fault>>());
        let names: Option<Vec<String>> = args.get("usernames")?;
        Ok(Filter {
            ids: ids.transpose()?,
            usernames: names.map(|all| all.iter().map(|name| fold(name)).collect()),
            search: args.get("search")?,
            admins: args.get::<Option<bool>>("admins")?.unwrap_or(false),
        })
    }

    fn conditions(self, sql: &mut Fragment) {
        sql.raw(" and users.kind not in ('leaving', 'ghost')");
        if let Some(ids) = self.ids {
            sql.raw(" and").in_list("users.id", ids);
        }
        if let Some(names) = self.usernames {
            sql.raw(" and").in_list("users.username_folded", names);
        }
        if let Some(text) = self.search.filter(|text| !text.is_empty()) {
            let like = format!("%{}%", escape_like(&fold(&text)));
            sql.push(" and (users.username_folded like ", like.clone())
                .raw(" escape '\\'")
                .push(" or users.name_folded like ", like)
                .raw(" escape '\\'")
                .push(" or users.public_email = ", text)
                .raw(")");
        }
        if self.admins {
            sql.raw(" and users.is_admin = true");
        }
    }
}

async fn list(ask: Ask, args: Args, context: Context) -> Result<Option<Connection<Person>>, Fault> {
    if viewer(&context).signed_in().is_err() {
        return Ok(Some(Connection::empty()));
    }
    let filter = Filter::read(&args)?;
    let sort: Option<String> = args.get("sort")?;
    let sort = sort.unwrap_or_default().to_lowercase();
    let order = if sort.ends_with("asc") { Order::Asc } else { Order::Desc };
    let updated = sort.starts_with("updated");
    let column = if updated {
        "users.updated_at"
    } else {
        "users.created_at"
    };
    let keys = [Key::time(column, order), Key::int("users.id", order)];
    let window = ask.window(&context, &format!("users {sort}"), &keys)?;
    let app = context.app()?.clone();
    let mut sql = Fragment::new("select users.* from users where true");
    filter.conditions(&mut sql);
    window.narrow(&mut sql);
    let rows: Vec<User> = app.read(move |tx| Ok(tx.query(sql)?)).await?;
    let people = rows.into_iter().map(|user| Person::new(&app, user)).collect();
    Ok(Some(window.page_of(people, |it: &Person| -> Vec<Json> {
        let at = if updated {
            it.user.updated_at
        } else {
            it.user.created_at
        };
        vec![Key::instant(at), it.user.id.into()]
    })))
}
