// Writes schema.ts, the types of an SDL, and operations.ts, those of what the
// operations give, and compiles what uses them.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { codegen } from "@graphql-codegen/core";
import * as operations from "@graphql-codegen/typescript-operations";
import * as schema from "@graphql-codegen/typescript";
import { parse } from "graphql";

const read = (file) => parse(readFileSync(file, "utf8"));

for (const [name, plugin] of Object.entries({ schema, operations }))
  writeFileSync(
    `${name}.ts`,
    await codegen({
      filename: `${name}.ts`,
      schema: read(process.argv[2]),
      documents: ["operations.graphql", "types.graphql"].map((file) => ({ document: read(file) })),
      config: { strictScalars: true, scalars: { DateTime: "string", Long: "number" }, enumsAsTypes: true },
      pluginMap: { [name]: plugin },
      plugins: [{ [name]: {} }],
    }),
  );

const { status } = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "--noEmit", "--strict", "types.ts"], { stdio: "inherit" });
process.exit(status ?? 1);
