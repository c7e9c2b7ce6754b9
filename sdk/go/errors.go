package trilho

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// ErrorCode is the stable name of an error. A code is an error itself, so that errors.Is compares a failure with it:
//
//	if errors.Is(err, trilho.ErrInsufficientBalance) { … }
type ErrorCode string

// Error returns the code.
func (c ErrorCode) Error() string { return string(c) }

// Codes of failures that no response of the API describes.
const (
	// ErrConnectionFailed: no response arrived, the connection failed or broke.
	ErrConnectionFailed ErrorCode = "connection_failed"
	// ErrTimeout: no response arrived in time.
	ErrTimeout ErrorCode = "timeout"
	// ErrAborted: the caller's context ended the call.
	ErrAborted ErrorCode = "aborted"
	// ErrUnexpectedResponse: a response that is not the API's, such as a proxy's page, a redirect, or a body that is
	// not the documented one.
	ErrUnexpectedResponse ErrorCode = "unexpected_response"
)

// Error is a call that failed, after all its attempts. Build on Code, which is stable; the message is for people. No
// error contains the access token.
type Error struct {
	Message string
	Code    ErrorCode
	// Status is the HTTP status; 0 where no response arrived.
	Status int
	// RequestID is for a question to the operator of the service.
	RequestID string
	// Errors are messages by the path of each invalid field.
	Errors map[string][]string
	// Data is the stored resource or its uuid, as JSON, where the API has stored the operation.
	Data json.RawMessage
	// RetryAfter is the time to wait before a repeat, where the API names one.
	RetryAfter time.Duration
	// IsReplayed says that the response is the stored one of an earlier request with the same key.
	IsReplayed bool
	// IdempotencyKey is the key of the call: a repeat with it is answered with the result of the first.
	IdempotencyKey string
	// Attempts are the requests that were sent.
	Attempts int
	// IsOutcomeUnknown says that the operation may have been executed. Never send it again under another key.
	IsOutcomeUnknown bool

	cause     error
	isRetried bool
}

// Error describes the failure for people.
func (e *Error) Error() string {
	parts := []string{e.Message}
	for _, field := range slices.Sorted(maps.Keys(e.Errors)) {
		for _, text := range e.Errors[field] {
			parts = append(parts, field+" "+text)
		}
	}
	if e.RequestID != "" {
		parts = append(parts, "request_id "+e.RequestID)
	}
	return "trilho: " + strings.Join(parts, "; ")
}

// Unwrap returns why no response arrived, or why it cannot be read.
func (e *Error) Unwrap() error { return e.cause }

// Is reports whether the target is the code of this error.
func (e *Error) Is(target error) bool { return target == error(e.Code) }

// isAnswer reports whether the failure says what has become of the attempts before it, which had the same key.
func (e *Error) isAnswer() bool {
	if e.isRetried || e.Status == 0 || e.Code == ErrUnexpectedResponse {
		return false
	}
	return e.Status != 401 && e.Status != 403
}

// unknownOutcomes are codes after which the operation may be executed, or is being executed.
var unknownOutcomes = []ErrorCode{
	"not_confirmed",
	"issuing",
	"pix_key_unknown",
	"cancellation_unknown",
	"revision_unknown",
}

// describeError describes an error response. One without a code is not the API's.
func describeError(call prepared, info ResponseInfo, body []byte) *Error {
	var parsed struct {
		Code    ErrorCode       `json:"code"`
		Message string          `json:"message"`
		Errors  json.RawMessage `json:"errors"`
		Data    json.RawMessage `json:"data"`
	}
	// Fields of another form stay empty.
	_ = json.Unmarshal(body, &parsed)
	if info.mediaType != "application/json" || parsed.Code == "" {
		return describeUnexpected(call, info, nil)
	}
	failure := describeResponse(info)
	failure.Message = fmt.Sprintf("%d %s: %s", info.Status, parsed.Code, parsed.Message)
	failure.Code = parsed.Code
	failure.Data = parsed.Data
	failure.isRetried = isRetriedResponse(info, parsed.Data)
	failure.IsOutcomeUnknown = call.hasEffect() && (info.Status == 500 || slices.Contains(unknownOutcomes, parsed.Code))
	// Errors of another form are left out.
	_ = json.Unmarshal(parsed.Errors, &failure.Errors)
	return failure
}

// describeUnexpected describes a response that the API has not sent. Its body stays out of the message.
func describeUnexpected(call prepared, info ResponseInfo, cause error) *Error {
	isSuccess := info.Status >= 200 && info.Status < 300
	failure := describeResponse(info)
	failure.Message = fmt.Sprintf("%s %s got %d, and no answer of the API.", call.method, call.path, info.Status)
	failure.Code = ErrUnexpectedResponse
	failure.cause = cause
	failure.isRetried = isRetriedResponse(info, nil)
	failure.IsOutcomeUnknown = call.hasEffect() && (isSuccess || info.Status >= 500)
	return failure
}

func describeResponse(info ResponseInfo) *Error {
	failure := &Error{Status: info.Status, RequestID: info.RequestID, IsReplayed: info.IsReplayed}
	if info.RetryAfter != nil {
		failure.RetryAfter = *info.RetryAfter
	}
	return failure
}
