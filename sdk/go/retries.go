package trilho

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"time"
)

// RetryPolicy limits a call: its attempts, the delays between them, and the time of everything together.
type RetryPolicy struct {
	// MaxAttempts are the attempts of one call, the first included; 1 never retries.
	MaxAttempts int
	// BaseDelay is the delay before the second attempt, doubled for each further one.
	BaseDelay time.Duration
	MaxDelay  time.Duration
	// Deadline is the time from the call to its result or its error, all attempts and delays included.
	Deadline time.Duration
}

// DefaultRetryPolicy makes four attempts within a minute.
func DefaultRetryPolicy() RetryPolicy {
	return RetryPolicy{MaxAttempts: 4, BaseDelay: 500 * time.Millisecond, MaxDelay: 8 * time.Second, Deadline: time.Minute}
}

func (p RetryPolicy) validate() error {
	if p.MaxAttempts < 1 || p.Deadline <= 0 || p.BaseDelay < 0 || p.MaxDelay < 0 {
		return errors.New("trilho: a retry policy needs at least one attempt, a deadline, and no negative delay")
	}
	return nil
}

// delayAfter computes the delay after a number of failed attempts: what the API asks for, and a random part that doubles.
func (p RetryPolicy) delayAfter(failedAttempts int, retryAfter time.Duration) time.Duration {
	ceiling := p.BaseDelay
	for range failedAttempts - 1 {
		ceiling = min(2*ceiling, p.MaxDelay)
	}
	ceiling = min(ceiling, p.MaxDelay)
	return retryAfter + ceiling/2 + time.Duration(rand.Float64()*float64(ceiling/2))
}

// retriedStatuses are those after which a repeat may succeed (Trilho's page of errors, "Whether to try again").
var retriedStatuses = []int{408, 429, 500, 502, 503, 504}

// isRetriedResponse reports whether another attempt may have another outcome: a stored response is final for its key,
// and so is an operation that has FAILED.
func isRetriedResponse(info ResponseInfo, data json.RawMessage) bool {
	var stored struct {
		Status string `json:"status"`
	}
	_ = json.Unmarshal(data, &stored)
	return slices.Contains(retriedStatuses, info.Status) && !info.IsReplayed && stored.Status != "FAILED"
}

// wait waits, or returns why the context has ended.
func wait(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
