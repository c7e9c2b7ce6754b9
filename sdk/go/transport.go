package trilho

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// transport sends calls, again where that is safe and may help.
type transport struct {
	token, baseURL string
	client         *http.Client
	timeout        time.Duration
	retries        RetryPolicy
	onResponse     func(ResponseInfo)
}

// send sends a call until it has a result, an error, or no attempt left. Every attempt has the same key. `read` reads the
// body of a success.
func (t *transport) send(ctx context.Context, of call, options []CallOption, read func(body []byte) error) error {
	var own callOptions
	for _, option := range options {
		option(&own)
	}
	request, err := of.prepare(own)
	if err != nil {
		return err
	}
	maxAttempts := cmp.Or(own.maxAttempts, t.retries.MaxAttempts)
	endsAt := time.Now().Add(t.retries.Deadline)
	isOutcomeUnknown := false
	for attempt := 1; ; attempt++ {
		failure := t.attempt(ctx, request, min(t.timeout, time.Until(endsAt)), attempt, read)
		if failure == nil {
			return nil
		}
		isOutcomeUnknown = failure.IsOutcomeUnknown || isOutcomeUnknown && !failure.isAnswer()
		failure.IsOutcomeUnknown = isOutcomeUnknown
		failure.IdempotencyKey = request.key
		failure.Attempts = attempt
		delay := t.retries.delayAfter(attempt, failure.RetryAfter)
		isRepeated := failure.isRetried && attempt < maxAttempts && request.isRepeatable()
		if !isRepeated || time.Until(endsAt) <= delay {
			return failure
		}
		if cause := wait(ctx, delay); cause != nil {
			return &Error{
				Message:          fmt.Sprintf("%s %s was aborted.", request.method, request.path),
				Code:             ErrAborted,
				IdempotencyKey:   request.key,
				Attempts:         attempt,
				IsOutcomeUnknown: isOutcomeUnknown,
				cause:            cause,
			}
		}
	}
}

// attempt sends a request once, and reads the whole response within the limit.
func (t *transport) attempt(
	ctx context.Context, of prepared, limit time.Duration, attempt int, read func(body []byte) error,
) *Error {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	request, err := http.NewRequestWithContext(limited, of.method, t.baseURL+of.target, nil)
	if err != nil {
		return describeNoResponse(ctx, limited, of, limit, err)
	}
	if of.body != nil {
		// Without GetBody, net/http repeats no request with a body on its own.
		request.Body = io.NopCloser(bytes.NewReader(of.body))
		request.ContentLength = int64(len(of.body))
	}
	t.setHeaders(request, of)
	response, err := t.client.Do(request)
	if err != nil {
		return describeNoResponse(ctx, limited, of, limit, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return describeNoResponse(ctx, limited, of, limit, err)
	}
	info := readResponseInfo(of, attempt, response)
	t.report(info)
	return readResponse(of, info, body, read)
}

func (t *transport) setHeaders(request *http.Request, of prepared) {
	accept := of.accept
	if accept != "application/json" {
		accept += ", application/json"
	}
	request.Header.Set("Accept", accept)
	request.Header.Set("Authorization", "Bearer "+t.token)
	request.Header.Set("User-Agent", "trilho-go/"+Version)
	if of.contentType != "" {
		request.Header.Set("Content-Type", of.contentType)
	}
	if of.key != "" {
		request.Header.Set("Idempotency-Key", of.key)
	}
	if of.requestID != "" {
		request.Header.Set("X-Request-Id", of.requestID)
	}
}

// report calls the caller's function. A panic of it changes nothing: the operation may have moved money.
func (t *transport) report(info ResponseInfo) {
	if t.onResponse == nil {
		return
	}
	defer func() { _ = recover() }()
	t.onResponse(info)
}

func readResponse(of prepared, info ResponseInfo, body []byte, read func(body []byte) error) *Error {
	if info.Status < 200 || info.Status > 299 {
		return describeError(of, info, body)
	}
	if info.mediaType != of.accept {
		return describeUnexpected(of, info, nil)
	}
	if err := read(body); err != nil {
		return describeUnexpected(of, info, err)
	}
	return nil
}

// describeNoResponse describes an attempt without a response. The limit of the attempt ends within the caller's context.
func describeNoResponse(caller, limited context.Context, of prepared, limit time.Duration, err error) *Error {
	failure := &Error{IsOutcomeUnknown: of.hasEffect(), cause: err}
	switch {
	case caller.Err() != nil:
		failure.Message = fmt.Sprintf("%s %s was aborted.", of.method, of.path)
		failure.Code = ErrAborted
		failure.cause = context.Cause(caller)
	case limited.Err() != nil:
		failure.Message = fmt.Sprintf("%s %s got no response in %s.", of.method, of.path, limit.Round(time.Millisecond))
		failure.Code = ErrTimeout
		failure.isRetried = true
	default:
		failure.Message = fmt.Sprintf("%s %s got no response.", of.method, of.path)
		failure.Code = ErrConnectionFailed
		failure.isRetried = true
	}
	return failure
}
