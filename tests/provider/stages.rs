//! Cancel and deadline in every stage of a run: both end it within 100 ms, and nothing of it goes on.

use std::time::{Duration, Instant};

use formwork::event::{ErrorCode, RunEvent};
use formwork::feed::Item;
use formwork::runtime::{RunHandle, RunSpec, start};

use crate::server::{Fake, finish, response, stream, text};
use crate::{PROMPT, Route, endpoint, format, rest, sim, spec};

/// Follows the run up to the first event of this kind.
async fn until(handle: &mut RunHandle, reached: impl Fn(&RunEvent) -> bool) {
    while let Some(items) = handle.feed.next().await {
        let hit = |item: &Item| matches!(item, Item::Event(event) if reached(event));
        if items.iter().any(hit) {
            return;
        }
    }
    panic!("the run ended before the stage was reached");
}

/// Cancels in that stage.
async fn cancelled_at(spec: RunSpec, reached: impl Fn(&RunEvent) -> bool) {
    let mut handle = start(spec);
    until(&mut handle, reached).await;
    let began = Instant::now();
    handle.cancel.cancel();
    let told = rest(handle).await;
    let took = began.elapsed();
    assert_eq!(told.error().code, ErrorCode::Cancelled);
    assert!(took < PROMPT, "{took:?}");
}

/// Lets the deadline pass in that stage.
async fn late(mut spec: RunSpec, deadline: Duration) {
    spec.deadline = Some(deadline);
    let began = Instant::now();
    let told = rest(start(spec)).await;
    let took = began.elapsed();
    assert_eq!(told.error().code, ErrorCode::Timeout);
    assert!(told.error().message.contains("deadline"), "{}", told.error().message);
    assert!(took < deadline + PROMPT, "{took:?}");
}

fn retry(event: &RunEvent) -> bool {
    matches!(event, RunEvent::TransportRetry { .. })
}

async fn waiting() -> (Fake, RunSpec) {
    let fake = Fake::start(vec![response(429, "retry-after: 20\r\n", "")]).await;
    let mut spec = spec(endpoint(&fake.base_url, Route::Native), None);
    spec.budget.max_retries = 6;
    (fake, spec)
}

#[tokio::test]
async fn while_a_retry_is_waited_for() {
    let (_fake, spec) = waiting().await;
    cancelled_at(spec, retry).await;
    let (_fake, spec) = waiting().await;
    late(spec, Duration::from_millis(150)).await;
}

/// A candidate that is judged for much longer than the bound.
async fn judged() -> (Fake, RunSpec) {
    let candidate = format!("[{}1]", "1,".repeat(1_000_000));
    let rule = r#"{"minimum":0,"maximum":9,"not":{"const":7}}"#;
    let schema = format!(r#"{{"type":"array","items":{{"allOf":[{}]}}}}"#, [rule; 40].join(","));
    let frames: Vec<Vec<u8>> = candidate.as_bytes().chunks(50_000).map(|c| text(&String::from_utf8_lossy(c))).collect();
    let mut frames: Vec<&[u8]> = frames.iter().map(Vec::as_slice).collect();
    let end = finish("stop");
    frames.push(&end);
    let fake = Fake::start(vec![stream(&frames)]).await;
    let mut spec = spec(endpoint(&fake.base_url, Route::Native), None);
    spec.format = Some(format(&schema));
    (fake, spec)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_a_large_candidate_is_judged() {
    let (_fake, spec) = judged().await;
    cancelled_at(spec, |event| matches!(event, RunEvent::TextEnd { .. })).await;
}

#[tokio::test]
async fn in_a_tool_round() {
    cancelled_at(sim("tools"), |event| matches!(event, RunEvent::ToolCallStart { .. })).await;
    cancelled_at(sim("tools"), |event| matches!(event, RunEvent::ToolResult { .. })).await;
    late(sim("tools"), Duration::from_millis(60)).await;
}

#[tokio::test]
async fn while_the_answer_streams() {
    cancelled_at(sim("slow"), |event| matches!(event, RunEvent::TextDelta { .. })).await;
    late(sim("slow"), Duration::from_millis(60)).await;
}

/// A listener whose queue is full leaves the connection hanging.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn while_the_connection_hangs() {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let full = socket.listen(0).unwrap();
    let address = full.local_addr().unwrap();
    // The first is taken into the queue, the next ones wait for room.
    let _first = tokio::net::TcpStream::connect(address).await.unwrap();
    let more: Vec<_> = (0..3).map(|_| tokio::spawn(tokio::net::TcpStream::connect(address))).collect();
    let hanging = || spec(endpoint(&format!("http://{address}/v1"), Route::Native), None);
    cancelled_at(hanging(), |event| matches!(event, RunEvent::RunStart { .. })).await;
    late(hanging(), Duration::from_millis(60)).await;
    more.iter().for_each(tokio::task::JoinHandle::abort);
}
