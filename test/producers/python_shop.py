"""A shop in Python: what it sends is made by Confluent's client and serializers, fastavro, protobuf and the SDK of CloudEvents, by no
code of this project. test/producers/python.e2e.spec.ts runs it, tells it on standard input where to send, and waits for its end.

Each record carries a text of 200 KB that shrinks to nothing, and its topic takes far less: only what is really compressed gets in.
"""

import base64
import datetime
import decimal
import hashlib
import hmac
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

from cloudevents.core.bindings.kafka import to_binary, to_structured
from cloudevents.core.formats.json import JSONFormat
from cloudevents.core.v1.event import CloudEvent
from confluent_kafka import Producer
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

where = json.load(sys.stdin)
registry = SchemaRegistryClient({"url": where["registry"]})
moment = datetime.datetime(2026, 11, 20, 10, 0, 0, 123000, tzinfo=datetime.timezone.utc)
note = "shoes " * 33_000
in_header = {"schema.id.serializer": header_schema_id_serializer}


class Sender:
    """A producer with one codec, that sends in batches and fails where the brokers refuse."""

    def __init__(self, codec, **more):
        config = {"bootstrap.servers": where["brokers"], "compression.type": codec, "linger.ms": 50, "acks": "all"}
        self.producer = Producer({**config, "enable.idempotence": True, **more})
        self.failed = []

    def send(self, topic, key, value, headers=None):
        report = lambda error, _: self.failed.append(str(error)) if error else None
        self.producer.produce(topic, key=key, value=value, headers=headers, on_delivery=report)

    def end(self):
        left = self.producer.flush(60)
        if left or self.failed:
            raise SystemExit(f"not sent: {left} left, {self.failed[:3]}")


def serialized(way, serializers, values):
    """One record for each value: half behind the schema's id, half with its GUID in a header."""
    sender = Sender(where["ways"][way]["codec"])
    topic = where["ways"][way]["topic"]
    for value in values:
        for serializer in serializers:
            headers = {}
            context = SerializationContext(topic, MessageField.VALUE, headers)
            sender.send(topic, way, serializer(value(), context), [*headers.items()])
    sender.end()


def avro():
    money = {"type": "record", "name": "Money", "namespace": "shop.common"}
    fields = [
        {"name": "amount", "type": {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 2}},
        {"name": "currency", "type": {"type": "enum", "name": "Currency", "symbols": ["EUR", "USD"]}},
    ]
    registry.register_schema("shop.Money", Schema(json.dumps({**money, "fields": fields}), "AVRO"))
    order = {
        "type": "record",
        "name": "Order",
        "namespace": "shop",
        "fields": [
            {"name": "number", "type": "string"},
            {"name": "member", "type": ["null", "string"], "default": None},
            {"name": "total", "type": "shop.common.Money"},
            {"name": "placedAt", "type": {"type": "long", "logicalType": "timestamp-millis"}},
            {"name": "note", "type": "string"},
        ],
    }
    schema = Schema(json.dumps(order), "AVRO", [SchemaReference("shop.common.Money", "shop.Money", 1)])
    numbers = iter(range(1, 100))

    def value():
        total = {"amount": decimal.Decimal("10.10") + next(numbers), "currency": "EUR"}
        return {"number": f"avro-{total['amount']}", "member": "avro", "total": total, "placedAt": moment, "note": note}

    serialized("avro", [AvroSerializer(registry, schema), AvroSerializer(registry, schema, conf=in_header)], [value] * 2)


def protobuf():
    files = ["shop/common/money.proto", "shop/order.proto"]
    protos = pathlib.Path(__file__).parent.parent / "formats" / "proto"
    with tempfile.TemporaryDirectory() as folder:
        compile = [sys.executable, "-m", "grpc_tools.protoc", f"-I{protos}", f"--python_out={folder}", *files]
        subprocess.run(compile, check=True)
        sys.path.insert(0, folder)
        from shop import order_pb2
        from shop.common import money_pb2
    numbers = iter(range(1, 100))

    def value():
        number = next(numbers)
        total = money_pb2.Price(minor=1010 + 100 * number, currency="EUR")
        order = order_pb2.Order(order_id=2**53 + number, card="protobuf", total=total, note=note)
        order.placed_at.FromDatetime(moment)
        return order

    # As it writes references and packages by default, the second with its GUID in a header.
    serializers = [ProtobufSerializer(order_pb2.Order, registry, conf={**conf, "use.deprecated.format": False}) for conf in ({}, in_header)]
    serialized("protobuf", serializers, [value] * 2)


