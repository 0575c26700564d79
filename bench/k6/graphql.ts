// Load on the GraphQL API: pages of tweets, each answer checked.
//
//   k6 run bench/k6/graphql.ts
//   k6 run -e URL=http://127.0.0.1:8080/graphql -e REQUESTS=requests.json bench/k6/graphql.ts
//
// Without REQUESTS every request is the newest 10 tweets, and an answer must be
// 10 tweets in that order. With it each is one of a list of {variables, ids},
// and an answer must be the tweets with these ids.
import http from 'k6/http';
import { type Expected, judge, inTurn, requests, same } from './load.ts';

export { handleSummary, options } from './load.ts';

interface Request extends Expected {
  variables: { filter?: object; orderBy?: object; first: number; after?: string };
}

interface Tweet {
  id: string;
  text: string;
  createdAt: string | null;
  author: { id: string; username: string | null } | null;
  hashtags: string[];
  metrics: { likes: number | null };
}

const url = __ENV.URL || 'http://127.0.0.1:8080/graphql';
const headers = { headers: { 'Content-Type': 'application/json' } };
const query = `query Page($filter: TweetFilter, $orderBy: TweetOrder, $first: Int, $after: String) {
  tweets(filter: $filter, orderBy: $orderBy, first: $first, after: $after) {
    nodes {
      id text createdAt
      author { id username name }
      hashtags
      metrics { likes retweets replies quotes bookmarks impressions }
    }
  }
}`;
const next = inTurn(requests<Request>({ variables: { first: 10 } }));

/** The last answer that was read and found right: the same text is right again. */
const seen = { request: null as Request | null, payload: '', body: '' };

export default function () {
  const request = next();
  if (request !== seen.request) {
    seen.request = request;
    seen.payload = JSON.stringify({ query, variables: request.variables });
    seen.body = '';
  }
  const response = http.post(url, seen.payload, headers);
  const body = response.body as string;
  if (response.status === 200 && body === seen.body) {
    judge(false, true);
    return;
  }
  const answer = parse(body);
  const nodes: Tweet[] = answer?.data?.tweets?.nodes ?? [];
  const error = response.status !== 200 || !answer?.data || (answer.errors?.length ?? 0) > 0;
  const passed = !error && right(nodes, request);
  if (passed) seen.body = body;
  judge(error, passed);
}

function parse(body: string): any {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function right(nodes: Tweet[], request: Request): boolean {
  const ids = nodes.map((tweet) => tweet.id);
  const order = request.ids ? same(ids, request.ids) : ids.length === request.variables.first && newestFirst(nodes);
  return order && nodes.every(whole);
}

/** Whether the tweets are in the order of createdAt, then id, each once. */
function newestFirst(nodes: Tweet[]): boolean {
  return nodes.every((tweet, i) => {
    if (i === 0) return true;
    const before = nodes[i - 1];
    if (tweet.createdAt !== before.createdAt) return (before.createdAt ?? '') > (tweet.createdAt ?? '');
    return BigInt(tweet.id) < BigInt(before.id);
  });
}

/** Whether a tweet has what was asked for. */
function whole(tweet: Tweet): boolean {
  return typeof tweet.text === 'string' && tweet.text !== '' && typeof tweet.author?.id === 'string' &&
    Array.isArray(tweet.hashtags) && tweet.metrics !== null && typeof tweet.metrics === 'object';
}
