//! Who may speak to the server: Host, Origin, then the credential, before anything is routed.
//!
//! A page of another site, a rebound name and a request without the token all end here. Decides on headers only.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use axum::http::header::{AUTHORIZATION, COOKIE, HOST, ORIGIN, SEC_WEBSOCKET_PROTOCOL, UPGRADE};
use axum::http::{HeaderMap, HeaderName, Method, StatusCode};

use super::limiter::Limiter;
use super::token::{Token, TokenError, random, same};

/// The subprotocol the server speaks.
pub const PROTOCOL: &str = "formwork";
/// A WebSocket client that can set no header offers this, with the token behind it.
pub const TOKEN_PROTOCOL: &str = "formwork.token.";
/// Taken without a credential: they tell nothing that is not public.
const PUBLIC: [&str; 3] = ["/", "/healthz", "/readyz"];
/// Where a browser trades the token or the one-time code for a cookie.
pub const BOOTSTRAP: &str = "/api/auth/bootstrap";

/// Everything the decision needs.
pub struct Guard {
    token: Token,
    scheme: Scheme,
    hosts: BTreeSet<String>,
    origins: BTreeSet<String>,
    cookie_name: String,
    /// The code of the printed link, until it is used.
    code: Mutex<Option<String>>,
    limiter: Limiter,
}

/// Why a request is refused. Fixed words: nothing of the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Denied {
    pub status: StatusCode,
    pub code: &'static str,
    pub message: &'static str,
}

const HOST_REFUSED: Denied = Denied {
    status: StatusCode::FORBIDDEN,
    code: "request_host_rejected",
    message: "the Host header names no address of this server",
};
const ORIGIN_REFUSED: Denied = Denied {
    status: StatusCode::FORBIDDEN,
    code: "request_origin_rejected",
    message: "the page that sent this is not one of this server",
};
const NO_CREDENTIAL: Denied = Denied {
    status: StatusCode::UNAUTHORIZED,
    code: "authentication_required",
    message: "send the token of the token file: Authorization: Bearer TOKEN",
};
const TOO_MANY: Denied = Denied {
    status: StatusCode::TOO_MANY_REQUESTS,
    code: "too_many_failures",
    message: "too many wrong credentials: wait a minute",
};

/// What the headers carry.
enum Credential {
    Bearer,
    Cookie,
    Wrong,
    None,
}

/// How the server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    Http,
    Https,
}

impl Scheme {
    /// The beginning of an address.
    #[must_use]
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Http => "http://",
            Self::Https => "https://",
        }
    }
}

