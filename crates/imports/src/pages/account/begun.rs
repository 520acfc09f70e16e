//! What becomes of those that are chosen: imports, or what these would bring.

use super::AccountPage;
use super::form::Form;
use crate::model::Kind;
use crate::offers::{Account, Provider};
use crate::pages::shown::kind_label;
use crate::rest::target::sentences;
use crate::run::dry::DryRun;
use crate::run::{OptionalStages, Options, TimeoutStrategy};
use crate::settings::Providers;
use crate::sources::provider_a::accept as provider_a;
use crate::sources::{provider_b, provider_b_server};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::ui;
use serde_json::{Map, Value};
use url::Url;

/// What there is of a repository.
#[derive(Debug, Clone)]
pub struct Tried {
    pub name: String,
    pub counts: String,
    /// Why it cannot be imported.
    pub problem: String,
}

/// The account that is typed into the form of a provider.
pub fn account(app: &App, provider: Provider, form: &Form) -> Result<Account> {
    let credentials = form.credentials()?;
    let address = Some(form.address.trim()).filter(|text| !text.is_empty());
    let public = app.plugged::<Providers>()?.get();
    let no_address = || Error::invalid("address", "is blocked: it is no address of a server");
    let base = match provider {
        Provider::A => {
            let place = provider_a::Place::of(address, &public);
            place.map_err(|_| no_address())?.api
        }
        Provider::BServer => {
            let server = address.filter(|text| is_bare(text)).ok_or_else(no_address)?;
            provider_b_server::interface(server)
        }
        Provider::BCloud => public.provider_b_cloud_api,
    };
    let workspace = Some(form.workspace.trim()).filter(|text| !text.is_empty());
    Ok(Account {
        source: provider,
        address: address.map(str::to_owned),
        base,
        workspace: workspace.map(str::to_owned),
        credentials,
    })
}

/// Whether it is an address without anybody's name.
fn is_bare(text: &str) -> bool {
    let is_bare =
        |url: Url| url.has_host() && url.username().is_empty() && url.password().is_none();
    Url::parse(text).is_ok_and(is_bare)
}

/// An import that may begin, from either.
enum Accepted {
    A(Box<provider_a::Accepted>),
    B(Box<provider_b::Accepted>),
}

/// Imports those that are chosen; what is told of that.
pub async fn begin(
    page: &AccountPage, account: &Account, chosen: &[String], form: &Form,
) -> Result<String> {
    let people = people(form)?;
    let (mut begun, mut refused) = (0, Vec::new());
    for key in chosen {
        match begin_one(page, account, key, form, &people).await {
            Ok(()) => begun += 1,
            Err(error) => refused.push(format!("{}: {}", page.name_of(key), reason(error)?)),
        }
    }
    match begun {
        0 => Err(Error::invalid("repositories", refused.join("; "))),
        begun => Ok(told(begun, &refused)),
    }
}

async fn begin_one(
    page: &AccountPage, account: &Account, key: &str, form: &Form, people: &Map<String, Value>,
) -> Result<()> {
    let (app, viewer) = (&page.app, &page.viewer);
    match accept(page, account, key, form, people).await? {
        Accepted::A(accepted) => accepted.begin(app, viewer).await.map(drop),
        Accepted::B(accepted) => accepted.begin(app, viewer).await.map(drop),
    }
}

/// Looks what there is of those that are chosen.
pub async fn look(
    page: &AccountPage, account: &Account, chosen: &[String], form: &Form,
) -> Result<Vec<Tried>> {
    let people = people(form)?;
    let mut tried = Vec::new();
    for key in chosen {
        let name = page.name_of(key);
        let (counts, problem) = match look_at(page, account, key, form, &people).await {
            Ok(dry) => (counted(&dry), String::new()),
            Err(error) => ("It cannot be imported.".to_owned(), reason(error)?),
        };
        tried.push(Tried { name, counts, problem });
    }
    Ok(tried)
}

async fn look_at(
    page: &AccountPage, account: &Account, key: &str, form: &Form, people: &Map<String, Value>,
) -> Result<DryRun> {
    let (app, viewer) = (&page.app, &page.viewer);
    match accept(page, account, key, form, people).await? {
        Accepted::A(accepted) => accepted.dry_run(app, viewer).await,
        Accepted::B(accepted) => accepted.dry_run(app, viewer).await,
    }
}

