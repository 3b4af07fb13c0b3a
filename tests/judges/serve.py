"""OpenAI's own client against our server: BASE_URL and the token come as arguments, one JSON line an answer goes out."""

import json
import sys

import openai
from pydantic import BaseModel


class Answer(BaseModel):
    answer: int
    name: str


client = openai.OpenAI(base_url=sys.argv[1], api_key=sys.argv[2], max_retries=0)
asked = [{"role": "user", "content": "answer"}]


def say(way, value):
    print(json.dumps({"way": way, "value": value}))


chat = client.chat.completions
say("chat", chat.parse(model="sim/repair", messages=asked, response_format=Answer).choices[0].message.parsed.model_dump())
with chat.stream(model="sim/repair", messages=asked, response_format=Answer) as stream:
    say("chat stream", stream.get_final_completion().choices[0].message.parsed.model_dump())
say("responses", client.responses.parse(model="sim/repair", input="answer", text_format=Answer).output_parsed.model_dump())
with client.responses.stream(model="sim/repair", input="answer", text_format=Answer) as stream:
    for _ in stream:
        pass
    say("responses stream", stream.get_final_response().output_parsed.model_dump())
try:
    chat.parse(model="sim/twice-bad", messages=asked, response_format=Answer)
    say("error", None)
except openai.APIStatusError as error:
    say("error", {"answer": error.status_code, "name": error.code})
