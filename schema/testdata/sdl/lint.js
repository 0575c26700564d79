// Prints what in a file of SDL is against graphql-eslint's recommended and Relay
// rules: the file's name, the line, the rule and what is wrong.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { ESLint } from "eslint";
import graphql from "@graphql-eslint/eslint-plugin";

const rules = {
  ...graphql.configs["flat/schema-recommended"].rules,
  ...graphql.configs["flat/schema-relay"].rules,

  // The rules ask for descriptions of types and root fields; here all have one.
  "@graphql-eslint/require-description": [
    "error",
    { types: true, rootField: true, DirectiveDefinition: true, FieldDefinition: true, InputValueDefinition: true, EnumValueDefinition: true },
  ],

  // One line each, so that a field with its description is two lines.
  "@graphql-eslint/description-style": ["error", { style: "inline" }],

  // User.username and Url.url are the API's own names; the rule knows no exceptions.
  "@graphql-eslint/no-typename-prefix": "off",

  // Only what the node field finds has an identity. These are parts of a tweet or
  // figures, whose values nothing else refers to; a User is one tweet's view of an
  // author, and may have a username alone. An id would have caches merge them.
  "@graphql-eslint/strict-id-in-types": [
    "error",
    {
      exceptions: {
        types: ["ControlCount", "Location", "Media", "Mention", "Metrics", "RejectedCount", "StreamStatus", "Url", "User", "Withheld"],
        suffixes: ["Connection", "Edge", "PageInfo"],
      },
    },
  ],

  // Lists that a tweet holds whole (hashtags, links) are no connections, and nodes is
  // the short form of a connection's edges.
  "@graphql-eslint/relay-edge-types": ["error", { withEdgeSuffix: true, shouldImplementNode: true, listTypeCanWrapOnlyEdgeType: false }],
};

const file = process.argv[2]; // one, since the plugin keeps the first schema it meets
const eslint = new ESLint({
  overrideConfigFile: true,
  overrideConfig: {
    files: ["**/*.graphqls"],
    plugins: { "@graphql-eslint": graphql },
    languageOptions: { parser: graphql.parser, parserOptions: { graphQLConfig: { schema: file } } },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules,
  },
});
const [{ messages }] = await eslint.lintText(readFileSync(file, "utf8"), { filePath: basename(file) });
for (const { line, ruleId, message } of messages) console.log(`${basename(file)}:${line} ${ruleId}: ${message}`);
