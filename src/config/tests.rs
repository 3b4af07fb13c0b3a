use super::*;

const ERRORS: &str = r#"config.toml:1:1: unknown key `modle` | did you mean `model`?
config.toml:2:12: `fallback` must be one of "auto", "none", "prompt" | did you mean "prompt"?
config.toml:3:19: `timeout_seconds` must be a whole number from 1 to 86400
config.toml:4:9: `mouse` must be true or false
config.toml:6:12: `providers.lab.base_url` must be an http:// or https:// address
config.toml:7:1: unknown key `providers.lab.api_key` | keys are never written in a file: name the variable that holds it, api_key_env = "…"
config.toml:8:15: `providers.lab.api_key_env` must be the name of an environment variable (letters, digits, _) | the key itself belongs in the environment, never in a file
config.toml:9:11: `providers.lab.dialect` must be one of "openai_chat", "openai_responses", "azure_openai_responses", "anthropic", "google", "bedrock", "ollama" | did you mean "openai_chat"?
config.toml:12:1: unknown key `providers."a b".zzzzzz` | known here: dialect, base_url, api_key_env, models, structured_output
project/.formwork.toml:1:9: `theme` must be a text that is not empty
project/.formwork.toml:2:2: a project file may not set `providers`: keys, commands and endpoints are the user's | move it to your own config file: `formwork config path` names it
project/.formwork.toml:4:2: a project file may not set `mcp_servers`: keys, commands and endpoints are the user's | move it to your own config file: `formwork config path` names it
config.toml:11:1: "a b" cannot name a provider: it is written before the / of PROVIDER/MODEL | use letters, digits, - and _
config.toml:16:1: `providers.bare` has no base_url | add base_url = "http://127.0.0.1:8080/v1" or what the server's address is
config.toml:14:1: `providers.sim` is built in | choose another name
"#;

/// A folder with a user config and, in `project/`, a project config.
struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new(user: Option<&str>, project: Option<&str>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs_err::create_dir_all(dir.path().join("project/.git")).unwrap();
        fs_err::create_dir_all(dir.path().join("project/deep/er")).unwrap();
        for (name, text) in [("config.toml", user), ("project/.formwork.toml", project)] {
            if let Some(text) = text {
                fs_err::write(dir.path().join(name), text).unwrap();
            }
        }
        Self { dir }
    }

    fn around<const N: usize>(&self, vars: [(&str, &str); N]) -> Surroundings {
        Surroundings {
            vars: Env::from_pairs(vars).vars,
            cwd: Some(self.dir.path().join("project/deep/er")),
            home: Some(self.dir.path().to_owned()),
            config_dir: Some(self.dir.path().to_owned()),
            data_dir: Some(self.dir.path().join("data")),
            state_dir: Some(self.dir.path().join("state")),
        }
    }

    fn load(&self) -> Result<Config, ConfigError> {
        load_in(&Overrides::default(), &self.around([]))
    }

    /// All errors, one a line, with the folder cut out.
    fn errors(&self) -> String {
        let (_, errors) = read_all(&Overrides::default(), &self.around([]));
        let folder = format!("{}/", self.dir.path().display());
        let line = |e: &ConfigError| {
            let advice = e.advice.as_ref().map(|a| format!(" | {a}")).unwrap_or_default();
            format!("{e}{advice}\n").replace(&folder, "")
        };
        errors.iter().map(line).collect()
    }
}

#[test]
fn nothing_set_is_fine() {
    let config = Place::new(None, None).load().unwrap();
    assert_eq!(config.model, None);
    assert!(config.paths.project.is_none());
}

#[test]
fn project_values_win_over_the_users() {
    let place = Place::new(
        Some("model = \"sim/sample\"\ntheme = \"dark\"\nkeys.run = \"ctrl-r\"\n"),
        Some("model = \"sim/repair\"\nproject = \"narrow\"\nkeys.quit = [\"q\", \"ctrl-q\"]\n"),
    );
    let config = place.load().unwrap();
    assert_eq!(config.model.as_deref(), Some("sim/repair"));
    assert_eq!(config.theme.as_deref(), Some("dark"));
    assert_eq!(config.level, Some(Level::Narrow));
    assert_eq!(config.keys["run"], ["ctrl-r"]);
    assert_eq!(config.keys["quit"], ["q", "ctrl-q"]);
}

#[test]
fn the_providers_of_the_contract_are_read() {
    let text = r#"
model = "openai/gpt-5-mini"
[providers.lab]
dialect = "openai_chat"
base_url = "http://127.0.0.1:8080/v1"
api_key_env = "LAB_KEY"
structured_output = { native = "supported", strict_tool = true, with_tools = false, schema_profile = "llama_cpp" }
models = ["qwen3-4b"]
[mcp_servers.files]
command = "mcp-server-filesystem"
args = ["."]
"#;
    let place = Place::new(Some(text), None);
    let config = load_in(&Overrides::default(), &place.around([("LAB_KEY", "hush"), ("OTHER", "x")])).unwrap();
    let declared = config.providers["lab"].structured_output.as_ref().unwrap();
    assert_eq!(declared.native, Some(crate::capability::Native::Supported));
    assert_eq!(declared.schema_profile, Some(crate::capability::ProfileId::LlamaCpp));
    assert!(declared.strict_tool && !declared.with_tools);
    assert_eq!(config.env.get("LAB_KEY"), Some("hush"));
    assert_eq!(config.env.get("OTHER"), None);
    let shown = format!("{config:?}{}", show(&config));
    assert!(!shown.contains("hush"), "{shown}");
    let notes = notes(&config);
    assert!(
        matches!(notes.as_slice(), [note] if note.ends_with(
            "config.toml:10: `mcp_servers` is not heeded yet: it comes with a later version"
        )),
        "{notes:?}"
    );
}

