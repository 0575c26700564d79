// Package limits refuses an operation that asks for too much, before work is
// done for it: its document by size and shape before it is validated, its cost
// before it is run. What runs is held to its deadline and to a size of answer.
// Each refusal names the limit and what to do, under the code
// QUERY_TOO_COMPLEX.
package limits
