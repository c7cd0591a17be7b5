"""Calls the example by the client that openapi-python-client generates, and checks the answers."""

import sys

from openapi_client import Client
from openapi_client.api.default import get_health, get_text_by_s, post_echo
from openapi_client.api.hotels import get_hotels, get_hotels_by_id, get_hotels_stream, post_hotels
from openapi_client.models import Hotel, Person, Place, Problem

with Client(base_url=sys.argv[1], raise_on_unexpected_status=True) as client:
    hotels = get_hotels.sync(client=client, city="Wien", limit=3)
    assert [(hotel.id, hotel.city) for hotel in hotels] == [(5, "Wien"), (10, "Wien"), (15, "Wien")]
    assert len(get_hotels.sync(client=client)) == 50

    hotel = get_hotels_by_id.sync(7, client=client)
    assert isinstance(hotel, Hotel) and hotel.rooms[1].rate == 105.0 and hotel.rooms[1].breakfast
    missing = get_hotels_by_id.sync_detailed(999, client=client)
    assert missing.status_code == 404
    assert missing.parsed.type_ == "/problems/no-such-hotel", missing.parsed
    assert missing.parsed.detail == "there is no hotel 999"

    created = post_hotels.sync_detailed(client=client, body=hotel)
    assert created.status_code == 201 and created.parsed == hotel
    assert created.headers["location"] == "/hotels/7"

    ada = Person(name="Ada", age=36, tags=["first"])
    assert post_echo.sync(client=client, body=ada) == ada
    refused = post_echo.sync(client=client, body=Person(name="Ada", age=-1, tags=[]))
    assert isinstance(refused, Problem) and refused.errors[0].in_ == Place.BODY, refused

    text = get_text_by_s.sync_detailed("a/ü", client=client)
    assert text.content.decode() == "a/ü", text
    assert get_health.sync_detailed(client=client).status_code == 204

# Without `Accept`, the response is a stream of lines.
with Client(base_url=sys.argv[1], headers={"accept": "application/json"}) as client:
    assert len(get_hotels_stream.sync(client=client)) == 50
print("Python called every operation")
