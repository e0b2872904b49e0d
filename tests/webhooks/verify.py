"""The published library for Python. Reads cases of [secret, headers, body] and prints for each whether it is valid."""

import json
import sys

from standardwebhooks.webhooks import Webhook, WebhookVerificationError


def accepts(secret, headers, body):
    try:
        Webhook(secret).verify(body, headers)
    except WebhookVerificationError:
        return False
    return True


print(json.dumps([accepts(*case) for case in json.load(sys.stdin)]))
