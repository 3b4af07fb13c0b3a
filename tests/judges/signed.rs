//! Signed requests as they arrive at a server: the judge makes each signature again from what came.

use std::sync::Arc;
use std::time::Duration;

use formwork::catalog::Endpoint;
use formwork::config::{AwsAccount, AwsKeys};
use formwork::json::Value;
use formwork::machine::Budget;
use formwork::runtime::{RunSpec, start};
use serde_json::json;

use super::server::{Fake, response};
use super::wires::Wire;
use formwork::capability::Dialect;

const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

/// Models whose names are hard on an address, prompts that are hard on a body.
const MODELS: [&str; 8] = [
    "us.anthropic.claude-haiku-4-5-20251001-v1:0",
    "anthropic.claude-opus-4-6-v1",
    "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.x",
    "a b",
    "a%20b",
    "é/ü?x=1#y",
    "a+b&c=d",
    "~tilde-_.!'()*",
];
const PROMPTS: [&str; 4] = ["x", "näher 🔥 \u{0}\t\"quoted\"", "", "line\nline\r\n"];
const REGIONS: [&str; 3] = ["us-east-1", "eu-central-1", "us-gov-west-1"];

fn spec(base_url: &str, number: usize) -> RunSpec {
    let wire = Wire { dialect: Dialect::Bedrock, signed: true };
    let mut endpoint = Endpoint::clone(&wire.endpoint(base_url));
    let keys = AwsKeys {
        access_key_id: "AKIDEXAMPLE".to_owned(),
        secret_access_key: SECRET.into(),
        session_token: number.is_multiple_of(2).then(|| "SESSION/TOKEN+=".into()),
        origin: "test".to_owned(),
    };
    endpoint.aws = AwsAccount { keys: Some(keys), region: Some(region(number).to_owned()) };
    RunSpec {
        budget: Budget { max_retries: 1, max_iterations: 20 },
        idle_timeout: Duration::from_mins(1),
        ..RunSpec::new(
            Arc::new(endpoint),
            MODELS[number % MODELS.len()].to_owned(),
            PROMPTS[(number / MODELS.len()) % PROMPTS.len()].to_owned(),
        )
    }
}

fn region(number: usize) -> &'static str {
    REGIONS[number % REGIONS.len()]
}

/// Every combination once, as the judge reads it.
pub(crate) async fn requests() -> Vec<Value> {
    let mut out = Vec::new();
    for number in 0..MODELS.len() * PROMPTS.len() {
        let fake = Fake::start(vec![response(400, "", "{}")]).await;
        let mut handle = start(spec(&fake.base_url, number));
        while handle.feed.next().await.is_some() {}
        let request = fake.request(0);
        let mut lines = request.head.lines();
        let path = lines.next().unwrap().split(' ').nth(1).unwrap();
        let headers: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once(": ")).collect();
        out.push(json!({
            "id": number,
            "path": path,
            "headers": headers,
            "body": request.body,
            "access": "AKIDEXAMPLE",
            "secret": SECRET,
            "token": number.is_multiple_of(2).then_some("SESSION/TOKEN+="),
            "region": region(number),
        }));
    }
    out
}
