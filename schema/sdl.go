package schema

import _ "embed"

// SDL is the GraphQL schema.
//
//go:embed schema.graphqls
var SDL string
