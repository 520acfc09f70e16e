//! The requests, each with what should come of it.

use graphql::validation::MAX_CHARACTERS;
use serde_json::{Value, json};

/// What comes of a request.
#[derive(Debug, PartialEq)]
pub enum End {
    /// Data without errors.
    Answered,
    /// One entry refused before it runs, with this code.
    Refused(String),
    /// The whole request refused with this status.
    Whole(u16),
}

pub fn refused(code: &str) -> End {
    End::Refused(code.to_owned())
}

/// A request's body and what should come of it.
pub struct Case {
    pub name: &'static str,
    pub body: Vec<u8>,
    pub end: End,
}

/// One query without variables.
fn query(name: &'static str, query: impl Into<String>, end: End) -> Case {
    with(name, query, json!({}), end)
}

fn with(name: &'static str, query: impl Into<String>, variables: Value, end: End) -> Case {
    let query: String = query.into();
    let length = query.chars().count();
    assert!(length <= MAX_CHARACTERS, "{name} has {length} characters");
    let body = json!({"query": query, "variables": variables}).to_string();
    Case { name, body: body.into_bytes(), end }
}

fn raw(name: &'static str, body: impl Into<Vec<u8>>, status: u16) -> Case {
    Case { name, body: body.into(), end: End::Whole(status) }
}

fn fill(unit: &str, rest: usize) -> String {
    unit.repeat((MAX_CHARACTERS - rest) / unit.len())
}

/// `open` and `close` around each other, as often as fits.
fn nested(start: &str, open: &str, close: &str, end: &str) -> String {
    let room = MAX_CHARACTERS - start.len() - end.len();
    let count = room / (open.len() + close.len());
    format!("{start}{}{}{end}", open.repeat(count), close.repeat(count))
}

/// Fragments that each spread the next one `times`.
fn fragments(times: usize) -> String {
    let spreads = |n: usize| format!("...f{n} ").repeat(times);
    let mut text = "{...f0}".to_owned();
    let last = "fragment f%% on Query{__typename}";
    let mut n = 0;
    loop {
        let next = format!("fragment f{n} on Query{{{}}}", spreads(n + 1));
        if text.len() + next.len() + last.len() + 9 > MAX_CHARACTERS {
            return text + &last.replace("%%", &n.to_string());
        }
        text += &next;
        n += 1;
    }
}

fn many(count: usize, one: impl Fn(usize) -> String) -> String {
    (0..count).map(one).collect()
}

/// JSON of this many levels around a number.
fn levels(count: usize) -> Value {
    (0..count).fold(json!(1), |inner, _| json!({"a": inner}))
}

fn nestings() -> Vec<Case> {
    vec![
        query("deep selections", nested("", "{a", "}", ""), refused("documentTooDeep")),
        query("deep lists", nested("{a(b:", "[", "]", ")}"), refused("documentTooDeep")),
        query("deep objects", nested("{a(b:", "{x:", "}", ")}"), refused("documentTooDeep")),
        query(
            "deep list types",
            nested("query($v:", "[", "]", "){a}"),
            refused("documentTooDeep"),
        ),
        query(
            "deep defaults",
            nested("query($v:Int=", "[", "]", "){a}"),
            refused("documentTooDeep"),
        ),
        query("brackets that never close", fill("(", 0), refused("documentTooDeep")),
        query(
            "inline fragments within each other",
            nested("{", "...{", "}", "}"),
            refused("documentTooDeep"),
        ),
        query(
            "groups within groups",
            format!("{{group(fullPath:\"a\"){{{}id{}}}}}", "parent{".repeat(55), "}".repeat(55)),
            refused("queryTooDeep"),
        ),
    ]
}

fn expansions() -> Vec<Case> {
    let fields = "currentUser{namespace{id} ...on User{namespace{name}}} ";
    vec![
        query("fragment doubling", fragments(2), refused("tooManySelections")),
        query("fragments by hundreds", fragments(100), refused("tooManySelections")),
        query("a chain of fragments", fragments(1), refused("documentTooDeep")),
        query(
            "a cycle of fragments",
            "{...a} fragment a on Query{...b} fragment b on Query{...a}",
            refused("infiniteLoop"),
        ),
        query(
            "one fragment everywhere",
            format!(
                "{{{}}} fragment a on Query{{x:metadata{{version}} y:metadata{{version}}}}",
                "...a ".repeat(1_500)
            ),
            refused("tooManySelections"),
        ),
        query(
            "aliases",
            format!("{{{}}}", many(600, |n| format!("a{n}:__typename "))),
            refused("queryTooComplex"),
        ),
        query(
            "aliases of lists",
            format!("{{{}}}", many(200, |n| format!("a{n}:users(first:100){{nodes{{id}}}} "))),
            refused("queryTooComplex"),
        ),
        query(
            "fields that merge",
            format!("{{{}}}", fill("currentUser{id name} ", 2)),
            End::Answered,
        ),
        query("overlapping fields", format!("{{{}}}", fill(fields, 2)), End::Answered),
        query(
            "directives on one field",
            format!("{{__typename {}}}", "@include(if:true)".repeat(500)),
            refused("tooManyDirectives"),
        ),
        query(
            "directives on many fields",
            format!("{{__typename {}}}", "__typename @skip(if:true) ".repeat(380)),
            End::Answered,
        ),
        query(
            "operations",
            format!(
                "{}fragment f on Query{{echo(text:$v)}}",
                many(450, |n| format!("query q{n}{{...f}} "))
            ),
            refused("operationNameRequired"),
        ),
    ]
}

