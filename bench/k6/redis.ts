// Load on Redis itself, with the commands that answer pages of tweets.
//
//   k6 run bench/k6/redis.ts
//   k6 run -e URL=redis://127.0.0.1:6379 -e REQUESTS=plans.json bench/k6/redis.ts
//
// Without REQUESTS it is naive: every request is the plain FT.SEARCH, and an
// answer must be 10 tweets by username. With it the load is planned: each
// request is one of a list of {commands, ids} or {commands, usernames}. Its
// commands are sent together, and the answers must hold the tweets with these
// ids, or have these usernames in their order.
import redis from 'k6/experimental/redis';
import { type Expected, judge, inTurn, requests, same } from './load.ts';

export { handleSummary, options } from './load.ts';

interface Request extends Expected {
  commands: string[][];
}

const client = new redis.Client(__ENV.URL || 'redis://127.0.0.1:6379');
const plain = 'FT.SEARCH tweets @hasGeo:{1} SORTBY username LIMIT 0 10';
const next = inTurn(requests<Request>({ commands: [plain.split(' ')] }));

export default async function () {
  const request = next();
  let replies: any[] = [];
  let error = false;
  try {
    replies = await Promise.all(request.commands.map(([name, ...args]) => client.sendCommand(name, ...args)));
  } catch {
    error = true;
  }
  judge(error, !error && right(replies, request));
}

function right(replies: any[], request: Request): boolean {
  if (request.ids) return holds(replies.flatMap(ids), request.ids);
  const found = usernames(replies[0]);
  if (request.usernames) return same(found, request.usernames);
  return found.length === 10 && found.every((name, i) => i === 0 || found[i - 1] <= name);
}

function holds(found: string[], wanted: string[]): boolean {
  return wanted.length > 0 && wanted.every((id) => found.includes(id));
}

/** The rows of a reply: it is their number, then key and fields of each, or fields alone. */
function rows(reply: any): any[] {
  return Array.isArray(reply) ? reply.slice(1) : [];
}

/** The ids in a reply, from keys or, where there are none, from the documents. */
function ids(reply: any): string[] {
  const all = rows(reply);
  const keys = all.filter((row) => typeof row === 'string');
  if (keys.length > 0) return keys.map((key) => key.slice(key.indexOf(':') + 1));
  return all.map((fields) => JSON.parse(fields[fields.indexOf('t') + 1]).id);
}

/** The username of each row, which Redis adds because it sorts by it. */
function usernames(reply: any): string[] {
  const fields = rows(reply).filter((row) => Array.isArray(row));
  return fields.map((row) => row[row.indexOf('username') + 1]);
}
