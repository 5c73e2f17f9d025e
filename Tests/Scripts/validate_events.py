"""Validates messages against schemas/ with an independent validator.

Reads lines {"type": ..., "value": {...}} from standard input; prints one line per fault; exit 1 if there is any,
2 if the validator is not installed. At the top level members that the schema does not name are faults here, although
the published schemas leave them open for later versions (requests stay open).
"""

import json
import pathlib
import sys

try:
    from jsonschema import Draft202012Validator
    from referencing import Registry, Resource
except ImportError:
    print("jsonschema is not installed")
    sys.exit(2)


def main() -> int:
    folder = pathlib.Path(__file__).resolve().parents[2] / "schemas"
    registry = Registry()
    schemas = {}
    for path in folder.glob("*.json"):
        schema = json.loads(path.read_text())
        if "$schema" not in schema:
            continue
        Draft202012Validator.check_schema(schema)
        registry = registry.with_resource(schema["$id"], Resource.from_contents(schema))
        schemas[path.stem] = schema
    validators = {}
    for name, schema in schemas.items():
        strict = dict(schema) if name == "checkout.requested" else {**schema, "additionalProperties": False}
        validators[name] = Draft202012Validator(
            strict, registry=registry, format_checker=Draft202012Validator.FORMAT_CHECKER
        )
    faults = 0
    count = 0
    for line in sys.stdin:
        message = json.loads(line)
        count += 1
        for error in validators[message["type"]].iter_errors(message["value"]):
            faults += 1
            print(f"{message['type']} {error.json_path}: {error.message}")
    print(f"{count} messages, {faults} faults")
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main())
