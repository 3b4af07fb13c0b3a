//! The AWS account a request is signed with: from the environment, else from the profile in the vendor's shared files.
//!
//! Keys stay secret values. No single sign-on, no metadata service: nothing is asked over a network.

use std::path::PathBuf;

use secrecy::SecretString;

use super::{Surroundings, text_of};

/// Variables that are read.
pub(super) const VARIABLES: &[&str] = &[
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_PROFILE",
];

/// Whose requests they are, and where they go when the address does not say.
#[derive(Clone, Default)]
pub struct AwsAccount {
    pub keys: Option<AwsKeys>,
    pub region: Option<String>,
}

/// A pair of keys, and the token that goes with temporary ones.
#[derive(Clone)]
pub struct AwsKeys {
    pub access_key_id: String,
    pub secret_access_key: SecretString,
    pub session_token: Option<SecretString>,
    /// Where they were found: `AWS_ACCESS_KEY_ID`, or the profile's name.
    pub origin: String,
}

impl std::fmt::Debug for AwsAccount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let origin = self.keys.as_ref().map(|keys| keys.origin.as_str());
        f.debug_struct("AwsAccount").field("keys", &origin).field("region", &self.region).finish()
    }
}

/// Looks for the account. What cannot be read is not there: the failing call names what to set.
pub(super) fn account(around: &Surroundings) -> AwsAccount {
    let set = |name: &str| around.get(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    let profile = set("AWS_PROFILE");
    let file = |variable: &str, name: &str| {
        let path = set(variable).map(PathBuf::from).or_else(|| Some(around.home.as_ref()?.join(".aws").join(name)));
        path.and_then(|path| text_of(&path).ok().flatten()).unwrap_or_default()
    };
    let from_env = || {
        Some(AwsKeys {
            access_key_id: set("AWS_ACCESS_KEY_ID")?,
            secret_access_key: set("AWS_SECRET_ACCESS_KEY")?.into(),
            session_token: set("AWS_SESSION_TOKEN").map(SecretString::from),
            origin: "AWS_ACCESS_KEY_ID".to_owned(),
        })
    };
    let name = profile.as_deref().unwrap_or("default");
    let from_file = || {
        let text = file("AWS_SHARED_CREDENTIALS_FILE", "credentials");
        let value = |key: &str| ini(&text, &[name], key);
        Some(AwsKeys {
            access_key_id: value("aws_access_key_id")?,
            secret_access_key: value("aws_secret_access_key")?.into(),
            session_token: value("aws_session_token").map(SecretString::from),
            origin: format!("profile {name}"),
        })
    };
    // A profile that is named is meant, whatever else is set, as the vendor's tools have it for keys in variables: these win.
    let keys = from_env().or_else(from_file);
    let region = set("AWS_REGION").or_else(|| set("AWS_DEFAULT_REGION")).or_else(|| {
        let text = file("AWS_CONFIG_FILE", "config");
        ini(&text, &[&format!("profile {name}"), name], "region")
    });
    AwsAccount { keys, region }
}

/// A value of the first of these sections that has it. Indented lines belong to a value above and are passed over.
fn ini(text: &str, sections: &[&str], key: &str) -> Option<String> {
    sections.iter().find_map(|section| in_section(text, section, key))
}

fn in_section(text: &str, section: &str, key: &str) -> Option<String> {
    let mut inside = false;
    let mut found = None;
    for line in text.lines() {
        if let Some(name) = line.trim().strip_prefix('[').and_then(|rest| rest.split_once(']')).map(|(name, _)| name) {
            inside = name.split_whitespace().eq(section.split_whitespace());
        } else if inside
            && !line.starts_with([' ', '\t', '#', ';'])
            && let Some((name, value)) = line.split_once('=')
            && name.trim().eq_ignore_ascii_case(key)
        {
            found = Some(value.trim().to_owned()).filter(|value| !value.is_empty());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret as _;

    fn around(pairs: &[(&str, &str)], home: Option<&std::path::Path>) -> Surroundings {
        let vars = pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        Surroundings { vars, home: home.map(std::path::Path::to_owned), ..Surroundings::default() }
    }

    fn told(account: &AwsAccount) -> (String, String, Option<String>, String) {
        let keys = account.keys.as_ref().unwrap();
        (
            keys.access_key_id.clone(),
            keys.secret_access_key.expose_secret().to_owned(),
            keys.session_token.as_ref().map(|token| token.expose_secret().to_owned()),
            keys.origin.clone(),
        )
    }

    #[test]
    fn variables_come_before_the_shared_file() {
        let home = tempfile::tempdir().unwrap();
        fs_err::create_dir(home.path().join(".aws")).unwrap();
        let credentials = "[default]\naws_access_key_id = AKID1\naws_secret_access_key=s/e+c=\n\
                           # comment\n[work]\naws_access_key_id=AKID2\naws_secret_access_key = two\n\
                           aws_session_token = token==\ns3 =\n  aws_access_key_id = nested\n";
        fs_err::write(home.path().join(".aws/credentials"), credentials).unwrap();
        let config = "[default]\nregion = eu-west-1\n[profile work]\nregion=ap-south-1\n";
        fs_err::write(home.path().join(".aws/config"), config).unwrap();

        let default = account(&around(&[], Some(home.path())));
        assert_eq!(told(&default), ("AKID1".into(), "s/e+c=".into(), None, "profile default".into()));
        assert_eq!(default.region.as_deref(), Some("eu-west-1"));

        let work = account(&around(&[("AWS_PROFILE", "work")], Some(home.path())));
        assert_eq!(told(&work), ("AKID2".into(), "two".into(), Some("token==".into()), "profile work".into()));
        assert_eq!(work.region.as_deref(), Some("ap-south-1"));

        let pairs = [
            ("AWS_ACCESS_KEY_ID", " AKID3 "),
            ("AWS_SECRET_ACCESS_KEY", "three"),
            ("AWS_DEFAULT_REGION", "us-west-2"),
            ("AWS_PROFILE", "work"),
        ];
        let env = account(&around(&pairs, Some(home.path())));
        assert_eq!(told(&env), ("AKID3".into(), "three".into(), None, "AWS_ACCESS_KEY_ID".into()));
        assert_eq!(env.region.as_deref(), Some("us-west-2"));

        let shown = format!("{default:?}{work:?}{env:?}");
        assert!(["AKID", "s/e+c", "two", "token", "three"].iter().all(|secret| !shown.contains(secret)), "{shown}");
    }

    #[test]
    fn half_an_account_is_none() {
        let nowhere = tempfile::tempdir().unwrap();
        for pairs in [&[][..], &[("AWS_ACCESS_KEY_ID", "A")], &[("AWS_ACCESS_KEY_ID", "A"), ("AWS_SECRET_ACCESS_KEY", " ")]] {
            let account = account(&around(pairs, Some(nowhere.path())));
            assert!(account.keys.is_none() && account.region.is_none());
        }
        assert!(account(&around(&[("AWS_PROFILE", "gone")], None)).keys.is_none());
    }
}
