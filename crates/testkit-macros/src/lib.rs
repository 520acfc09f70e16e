//! The attribute `#[story]` of testkit, which documents it.

use proc_macro::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// What may stand in the parentheses of the attribute.
const WANTS: [&str; 2] = ["noon", "localhost"];

/// Makes a story two tests, `NAME::on_sqlite` and `NAME::on_postgres`.
#[proc_macro_attribute]
pub fn story(wants: TokenStream, story: TokenStream) -> TokenStream {
    let tests = name_of(story.clone()).and_then(|name| Ok(tests(&name, &wanted(wants)?)));
    let mut all = story;
    all.extend(tests.unwrap_or_else(|(why, span)| refusal(&why, span)));
    all
}

type Refused = (String, Span);

/// The name behind `fn`.
fn name_of(story: TokenStream) -> Result<Ident, Refused> {
    let mut tokens = story.into_iter();
    let is_fn = |token: &TokenTree| matches!(token, TokenTree::Ident(it) if it.to_string() == "fn");
    tokens.find(is_fn);
    match tokens.next() {
        Some(TokenTree::Ident(name)) => Ok(name),
        _ => Err(("a story is an async fn".into(), Span::call_site())),
    }
}

/// The words in the parentheses.
fn wanted(wants: TokenStream) -> Result<Vec<String>, Refused> {
    let mut words = Vec::new();
    for token in wants {
        match &token {
            TokenTree::Ident(word) if WANTS.contains(&word.to_string().as_str()) => {
                words.push(word.to_string());
            }
            TokenTree::Punct(comma) if comma.as_char() == ',' => (),
            other => {
                let why = format!("a story may want {}", WANTS.join(" and "));
                return Err((why, other.span()));
            }
        }
    }
    Ok(words)
}

fn tests(name: &Ident, wants: &[String]) -> TokenStream {
    let wants = WANTS.map(|want| format!("{want}: {}", wants.iter().any(|it| it == want)));
    let wants = wants.join(", ");
    let test = |engine: &str| {
        format!(
            "#[test] fn {engine}() {{
                ::testkit::story::{engine}(
                    ::testkit::story::Wants {{ {wants} }},
                    |server| ::std::boxed::Box::pin(super::{name}(server)),
                );
            }}"
        )
    };
    let source = format!("mod {name} {{ {} {} }}", test("on_sqlite"), test("on_postgres"));
    let tests: TokenStream = source.parse().unwrap_or_default();
    at(name.span(), tests)
}

/// The same tokens as if they stood there, where an error then points.
fn at(span: Span, tokens: TokenStream) -> TokenStream {
    let moved = tokens.into_iter().map(|token| {
        let mut token = match token {
            TokenTree::Group(group) => {
                Group::new(group.delimiter(), at(span, group.stream())).into()
            }
            other => other,
        };
        token.set_span(span);
        token
    });
    moved.collect()
}

/// `compile_error!("WHY");`
fn refusal(why: &str, span: Span) -> TokenStream {
    let text = TokenTree::from(Literal::string(why)).into();
    let tokens: [TokenTree; 4] = [
        Ident::new("compile_error", span).into(),
        Punct::new('!', Spacing::Alone).into(),
        Group::new(Delimiter::Parenthesis, text).into(),
        Punct::new(';', Spacing::Alone).into(),
    ];
    at(span, tokens.into_iter().collect())
}
