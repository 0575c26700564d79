// Prints what has changed from the first file of SDL to each of the others: its
// name, "breaking" or "dangerous", the kind of change and what it is.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { buildSchema, findBreakingChanges, findDangerousChanges } from "graphql";

const read = (file) => buildSchema(readFileSync(file, "utf8"));

const [released, ...files] = process.argv.slice(2);
for (const file of files)
  for (const [what, find] of [["breaking", findBreakingChanges], ["dangerous", findDangerousChanges]])
    for (const { type, description } of find(read(released), read(file))) console.log(basename(file), what, type, description);
