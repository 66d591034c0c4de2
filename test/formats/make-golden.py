"""Records of shops, written by Confluent's own Python serializers and fastavro: bytes that no code of this project has made.

Run it after a change of what is to be read, in an environment of its own:

    python3 -m venv VENV && VENV/bin/pip install 'confluent-kafka[avro,json,protobuf,schemaregistry]==2.16.1' grpcio-tools==1.85.1
    VENV/bin/python test/formats/make-golden.py

Each file of golden/ has what the registry answers, the records as they stand in Kafka, and the document that each must become: written
here by hand, from what was put in.
"""

import base64
import datetime
import decimal
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import uuid

from confluent_kafka.schema_registry import (
    Schema,
    SchemaReference,
    SchemaRegistryClient,
    header_schema_id_serializer,
)
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.schema_registry.json_schema import JSONSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

here = pathlib.Path(__file__).parent
D = decimal.Decimal
registry = SchemaRegistryClient.new_client({"url": "mock://"})


def answer_of(subject):
    """What `GET /schemas/ids/{id}` and `GET /subjects/{subject}/versions/{version}` answer, as the registry documents it."""
    latest = registry.get_latest_version(subject)
    schema = latest.schema
    answer = {"schema": schema.schema_str}
    if schema.schema_type not in (None, "AVRO"):
        answer["schemaType"] = schema.schema_type
    if schema.references:
        answer["references"] = [
            {"name": r.name, "subject": r.subject, "version": r.version} for r in schema.references
        ]
    return {"id": latest.schema_id, "guid": latest.guid, "subject": subject, "version": latest.version, "answer": answer}


def record(name, serializer, value, document, topic, headers=None):
    sent = {} if headers is None else headers
    context = SerializationContext(topic, MessageField.VALUE, sent)
    payload = serializer(value, context)
    return {
        "name": name,
        "value": base64.b64encode(payload).decode(),
        "headers": {key: base64.b64encode(each).decode() for key, each in sent.items()},
        "document": document,
    }


def write(name, format, schemas, records):
    text = json.dumps({"format": format, "schemas": schemas, "records": records}, indent=2, ensure_ascii=False)
    (here / "golden" / f"{name}.json").write_text(text + "\n")


