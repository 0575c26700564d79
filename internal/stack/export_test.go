package stack

import "context"

// FetchWithSum fetches a wheel that is expected to have another sha256.
func FetchWithSum(ctx context.Context, cache, sum string) error {
	w := redisStackWheel
	w.sha256 = sum
	_, err := w.fetch(ctx, cache, nil)
	return err
}
