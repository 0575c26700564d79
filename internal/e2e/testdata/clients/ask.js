// What each client in JavaScript is asked, and how it prints what it heard:
// {total, pages: [[id]], joined: [id] of a cache, began, added: {id, observedAt}}.
import { readFileSync } from "node:fs";
import { parse, print, separateOperations } from "graphql";

export const [url, until] = process.argv.slice(2);
export const socketURL = url.replace("http", "ws");

// The operations by their names, each a document of its own.
export const operations = separateOperations(parse(readFileSync("operations.graphql", "utf8")));

// A client has query(name, variables), which resolves to data, and
// subscribe(name, variables), an async iterator of data.
export async function ask(client, walk = pageByPage) {
  const filter = { until };
  const { tweets } = await client.query("Count", { filter });
  const walked = await walk(client, filter);
  const began = new Date().toISOString();
  for await (const { tweetAdded } of client.subscribe("Added", { filter: { types: ["ORIGINAL"] } })) {
    if (tweetAdded.observedAt < began) continue; // read before, stored after
    console.log(JSON.stringify({ total: tweets.totalCount, ...walked, began, added: tweetAdded }));
    break;
  }
  await client.close();
}

async function pageByPage(client, filter) {
  const pages = [];
  for (let after = null, more = true; more; ) {
    const { tweets } = await client.query("Page", { filter, after });
    pages.push(idsOf(tweets));
    more = tweets.pageInfo.hasNextPage;
    after = tweets.pageInfo.endCursor;
  }
  return { pages };
}

export const idsOf = (connection) => connection.edges.map((edge) => edge.node.id);

// A client of graphql-ws or graphql-sse as ask wants it.
export function wrap(client) {
  return {
    async query(name, variables) {
      for await (const data of this.subscribe(name, variables)) return data;
    },
    async *subscribe(name, variables) {
      for await (const { data, errors } of client.iterate({ query: print(operations[name]), variables })) {
        if (errors) throw new Error(JSON.stringify(errors));
        yield data;
      }
    },
    close: () => client.dispose(),
  };
}
