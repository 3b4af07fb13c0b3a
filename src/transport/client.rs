//! The HTTP clients: built once, when first needed. The one place that chooses TLS, proxies and redirects.

use std::sync::OnceLock;
use std::time::Duration;

use reqwest::redirect::{Action, Attempt, Policy};
use reqwest::{Certificate, Client, ClientBuilder};
use url::{Host, Url};

/// A server that does not take a connection within this time is not there.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// A server may move its own path; more hops than this are a loop.
const MAX_REDIRECTS: usize = 5;

/// Which client speaks to an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Plain HTTP on this machine: no proxy, and no certificates, whose loading costs milliseconds at start.
    Loopback,
    /// HTTPS on this machine: no proxy.
    LoopbackTls,
    /// Everything else: proxies from the environment.
    World,
}

static LOOPBACK: OnceLock<Option<Client>> = OnceLock::new();
static LOOPBACK_TLS: OnceLock<Option<Client>> = OnceLock::new();
static WORLD: OnceLock<Option<Client>> = OnceLock::new();

/// The client for an address; `None` when the system lets none be built.
pub(super) fn client(url: &Url) -> Option<Client> {
    let way = way(url);
    let cell = match way {
        Way::Loopback => &LOOPBACK,
        Way::LoopbackTls => &LOOPBACK_TLS,
        Way::World => &WORLD,
    };
    cell.get_or_init(|| build(way)).clone()
}

fn way(url: &Url) -> Way {
    match (is_loopback(url), url.scheme()) {
        (true, "http") => Way::Loopback,
        (true, _) => Way::LoopbackTls,
        (false, _) => Way::World,
    }
}

/// Does the address lead to this machine?
pub(super) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        Some(Host::Ipv4(ip)) => ip.is_loopback() || ip.is_unspecified(),
        Some(Host::Ipv6(ip)) => ip.is_loopback() || ip.is_unspecified(),
        None => false,
    }
}

fn build(way: Way) -> Option<Client> {
    // Without a provider the first TLS client panics; a second installation is refused and harmless.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let base = || {
        Client::builder()
            .user_agent(concat!("formwork/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT_TIMEOUT)
            .redirect(Policy::custom(redirect))
    };
    match way {
        Way::Loopback => base().no_proxy().tls_certs_only([]).build().ok(),
        Way::LoopbackTls => with_roots(|| base().no_proxy()),
        Way::World => with_roots(base),
    }
}

/// The platform's root certificates; the built-in set where there are none (a slim container has no CA file).
fn with_roots(base: impl Fn() -> ClientBuilder) -> Option<Client> {
    base().build().ok().or_else(|| {
        let roots = webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter();
        let roots = roots.filter_map(|der| Certificate::from_der(der).ok());
        base().tls_certs_only(roots).build().ok()
    })
}

/// Followed only where the same server says so and the request stays a POST: a key never goes elsewhere.
fn redirect(attempt: Attempt<'_>) -> Action {
    let same = attempt.previous().last().is_some_and(|from| from.origin() == attempt.url().origin());
    let keeps_method = matches!(attempt.status().as_u16(), 307 | 308);
    if same && keeps_method && attempt.previous().len() <= MAX_REDIRECTS { attempt.follow() } else { attempt.stop() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_spoken_to_without_proxy() {
        for (url, want) in [
            ("http://localhost:1/v1", Way::Loopback),
            ("http://127.8.0.1/", Way::Loopback),
            ("http://[::1]:8080/", Way::Loopback),
            ("https://localhost/", Way::LoopbackTls),
            ("http://localhost.example.org/", Way::World),
            ("http://10.0.0.1/", Way::World),
            ("https://api.openai.com/v1", Way::World),
        ] {
            assert_eq!(way(&Url::parse(url).unwrap()), want, "{url}");
        }
    }

    #[test]
    fn every_client_can_be_built() {
        for way in [Way::Loopback, Way::LoopbackTls, Way::World] {
            assert!(build(way).is_some(), "{way:?}");
        }
    }
}
