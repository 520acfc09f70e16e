//! Documents made to bring a server down: one error each, in bounded time.

use super::*;
use crate::validation::{MAX_CHARACTERS, lexer};
use proptest::prelude::*;
use std::time::{Duration, Instant};

/// The hostile documents of docs/interface/graphql.md «Bad input and abuse», as long as
/// a request may be.
fn documents() -> Vec<(&'static str, String)> {
    let fill = |unit: &str, rest: usize| unit.repeat((MAX_CHARACTERS - rest) / unit.len());
    let half = |open: &str, close: &str| {
        let count = MAX_CHARACTERS / (open.len() + close.len()) - 20;
        (open.repeat(count), close.repeat(count))
    };
    let nested = |start: &str, (open, close): (String, String), end: &str| {
        format!("{start}{open}{close}{end}")
    };
    let doubling = |levels: usize| {
        let each = |n: usize| format!("fragment f{n} on Query{{...f{0} ...f{0}}}", n + 1);
        let all: String = (0..levels).map(each).collect();
        format!("{{...f0}}{all}fragment f{levels} on Query{{costly}}")
    };
    let chain = |count: usize| {
        let each = |n: usize| format!("fragment f{n} on Query{{...f{}}}", n + 1);
        let all: String = (0..count).map(each).collect();
        format!("{{...f0}}{all}fragment f{count} on Query{{costly}}")
    };
    let wide = {
        let spreads = "...a ".repeat(1_500);
        format!("{{{spreads}}} fragment a on Query{{x:costly y:costly z:filtered}}")
    };
    let overlapping = {
        let fields = "user{friend{name}}".repeat(500);
        format!("{{{fields}}}")
    };
    let deep_overlap = {
        let open = "user{friend{name ...on UserCore{friend{name ...on UserCore{friend{id}}}}}}";
        format!("{{{}}}", open.repeat(MAX_CHARACTERS / open.len() - 1))
    };
    let aliases: String = (0..800).map(|n| format!("a{n}:costly ")).collect();
    let operations: String = (0..500).map(|n| format!("query q{n}{{...f}} ")).collect();
    vec![
        ("deep selections", nested("", half("{a", "}"), "")),
        ("open selections", fill("{a", 0)),
        ("nested lists", nested("{a(b:", half("[", "]"), ")}")),
        ("nested objects", nested("{a(b:", half("{x:", "}"), ")}")),
        ("nested types", nested("query($v:", half("[", "]"), "){a}")),
        ("nested defaults", nested("query($v:Int=", half("[", "]"), "){a}")),
        ("9,999 brackets", format!("{{{}", "(".repeat(9_999))),
        ("a long name", format!("{{{}}}", "n".repeat(9_990))),
        ("a long text", format!("{{echo(text:\"{}\"", "n".repeat(9_900))),
        ("a long comment", format!("#{}", "n".repeat(9_990))),
        ("zeros", format!("{{a{}}}", "\0".repeat(4_000))),
        ("quotes", fill("\"", 0)),
        ("block quotes", fill("\"\"\" ", 0)),
        ("escapes", format!("{{echo(text:\"{}\")}}", "\\u0041".repeat(1_600))),
        ("a cycle", "{...a} fragment a on Query{...b} fragment b on Query{...a}".into()),
        ("doubling", doubling(200)),
        ("a chain", chain(300)),
        ("wide spreads", wide),
        ("overlapping fields", overlapping),
        ("deep overlapping fields", deep_overlap),
        ("aliases", format!("{{{aliases}}}")),
        ("includes", format!("{{costly {}}}", "@include(if:true)".repeat(550))),
        ("skipped fields", format!("{{{}}}", "costly @skip(if:true) ".repeat(450))),
        ("operations", format!("{operations}fragment f on Query{{echo(text:$v)}}")),
        (
            "introspection",
            format!(
                "{{__schema{{types{{{}name{}}}}}}}",
                "fields{type{".repeat(20),
                "}}".repeat(20)
            ),
        ),
        ("unknown fields", format!("{{{}}}", "x ".repeat(4_990))),
        ("undefined spreads", format!("{{{}}}", "...x ".repeat(1_900))),
        ("variables", format!("query({}){{costly}}", "$v:Int ".repeat(1_200))),
        ("list of variables", format!("{{filtered(numbers:[{}])}}", "$v ".repeat(2_400))),
    ]
}

#[test]
fn hostile_documents_are_answered_in_bounded_time() {
    // How long a plain pass over a text of this size takes here and now.
    let plain = "a b(c: 1) ".repeat(MAX_CHARACTERS / 10);
    let baseline = (0..5).map(|_| timed(|| drop(lexer::masked(&plain)))).min();
    let baseline = baseline.unwrap().max(Duration::from_micros(50));
    for (name, text) in documents() {
        assert!(text.chars().count() <= MAX_CHARACTERS + 60, "{name} is too long");
        let took = (0..3).map(|_| {
            timed(|| {
                let _ = run(source(&text, json!({})), &TABLE);
            })
        });
        let took = took.min().unwrap();
        assert!(took < baseline * 400, "{name} took {took:?}, a plain pass {baseline:?}");
    }
}

fn timed(work: impl FnOnce()) -> Duration {
    let began = Instant::now();
    work();
    began.elapsed()
}

