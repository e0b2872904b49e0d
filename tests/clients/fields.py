"""The fields that the contract declares for answers, and those that received answers have a value for."""

from python_client import operations


class Fields:
    """Fields are pairs of a schema's name and a property. Schemas without a name have that of their place."""

    def __init__(self, contract):
        self.schemas, self.operations = contract["components"]["schemas"], operations(contract)

    def named(self, schema, name):
        """A schema behind a reference, and its name."""
        while "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            schema = self.schemas[name]
        return schema, name

    def members(self, schema, name):
        """The schemas of what a value of this schema can be or contain, by property."""
        for word in ("oneOf", "anyOf"):
            for one in schema.get(word, []):
                yield None, one, name
        for key, member in schema.get("properties", {}).items():
            yield key, member, f"{name}.{key}"
        if isinstance(schema.get("items"), dict):
            yield None, schema["items"], f"{name}[]"
        if isinstance(schema.get("additionalProperties"), dict):
            yield None, schema["additionalProperties"], f"{name}.*"

    def answers(self, operation):
        """The schemas of an operation's answers in JSON, by status."""
        for status, answer in self.operations[operation][2]["responses"].items():
            if "application/json" in answer.get("content", {}):
                yield int(status), answer["content"]["application/json"]["schema"]

    def declared(self, left_out=()):
        """All fields of the answers of all operations except `left_out`."""
        found, known = set(), set()

        def look(schema, name):
            schema, name = self.named(schema, name)
            if name in known:
                return
            known.add(name)
            for key, member, place in self.members(schema, name):
                if key is not None:
                    found.add((name, key))
                # Other parts of the same schema have its name.
                if place == name:
                    known.discard(name)
                look(member, place)

        for operation in self.operations.keys() - set(left_out):
            for status, schema in self.answers(operation):
                look(schema, f"{operation} {status}")
        return found

    def received(self, exchanges):
        """The fields that are neither null nor empty in an answer."""
        found = set()

        def look(schema, name, value):
            schema, name = self.named(schema, name)
            for key, member, place in self.members(schema, name):
                if key is not None:
                    if isinstance(value, dict) and value.get(key) not in (None, [], {}):
                        found.add((name, key))
                        look(member, place, value[key])
                elif place == name:
                    look(member, place, value)
                elif place.endswith("[]"):
                    for item in value if isinstance(value, list) else []:
                        look(member, place, item)
                elif isinstance(value, dict):
                    for item in value.values():
                        look(member, place, item)

        for one in exchanges:
            for status, schema in self.answers(one["operation"]):
                if status == one["status"]:
                    look(schema, f"{one['operation']} {status}", one["body"])
        return found
