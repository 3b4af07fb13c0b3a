//! `formwork models`: which models there are, what each costs and holds, and where a newer catalogue comes from.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use super::args::{ModelsArgs, PlaceArgs};
use super::failure::{Exit, Failure, Outcome};
use super::{config_failure, output, print};
use crate::capability::ModelFlag;
use crate::catalog::listing::{ListingError, MAX_BYTES, Taken, bounded, take};
use crate::catalog::{Catalog, ModelRow, Wanted, known};
use crate::config::{self, Config};
use crate::event::ErrorCode;
use crate::runtime::{LocalServer, detect, fetch};
use crate::text;

/// Where models.dev gives its data out.
const PUBLISHED: &str = "https://models.dev/api.json";
/// A slow line needs a minute for a few megabytes.
const PATIENCE: Duration = Duration::from_mins(2);

/// Lists, or takes a newer catalogue.
pub(super) fn run(args: &ModelsArgs, places: &PlaceArgs) -> Outcome {
    let config = config::load(&places.overrides()).map_err(config_failure)?;
    if let Some(from) = &args.refresh {
        return refresh(from, &config);
    }
    let catalog = Catalog::new(&config);
    let rows = chosen(args, &catalog)?;
    for note in catalog.notes.iter().map(String::as_str).chain(catalog.listing.note()) {
        output::say(&format!("note: {note}\n"));
    }
    if args.json {
        let text = serde_json::to_string_pretty(&rows)
            .map_err(|error| Failure::config(format!("the list cannot be written: {error}")))?;
        output::line(&text)?;
        return Ok(Exit::Done);
    }
    let listing = catalog.listing.get();
    let date = listing.date.map(|day| format!(" of {day}")).unwrap_or_default();
    let foot = format!("prices in US dollars for a million tokens; catalogue{date} from {}", listing.source);
    output::result(format!("{}\n{}\n", table(&rows), text::safe(&foot)).as_bytes())?;
    Ok(Exit::Done)
}

/// The rows that were asked for, with those that servers on this machine offer.
fn chosen(args: &ModelsArgs, catalog: &Catalog) -> Result<Vec<ModelRow>, Failure> {
    let provider = args.provider.as_deref().map(|name| provider(name, catalog)).transpose()?;
    let wanted = match (args.all, args.filter.is_empty() && provider.is_none()) {
        (true, _) => Wanted::Everything,
        (false, true) => Wanted::Ready,
        (false, false) => Wanted::Everywhere,
    };
    let mut rows = catalog.list(wanted);
    for server in servers(catalog)? {
        offered(&mut rows, catalog, &server);
    }
    let words: Vec<String> = args.filter.iter().map(|word| word.to_lowercase()).collect();
    let fits = |row: &ModelRow| {
        let name = row.name.to_lowercase();
        let own = provider.is_none_or(|provider| row.name.split('/').next() == Some(provider));
        own && words.iter().all(|word| name.contains(word))
            && (!args.native || row.route == "native")
            && (!args.tools || row.tools == Some(true) || row.simulated)
    };
    rows.retain(fits);
    Ok(rows)
}

fn provider<'a>(name: &'a str, catalog: &Catalog) -> Result<&'a str, Failure> {
    let canonical = known::canonical(name);
    let there = [name, canonical].into_iter().find(|name| catalog.endpoints.contains_key(*name));
    there.ok_or_else(|| {
        let all: Vec<&str> = catalog.endpoints.keys().map(String::as_str).collect();
        Failure::config(format!("there is no provider {name:?}")).fact("known", all.join(", "))
    })
}

fn servers(catalog: &Catalog) -> Result<Vec<LocalServer>, Failure> {
    let runtime = print::runtime()?;
    let servers = runtime.block_on(detect(catalog));
    runtime.shutdown_background();
    Ok(servers)
}

/// What a server offers stands in its own list first.
fn offered(rows: &mut Vec<ModelRow>, catalog: &Catalog, server: &LocalServer) {
    let Some(endpoint) = catalog.endpoints.get(&server.provider) else { return };
    let models = server.models.iter().filter(|model| {
        let name = format!("{}/{model}", server.provider);
        rows.iter().all(|row| row.name != name)
    });
    let new: Vec<ModelRow> =
        models.map(|model| ModelRow { ready: true, ..endpoint.offered(model, &server.base_url) }).collect();
    rows.splice(0..0, new);
}