def json_schema():
    properties = {"number": {"type": "string"}, "total": {"type": "number"}}
    schema = json.dumps({"$schema": "http://json-schema.org/draft-07/schema#", "title": "Order", "type": "object", "properties": properties})
    numbers = iter(range(1, 100))

    def value():
        number = next(numbers)
        return {"number": f"json-schema-{number}", "member": "json-schema", "total": 10.1 + number, "at": moment.isoformat(), "note": note}

    as_it_is = lambda value, _: value
    serialized("json-schema", [JSONSerializer(schema, registry, as_it_is), JSONSerializer(schema, registry, as_it_is, conf=in_header)], [value] * 2)


def plain_json():
    """In transactions: what was aborted never happened."""
    topic, codec = where["ways"]["json"]["topic"], where["ways"]["json"]["codec"]
    sender = Sender(codec, **{"transactional.id": f"{topic}-till"})
    sender.producer.init_transactions(60)
    for number, is_kept in enumerate([True, False, True, False, True]):
        sender.producer.begin_transaction()
        for line in (1, 2):
            order = {"number": f"json-{number}-{line}", "member": "json", "total": "10.10", "at": moment.isoformat(), "note": note}
            sender.send(topic, "json", json.dumps(order).encode())
        sender.end()
        (sender.producer.commit_transaction if is_kept else sender.producer.abort_transaction)(60)


def event(type, id, data):
    attributes = {"specversion": "1.0", "id": id, "source": "/shop/python", "type": type, "time": moment, "datacontenttype": "application/json"}
    return CloudEvent(attributes=attributes, data=data)


def purchase(member, number):
    return {"program": "coffee-club", "memberId": member, "purchaseId": number, "storeId": "web", "total": {"minor": 1010, "currency": "EUR", "digits": 2}}


def cloud_events():
    """Cards of all members, then sales in each mode; one by headers written by hand, as who has no SDK writes them."""
    members = Sender("none")
    for member in where["members"]:
        enrolled = {"program": "coffee-club", "memberId": member, "person": {"firstName": "Ada"}}
        message = to_structured(event("loyalty.member.enrolled.v1", f"e-{member}", enrolled), JSONFormat())
        members.send(where["topics"]["members"], member, message.value, [*message.headers.items()])
    members.end()
    sales = Sender("gzip")
    modes = {"structured": to_structured, "binary": to_binary}
    for mode, write in modes.items():
        message = write(event("loyalty.purchase.completed.v1", f"s-{mode}", purchase("events", mode)), JSONFormat())
        sales.send(where["topics"]["purchases"], "events", message.value, [*message.headers.items()])
    attributes = {"specversion": "1.0", "id": "s-by-hand", "source": "/shop/python", "type": "loyalty.purchase.completed.v1", "time": moment.isoformat()}
    headers = [(f"ce_{name}", text.encode()) for name, text in attributes.items()] + [("content-type", b"application/json")]
    sales.send(where["topics"]["purchases"], "events", json.dumps(purchase("events", "by-hand")).encode(), headers)
    sales.end()


def webhooks():
    """Signed as shops sign, by Python's own hmac; each is sent twice, and once by somebody who has no secret."""
    answers = []

    def post(hook, body, headers):
        request = urllib.request.Request(f"{where['door']}/api/v1/hooks/{hook}", body, {"content-type": "application/json", **headers})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                answers.append(answer.status)
        except urllib.error.HTTPError as error:
            answers.append(error.code)

    for scheme, hook in where["hooks"].items():
        order = {"number": f"hook-{scheme}", "member": "hooks", "total": "10.10", "at": moment.isoformat(), "name": "Zoë"}
        body = json.dumps(order, ensure_ascii=False).encode()
        key = hook["secret"].encode()

        def signed(text, how=base64.b64encode, secret=key):
            digest = hmac.new(secret, text, hashlib.sha256)
            return how(digest.digest()).decode() if how else digest.hexdigest()

        now = int(datetime.datetime.now().timestamp())
        headers = {
            "shopify": lambda secret: {"X-Shopify-Hmac-Sha256": signed(body, secret=secret)},
            "square": lambda secret: {"x-square-hmacsha256-signature": signed(hook.get("url", "").encode() + body, secret=secret)},
            "stripe": lambda secret: {"stripe-signature": f"t={now},v1={signed(f'{now}.'.encode() + body, None, secret)}"},
            "hmac": lambda secret: {"x-signature": f"sha256={signed(body, None, secret)}"},
        }[scheme]
        for secret in (key, key, b"somebody else's"):
            post(hook["source"], body, headers(secret))
    return answers


cloud_events()
avro()
protobuf()
json_schema()
plain_json()
print(json.dumps({"answers": webhooks()}))
