"""Whether an answer has the shape that the document and the schema give it."""

import graphql


def of_error(error):
    """An error has a message, a code that stays, and says where it is in one way."""
    assert set(error) <= {"message", "locations", "path", "extensions"}, error
    assert isinstance(error["message"], str) and error["message"], error
    assert isinstance(error["extensions"]["code"], str), error
    for place in error["locations"]:
        assert set(place) == {"line", "column"}, error
        assert place["line"] >= 1 and place["column"] >= 1, error
    for step in error.get("path", []):
        assert isinstance(step, (str, int)), error


class Shape:
    """The shape of the data of one document."""

    def __init__(self, schema, document):
        self.schema = schema
        self.fragments = {
            one.name.value: one
            for one in document.definitions
            if isinstance(one, graphql.FragmentDefinitionNode)
        }

    def holds(self, value, kind, selections, path):
        """Asserts that a value is of this type, with these fields in this order."""
        if isinstance(kind, graphql.GraphQLNonNull):
            assert value is not None, f"{path} is null"
            kind = kind.of_type
        if value is None:
            return
        if isinstance(kind, graphql.GraphQLList):
            assert isinstance(value, list), f"{path} is no list: {value}"
            for index, item in enumerate(value):
                self.holds(item, kind.of_type, selections, f"{path}[{index}]")
        elif graphql.is_leaf_type(kind):
            # What a type writes, it reads.
            kind.parse_value(value)
            assert kind.name not in ("String", "ID") or isinstance(value, str), f"{path}: {value}"
        elif graphql.is_abstract_type(kind):
            self.holds_one_of(value, self.schema.get_possible_types(kind), selections, path)
        else:
            self.holds_fields(value, kind, selections, path)

    def holds_one_of(self, value, kinds, selections, path):
        """The concrete type may not have been asked for, so any that fits will do."""
        for kind in kinds:
            try:
                return self.holds_fields(value, kind, selections, path)
            except AssertionError as error:
                told = error
        raise told

    def holds_fields(self, value, kind, selections, path):
        fields = {}
        self.collect(kind, selections, fields)
        assert list(value) == list(fields), f"{path} has {list(value)}, not {list(fields)}"
        for key, nodes in fields.items():
            name = nodes[0].name.value
            if name == "__typename":
                assert value[key] == kind.name, f"{path}.{key} is {value[key]}"
                continue
            below = [one for node in nodes if node.selection_set for one in node.selection_set.selections]
            self.holds(value[key], kind.fields[name].type, below, f"{path}.{key}")

    def collect(self, kind, selections, fields):
        """The fields of this concrete type, by response key, in order."""
        for one in selections:
            if isinstance(one, graphql.FieldNode):
                key = (one.alias or one.name).value
                fields.setdefault(key, []).append(one)
                continue
            if isinstance(one, graphql.FragmentSpreadNode):
                one = self.fragments[one.name.value]
            wanted = one.type_condition and self.schema.get_type(one.type_condition.name.value)
            if not wanted or wanted is kind or (
                graphql.is_abstract_type(wanted) and self.schema.is_sub_type(wanted, kind)
            ):
                self.collect(kind, one.selection_set.selections, fields)


def of_data(schema, document, data):
    """The data of a document with one operation."""
    operation = next(
        one for one in document.definitions if isinstance(one, graphql.OperationDefinitionNode)
    )
    root = schema.get_root_type(operation.operation)
    Shape(schema, document).holds(data, root, operation.selection_set.selections, root.name)
