// Queries by HTTP, subscriptions by WebSocket, and pages that the cache joins.
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from "@apollo/client";
import { GraphQLWsLink } from "@apollo/client/link/subscriptions";
import { relayStylePagination } from "@apollo/client/utilities";
import { createClient } from "graphql-ws";
import { OperationTypeNode } from "graphql";
import WebSocket from "ws";
import { ask, idsOf, operations, socketURL, url } from "./ask.js";

const socket = createClient({ url: socketURL, webSocketImpl: WebSocket, retryAttempts: 0 });
const apollo = new ApolloClient({
  link: ApolloLink.split(
    ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
    new GraphQLWsLink(socket),
    new HttpLink({ uri: url }),
  ),
  cache: new InMemoryCache({
    typePolicies: {
      Query: { fields: { tweets: relayStylePagination(["filter", "orderBy"]) } },
      // Their id is that of what they tell of: the cache must not merge them by it.
      Reference: { keyFields: false },
      Mention: { keyFields: false },
      User: { keyFields: false },
    },
  }),
});

const client = {
  query: async (name, variables) => (await apollo.query({ query: operations[name], variables })).data,
  subscribe: (name, variables) => iterate(apollo.subscribe({ query: operations[name], variables })),
  close: () => (apollo.stop(), socket.dispose()),
};

async function fetchMore(_, filter) {
  const list = apollo.watchQuery({ query: operations.Page, variables: { filter } });
  const pages = [];
  let { tweets } = (await list.fetchMore({ variables: { after: null } })).data;
  pages.push(idsOf(tweets));
  while (tweets.pageInfo.hasNextPage) {
    ({ tweets } = (await list.fetchMore({ variables: { after: tweets.pageInfo.endCursor } })).data);
    pages.push(idsOf(tweets));
  }
  return { pages, joined: idsOf(list.getCurrentResult().data.tweets) };
}

// An observable of results as an async iterator of data.
async function* iterate(observable) {
  const results = [];
  let wake = () => {};
  const subscription = observable.subscribe({
    next: (result) => (results.push(result), wake()),
    error: (error) => (results.push({ error }), wake()),
  });
  try {
    for (;;) {
      while (results.length === 0) await new Promise((resolve) => (wake = resolve));
      const { data, error } = results.shift();
      if (error) throw error;
      yield data;
    }
  } finally {
    subscription.unsubscribe();
  }
}

await ask(client, fetchMore);
