"""Makes schemas/fingerprint-vectors.json with an RFC 8785 implementation of its own (no code of the pipeline).

Usage: fingerprint_vectors.py          compare with the file, exit 1 if they differ
       fingerprint_vectors.py --write  write the file
"""

import hashlib
import json
import pathlib
import sys

OMITTED = ("requested_at", "client_context", "schema_version")
ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}

CASES = [
    ("empty object", "{}"),
    ("members are sorted", '{"b":1,"a":2,"c":{"z":1,"y":2}}'),
    ("white space and order do not count", ' { "c" : { "y":2, "z":1 },\n "a":2, "b":1 } '),
    ("omitted at the top level", '{"a":1,"requested_at":"x","client_context":{"ip":"y"},"schema_version":1}'),
    ("not omitted deeper", '{"a":{"requested_at":"x","client_context":{},"schema_version":1}}'),
    ("null is not absent", '{"a":1,"discounts":null}'),
    ("arrays keep their order", '{"a":[3,1,2]}'),
    ("unknown members and metadata count", '{"metadata":{"k":"v"},"x-unknown":[true,false]}'),
    ("integers within 64 bits are exact", '{"a":9223372036854775807,"b":-9223372036854775808,"c":9007199254740993}'),
    ("zero has no sign", '{"a":-0,"b":-0.0,"c":0.0}'),
    ("doubles by ECMAScript", '{"a":1.0,"b":1e21,"c":1E-7,"d":0.1,"e":123456789012345680000.0,"f":5e-324,"g":1.5E+300,"h":0.000001}'),
    ("escapes are normalised", '{"a":"\\u0041\\/\\u00e9\\u20ac","b":"\\u000f\\n\\t\\b\\f\\r\\"\\\\\\u007f"}'),
    ("no Unicode normalisation", '{"a":"\\u00c5","b":"A\\u030a"}'),
    ("surrogate pairs", '{"a":"\\ud83d\\ude00"}'),
    ("keys sort by UTF-16 code units", '{"\\ufb33":1,"\\ud83d\\ude00":2,"\\u20ac":3,"\\r":4,"1":5,"\\u0080":6,"\\u00f6":7}'),
    ("keys that are prefixes", '{"aa":1,"a":2,"":3,"a\\u0000b":4}'.replace("\\u0000", "\\u0001")),
    ("many members", "{" + ",".join(f'"k{(i * 37) % 101}":{i}' for i in range(101)) + "}"),
]


def number(value: float) -> str:
    """ECMAScript Number::toString of a finite double."""
    if value == 0:
        return "0"
    mantissa, _, exponent = f"{abs(value):.17e}".partition("e")
    for precision in range(17):
        mantissa, _, exponent = f"{abs(value):.{precision}e}".partition("e")
        if float(f"{mantissa}e{exponent}") == abs(value):
            break
    digits = mantissa.replace(".", "").rstrip("0") or "0"
    n, k = int(exponent) + 1, len(digits)
    if k <= n <= 21:
        text = digits + "0" * (n - k)
    elif 0 < n <= 21:
        text = digits[:n] + "." + digits[n:]
    elif -6 < n <= 0:
        text = "0." + "0" * -n + digits
    else:
        sign = "+" if n > 0 else "-"
        text = digits[0] + ("." + digits[1:] if k > 1 else "") + "e" + sign + str(abs(n - 1))
    return ("-" if value < 0 else "") + text


def string(text: str) -> str:
    out = []
    for c in text:
        out.append(ESCAPES.get(c) or (f"\\u{ord(c):04x}" if ord(c) < 0x20 else c))
    return '"' + "".join(out) + '"'


def canonical(value) -> str:
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return number(value)
    if isinstance(value, str):
        return string(value)
    if isinstance(value, list):
        return "[" + ",".join(canonical(v) for v in value) + "]"
    keys = sorted(value, key=lambda k: k.encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(string(k) + ":" + canonical(value[k]) for k in keys) + "}"


def vector(name: str, text: str) -> dict:
    value = json.loads(text)
    form = canonical({k: v for k, v in value.items() if k not in OMITTED})
    return {
        "name": name,
        "json": text,
        "canonical": form,
        "fingerprint": "1:" + hashlib.sha256(form.encode()).hexdigest(),
    }


def main() -> int:
    root = pathlib.Path(__file__).resolve().parents[2]
    samples = (root / "samples/requests.ndjson").read_text().splitlines()
    cases = CASES + [(f"sample line {n}", samples[n - 1]) for n in (1, 3, 8, 10, 11, 12, 13, 14)]
    document = {
        "description": "Each `json` text has the RFC 8785 form `canonical` (after omitting top-level requested_at, "
        "client_context and schema_version) and the fingerprint `fingerprint`. Integers within 64 bits stay exact.",
        "vectors": [vector(name, text) for name, text in cases],
    }
    text = json.dumps(document, indent=2, ensure_ascii=True) + "\n"
    path = root / "schemas/fingerprint-vectors.json"
    if "--write" in sys.argv:
        path.write_text(text)
        return 0
    return 0 if path.read_text() == text else 1


if __name__ == "__main__":
    sys.exit(main())