fn table(rows: &[ModelRow]) -> String {
    let width = rows.iter().map(|row| text::width(&row.name)).max().unwrap_or(0).clamp(5, 60);
    let mut table = format!(
        "{:<width$}  {:<8}{:<7}{:>8}{:>9}{:>9}  {:<31}{}\n",
        "model", "route", "ready", "context", "in", "out", "flags", "why"
    );
    for row in rows {
        let ready = if row.ready { "yes" } else { "no" };
        let mark = if row.simulated { "simulated: " } else { "" };
        let price = |price: &Option<crate::json::Number>| price.as_ref().map_or("-".to_owned(), ToString::to_string);
        let line = format!(
            "{:<width$}  {:<8}{ready:<7}{:>8}{:>9}{:>9}  {:<31}{mark}{}",
            row.name,
            row.route,
            row.context.map_or("-".to_owned(), short),
            price(&row.price_in),
            price(&row.price_out),
            flags(row),
            row.reason
        );
        let _ = writeln!(table, "{}", text::safe(&line));
    }
    table
}

/// `128k`, `1.05M`.
fn short(tokens: u64) -> String {
    match tokens {
        0..1_000 => tokens.to_string(),
        1_000..1_000_000 => format!("{}k", tokens / 1_000),
        _ => format!("{}.{:02}M", tokens / 1_000_000, tokens % 1_000_000 / 10_000),
    }
}

/// What the model does; a flag nobody knows is marked, one that is false is left out.
fn flags(row: &ModelRow) -> String {
    let schema = match row.structured_output {
        ModelFlag::Yes => "schema",
        ModelFlag::No => "no-schema",
        ModelFlag::Absent => "schema?",
    };
    let switches = [(row.tools, "tools"), (row.reasoning, "reasoning"), (row.attachments, "files")];
    let on = switches.into_iter().filter(|(is, _)| *is == Some(true)).map(|(_, word)| word);
    let words: Vec<&str> = std::iter::once(schema).chain(on).chain(row.status.as_deref()).collect();
    words.join(" ")
}

/// Takes a newer catalogue: from models.dev, another address, or a file.
fn refresh(from: &str, config: &Config) -> Outcome {
    let data_dir = &config.paths.data_dir;
    let is_address = from.is_empty() || from.starts_with("http://") || from.starts_with("https://");
    let (bytes, source) = if is_address {
        let address = if from.is_empty() { PUBLISHED } else { from };
        (download(address)?, if from.is_empty() { "models.dev".to_owned() } else { config::safe_url(from) })
    } else {
        (bounded(Path::new(from)).map_err(|error| unusable(from, &error))?, from.to_owned())
    };
    let Taken { snapshot, file } = take(&bytes, &source, data_dir).map_err(|error| unusable(&source, &error))?;
    let date = snapshot.date.map_or_else(|| "no date".to_owned(), |day| day.to_string());
    let (count, providers) = (snapshot.count(), snapshot.providers.len());
    let line = format!("{date}: {count} models of {providers} providers from {source}, kept in {}", file.display());
    output::line(&text::safe(&line))?;
    Ok(Exit::Done)
}

fn download(address: &str) -> Result<Vec<u8>, Failure> {
    let runtime = print::runtime()?;
    let bytes = runtime.block_on(async {
        let mut signals = print::signals()?;
        tokio::select! {
            exit = signals.next() => Err(Failure::new(ErrorCode::Cancelled, "the download was ended").exits(exit)),
            bytes = fetch(address, MAX_BYTES, PATIENCE) => bytes.map_err(|error| {
                Failure::new(ErrorCode::Transport, format!("no newer catalogue: {error}"))
                    .fact("from", config::safe_url(address))
                    .fact("next", "try again later, or give a file: formwork models --refresh FILE; the old one stays")
            }),
        }
    });
    runtime.shutdown_background();
    bytes
}

fn unusable(name: &str, error: &ListingError) -> Failure {
    Failure::config(format!("no newer catalogue: {error}"))
        .fact("from", name)
        .fact("next", "give a file of models.dev's api.json; the old one stays")
}
