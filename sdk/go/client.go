package trilho

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// Client calls the API for an account. It is safe for concurrent use, and its token is not part of what it prints.
type Client struct {
	Resources
	baseURL string
}

// defaultTimeout is the time that one attempt may take: a provider may need some seconds to answer the API.
const defaultTimeout = 30 * time.Second

// New makes a client of an account. The address is that of the API, with or without /api/v1.
func New(token, baseURL string, options ...Option) (*Client, error) {
	if token == "" || !isPrintable(token) || strings.Contains(token, " ") {
		return nil, errors.New("trilho: the token must be an access token, printable characters without blanks")
	}
	address, err := readBaseURL(baseURL)
	if err != nil {
		return nil, err
	}
	transport := &transport{
		token:   token,
		baseURL: address,
		client:  &http.Client{CheckRedirect: stopRedirect},
		timeout: defaultTimeout,
		retries: DefaultRetryPolicy(),
	}
	for _, option := range options {
		option(transport)
	}
	if err := transport.retries.validate(); err != nil {
		return nil, err
	}
	if transport.timeout <= 0 {
		return nil, errors.New("trilho: the timeout must be positive")
	}
	return &Client{newResources(transport), address}, nil
}

// NewFromEnvironment makes a client of the account whose token is in TRILHO_TOKEN, at the address in TRILHO_BASE_URL.
func NewFromEnvironment(options ...Option) (*Client, error) {
	return New(os.Getenv("TRILHO_TOKEN"), os.Getenv("TRILHO_BASE_URL"), options...)
}

// String describes the client without its token.
func (c *Client) String() string { return "trilho.Client(" + c.baseURL + ")" }

// GoString describes the client without its token.
func (c *Client) GoString() string { return c.String() }

func readBaseURL(text string) (string, error) {
	address, err := url.Parse(text)
	if err != nil || address.Host == "" || address.User != nil || address.RawQuery != "" || address.Fragment != "" ||
		address.Scheme != "http" && address.Scheme != "https" {
		return "", errors.New("trilho: the base URL must be the address of the API, for example https://pix.example.com")
	}
	path := strings.TrimSuffix(strings.TrimRight(address.Path, "/"), "/api/v1")
	return address.Scheme + "://" + address.Host + path, nil
}

// Option is a setting of a client.
type Option func(*transport)

// WithTimeout sets the time that one attempt may take; 30 seconds by default.
func WithTimeout(timeout time.Duration) Option {
	return func(t *transport) { t.timeout = timeout }
}

// WithRetries sets when calls are repeated. A call that creates or moves something is repeated with the same key.
func WithRetries(policy RetryPolicy) Option {
	return func(t *transport) { t.retries = policy }
}

// WithHTTPClient sets the client that sends the requests, for example one with a proxy. Redirects are not followed.
func WithHTTPClient(client *http.Client) Option {
	own := *client
	own.CheckRedirect = stopRedirect
	return func(t *transport) { t.client = &own }
}

// WithOnResponse sets a function that receives what the headers of each response say. It is called once for each response of
// each attempt, before the call returns. Its panics are ignored.
func WithOnResponse(onResponse func(ResponseInfo)) Option {
	return func(t *transport) { t.onResponse = onResponse }
}

// stopRedirect makes a redirect the response: the token is sent to no other address.
func stopRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// CallOption is a setting of one call. Its context ends it, and the delays between its attempts.
type CallOption func(*callOptions)

type callOptions struct {
	idempotencyKey *string
	requestID      string
	maxAttempts    int
}

// IdempotencyKey gives a call a key of your own, such as an order's number: the same key and body give the same answer,
// however often they are sent. Without it, one is made for each call.
func IdempotencyKey(key string) CallOption {
	return func(options *callOptions) { options.idempotencyKey = &key }
}

// RequestID is sent as X-Request-Id: it identifies the request in responses, logs, events and workflows.
func RequestID(id string) CallOption {
	return func(options *callOptions) { options.requestID = id }
}

// MaxAttempts limits the attempts of a call; 1 never retries.
func MaxAttempts(attempts int) CallOption {
	return func(options *callOptions) { options.maxAttempts = attempts }
}
