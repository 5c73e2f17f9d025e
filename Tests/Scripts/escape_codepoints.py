"""Reads one JSON string from standard input and prints its code points, as an independent reader sees them."""

import json
import sys

text = json.loads(sys.stdin.buffer.read())
print(" ".join(str(ord(c)) for c in text))