#[test]
fn a_query_of_an_address_is_kept_and_its_values_are_not_shown() {
    let text = "[providers.gate]\nbase_url = \"http://127.0.0.1:9/v1?api-version=v1&code=hushhush\"\n";
    let config = load_in(&Overrides::default(), &Place::new(Some(text), None).around([])).unwrap();
    assert!(config.providers["gate"].base_url.as_deref().unwrap().ends_with("code=hushhush"));
    let shown = show(&config);
    assert!(shown.contains("api-version=v1&code=hidden") && !shown.contains("hushhush"), "{shown}");
}

#[test]
fn errors_name_place_and_nearest_name() {
    let user = "modle = \"a/b\"\nfallback = \"promt\"\ntimeout_seconds = 0\nmouse = \"yes\"\n\
        [providers.lab]\nbase_url = \"ftp://x\"\napi_key = \"sk-SECRET\"\napi_key_env = \"sk-SECRET\"\n\
        dialect = \"openai_caht\"\n[providers.\"a b\"]\nmodels = []\nzzzzzz = 1\n[providers.sim]\nmodels = []\n\
        [providers.bare]\nmodels = [\"m\"]\n";
    let project =
        "theme = 3\n[providers.lab]\nbase_url = \"http://evil.example/v1\"\n[mcp_servers.x]\ncommand = \"rm\"\n";
    let errors = Place::new(Some(user), Some(project)).errors();
    assert!(!errors.contains("SECRET") && !errors.contains("evil"), "{errors}");
    assert_eq!(errors, ERRORS);
}

#[test]
fn broken_toml_has_a_place() {
    assert_eq!(
        Place::new(Some("model = \"a/b\ntheme = 1"), None).errors(),
        "config.toml:1:13: invalid basic string, expected `\"`\n"
    );
}

#[test]
fn a_named_file_must_exist_and_a_flag_beats_the_environment() {
    let place = Place::new(None, None);
    let missing = place.dir.path().join("none.toml");
    let around = place.around([("FORMWORK_CONFIG", "also-none.toml"), ("FORMWORK_DATA_DIR", "/var/x")]);
    let flag = Overrides { config: Some(missing.clone()), data_dir: None };
    assert_eq!(load_in(&flag, &around).unwrap_err().file, missing);
    assert_eq!(load_in(&Overrides::default(), &around).unwrap_err().file, PathBuf::from("also-none.toml"));
    assert_eq!(places::paths(&Overrides::default(), &around).data_dir, PathBuf::from("/var/x"));
}

#[test]
fn an_address_from_the_environment_is_checked_and_not_repeated() {
    let place = Place::new(None, None);
    let around = place.around([("OPENAI_BASE_URL", "http://me:SECRET@h/v1")]);
    let error = load_in(&Overrides::default(), &around).unwrap_err().to_string();
    assert!(error.starts_with("OPENAI_BASE_URL: must be an address without user"), "{error}");
    assert!(!error.contains("SECRET"));
}

#[test]
fn what_is_shown_can_be_read_back() {
    let text = "model = \"sim/sample\"\nmax_retries = 3\n[keys]\nrun = \"ctrl-r\"\n[providers.lab]\n\
        base_url = \"http://127.0.0.1:1/v1\"\n[providers.lab.structured_output]\nnative = \"supported\"\n\
        [providers.\"b.c\"]\nbase_url = \"http://x/v1\"\n";
    let place = Place::new(Some(text), None);
    let config = place.load().unwrap();
    let shown = show(&config);
    let again = Place::new(Some(&shown), None).load().unwrap();
    assert_eq!(again.providers, config.providers);
    assert_eq!(again.max_retries, Some(3));
    assert!(shown.contains("config.toml:2"), "{shown}");
}

#[test]
fn a_file_in_a_shared_folder_does_not_count() {
    let place = Place::new(None, Some("theme = \"x\""));
    let mut around = place.around([]);
    fs_err::write(place.dir.path().join(".formwork.toml"), "theme = \"shared\"").unwrap();
    fs_err::create_dir_all(place.dir.path().join("elsewhere/deep")).unwrap();
    around.cwd = Some(place.dir.path().join("elsewhere/deep"));
    assert_eq!(places::paths(&Overrides::default(), &around).project, None, "the home folder's own file");
    around.home = None;
    assert_eq!(places::paths(&Overrides::default(), &around).project, None, "outside of home and repository");
}
