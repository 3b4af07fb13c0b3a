//! What each read of a call brought, over real sockets.

use formwork::feed::raw::{Kind, MOST, RawRead};
use formwork::runtime::Reads;

use super::server::{Fake, Part, finish, text};
use super::*;

fn told_spec(endpoint: Arc<Endpoint>) -> RunSpec {
    RunSpec { reads: Reads::Told, ..spec(endpoint, None) }
}

fn reads(told: &Told) -> Vec<&RawRead> {
    let read = |inspect: &'_ Inspect| matches!(inspect, Inspect::Read(_));
    let reads = told.inspected.iter().filter(|i| read(i));
    reads.filter_map(|i| if let Inspect::Read(read) = i { Some(read) } else { None }).collect()
}

fn head(extra: &str) -> Part {
    Part::Bytes(
        format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n{extra}connection: close\r\n\r\n").into_bytes(),
    )
}

#[tokio::test]
async fn bytes_and_events_of_every_read_are_told_in_order() {
    let (one, two, end) = (text("hel"), text("lo 汉"), finish("stop"));
    let gate = Arc::new(tokio::sync::Notify::new());
    // A frame is cut in the middle of a character; the second half comes later.
    let cut = two.len() - 12;
    let parts = vec![
        head("x-request-id: req_7\r\nset-cookie: s=1\r\nx-ratelimit-remaining-tokens: 9\r\n"),
        Part::Bytes(one.clone()),
        Part::Wait(Arc::clone(&gate)),
        Part::Bytes(two[..cut].to_vec()),
        Part::Bytes(two[cut..].to_vec()),
        Part::Bytes(end.clone()),
        Part::Close,
    ];
    let fake = Fake::start(vec![parts]).await;
    let mut handle = start(told_spec(endpoint(&fake.base_url, Route::Native)));
    let mut told = Told { events: Vec::new(), inspected: Vec::new() };
    while let Some(items) = handle.feed.next().await {
        for item in items {
            match item {
                Item::Event(event) => told.events.push(event),
                Item::Inspect(inspect) => told.inspected.push(*inspect),
            }
        }
        if !reads(&told).is_empty() {
            gate.notify_one();
        }
    }
    assert_eq!(told.message(), "hello 汉");
    let reads = reads(&told);
    let bytes: Vec<u8> = reads.iter().flat_map(|read| read.bytes.clone()).collect();
    assert_eq!(bytes, [one, two, end].concat(), "every byte of the body, once, in order");
    let said: String = reads.iter().map(|read| read.text.as_str()).collect();
    assert!(said.starts_with("hello 汉"), "{said}");
    assert_eq!(reads.first().unwrap().events.first().unwrap().kind, Kind::Text);
    assert_eq!(reads.last().unwrap().events.last().unwrap().kind, Kind::Terminal);
    assert!(reads.iter().all(|read| (read.call, read.attempt) == (0, 1)));
    let headers = told.inspected.iter().find_map(|i| match i {
        Inspect::Response { headers, .. } => Some(headers.clone()),
        _ => None,
    });
    let names: Vec<String> = headers.unwrap().into_iter().map(|(name, _)| name).collect();
    assert!(names.contains(&"x-request-id".to_owned()) && names.contains(&"x-ratelimit-remaining-tokens".to_owned()));
    assert!(!names.contains(&"set-cookie".to_owned()));
    assert!(told.inspected.iter().any(|i| matches!(i, Inspect::FirstRead { call: 0, .. })));
    assert!(told.inspected.iter().any(|i| matches!(i, Inspect::Called { call: 0, attempt: 1 })));
}

#[tokio::test]
async fn a_key_the_server_repeats_is_in_no_read_even_cut_in_two() {
    let leak = text(&format!("never {KEY} never"));
    let at = leak.windows(KEY.len()).position(|part| part == KEY.as_bytes()).unwrap() + 7;
    let gate = Arc::new(tokio::sync::Notify::new());
    let parts = vec![
        head(""),
        Part::Bytes([text("a"), leak[..at].to_vec()].concat()),
        Part::Wait(Arc::clone(&gate)),
        Part::Bytes(leak[at..].to_vec()),
        Part::Bytes(finish("stop")),
        Part::Close,
    ];
    let fake = Fake::start(vec![parts]).await;
    let mut handle = start(told_spec(endpoint(&fake.base_url, Route::Native)));
    let mut inspected = Vec::new();
    while let Some(items) = handle.feed.next().await {
        inspected
            .extend(items.into_iter().filter_map(|item| if let Item::Inspect(i) = item { Some(*i) } else { None }));
        gate.notify_one();
    }
    let told = Told { events: Vec::new(), inspected };
    let bytes: Vec<u8> = reads(&told).iter().flat_map(|read| read.bytes.clone()).collect();
    let shown = String::from_utf8(bytes).unwrap();
    assert!(shown.contains("never [secret] never"), "{shown}");
    assert!(!shown.contains("SECRET"), "{shown}");
}

#[tokio::test]
async fn nobody_is_told_who_did_not_ask_and_nobody_gets_too_much() {
    let (_, told) = plain(vec![stream(&[&text("hello"), &finish("stop")])]).await;
    assert!(reads(&told).is_empty());
    let spec = RunSpec { reads: Reads::Told, format: Some(format(SCHEMA)), ..repaired("repair") };
    let told = run(RunSpec { tempo: Tempo::AtOnce, ..spec }).await;
    let all = reads(&told);
    assert!(all.len() > 1 && all.iter().all(|read| read.bytes.is_empty()));
    assert_eq!(all.last().unwrap().attempt, 2);
    assert!(all.iter().map(|read| read.size()).sum::<usize>() < MOST);
}