def avro():
    registry.register_schema(
        "shop.Money",
        Schema(
            json.dumps(
                {
                    "type": "record",
                    "name": "Money",
                    "namespace": "shop.common",
                    "fields": [
                        {"name": "amount", "type": {"type": "bytes", "logicalType": "decimal", "precision": 38, "scale": 2}},
                        {"name": "currency", "type": {"type": "enum", "name": "Currency", "symbols": ["EUR", "JPY", "KWD"]}},
                    ],
                }
            ),
            "AVRO",
        ),
    )
    schema = {
        "type": "record",
        "name": "Order",
        "namespace": "shop",
        "doc": "An order of a web shop.",
        "fields": [
            {"name": "orderId", "type": "long"},
            {"name": "memberId", "type": ["null", "string"], "default": None},
            {"name": "total", "type": "shop.common.Money"},
            {"name": "fee", "type": {"type": "fixed", "name": "Fee", "size": 8, "logicalType": "decimal", "precision": 18, "scale": 4}},
            {"name": "placedAt", "type": {"type": "long", "logicalType": "timestamp-millis"}},
            {"name": "paidAt", "type": ["null", {"type": "long", "logicalType": "timestamp-micros"}], "default": None},
            {"name": "day", "type": {"type": "int", "logicalType": "date"}},
            {"name": "key", "type": {"type": "string", "logicalType": "uuid"}},
            {"name": "status", "type": {"type": "enum", "name": "Status", "symbols": ["OPEN", "PAID"], "default": "OPEN"}},
            {"name": "isGift", "type": "boolean", "default": False},
            {"name": "weight", "type": "float"},
            {"name": "rate", "type": "double"},
            {"name": "signature", "type": "bytes"},
            {"name": "hash", "type": {"type": "fixed", "name": "Hash", "size": 4}},
            {"name": "tags", "type": {"type": "map", "values": "long"}},
            {
                "name": "lines",
                "type": {
                    "type": "array",
                    "items": {
                        "type": "record",
                        "name": "Line",
                        "fields": [
                            {"name": "sku", "type": "string"},
                            {"name": "quantity", "type": "int"},
                            {"name": "price", "type": "shop.common.Money"},
                            {"name": "parts", "type": {"type": "array", "items": "Line"}, "default": []},
                        ],
                    },
                },
            },
            {"name": "payment", "type": ["null", "long", "string", {"type": "record", "name": "Card", "fields": [{"name": "last4", "type": "string"}]}], "default": None},
        ],
    }
    references = [SchemaReference("shop.common.Money", "shop.Money", 1)]
    order = Schema(json.dumps(schema), "AVRO", references)

    def money(amount, currency="EUR"):
        return {"amount": D(amount), "currency": currency}

    moment = datetime.datetime(2026, 11, 30, 18, 30, 15, 123000, tzinfo=datetime.timezone.utc)
    value = {
        "orderId": 9007199254740993,
        "memberId": "m-1",
        "total": money("59.99"),
        "fee": D("-0.0101"),
        "placedAt": moment,
        "paidAt": moment.replace(microsecond=123456),
        "day": datetime.date(2026, 11, 30),
        "key": uuid.UUID("0f8fad5b-d9cb-469f-a165-70867728950e"),
        "status": "PAID",
        "isGift": True,
        "weight": 0.1,
        "rate": 0.1,
        "signature": b"\x00\xff\x10",
        "hash": b"\x01\x02\x03\x04",
        "tags": {"points": 2**62, "é": -1},
        "lines": [
            {
                "sku": "A",
                "quantity": -3,
                "price": money("123456789012345678901234567890.12"),
                "parts": [{"sku": "B", "quantity": 1, "price": money("0.05", "JPY"), "parts": []}],
            }
        ],
        "payment": {"last4": "4242"},
    }
    document = {
        "orderId": "9007199254740993",
        "memberId": "m-1",
        "total": {"amount": "59.99", "currency": "EUR"},
        "fee": "-0.0101",
        "placedAt": "1796063415123",
        "paidAt": "1796063415123456",
        "day": "20787",
        "key": "0f8fad5b-d9cb-469f-a165-70867728950e",
        "status": "PAID",
        "isGift": True,
        "weight": "0.1",
        "rate": "0.1",
        "signature": "AP8Q",
        "hash": "AQIDBA==",
        "tags": {"points": "4611686018427387904", "é": "-1"},
        "lines": [
            {
                "sku": "A",
                "quantity": "-3",
                "price": {"amount": "123456789012345678901234567890.12", "currency": "EUR"},
                "parts": [{"sku": "B", "quantity": "1", "price": {"amount": "0.05", "currency": "JPY"}, "parts": []}],
            }
        ],
        "payment": {"last4": "4242"},
    }
    least = {**value, "memberId": None, "paidAt": None, "payment": -(2**63), "lines": [], "tags": {}, "orderId": 0, "fee": D(0), "weight": 3.4028234663852886e38, "rate": 5e-324}
    least_document = {**document, "memberId": None, "paidAt": None, "payment": str(-(2**63)), "lines": [], "tags": {}, "orderId": "0", "fee": "0.0000", "weight": "3.4028235e+38", "rate": "5e-324"}
    prefix = AvroSerializer(registry, order)
    header = AvroSerializer(registry, order, conf={"schema.id.serializer": header_schema_id_serializer})
    records = [
        record("behind its id", prefix, value, document, "shop.orders"),
        record("with its GUID in a header", header, value, document, "shop.orders", {}),
        record("with all that may be absent absent", prefix, least, least_document, "shop.orders"),
    ]
    write("avro", "avro", [answer_of("shop.orders-value"), answer_of("shop.Money")], records)


def debezium_avro():
    row = {
        "type": "record",
        "name": "Value",
        "fields": [
            {"name": "id", "type": "long"},
            {"name": "total", "type": {"type": "bytes", "scale": 2, "precision": 12, "connect.version": 1, "connect.parameters": {"scale": "2", "connect.decimal.precision": "12"}, "connect.name": "org.apache.kafka.connect.data.Decimal", "logicalType": "decimal"}},
            {"name": "rate", "type": {"type": "record", "name": "VariableScaleDecimal", "namespace": "io.debezium.data", "fields": [{"name": "scale", "type": "int"}, {"name": "value", "type": "bytes"}], "connect.doc": "Variable scaled decimal", "connect.name": "io.debezium.data.VariableScaleDecimal"}},
            {"name": "placed_at", "type": {"type": "long", "connect.version": 1, "connect.name": "io.debezium.time.MicroTimestamp"}},
        ],
        "connect.name": "shop.public.orders.Value",
    }
    schema = {
        "type": "record",
        "name": "Envelope",
        "namespace": "shop.public.orders",
        "fields": [
            {"name": "before", "type": ["null", row], "default": None},
            {"name": "after", "type": ["null", "Value"], "default": None},
            {"name": "op", "type": "string"},
            {"name": "ts_ms", "type": ["null", "long"], "default": None},
        ],
        "connect.name": "shop.public.orders.Envelope",
    }
    serializer = AvroSerializer(registry, Schema(json.dumps(schema), "AVRO"))
    after = {"id": 7, "total": D("59.99"), "rate": {"scale": 3, "value": (-1234).to_bytes(2, "big", signed=True)}, "placed_at": 1796063415123456}
    document = {"id": "7", "total": "59.99", "rate": "-1.234", "placed_at": "1796063415123456"}
    made = {"before": None, "after": after, "op": "c", "ts_ms": 1}
    gone = {"before": after, "after": None, "op": "d", "ts_ms": 1}
    records = [
        record("a row that was created", serializer, made, document, "shop.public.orders"),
        {**record("a row that was deleted", serializer, gone, None, "shop.public.orders"), "ignored": "delete"},
    ]
    write("debezium-avro", "debezium-avro", [answer_of("shop.public.orders-value")], records)