/// Looks at all that an import needs, as the endpoints do.
async fn accept(
    page: &AccountPage, account: &Account, key: &str, form: &Form, people: &Map<String, Value>,
) -> Result<Accepted> {
    let target = form.target_namespace.trim();
    let target_namespace = Some(target).filter(|text| !text.is_empty()).map(str::to_owned);
    let new_name = Some(form.new_name.trim()).filter(|text| !text.is_empty()).map(str::to_owned);
    let correlation_id = Some(page.request_id.clone()).filter(|id| !id.is_empty());
    let (options, user_map, is_live) = (options(form), people.clone(), form.is_live());
    let at = match account.source {
        Provider::A => {
            let repo_id =
                key.parse().map_err(|_| Error::BadRequest("no such repository".into()))?;
            let wish = provider_a::Wish {
                hostname: account.address.clone(),
                token: account.credentials.secret.clone(),
                repo_id,
                target_namespace,
                new_name,
                options,
                user_map,
                is_live,
                correlation_id,
            };
            let accepted = provider_a::accept(&page.app, &page.viewer, wish).await?;
            return Ok(Accepted::A(Box::new(accepted)));
        }
        Provider::BServer => provider_b::At::Server(account.address.clone().unwrap_or_default()),
        Provider::BCloud => provider_b::At::Cloud,
    };
    let wish = provider_b::Wish {
        at,
        origin: key.to_owned(),
        credentials: account.credentials.clone(),
        target_namespace,
        new_name,
        options,
        user_map,
        is_live,
        correlation_id,
    };
    let accepted = provider_b::accept(&page.app, &page.viewer, wish).await?;
    Ok(Accepted::B(Box::new(accepted)))
}

fn options(form: &Form) -> Options {
    Options {
        optional_stages: OptionalStages {
            attachments: form.with_attachments(),
            collaborators: form.collaborators_import.unwrap_or(false),
            single_endpoint_notes: form.with_single_notes(),
        },
        timeout_strategy: TimeoutStrategy::from_text(&form.timeout_strategy).unwrap_or_default(),
        ..Options::default()
    }
}

/// Who people there are, as endpoints take it.
fn people(form: &Form) -> Result<Map<String, Value>> {
    let known = form.known_people()?.into_iter();
    Ok(known.map(|(there, here)| (there, Value::String(here))).collect())
}

/// Why an endpoint would refuse it, as people read it. Failures of ours stay failures.
pub fn reason(error: Error) -> Result<String> {
    match error {
        Error::Exact(_, body) => {
            let message = body.get("message");
            let nested = message.and_then(|message| message.get("error"));
            let text = nested.or(message).and_then(Value::as_str);
            Ok(text.unwrap_or("It cannot be imported.").to_owned())
        }
        Error::Invalid(fields) => Ok(sentences(&fields)),
        Error::Parameters(texts) => Ok(texts.join(", ")),
        Error::Limited(_) => Ok("The other server wants to be asked less often.".into()),
        Error::BadRequest(text) | Error::Unprocessable(text) | Error::Conflict(text) => Ok(text),
        Error::Forbidden(text) if !text.is_empty() => Ok(text),
        Error::Unavailable(text) => Ok(text),
        other => Err(other),
    }
}

/// How many there are of each kind.
fn counted(dry: &DryRun) -> String {
    let of_kind = |(kind, count): (&&'static str, &i64)| {
        let label = Kind::from_text(kind).map_or(*kind, kind_label);
        format!("{label}: {count}")
    };
    match dry.counts.is_empty() {
        true => "Code; of nothing else it says how much there is.".to_owned(),
        false => dry.counts.iter().map(of_kind).collect::<Vec<_>>().join(", "),
    }
}

/// What a form of several repositories came to.
fn told(begun: u64, refused: &[String]) -> String {
    let begun = match begun {
        1 => "The import is begun.".to_owned(),
        begun => format!("{} are begun.", ui::count(begun, "import")),
    };
    match refused {
        [] => begun,
        refused => format!("{begun} Not imported: {}", refused.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn refusals_of_endpoints_are_read() {
        let a = Error::Exact(422, json!({"message": "no", "errors": "no"}));
        let b = Error::Exact(422, json!({"message": {"error": "neither"}}));
        let odd = Error::Exact(422, json!([]));
        for (error, text) in [
            (a, "no"),
            (b, "neither"),
            (odd, "It cannot be imported."),
            (Error::invalid("name", "is too long"), "Name is too long"),
            (Error::forbidden("off"), "off"),
        ] {
            assert_eq!(reason(error).expect("a reason"), text);
        }
        assert!(reason(Error::internal("on fire")).is_err());
    }

    #[test]
    fn several_imports_are_told_of_together() {
        assert_eq!(told(1, &[]), "The import is begun.");
        let refused = ["ada/x: taken".to_owned()];
        assert_eq!(told(2, &refused), "2 imports are begun. Not imported: ada/x: taken");
    }

    #[test]
    fn an_address_has_nobodys_name() {
        assert!(is_bare("https://code.example/git"));
        for bad in ["code.example", "https://ada@code.example", "https://:x@code.example", ""] {
            assert!(!is_bare(bad), "{bad}");
        }
    }
}
