"use strict";

// What a first visit shows; later visits show what was edited last.
const tweets = `# The newest tweets.
# Ctrl-Enter runs this query.
# Ctrl-Space offers fields.
{
  tweets(first: 10) {
    totalCount
    nodes {
      id
      createdAt
      author {
        username
      }
      text
      hashtags
      metrics {
        likes
        retweets
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
`;

const root = document.getElementById("graphiql");
const url = new URL(root.dataset.endpoint, location.href);
const socket = new URL(url);
socket.protocol = url.protocol === "https:" ? "wss:" : "ws:";

ReactDOM.createRoot(root).render(
  React.createElement(GraphiQL, {
    // The socket is opened by the first subscription.
    fetcher: GraphiQL.createFetcher({ url: url.href, subscriptionUrl: socket.href }),
    defaultQuery: tweets,
    // Headers may hold the admin token, so they are forgotten with the page.
    shouldPersistHeaders: false,
  }),
);
