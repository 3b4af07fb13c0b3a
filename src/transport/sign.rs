//! Signs a request for AWS (`SigV4`), by the vendor's own crate. The time is given, the keys are the caller's.

use std::time::SystemTime;

use aws_credential_types::Credentials;
use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings, sign};
use aws_sigv4::sign::v4;
use secrecy::ExposeSecret as _;
use url::Url;

use crate::config::{AwsAccount, AwsKeys};
use crate::event::{CallFailure, ErrorCode};

use super::fault;

/// The service's name in a signature.
const SERVICE: &str = "bedrock";

/// The headers a signature adds: all of them secret, since who has them can send the request again.
pub(super) fn signed(
    account: &AwsAccount,
    url: &Url,
    content_type: &str,
    body: &[u8],
    now: SystemTime,
) -> Result<Vec<(String, String)>, Box<CallFailure>> {
    let config = |message: &str| Box::new(fault::failure(ErrorCode::Config, false, message));
    let keys = account.keys.as_ref().ok_or_else(|| Box::new(no_keys()))?;
    let region = region(account, Some(url)).ok_or_else(|| config("no AWS region is known: set AWS_REGION, or name it in base_url"))?;
    let unsigned = || config("the request cannot be signed: check the AWS keys and base_url");
    let identity = credentials(keys).into();
    let params = v4::SigningParams::builder()
        .identity(&identity)
        .region(&region)
        .name(SERVICE)
        .time(now)
        // The default encodes the path once more, as this service wants it.
        .settings(SigningSettings::default())
        .build()
        .map_err(|_| unsigned())?;
    let headers = [("content-type", content_type)].into_iter();
    let request =
        SignableRequest::new("POST", url.as_str(), headers, SignableBody::Bytes(body)).map_err(|_| unsigned())?;
    let (instructions, _) = sign(request, &params.into()).map_err(|_| unsigned())?.into_parts();
    Ok(instructions.headers().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}

/// Neither keys nor a token.
pub(super) fn no_keys() -> CallFailure {
    let message =
        "no AWS credentials: set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE";
    fault::failure(ErrorCode::Auth, false, message)
}

fn credentials(keys: &AwsKeys) -> Credentials {
    let token = keys.session_token.as_ref().map(|token| token.expose_secret().to_owned());
    Credentials::new(&keys.access_key_id, keys.secret_access_key.expose_secret(), token, None, "formwork")
}

/// The address's own region, else the account's.
pub(super) fn region(account: &AwsAccount, url: Option<&Url>) -> Option<String> {
    url.and_then(region_of).or_else(|| account.region.clone())
}

/// `bedrock-runtime.REGION.amazonaws.com`, `bedrock-runtime-fips.REGION.amazonaws.com`,
/// `bedrock-runtime.REGION.api.aws`; with `.cn` behind it in China.
fn region_of(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    let mut labels = host.split('.');
    let service = labels.next()?;
    // A private endpoint has its own label in front.
    let service = if service.starts_with("vpce-") { labels.next()? } else { service };
    let region = labels.next()?;
    let rest: Vec<&str> = labels.collect();
    let aws = matches!(rest.as_slice(), ["amazonaws", "com"] | ["amazonaws", "com", "cn"] | ["api", "aws"])
        || matches!(rest.as_slice(), ["vpce", "amazonaws", "com"]);
    (service.starts_with("bedrock") && aws).then(|| region.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example keys of the vendor's documentation.
    fn account(token: Option<&str>, region: Option<&str>) -> AwsAccount {
        let keys = AwsKeys {
            access_key_id: "AKIDEXAMPLE".to_owned(),
            secret_access_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".into(),
            session_token: token.map(Into::into),
            origin: "test".to_owned(),
        };
        AwsAccount { keys: Some(keys), region: region.map(str::to_owned) }
    }

    fn at() -> SystemTime {
        httpdate::parse_http_date("Mon, 30 Nov 2026 12:00:00 GMT").unwrap()
    }

    const BODY: &[u8] = br#"{"messages":[{"role":"user","content":[{"text":"x"}]}]}"#;

    /// Made with the vendor's Python signer at a fixed clock.
    #[test]
    fn vectors_of_the_vendors_own_signer() {
        for (model, want) in [
            (
                "us.anthropic.claude-haiku-4-5-20251001-v1%3A0",
                "b08399762610d2be08a85d41b39c3ec074e6106581f8eed9274a2b80cbb5d722",
            ),
            ("anthropic.claude-opus-4-6-v1", "9be6b5c426ebd59578855ac46711ad52799e65b27bd11132cf3572139cf059d7"),
        ] {
            let url = format!("https://bedrock-runtime.us-east-1.amazonaws.com/model/{model}/converse-stream");
            let url = Url::parse(&url).unwrap();
            let headers =
                signed(&account(Some("SESSIONTOKEN"), None), &url, "application/json", BODY, at()).unwrap();
            let find = |name: &str| headers.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str());
            let authorization = find("authorization").unwrap();
            assert_eq!(
                authorization.split_once("Signature=").unwrap(),
                (
                    "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261130/us-east-1/bedrock/aws4_request, \
                     SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, ",
                    want
                )
            );
            assert_eq!(find("x-amz-date"), Some("20261130T120000Z"));
            assert_eq!(find("x-amz-security-token"), Some("SESSIONTOKEN"));
        }
    }

    #[test]
    fn where_the_region_stands() {
        for (host, region) in [
            ("bedrock-runtime.us-east-1.amazonaws.com", Some("us-east-1")),
            ("bedrock-runtime-fips.us-gov-west-1.amazonaws.com", Some("us-gov-west-1")),
            ("bedrock-runtime.eu-central-1.api.aws", Some("eu-central-1")),
            ("bedrock-runtime.cn-north-1.amazonaws.com.cn", Some("cn-north-1")),
            ("vpce-0a1b-x.bedrock-runtime.eu-west-1.vpce.amazonaws.com", Some("eu-west-1")),
            ("bedrock-runtime.us-east-1.amazonaws.com.evil.example", None),
            ("s3.us-east-1.amazonaws.com", None),
            ("127.0.0.1", None),
            ("localhost", None),
        ] {
            let url = Url::parse(&format!("https://{host}/model/m/converse-stream")).unwrap();
            assert_eq!(region_of(&url).as_deref(), region, "{host}");
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let url = Url::parse("http://127.0.0.1:1/model/m/converse-stream").unwrap();
        let failed = |account: &AwsAccount| *signed(account, &url, "application/json", BODY, at()).unwrap_err();
        assert_eq!(failed(&AwsAccount::default()).code, ErrorCode::Auth);
        let no_region = failed(&account(None, None));
        assert!(no_region.code == ErrorCode::Config && no_region.message.contains("AWS_REGION"));
        assert!(signed(&account(None, Some("eu-west-1")), &url, "application/json", BODY, at()).is_ok());
    }
}
