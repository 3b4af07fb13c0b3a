"""botocore's signer as judge of requests that arrived at our server.

Usage: sign.py REQUESTS. One JSON line an entry: {id, path, headers, body, access, secret, token, region}; for each comes
out {id, ours, theirs}: the authorization header that came, and the one botocore makes of the same request at the same
moment.
"""

import datetime
import json
import sys
from unittest import mock

import botocore.auth
import botocore.awsrequest
import botocore.credentials


def theirs(entry):
    headers = {name.lower(): value for name, value in entry["headers"]}
    at = datetime.datetime.strptime(headers["x-amz-date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc)
    signed = {name: headers[name] for name in ("content-type",) if name in headers}
    request = botocore.awsrequest.AWSRequest(
        method="POST",
        url=f"http://{headers['host']}{entry['path']}",
        headers=signed,
        data=entry["body"].encode(),
    )
    credentials = botocore.credentials.Credentials(entry["access"], entry["secret"], entry["token"])
    with mock.patch("botocore.auth.get_current_datetime", return_value=at):
        botocore.auth.SigV4Auth(credentials, "bedrock", entry["region"]).add_auth(request)
    return request.headers["Authorization"]


with open(sys.argv[1], encoding="utf-8") as requests:
    for line in requests:
        entry = json.loads(line)
        ours = [value for name, value in entry["headers"] if name.lower() == "authorization"]
        print(json.dumps({"id": entry["id"], "ours": ours, "theirs": theirs(entry)}), flush=True)