fn introspections() -> Vec<Case> {
    let deep = |open: &str, close: &str, count: usize| {
        let (open, close) = (open.repeat(count), close.repeat(count));
        format!("{{__schema{{types{{{open}name{close}}}}}}}")
    };
    let aliased = |count| many(count, |n| format!("a{n}:__schema{{types{{name}}}} "));
    vec![
        query(
            "introspection in circles",
            deep("fields{type{", "}}", 20),
            refused("queryTooDeep"),
        ),
        query(
            "introspection twice around",
            deep("fields{type{", "}}", 3),
            refused("recursiveQuery"),
        ),
        query("types of types", deep("ofType{", "}", 15), End::Answered),
        query("introspection many times", format!("{{{}}}", aliased(20)), End::Answered),
        query(
            "introspection too many times",
            format!("{{{}}}", aliased(21)),
            refused("fieldCalledTooOften"),
        ),
        query(
            "all of the interface",
            "{__schema{types{name description fields(includeDeprecated:true){name description \
             args{name description type{name kind ofType{name kind}} defaultValue} \
             type{name kind ofType{name kind ofType{name kind}}} isDeprecated} \
             inputFields{name type{name}} enumValues{name} possibleTypes{name}}}}",
            End::Answered,
        ),
    ]
}

fn texts() -> Vec<Case> {
    vec![
        query("quotes", fill("\"", 0), refused("parseError")),
        query("block quotes", fill("\"\"\" ", 0), refused("parseError")),
        query("a comment", format!("#{}", fill("n", 1)), refused("parseError")),
        query("commas", fill(",", 0), refused("parseError")),
        query("tokens", fill("a ", 0), refused("parseError")),
        query("NUL", format!("{{a{}}}", "\0".repeat(4_000)), refused("parseError")),
        query("unknown fields", format!("{{{}}}", fill("x ", 20)), refused("undefinedField")),
        query(
            "a long name near to many",
            format!("{{{}}}", fill("n", 2)),
            refused("undefinedField"),
        ),
        query(
            "variables in the text",
            format!("query({}){{__typename}}", many(900, |n| format!("$v{n}:Int "))),
            refused("variableNotUsed"),
        ),
        query(
            "a list of variables",
            format!("{{users(usernames:[{}]){{nodes{{id}}}}}}", "$v ".repeat(2_400)),
            refused("variableNotDefined"),
        ),
    ]
}

fn bodies() -> Vec<Case> {
    let take = "query($i:EchoCreateInput!){__typename @skip(if:false) echo(text:\"\")}";
    let names = "query($n:[String!]){users(usernames:$n){nodes{id}}}";
    let keys = many(1_000_000, |n| format!("\"{n:x}\":1,"));
    let entry = "{\"query\":\"{__typename}\"}";
    let map = |count: usize| -> Value {
        let pairs = (0..count).map(|n| (format!("k{n}"), json!(1)));
        Value::Object(pairs.collect())
    };
    let mut long: Vec<u8> = b"{\"query\":\"".to_vec();
    long.resize(6 * 1024 * 1024, b'a');
    vec![
        with("deep variables", take, json!({"i": levels(29)}), refused("variableNotUsed")),
        with("variables too deep", take, json!({"i": levels(60)}), End::Whole(400)),
        with("wide variables", take, map(40_000), refused("variableNotUsed")),
        with("a list of names", names, json!({"n": vec!["a"; 40_000]}), End::Answered),
        with("wrong values", names, json!({"n": vec![1; 40_000]}), refused("invalidVariable")),
        raw("10^6 keys", format!("{{\"variables\":{{{}\"z\":1}}}}", &keys[..5_000_000]), 400),
        raw(
            "10^6 digits",
            format!("{{\"variables\":{{\"n\":{}}}}}", "9".repeat(1_000_000)),
            400,
        ),
        raw("open lists", "[".repeat(5_000_000), 400),
        raw("open objects", "{\"a\":".repeat(1_000_000), 400),
        raw(
            "a batch of a thousand",
            format!("[{}{entry}]", format!("{entry},").repeat(999)),
            422,
        ),
        raw("a batch of everything", format!("[{}1]", "1,".repeat(49_000)), 422),
        raw("spaces", " ".repeat(5_000_000), 400),
        raw("a body without end", long, 413),
        raw("half a letter", b"{\"query\":\"{\xff}\"}".to_vec(), 400),
        raw("half a pair", "{\"query\":\"{\\ud800}\"}", 400),
    ]
}

/// Every request of the test.
pub fn all() -> Vec<Case> {
    let groups = [nestings(), expansions(), introspections(), texts(), bodies()];
    groups.into_iter().flatten().collect()
}
