//! `formwork serve`: the same runs over HTTP and WebSocket, for their owner only (SURFACES §3).
//!
//! Every request passes [`guard`] before it is routed: Host, Origin, then the owner's token. A run belongs to its session,
//! not to a connection: [`hub`] keeps its events, each connection reads on from where it stands. Prints nothing, reads no
//! environment, logs no content and no token.

mod ask;
mod check;
mod fields;
pub mod guard;
pub mod hub;
mod limiter;
mod metrics;
mod openai;
mod routes;
mod socket;
mod tls;
mod token;

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use crate::catalog::Catalog;
use crate::config::Config;
use crate::store::keeper::Keeper;

use self::guard::{Guard, Scheme};
use self::hub::Hub;
use self::metrics::Metrics;
use self::tls::Secured;
pub use self::tls::TlsError;
pub use self::token::TokenError;
use self::token::{Lock, Token};

/// What the command line says about the server.
#[derive(Debug, Clone)]
pub struct Options {
    pub bind: IpAddr,
    /// 0 takes a free one.
    pub port: u16,
    /// Where the owner's token lies; by default `serve.token` in the data folder.
    pub token_file: Option<PathBuf>,
    /// Certificate chain and key, as PEM files: HTTPS instead of HTTP.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// Names by which the server may be called besides the loopback ones: `host` or `host:port`.
    pub hosts: Vec<String>,
    /// Origins of other pages that may call with the token.
    pub origins: Vec<String>,
    /// The model of requests that name none, before the configured one.
    pub model: Option<String>,
    pub limits: Limits,
}

/// What clients may cost.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Runs at the same time.
    pub runs: usize,
    /// WebSocket connections at the same time.
    pub connections: usize,
    /// Bytes of one request or frame.
    pub body: usize,
    /// A client that takes nothing for this long while something waits for it is cut off.
    pub write_patience: Duration,
    /// A client that is silent for this long, pings included, is cut off; it is pinged three times in that span.
    pub silence: Duration,
    /// How long running runs may go on when the server is told to end.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            runs: 1_024,
            connections: 2_048,
            body: 4 * 1024 * 1024,
            write_patience: Duration::from_secs(20),
            silence: Duration::from_mins(1),
            grace: Duration::from_secs(10),
        }
    }
}

/// Why the server did not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("cannot listen on {address}: {source}")]
    Listen { address: SocketAddr, source: std::io::Error },
    #[error(
        "{address} can be reached from other machines: name how the server is called there with --allow-host NAME:PORT"
    )]
    Exposed { address: IpAddr },
    #[error(transparent)]
    Token(#[from] TokenError),
    #[error("no TLS: {0}")]
    Tls(#[from] TlsError),
    #[error("the server broke: {0}")]
    Broke(std::io::Error),
}

/// What all requests share.
pub(crate) struct App {
    pub(crate) guard: Guard,
    pub(crate) hub: Hub,
    pub(crate) config: Config,
    pub(crate) catalog: Catalog,
    pub(crate) model: Option<String>,
    pub(crate) limits: Limits,
    pub(crate) keeper: Option<Keeper>,
    pub(crate) metrics: Metrics,
    /// No new runs.
    pub(crate) draining: AtomicBool,
    /// Connections are told goodbye.
    pub(crate) closing: CancellationToken,
    pub(crate) connections: AtomicUsize,
}

impl App {
    pub(crate) fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Acquire)
    }
}

/// A server that listens and serves nobody yet.
pub struct Server {
    pub address: SocketAddr,
    /// Opens the page in a browser, once: its last part is a code that is taken for a cookie.
    pub link: String,
    pub token_file: PathBuf,
    listener: TcpListener,
    acceptor: Option<TlsAcceptor>,
    app: Arc<App>,
    _lock: Lock,
}

/// Binds the address and takes the data folder's one place for a server.
///
/// # Errors
/// [`ServeError`]: the address, the token file, or another server on the same folder.
pub async fn open(options: Options, config: Config) -> Result<Server, ServeError> {
    if !options.bind.is_loopback() && options.hosts.is_empty() {
        return Err(ServeError::Exposed { address: options.bind });
    }
    let acceptor = options.tls.as_ref().map(|(chain, key)| tls::acceptor(chain, key)).transpose()?;
    let scheme = if acceptor.is_some() { Scheme::Https } else { Scheme::Http };
    let data_dir = config.paths.data_dir.clone();
    let lock = Lock::take(&data_dir)?;
    let token_file = options.token_file.clone().unwrap_or_else(|| data_dir.join("serve.token"));
    let token = Token::load_or_make(&token_file)?;
    let wanted = SocketAddr::new(options.bind, options.port);
    let listener = TcpListener::bind(wanted).await.map_err(|source| ServeError::Listen { address: wanted, source })?;
    let address = listener.local_addr().map_err(ServeError::Broke)?;
    let guard = Guard::new(token, scheme, address, &options.hosts, &options.origins)?;
    let link = format!("{}{address}/#code={}", scheme.prefix(), guard.code());
    let keeper = if config.keep_nothing { None } else { Keeper::start(&data_dir, String::new(), |_| {}).ok() };
    let app = Arc::new(App {
        guard,
        hub: Hub::default(),
        catalog: Catalog::new(&config),
        config,
        model: options.model,
        limits: options.limits,
        keeper,
        metrics: Metrics::default(),
        draining: AtomicBool::new(false),
        closing: CancellationToken::new(),
        connections: AtomicUsize::new(0),
    });
    Ok(Server { address, link, token_file, listener, acceptor, app, _lock: lock })
}

impl Server {
    /// Serves until `end` comes; then no new run begins, running ones get their grace and are cancelled after it, what
    /// was to be kept is written, connections are closed.
    ///
    /// # Errors
    /// [`ServeError::Broke`] when the listener fails.
    pub async fn run(self, end: impl Future<Output = ()> + Send + 'static) -> Result<(), ServeError> {
        let Self { listener, acceptor, address, app, .. } = self;
        let router = routes::router(&app);
        let ending = Arc::clone(&app);
        let shutdown = async move {
            end.await;
            ending.draining.store(true, Ordering::Release);
            ending.hub.settle(ending.limits.grace).await;
            ending.closing.cancel();
        };
        let served = async move {
            match acceptor {
                None => axum::serve(listener, router).with_graceful_shutdown(shutdown).await,
                Some(acceptor) => {
                    let secured = Secured::new(listener, address, acceptor);
                    axum::serve(secured, router).with_graceful_shutdown(shutdown).await
                }
            }
        };
        let closing = app.closing.clone();
        let outcome = tokio::select! {
            outcome = served => outcome.map_err(ServeError::Broke),
            // A client that keeps its connection open must not hold the end.
            () = async { closing.cancelled().await; tokio::time::sleep(GOODBYE).await } => Ok(()),
        };
        if let Some(keeper) = &app.keeper {
            let _ = keeper.close(FLUSH);
        }
        outcome
    }
}

/// How long connections may take to close at the end.
const GOODBYE: Duration = Duration::from_secs(2);
/// How long the store may take to write what it holds.
const FLUSH: Duration = Duration::from_secs(5);
