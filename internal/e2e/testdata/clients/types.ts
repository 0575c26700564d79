// Compiles when the types say what the answers hold, and no more.
import type { AddedSubscription, FindQuery, PageQuery, PageQueryVariables, StopMutation } from "./operations";
import type { StreamState, Tweet } from "./schema";

export const variables: PageQueryVariables = {
  after: null,
  filter: { since: "2023-03-14T09:26:53Z", minLikes: 2 ** 40, types: ["REPLY"], not: { any: [{ hasMedia: true }] } },
};

export function shown(page: PageQuery): { likes: number | null; created: string | null }[] {
  return page.tweets?.edges.map(({ node }) => ({ likes: node.metrics.likes, created: node.createdAt })) ?? [];
}

export function texts({ node }: FindQuery): (string | undefined)[] {
  if (node?.__typename !== "Tweet") return [];
  return [node.text, ...node.references.map((r) => r.tweet?.text)];
}

export const state = (stopped: StopMutation): StreamState | undefined => stopped.stopStream?.state;
export const observed = ({ tweetAdded }: AddedSubscription): Tweet["observedAt"] => tweetAdded.observedAt;

// @ts-expect-error: a DateTime is a string
export const moment: PageQueryVariables = { filter: { since: new Date() } };
// @ts-expect-error: a Long is a number
export const figure: PageQueryVariables = { filter: { minLikes: "3" } };
// @ts-expect-error: there is no such type of tweet
export const type: PageQueryVariables = { filter: { types: ["REPOST"] } };
// @ts-expect-error: a page may be null
export const total = (page: PageQuery): boolean => page.tweets.pageInfo.hasNextPage;
