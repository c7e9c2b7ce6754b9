package trilho

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// WebhookVerificationError is a delivery that Trilho has not signed, or that is too old or too new. Answer 400.
type WebhookVerificationError struct{ Reason string }

// Error returns the reason.
func (e *WebhookVerificationError) Error() string { return "trilho: " + e.Reason }

// InvalidEventError is a delivery that Trilho has signed, and whose body is not an event that this version can read.
type InvalidEventError struct{ cause error }

// Error describes the failure.
func (e *InvalidEventError) Error() string {
	return "trilho: the body of a signed delivery is not an event: " + e.cause.Error()
}

// Unwrap returns why the body cannot be read.
func (e *InvalidEventError) Unwrap() error { return e.cause }

// WebhookVerifier verifies deliveries: Standard Webhooks, as Trilho's page of webhooks describes it.
type WebhookVerifier struct {
	// Secrets are the signing secrets of the endpoint: one, or several while your own configuration changes.
	Secrets []string
	// Tolerance is the time that a timestamp may be away from the clock, in both directions; 0 is five minutes.
	Tolerance time.Duration
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// VerifyWebhook returns the event of a delivery whose signature and timestamp are right; any other is a
// *WebhookVerificationError. The body is the one that arrived, before any parsing. The secret is the Token of the
// endpoint. While it is being replaced, a delivery has a signature by each secret, and one that matches is enough.
func VerifyWebhook(body []byte, headers http.Header, secret string) (*Event, error) {
	return WebhookVerifier{Secrets: []string{secret}}.Verify(body, headers)
}

// Verify returns the event of a delivery, as VerifyWebhook does.
func (v WebhookVerifier) Verify(body []byte, headers http.Header) (*Event, error) {
	id, timestamp := headerOf(headers, "webhook-id"), headerOf(headers, "webhook-timestamp")
	if id == "" || timestamp == "" || len(timestamp) > 15 || strings.Trim(timestamp, "0123456789") != "" {
		return nil, &WebhookVerificationError{"the delivery has no webhook-id, or no webhook-timestamp"}
	}
	if !v.isCurrent(timestamp) {
		return nil, &WebhookVerificationError{"the timestamp is too old or too new"}
	}
	signed := append([]byte(id+"."+timestamp+"."), body...)
	isVerified := false
	for _, secret := range v.Secrets {
		key, err := readSecret(secret)
		if err != nil {
			return nil, err
		}
		isVerified = isSignedBy(key, signed, headerOf(headers, "webhook-signature")) || isVerified
	}
	if !isVerified {
		return nil, &WebhookVerificationError{"no signature matches"}
	}
	event := new(Event)
	if err := json.Unmarshal(body, event); err != nil {
		return nil, &InvalidEventError{err}
	}
	return event, nil
}

func (v WebhookVerifier) isCurrent(timestamp string) bool {
	now, tolerance := time.Now(), v.Tolerance
	if v.Now != nil {
		now = v.Now()
	}
	if tolerance == 0 {
		tolerance = 5 * time.Minute
	}
	// Fifteen digits are within an int64.
	seconds, _ := strconv.ParseInt(timestamp, 10, 64)
	return now.Sub(time.Unix(seconds, 0)).Abs() <= tolerance
}

// isSignedBy compares every signature of a header in constant time.
func isSignedBy(key, signed []byte, header string) bool {
	mac := hmac.New(sha256.New, key)
	mac.Write(signed)
	ours := mac.Sum(nil)
	isSigned := false
	for signature := range strings.FieldsSeq(header) {
		text, isV1 := strings.CutPrefix(signature, "v1,")
		theirs, err := base64.StdEncoding.DecodeString(text)
		if isV1 && err == nil && hmac.Equal(theirs, ours) {
			isSigned = true
		}
	}
	return isSigned
}

// readSecret reads a signing secret: the key of whsec_… is its base64; a secret of your own is the key itself.
func readSecret(secret string) ([]byte, error) {
	encoded, isEncoded := strings.CutPrefix(secret, "whsec_")
	if secret == "" {
		return nil, errors.New("trilho: the signing secret is empty")
	}
	if !isEncoded {
		return []byte(secret), nil
	}
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(key) == 0 {
		return nil, errors.New("trilho: the signing secret is not whsec_ and base64")
	}
	return key, nil
}

// headerOf reads a header whose name may be in any case.
func headerOf(headers http.Header, name string) string {
	for key, values := range headers {
		if strings.EqualFold(key, name) && len(values) > 0 {
			return values[0]
		}
	}
	return ""
}
