package trilho

import (
	"mime"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// ResponseInfo is what the headers of a response say: the id of the request, the rate limit, and whether it is a
// stored response.
type ResponseInfo struct {
	// Operation is the one of the OpenAPI document, for example createPayment.
	Operation string
	// Attempt is the number of the attempt, from 1.
	Attempt int
	Status  int
	// RequestID is X-Request-Id.
	RequestID string
	// IdempotencyKey is the key of the call; empty where the operation takes none.
	IdempotencyKey string
	// IsReplayed is Idempotent-Replayed: the response is the stored one of an earlier request with the same key.
	IsReplayed bool
	// RetryAfter is Retry-After; nil where it is absent.
	RetryAfter *time.Duration
	// RateLimit is RateLimit and RateLimit-Policy; nil where the operation has no limit.
	RateLimit *RateLimit

	mediaType string
}

// RateLimit is the limit of the access token.
type RateLimit struct {
	// Quota are the requests that are allowed in the window.
	Quota  int
	Window time.Duration
	// Remaining are the requests that are left.
	Remaining int
	// Reset is the time until the whole quota is left again.
	Reset time.Duration
}

func readResponseInfo(call prepared, attempt int, response *http.Response) ResponseInfo {
	mediaType, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	return ResponseInfo{
		Operation:      call.operation,
		Attempt:        attempt,
		Status:         response.StatusCode,
		RequestID:      response.Header.Get("X-Request-Id"),
		IdempotencyKey: call.key,
		IsReplayed:     response.Header.Get("Idempotent-Replayed") == "true",
		RetryAfter:     parseRetryAfter(response.Header.Get("Retry-After"), time.Now()),
		RateLimit:      parseRateLimit(response.Header),
		mediaType:      mediaType,
	}
}

// parseRetryAfter reads Retry-After: seconds, or an HTTP date.
func parseRetryAfter(value string, now time.Time) *time.Duration {
	value = strings.TrimSpace(value)
	if seconds, err := strconv.ParseUint(value, 10, 32); err == nil {
		after := time.Duration(seconds) * time.Second
		return &after
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return nil
	}
	after := max(0, at.Sub(now))
	return &after
}

func parseRateLimit(headers http.Header) *RateLimit {
	policy, state := readParameters(headers.Get("RateLimit-Policy")), readParameters(headers.Get("RateLimit"))
	quota, isQuota := policy["q"]
	window, isWindow := policy["w"]
	remaining, isRemaining := state["r"]
	reset, isReset := state["t"]
	if !isQuota || !isWindow || !isRemaining || !isReset {
		return nil
	}
	return &RateLimit{quota, time.Duration(window) * time.Second, remaining, time.Duration(reset) * time.Second}
}

var parameter = regexp.MustCompile(`;(\w)=([0-9]{1,9})`)

// readParameters reads the numbers of a header as the API writes it: "token";q=200;w=2.
func readParameters(header string) map[string]int {
	found := map[string]int{}
	for _, match := range parameter.FindAllStringSubmatch(header, -1) {
		found[match[1]], _ = strconv.Atoi(match[2])
	}
	return found
}
