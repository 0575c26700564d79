.PHONY: run test check generate

run: ## the whole line on this machine
	go run ./cmd/visualizer

test: ## all tests, on real servers that they start themselves
	go test ./...

check: ## what a change must pass
	.ci/run

generate: ## the GraphQL code
	go generate ./...
