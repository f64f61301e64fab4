"""Calls AWS APIs through boto3: `[[service, operation, parameters], …]` as the argument, `[answer, …]` on stdout.

An operation that has pages gives all of them; an error is `{"error": code}`. The endpoint and the credentials are those of
the environment.
"""

import json
import sys

import boto3
from botocore.exceptions import ClientError


def ask(service, operation, parameters):
    client = boto3.client(service)
    try:
        if client.can_paginate(operation):
            return client.get_paginator(operation).paginate(**parameters).build_full_result()
        return getattr(client, operation)(**parameters)
    except ClientError as error:
        return {"error": error.response["Error"]["Code"]}


print(json.dumps([ask(*call) for call in json.loads(sys.argv[1])], default=str))
