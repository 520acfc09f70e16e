//! Pieces of code as HTML: classes, no styles, which the policy of pages forbids.

/// Bytes of HTML for each byte of code, beyond which the rest stays plain.
pub(super) const GROWTH: usize = 6;

/// What a word is; also the end of the name of its class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    Plain,
    Comment,
    Keyword,
    Text,
    Number,
    Function,
    Type,
    Name,
    Added,
    Removed,
}

impl Token {
    /// Its class; none for what is not coloured.
    fn class(self) -> &'static str {
        match self {
            Token::Plain => "",
            Token::Comment => "hl-comment",
            Token::Keyword => "hl-keyword",
            Token::Text => "hl-text",
            Token::Number => "hl-number",
            Token::Function => "hl-function",
            Token::Type => "hl-type",
            Token::Name => "hl-name",
            Token::Added => "hl-added",
            Token::Removed => "hl-removed",
        }
    }
}

/// Every class that code may have.
pub(super) const CLASSES: [&str; 9] = [
    "hl-comment",
    "hl-keyword",
    "hl-text",
    "hl-number",
    "hl-function",
    "hl-type",
    "hl-name",
    "hl-added",
    "hl-removed",
];

/// What is written so far; pieces of one kind that follow each other are one.
pub(super) struct Coloured {
    html: String,
    last: Token,
    most: usize,
}

impl Coloured {
    pub(super) fn new(length: usize) -> Coloured {
        Coloured {
            html: String::with_capacity(length * 2),
            last: Token::Plain,
            most: length * GROWTH + 1024,
        }
    }

    pub(super) fn add(&mut self, token: Token, text: &str) {
        let token = match self.html.len() < self.most {
            true => token,
            false => Token::Plain,
        };
        if token != self.last {
            if self.last != Token::Plain {
                self.html.push_str("</span>");
            }
            if token != Token::Plain {
                self.html.push_str("<span class=\"");
                self.html.push_str(token.class());
                self.html.push_str("\">");
            }
            self.last = token;
        }
        for c in text.chars() {
            match c {
                '&' => self.html.push_str("&amp;"),
                '<' => self.html.push_str("&lt;"),
                '>' => self.html.push_str("&gt;"),
                '"' => self.html.push_str("&quot;"),
                c => self.html.push(c),
            }
        }
    }

    pub(super) fn end(&mut self) {
        self.add(Token::Plain, "");
    }

    pub(super) fn into_html(self) -> String {
        self.html
    }
}
