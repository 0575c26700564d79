.PHONY: run test check generate oracle fuzz faults mutants bench subscribers released-sdl

run: ## the whole line on this machine
	go run ./cmd/visualizer

test: ## all tests, on real servers that they start themselves
	go test ./...

check: ## what a change must pass
	.ci/run

oracle: ## 5,000 random queries against a plain scan, and walks while 5,000 tweets/s are stored
	go test ./query/search -count=1 -run 'TestOracle|TestWalksWhileTweetsPourIn' -v -timeout 60m -oracle 5000 -oracle-seed 11 -pour 5000

subscribers: ## ten subscribers of which two hang, 50,000 tweets
	go test ./internal/e2e -count=1 -run TestTenSubscribers -v -subscribers-tweets 50000

fuzz: ## the filter with any string, against the real server
	go test ./query/search -run '^$$' -fuzz FuzzFilter -fuzztime 100000x

faults: ## kills, pauses, cuts and outages of ingest, Redis and NATS, 15 minutes
	go test ./internal/faults -count=1 -v -timeout 40m -long

mutants: ## each promise taken away once: a test must notice
	internal/mutants/run

generate: ## the GraphQL code
	go generate ./...

bench: ## how good it is, into bench/RESULTS.md; QUICK=1 takes 6 minutes
	go run ./bench $(if $(QUICK),--quick)

released-sdl: ## what clients may rely on from now on: the SDL as it is
	cp schema/schema.graphqls schema/released.graphql
