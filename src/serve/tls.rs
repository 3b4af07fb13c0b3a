//! The listener behind a certificate: handshakes run beside one another, each with its time, so that a client that never
//! finishes one holds up nobody.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::serve::Listener;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};
use tokio_rustls::server::TlsStream;

/// A client has this long for its handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Handshakes at the same time.
const MOST: usize = 256;

/// Why there is no TLS.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("{}: {source}", file.display())]
    Pem { file: PathBuf, source: rustls::pki_types::pem::Error },
    #[error("certificate and key do not serve: {0}")]
    Unfit(#[from] rustls::Error),
}

/// Reads the two files.
pub(super) fn acceptor(certificate: &Path, key: &Path) -> Result<TlsAcceptor, TlsError> {
    let fault = |file: &Path| {
        let file = file.to_owned();
        move |source| TlsError::Pem { file, source }
    };
    let chain = CertificateDer::pem_file_iter(certificate).map_err(fault(certificate))?;
    let chain = chain.collect::<Result<Vec<_>, _>>().map_err(fault(certificate))?;
    let key = PrivateKeyDer::from_pem_file(key).map_err(fault(key))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let mut config = builder.with_no_client_auth().with_single_cert(chain, key)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Connections whose handshake is done.
pub(super) struct Secured {
    ready: mpsc::Receiver<(TlsStream<TcpStream>, SocketAddr)>,
    address: SocketAddr,
}

impl Secured {
    /// Takes the listener over.
    pub(super) fn new(mut listener: TcpListener, address: SocketAddr, acceptor: TlsAcceptor) -> Self {
        let (sender, ready) = mpsc::channel(MOST);
        let free = Arc::new(Semaphore::new(MOST));
        tokio::spawn(async move {
            while let Ok(permit) = Arc::clone(&free).acquire_owned().await {
                let (stream, from) = tokio::select! {
                    accepted = Listener::accept(&mut listener) => accepted,
                    () = sender.closed() => return,
                };
                let (acceptor, sender) = (acceptor.clone(), sender.clone());
                tokio::spawn(async move {
                    if let Ok(Ok(stream)) = tokio::time::timeout(HANDSHAKE, acceptor.accept(stream)).await {
                        let _ = sender.send((stream, from)).await;
                    }
                    drop(permit);
                });
            }
        });
        Self { ready, address }
    }
}

impl Listener for Secured {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        match self.ready.recv().await {
            Some(accepted) => accepted,
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> std::io::Result<Self::Addr> {
        Ok(self.address)
    }
}