/// The stack of a request's thread; recursion past it would end the process.
#[test]
fn hostile_documents_fit_a_small_stack() {
    let work = || {
        for (name, text) in documents() {
            let outcome = run(source(&text, json!({})), &TABLE);
            let errors = outcome.err().map(|errors| errors.len());
            assert!(errors.is_none_or(|count| (1..=5).contains(&count)), "{name}");
        }
    };
    let thread = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
    thread.spawn(work).unwrap().join().unwrap();
}

#[test]
fn each_kind_of_abuse_has_its_refusal() {
    let by_name = |wanted: &str| {
        let all = documents();
        let (_, text) = all.into_iter().find(|(name, _)| *name == wanted).unwrap();
        refused(&text)[0].code().to_owned()
    };
    for deep in ["deep selections", "nested lists", "nested objects", "nested types"] {
        assert_eq!(by_name(deep), "documentTooDeep", "{deep}");
    }
    assert_eq!(by_name("a cycle"), "infiniteLoop");
    assert_eq!(by_name("doubling"), "tooManySelections");
    assert_eq!(by_name("wide spreads"), "tooManySelections");
    assert_eq!(by_name("a chain"), "documentTooDeep");
    assert_eq!(by_name("introspection"), "queryTooDeep");
    assert_eq!(by_name("includes"), "tooManyDirectives");
    assert_eq!(by_name("aliases"), "queryTooComplex");
    assert_eq!(by_name("zeros"), "parseError");
    assert_eq!(by_name("variables"), "variableNotUnique");
    assert_eq!(first(&"a ".repeat(6_000)).0, "documentTooLarge");
}

/// The most memory this process ever had, in KiB.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn a_hostile_document_takes_little_memory() {
    passes("{costly}");
    for (name, text) in documents() {
        let Some(before) = peak() else {
            return;
        };
        let _ = run(source(&text, json!({})), &TABLE);
        // The kernel counts a thread's last pages late.
        let grown = peak().unwrap().saturating_sub(before);
        assert!(grown < 16 * 1024, "{name} took {grown} KiB");
    }
}

#[test]
fn json_is_bounded_before_it_is_parsed() {
    let check = |text: String| crate::validation::json::check(text.as_bytes());
    assert_eq!(check("[".repeat(32)), Ok(()));
    assert_eq!(check("[".repeat(33)), Err("JSON is nested too deep"));
    assert_eq!(check("{\"a\":".repeat(40)), Err("JSON is nested too deep"));
    assert_eq!(check(format!("[{}1]", "1,".repeat(49_999))), Ok(()));
    assert_eq!(
        check(format!("[{}1]", "1,".repeat(50_000))),
        Err("JSON array has too many elements")
    );
    assert_eq!(
        check(format!("{{{}\"a\":1}}", "\"a\":1,".repeat(1_000_000))),
        Err("JSON object has too many keys")
    );
    let lists = format!("[{}]", "1,".repeat(40_000));
    assert_eq!(check(format!("[{lists},{lists},{lists}]")), Err("JSON has too many elements"));
    assert_eq!(check("9".repeat(1_000)), Ok(()));
    assert_eq!(check("9".repeat(1_000_000)), Err("JSON number has too many digits"));
    assert_eq!(check(format!("\"{}\"", "[9".repeat(2_000))), Ok(()), "text is no structure");
    assert_eq!(check(format!("\"\\\"{}\"", "[".repeat(99))), Ok(()));
}

proptest! {
    /// Whatever is sent, the front answers and keeps its word on size.
    #[test]
    fn any_text_is_answered(text in "\\PC{0,200}") {
        if let Err(errors) = run(source(&text, json!({})), &TABLE) {
            prop_assert!((1..=5).contains(&errors.len()));
        }
    }

    /// Text of the language's own pieces gets further than noise.
    #[test]
    fn any_pieces_are_answered(pieces in proptest::collection::vec(piece(), 0..60)) {
        let text = pieces.join(" ");
        if let Err(errors) = run(source(&text, json!({"v": 1})), &TABLE) {
            prop_assert!((1..=5).contains(&errors.len()));
            prop_assert!(errors.iter().all(|error| !error.message.is_empty()));
        }
    }

    /// A valid document scores at least its fields and is masked without
    /// changing what it is.
    #[test]
    fn scores_grow_with_aliases(count in 1usize..120) {
        let many: String = (0..count).map(|n| format!("a{n}:echo(text:\"\") ")).collect();
        let text = format!("{{{many}}}");
        let checked = run(source(&text, json!({})), &TABLE).unwrap();
        prop_assert_eq!(checked.score, count as u64);
        let masked = lexer::masked(&text);
        prop_assert_eq!(lexer::masked(&masked), masked);
    }
}

/// What documents are made of.
const PIECES: &str = r#"
    { } ( ) [ ] : = ! $v 1 1.5 "p" null true @skip(if:true) ... ...F F on fragment query mutation
    Query Project Int Filter project fullPath id name user friend issues first
    echo(text:"a") project(fullPath:"p"){ user{ friend{ nodes{
"#;

fn piece() -> impl Strategy<Value = &'static str> {
    let pieces: Vec<&str> = PIECES.split_whitespace().collect();
    proptest::sample::select(pieces)
}
