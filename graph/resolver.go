package graph

import "visualizer/query/search"

// Resolver answers the root fields from a store.
type Resolver struct{ Store *search.Store }
