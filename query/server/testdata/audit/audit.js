// Prints each audit of the server at the URL given that it doesn't pass, then
// how many it passes.
import { serverAudits } from "graphql-http";

const audits = serverAudits({ url: process.argv[2] });
let passed = 0;
for (const audit of audits) {
  const result = await audit.fn();
  if (result.status === "ok") passed++;
  else console.log(audit.id, audit.name, "-", result.reason);
}
console.log(`${passed} of ${audits.length}`);
