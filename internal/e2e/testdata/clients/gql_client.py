"""Queries by HTTP, subscriptions by WebSocket, checked against the server's own
schema. Prints {total, pages: [[id]], began, added: {id, observedAt}}."""

import asyncio
import json
import sys
from datetime import datetime, timezone
from pathlib import Path

from gql import Client, gql
from gql.transport.httpx import HTTPXAsyncTransport
from gql.transport.websockets import WebsocketsTransport

URL, UNTIL = sys.argv[1:]
OPERATIONS = (Path(__file__).parent / "operations.graphql").read_text()


def operation(name, **variables):
    return gql(OPERATIONS), {"operation_name": name, "variable_values": variables}


async def pages(session, filter):
    after, more = None, True
    while more:
        document, options = operation("Page", filter=filter, after=after)
        tweets = (await session.execute(document, **options))["tweets"]
        yield [edge["node"]["id"] for edge in tweets["edges"]]
        after, more = tweets["pageInfo"]["endCursor"], tweets["pageInfo"]["hasNextPage"]


async def added():
    began = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    socket = WebsocketsTransport(URL.replace("http", "ws"), subprotocols=[WebsocketsTransport.GRAPHQLWS_SUBPROTOCOL])
    async with Client(transport=socket, fetch_schema_from_transport=True) as session:
        document, options = operation("Added", filter={"types": ["ORIGINAL"]})
        async for data in session.subscribe(document, **options):
            if data["tweetAdded"]["observedAt"] >= began:  # else read before, stored after
                return {"began": began, "added": data["tweetAdded"]}


async def main():
    filter = {"until": UNTIL}
    async with Client(transport=HTTPXAsyncTransport(URL), fetch_schema_from_transport=True) as session:
        document, options = operation("Count", filter=filter)
        total = (await session.execute(document, **options))["tweets"]["totalCount"]
        walked = [ids async for ids in pages(session, filter)]
    print(json.dumps({"total": total, "pages": walked} | await added()))


asyncio.run(main())
