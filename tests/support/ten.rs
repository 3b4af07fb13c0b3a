//! Ten schemas, one for each kind of keyword the embedded model must hold, with a prompt for each.

pub(crate) struct Case {
    pub(crate) name: &'static str,
    #[allow(dead_code, reason = "only the test with the real model asks")]
    pub(crate) prompt: &'static str,
    pub(crate) schema: &'static str,
}

impl Case {
    /// The grammar's calendar lets the 29th and the leap second through on every day (SCHEMAS: 14 of 300 edge cases);
    /// the local validation decides.
    pub(crate) fn is_loose(&self, text: &str) -> bool {
        self.name == "formats" && (text.contains("-02-29") || text.contains(":60"))
    }
}

pub(crate) const SCHEMAS: &[Case] = &[
    Case {
        name: "enum",
        prompt: "The film was wonderful, I laughed all evening. What is the sentiment?",
        schema: r#"{"type":"object","properties":{"sentiment":{"enum":["positive","neutral","negative"]}},
            "required":["sentiment"],"additionalProperties":false}"#,
    },
    Case {
        name: "nested objects",
        prompt: "Ada Lovelace, born 1815, lives in London, England. Write her down.",
        schema: r#"{"type":"object","properties":{"name":{"type":"string","maxLength":30},
            "born":{"type":"integer","minimum":1700,"maximum":2030},
            "home":{"type":"object","properties":{"city":{"type":"string","maxLength":20},
                "country":{"type":"string","maxLength":20}},"required":["city","country"],"additionalProperties":false}},
            "required":["name","born","home"],"additionalProperties":false}"#,
    },
    Case {
        name: "array",
        prompt: "Name three primary colours.",
        schema: r#"{"type":"object","properties":{"colours":{"type":"array","minItems":3,"maxItems":3,
            "items":{"type":"string","minLength":1,"maxLength":10}}},"required":["colours"],"additionalProperties":false}"#,
    },
    Case {
        name: "anyOf with null",
        prompt: "Contact: Bob, no phone number is known.",
        schema: r#"{"type":"object","properties":{"name":{"type":"string","maxLength":20},
            "phone":{"anyOf":[{"type":"string","maxLength":15},{"type":"null"}]}},
            "required":["name","phone"],"additionalProperties":false}"#,
    },
    Case {
        name: "pattern",
        prompt: "Give the order its number, like AB-1234.",
        schema: r#"{"type":"object","properties":{"order":{"type":"string","pattern":"^[A-Z]{2}-\\d{4}$"}},
            "required":["order"],"additionalProperties":false}"#,
    },
    Case {
        name: "formats",
        prompt: "The meeting was on the first of May 2024 at noon; write to ann@example.com.",
        schema: r#"{"type":"object","properties":{"day":{"type":"string","format":"date"},
            "at":{"type":"string","format":"date-time"},"id":{"type":"string","format":"uuid"},
            "host":{"type":"string","format":"ipv4"}},"required":["day","at","id","host"],"additionalProperties":false}"#,
    },
    Case {
        name: "recursion",
        prompt: "A folder docs with a folder img in it. Write the tree.",
        schema: r##"{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{
            "name":{"type":"string","maxLength":12},
            "children":{"type":"array","maxItems":2,"items":{"$ref":"#/$defs/node"}}},
            "required":["name","children"],"additionalProperties":false}}}"##,
    },
    Case {
        name: "ranges and multipleOf",
        prompt: "A ticket costs 12.50, you are 40 years old and buy 6 of them.",
        schema: r#"{"type":"object","properties":{"age":{"type":"integer","minimum":18,"exclusiveMaximum":100},
            "price":{"type":"number","minimum":0.5,"maximum":99.5,"multipleOf":0.25},
            "count":{"type":"integer","multipleOf":6,"minimum":6,"maximum":60}},
            "required":["age","price","count"],"additionalProperties":false}"#,
    },
    Case {
        name: "anyOf told apart by const",
        prompt: "Draw a circle of radius 4.",
        schema: r#"{"type":"object","properties":{"shape":{"anyOf":[
            {"type":"object","properties":{"kind":{"const":"circle"},"radius":{"type":"integer","minimum":1,"maximum":99}},
             "required":["kind","radius"],"additionalProperties":false},
            {"type":"object","properties":{"kind":{"const":"square"},"side":{"type":"integer","minimum":1,"maximum":99}},
             "required":["kind","side"],"additionalProperties":false}]}},"required":["shape"],"additionalProperties":false}"#,
    },
    Case {
        name: "patternProperties",
        prompt: "Scores: player one 10, player two 7.",
        schema: r#"{"type":"object","patternProperties":{"^p[0-9]{1,2}$":{"type":"integer","minimum":0,"maximum":100}},
            "additionalProperties":false,"minProperties":1,"maxProperties":4}"#,
    },
];
