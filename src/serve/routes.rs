//! The routes, behind the guard: what each answers, and the one shape of errors.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{DefaultBodyLimit, Path, Request, State, WebSocketUpgrade};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, RETRY_AFTER, SET_COOKIE,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use serde_json::json;

use super::ask::Refused;
use super::fields::{BadRequest, Fields};
use super::guard::{BOOTSTRAP, Denied, PROTOCOL};
use super::metrics::Metrics;
use super::{App, check, openai, socket};
use crate::catalog::Wanted;
use crate::json::{ParseLimits, Value, parse_bytes};

/// The page, complete: its script and style stand in it.
const PAGE: &str = include_str!("page.html");
/// Nothing is loaded from anywhere, nothing embeds the page, it speaks to this server only.
const CSP: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const MAX_SECRET: usize = 256;
const DEPTH: usize = 128;

/// All routes.
pub(super) fn router(app: &Arc<App>) -> Router {
    Router::new()
        .route("/", get(async || page()))
        .route("/healthz", get(async || json_response(StatusCode::OK, &json!({ "status": "ok" }))))
        .route("/readyz", get(ready))
        .route(BOOTSTRAP, post(bootstrap))
        .route("/ws", get(upgrade))
        .route("/metrics", get(metrics))
        .route("/api/models", get(models))
        .route(
            "/api/sessions",
            get(async |State(app): State<Arc<App>>| json_response(StatusCode::OK, &app.hub.sessions())),
        )
        .route("/api/runs/{id}", get(run))
        .route("/api/schema/check", post(schema_check))
        .route("/v1/models", get(openai::models))
        .route("/v1/chat/completions", post(openai::completions))
        .route("/v1/responses", post(openai::responses))
        .fallback(async || error(StatusCode::NOT_FOUND, "not_found", "there is no such route"))
        .method_not_allowed_fallback(async || {
            error(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "the route takes another method")
        })
        .layer(DefaultBodyLimit::max(app.limits.body))
        .layer(from_fn_with_state(Arc::clone(app), guarded))
        .with_state(Arc::clone(app))
}

async fn guarded(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let mut response = match app.guard.judge(request.method(), path, request.headers()) {
        Ok(()) => next.run(request).await,
        Err(denied) => refuse(&app, denied),
    };
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

fn refuse(app: &App, denied: Denied) -> Response {
    Metrics::one(&app.metrics.denied);
    let mut response = error(denied.status, denied.code, denied.message);
    if denied.status == StatusCode::TOO_MANY_REQUESTS {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("60"));
    }
    response
}

pub(super) fn json_response(status: StatusCode, value: &Value) -> Response {
    (status, [(CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

/// `{error, code, message, issues}`; `error` is the code again, for clients that look there.
fn error(status: StatusCode, code: &str, message: &str) -> Response {
    json_response(status, &json!({ "error": code, "code": code, "message": message, "issues": [] }))
}

fn refused(refused: &Refused) -> Response {
    let status = StatusCode::from_u16(refused.status()).unwrap_or(StatusCode::BAD_REQUEST);
    let mut body =
        json!({ "error": refused.code(), "code": refused.code(), "message": refused.message(), "issues": [] });
    if let (Some(body), Refused::Request(BadRequest { field, .. })) = (body.as_object_mut(), refused) {
        body.insert("field".to_owned(), json!(field));
    }
    json_response(status, &body)
}

/// The body as JSON.
pub(super) fn body(app: &App, body: Result<Bytes, BytesRejection>) -> Result<Value, (StatusCode, String)> {
    let bytes = body.map_err(|rejection| (rejection.status(), "the body is too long, or broke off".to_owned()))?;
    let limits = ParseLimits { max_bytes: app.limits.body, max_depth: DEPTH };
    parse_bytes(&bytes, limits).map_err(|error| (StatusCode::BAD_REQUEST, format!("the body is no JSON: {error}")))
}

fn page() -> Response {
    let headers = [(CONTENT_TYPE, "text/html; charset=utf-8"), (CONTENT_SECURITY_POLICY, CSP)];
    (headers, PAGE).into_response()
}

async fn ready(State(app): State<Arc<App>>) -> Response {
    if app.is_draining() {
        return error(StatusCode::SERVICE_UNAVAILABLE, "shutting_down", "the server is about to end");
    }
    json_response(StatusCode::OK, &json!({ "status": "ready" }))
}

/// `{token}`, nothing else; the answer is the cookie.
async fn bootstrap(State(app): State<Arc<App>>, bytes: Result<Bytes, BytesRejection>) -> Response {
    let secret = body(&app, bytes).ok().and_then(|value| Fields::of(value).ok()).and_then(|mut fields| {
        let secret = fields.text("token").ok().flatten()?;
        fields.done().ok().filter(|()| secret.len() <= MAX_SECRET).map(|()| secret)
    });
    match app.guard.bootstrap(secret.as_deref().unwrap_or_default()) {
        Ok(cookie) => (StatusCode::NO_CONTENT, [(SET_COOKIE, cookie)]).into_response(),
        Err(denied) => refuse(&app, denied),
    }
}

async fn upgrade(
    State(app): State<Arc<App>>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let Ok(upgrade) = upgrade else {
        return error(StatusCode::UPGRADE_REQUIRED, "upgrade_required", "this route speaks WebSocket only");
    };
    if app.is_draining() {
        return refused(&Refused::ShuttingDown);
    }
    if app.connections.fetch_add(1, Ordering::AcqRel) >= app.limits.connections {
        app.connections.fetch_sub(1, Ordering::AcqRel);
        return error(StatusCode::SERVICE_UNAVAILABLE, "too_many_connections", "too many connections are open");
    }
    let failed = Arc::clone(&app);
    upgrade
        .max_message_size(app.limits.body)
        .max_frame_size(app.limits.body)
        .protocols([PROTOCOL])
        .on_failed_upgrade(move |_| {
            failed.connections.fetch_sub(1, Ordering::AcqRel);
        })
        .on_upgrade(move |socket| socket::serve(socket, app))
}

async fn metrics(State(app): State<Arc<App>>) -> Response {
    let text = app.metrics.text(app.hub.active(), app.connections.load(Ordering::Acquire));
    ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}

async fn models(State(app): State<Arc<App>>) -> Response {
    let rows = tokio::task::spawn_blocking(move || serde_json::to_value(app.catalog.list(Wanted::Ready))).await;
    match rows {
        Ok(Ok(rows)) => json_response(StatusCode::OK, &rows),
        Ok(Err(_)) | Err(_) => error(StatusCode::INTERNAL_SERVER_ERROR, "internal", "the list cannot be made"),
    }
}

async fn run(State(app): State<Arc<App>>, Path(id): Path<String>) -> Response {
    match app.hub.run(&id) {
        Some(run) => json_response(StatusCode::OK, &run),
        None => error(StatusCode::NOT_FOUND, "no_run", "there is no such run, or it ended long ago"),
    }
}

async fn schema_check(State(app): State<Arc<App>>, bytes: Result<Bytes, BytesRejection>) -> Response {
    let request = match body(&app, bytes) {
        Ok(request) => request,
        Err((status, message)) => return error(status, "invalid_request", &message),
    };
    // A large schema takes milliseconds for all providers: not on the threads that serve.
    match tokio::task::spawn_blocking(move || check::check(request)).await {
        Ok(Ok(report)) => json_response(StatusCode::OK, &report),
        Ok(Err(bad)) => refused(&bad.into()),
        Err(_) => error(StatusCode::INTERNAL_SERVER_ERROR, "internal", "the check broke"),
    }
}
