//! `formwork serve`: starts the server, says where it is, ends it on a signal.

use super::args::PlaceArgs;
use super::args::serve::ServeArgs;
use super::failure::{Failure, Outcome};
use super::{begin_log, config_failure, output, print};
use crate::config;
use crate::event::ErrorCode;
use crate::serve::{Limits, Options, ServeError, open};

/// Serves until a signal comes; a second one ends at once.
pub(super) fn run(args: &ServeArgs, places: &PlaceArgs) -> Outcome {
    let config = config::load(&places.overrides()).map_err(config_failure)?;
    for note in config::notes(&config) {
        output::say(&format!("note: {note}\n"));
    }
    let _log = begin_log(&config, "serve");
    let options = Options {
        bind: args.bind,
        port: args.port,
        token_file: args.token_file.clone(),
        tls: args.tls_cert.clone().zip(args.tls_key.clone()),
        hosts: args.allow_host.clone(),
        origins: args.allow_origin.clone(),
        model: args.default_model.clone(),
        limits: Limits::default(),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(ErrorCode::Transport, format!("the runtime did not start: {error}")))?;
    let outcome = runtime.block_on(async {
        let mut first = print::signals()?;
        let mut second = print::signals()?;
        let server = open(options, config).await.map_err(|error| failure(&error))?;
        output::say(&format!("listening on {}\n", server.link.split("/#").next().unwrap_or_default()));
        output::say(&format!("  token file: {}\n", server.token_file.display()));
        output::say(&format!("  page (this link works once): {}\n", server.link));
        output::say("  end with Ctrl-C\n");
        let (told, tell) = tokio::sync::oneshot::channel();
        let end = async move {
            let exit = first.next().await;
            let _ = told.send(exit);
        };
        let twice = async {
            second.next().await;
            output::say("ending; once more ends at once\n");
            second.next().await
        };
        tokio::select! {
            biased;
            exit = twice => Ok(exit),
            outcome = server.run(end) => {
                outcome.map_err(|error| failure(&error))?;
                tell.await.map_err(|_| Failure::new(ErrorCode::Transport, "the server ended by itself").into())
            }
        }
    });
    runtime.shutdown_background();
    outcome
}

fn failure(error: &ServeError) -> Failure {
    match error {
        ServeError::Broke(_) => Failure::new(ErrorCode::Transport, error.to_string()),
        ServeError::Listen { .. } => {
            Failure::config(error.to_string()).fact("next", "give another --port, or 0 for a free one")
        }
        ServeError::Exposed { .. } | ServeError::Tls(_) | ServeError::Token(_) => Failure::config(error.to_string()),
    }
}