def json_schema():
    schema = json.dumps({"$schema": "http://json-schema.org/draft-07/schema#", "title": "Order", "type": "object", "properties": {"id": {"type": "integer"}, "total": {"type": "number"}}})
    serializer = JSONSerializer(schema, registry, to_dict=lambda value, _: value)
    header = JSONSerializer(schema, registry, to_dict=lambda value, _: value, conf={"schema.id.serializer": header_schema_id_serializer})
    value = {"id": 9007199254740993, "total": 59.9, "lines": [{"sku": "A"}]}
    document = {"id": "9007199254740993", "total": "59.9", "lines": [{"sku": "A"}]}
    records = [
        record("behind its id", serializer, value, document, "shop.json"),
        record("with its GUID in a header", header, value, document, "shop.json", {}),
    ]
    write("json-schema", "json-schema", [], records)


def protobuf():
    with tempfile.TemporaryDirectory() as folder:
        files = ["shop/common/money.proto", "shop/order.proto"]
        subprocess.run(
            [sys.executable, "-m", "grpc_tools.protoc", f"-I{here / 'proto'}", f"--python_out={folder}", *files],
            check=True,
            cwd=here / "proto",
        )
        sys.path.insert(0, folder)
        from shop import order_pb2
        from shop.common import money_pb2

        order = order_pb2.Order(
            order_id=9007199254740993,
            member_number=2**64 - 1,
            total=money_pb2.Price(minor=5999, currency="EUR"),
            channel=money_pb2.WEB,
            lines=[
                order_pb2.Order.Line(
                    sku="A",
                    quantity=-3,
                    price=money_pb2.Price(minor=-1),
                    discounts=[order_pb2.Order.Line.Discount(percent=0.1, exact=0.1)],
                ),
                order_pb2.Order.Line(sku="é"),
            ],
            points={"gold": -(2**63), "silver": 0},
            vouchers={-7: money_pb2.Price(minor=1)},
            signature=b"\x00\xff\x10",
            invoice="R-1",
            note="",
            packed=[1, -1, 2**31 - 1],
            fixed=2**63,
            small=-5,
            balance=-(2**63),
            is_paid=True,
            negative=-42,
        )
        order.placed_at.FromDatetime(datetime.datetime(2026, 11, 30, 18, 30, 15, 123000))
        order.took.FromTimedelta(datetime.timedelta(seconds=-1, milliseconds=-500))
        order.store.value = ""
        order.extra.update({"a": [1, None, {"b": True}], "c": 0.1})
        document = {
            "order_id": "9007199254740993",
            "member_number": str(2**64 - 1),
            "total": {"minor": "5999", "currency": "EUR"},
            "channel": "WEB",
            "lines": [
                {"sku": "A", "quantity": "-3", "price": {"minor": "-1"}, "discounts": [{"percent": "0.1", "exact": "0.1"}]},
                {"sku": "é"},
            ],
            "points": {"gold": str(-(2**63)), "silver": "0"},
            "vouchers": {"-7": {"minor": "1"}},
            "signature": "AP8Q",
            "invoice": "R-1",
            "note": "",
            "packed": ["1", "-1", "2147483647"],
            "fixed": str(2**63),
            "small": "-5",
            "balance": str(-(2**63)),
            "is_paid": True,
            "negative": "-42",
            "placed_at": "2026-11-30T18:30:15.123Z",
            "took": "-1.5s",
            "store": "",
            "extra": {"a": ["1", None, {"b": True}], "c": "0.1"},
        }
        nested = order_pb2.Order.Line.Discount(percent=2.5)
        conf = {"use.deprecated.format": False}
        ctor = lambda message, **more: ProtobufSerializer(message, registry, conf={**conf, **more})
        records = [
            record("a message that is not the first", ctor(order_pb2.Order), order, document, "shop.proto"),
            record("the first message", ctor(order_pb2.Header), order_pb2.Header(trace="t"), {"trace": "t"}, "shop.proto"),
            record("a message within others", ctor(order_pb2.Order.Line.Discount), nested, {"percent": "2.5"}, "shop.proto"),
            record("with its GUID in a header", ctor(order_pb2.Order, **{"schema.id.serializer": header_schema_id_serializer}), order, document, "shop.proto", {}),
        ]
        subjects = ["shop.proto-value", "shop/common/money.proto"]
        schemas = [answer_of(subject) for subject in subjects]
        # As Python registers them: in binary. A registry keeps the text; some keep what came.
        write("protobuf-binary", "protobuf", schemas, records)
        texts = {"shop.proto-value": "shop/order.proto", "shop/common/money.proto": "shop/common/money.proto"}
        for schema in schemas:
            schema["answer"]["schema"] = (here / "proto" / texts[schema["subject"]]).read_text()
        # A registry knows Protobuf's own files.
        write("protobuf", "protobuf", schemas, records)


avro()
debezium_avro()
json_schema()
protobuf()