impl Guard {
    /// A guard for a server at this address.
    ///
    /// # Errors
    /// The system gives no randomness.
    pub fn new(
        token: Token,
        scheme: Scheme,
        at: SocketAddr,
        hosts: &[String],
        origins: &[String],
    ) -> Result<Self, TokenError> {
        let port = at.port();
        let mut names: BTreeSet<String> = hosts.iter().map(|host| host.to_ascii_lowercase()).collect();
        if !at.ip().is_unspecified() {
            names.insert(at.to_string());
        }
        if at.ip().is_loopback() || at.ip().is_unspecified() {
            names.extend(["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}")));
        }
        Ok(Self {
            token,
            scheme,
            hosts: names,
            origins: origins.iter().map(|origin| origin.to_ascii_lowercase()).collect(),
            cookie_name: format!("formwork_{port}"),
            code: Mutex::new(Some(random()?)),
            limiter: Limiter::default(),
        })
    }

    /// The code of the printed link; empty when it was used.
    #[must_use]
    pub fn code(&self) -> String {
        self.code.lock().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default()
    }

    /// May this request go on?
    ///
    /// # Errors
    /// [`Denied`]
    pub fn judge(&self, method: &Method, path: &str, headers: &HeaderMap) -> Result<(), Denied> {
        let host = only(headers, &HOST).ok().flatten().ok_or(HOST_REFUSED)?.to_ascii_lowercase();
        if !self.hosts.contains(&host) {
            return Err(HOST_REFUSED);
        }
        let origin = only(headers, &ORIGIN).map_err(|Doubtful| ORIGIN_REFUSED)?.map(str::to_ascii_lowercase);
        let credential = self.credential(headers);
        let own =
            origin.as_deref().is_none_or(|origin| origin.strip_prefix(self.scheme.prefix()) == Some(host.as_str()));
        let lent = origin.as_deref().is_some_and(|origin| self.origins.contains(origin))
            && matches!(credential, Credential::Bearer);
        if !own && !lent {
            return Err(ORIGIN_REFUSED);
        }
        let public = PUBLIC.contains(&path) && method.is_safe();
        let from_other_site = headers.get("sec-fetch-site").is_some_and(|site| site == "cross-site");
        if from_other_site && !lent && !public {
            return Err(ORIGIN_REFUSED);
        }
        if public {
            return Ok(());
        }
        if path == BOOTSTRAP {
            // A program that has the token needs no cookie.
            let is_page = origin.is_some() && !headers.contains_key(AUTHORIZATION);
            return if is_page { Ok(()) } else { Err(self.wrong(NO_CREDENTIAL)) };
        }
        match credential {
            Credential::Cookie if origin.is_none() && (!method.is_safe() || headers.contains_key(UPGRADE)) => {
                Err(ORIGIN_REFUSED)
            }
            Credential::Bearer | Credential::Cookie => Ok(()),
            Credential::Wrong => Err(self.wrong(NO_CREDENTIAL)),
            Credential::None => Err(NO_CREDENTIAL),
        }
    }

    /// Trades the token, or the one-time code, for the cookie's header value.
    ///
    /// # Errors
    /// [`Denied`] when it is neither.
    pub fn bootstrap(&self, secret: &str) -> Result<String, Denied> {
        let mut code = self.code.lock().unwrap_or_else(PoisonError::into_inner);
        let by_code = code.as_deref().is_some_and(|code| same(code, secret));
        if by_code {
            *code = None;
        }
        drop(code);
        if !by_code && !self.token.is(secret) {
            return Err(self.wrong(NO_CREDENTIAL));
        }
        let secure = match self.scheme {
            Scheme::Http => "",
            Scheme::Https => "; Secure",
        };
        Ok(format!("{}={}; Path=/; HttpOnly; SameSite=Strict{secure}", self.cookie_name, self.token.cookie()))
    }

    fn wrong(&self, otherwise: Denied) -> Denied {
        if self.limiter.failed(Instant::now()) { TOO_MANY } else { otherwise }
    }

    /// A bearer that is sent decides alone, then the subprotocol, then the cookie.
    fn credential(&self, headers: &HeaderMap) -> Credential {
        if headers.contains_key(AUTHORIZATION) {
            let given = only(headers, &AUTHORIZATION).ok().flatten().and_then(|value| value.split_once(' '));
            let good = given.is_some_and(|(kind, token)| kind.eq_ignore_ascii_case("bearer") && self.token.is(token));
            return if good { Credential::Bearer } else { Credential::Wrong };
        }
        if let Some(offered) = offered(headers).find_map(|name| name.strip_prefix(TOKEN_PROTOCOL)) {
            return if self.token.is(offered) { Credential::Bearer } else { Credential::Wrong };
        }
        let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        match pairs.find(|(name, _)| *name == self.cookie_name) {
            Some((_, value)) if self.token.is_cookie(value) => Credential::Cookie,
            Some(_) => Credential::Wrong,
            None => Credential::None,
        }
    }
}

/// The subprotocols a client offers.
fn offered(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(SEC_WEBSOCKET_PROTOCOL).iter().filter_map(|value| value.to_str().ok());
    lines.flat_map(|line| line.split(',')).map(str::trim)
}

/// A header stands twice, is a list, or is no text.
struct Doubtful;

/// The value of a header that may stand once.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h str>, Doubtful> {
    let mut values = headers.get_all(name).iter();
    let (first, second) = (values.next(), values.next());
    match (first, second) {
        (None, _) => Ok(None),
        (Some(_), Some(_)) => Err(Doubtful),
        (Some(value), None) => {
            let text = value.to_str().ok().filter(|value| !value.contains(','));
            text.map(Some).ok_or(Doubtful)
        }
    }
}
