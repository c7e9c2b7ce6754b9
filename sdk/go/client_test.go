package trilho_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"trilho"
)

// What is peculiar to Go. What all clients do is in test/sdk/conformance of the repository.

const token = "trl_test_secret"

// api answers every request with a body of JSON, and keeps what it received.
type api struct {
	status int
	answer string
	paths  []string
	bodies []string
}

func (a *api) RoundTrip(request *http.Request) (*http.Response, error) {
	body := ""
	if request.Body != nil {
		bytes, _ := io.ReadAll(request.Body)
		body = string(bytes)
	}
	a.paths = append(a.paths, request.URL.RequestURI())
	a.bodies = append(a.bodies, body)
	return &http.Response{
		StatusCode: a.status,
		Header:     http.Header{"Content-Type": {"application/json; charset=utf-8"}},
		Body:       io.NopCloser(strings.NewReader(a.answer)),
		Request:    request,
	}, nil
}

func newClient(t *testing.T, api *api, options ...trilho.Option) *trilho.Client {
	t.Helper()
	options = append([]trilho.Option{trilho.WithHTTPClient(&http.Client{Transport: api})}, options...)
	client, err := trilho.New(token, "http://localhost/api/v1/", options...)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestAmountsAreReadAndWrittenExactly(t *testing.T) {
	for text, want := range map[string]string{
		"150.75":               "150.75",
		"0.1":                  "0.10",
		"7":                    "7.00",
		"-3.05":                "-3.05",
		"-0.05":                "-0.05",
		"150.7500":             "150.75",
		"12345678901234567.89": "12345678901234567.89",
		`"9999999999.99"`:      "9999999999.99",
	} {
		var amount trilho.Amount
		if err := json.Unmarshal([]byte(text), &amount); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if written, _ := json.Marshal(amount); string(written) != want {
			t.Errorf("%s is written as %s, not %s", text, written, want)
		}
	}
	if amount, _ := trilho.ParseAmount("150.75"); amount != trilho.Cents(15075) || amount.Cents() != 15075 {
		t.Errorf("150.75 is %d centavos", amount.Cents())
	}
}

func TestWhatIsNoAmountIsRefused(t *testing.T) {
	for _, text := range []string{"", "-", ".5", "1.", "1,5", "1e3", " 1", "+1", "1.005", "NaN", "99999999999999999999"} {
		if amount, err := trilho.ParseAmount(text); err == nil {
			t.Errorf("%q is %s", text, amount)
		}
	}
}

func TestARequestWithoutItsAmountIsNotSent(t *testing.T) {
	api := &api{status: 200, answer: `{"data":{}}`}
	client := newClient(t, api)
	if _, err := client.Payments.Create(context.Background(), trilho.CreatePaymentRequest{}); err == nil {
		t.Error("a charge without a value is sent, which would be one of any value")
	}
	_, _ = client.Payments.Create(context.Background(), trilho.CreatePaymentRequest{Value: trilho.Cents(0)})
	if len(api.bodies) != 1 || api.bodies[0] != `{"value":0.00,"type":"PIX"}` {
		t.Error(api.bodies)
	}
}

func TestAFieldThatIsSetIsSentAlsoWhereItIsEmpty(t *testing.T) {
	api := &api{status: 200, answer: `{"data":{}}`}
	client := newClient(t, api)
	_, _ = client.Payments.Refund(context.Background(), "a", trilho.RefundPaymentRequest{})
	_, _ = client.Payments.Refund(context.Background(), "a", trilho.RefundPaymentRequest{Value: trilho.Some(trilho.Cents(0))})
	_, _ = client.Payments.Create(context.Background(), trilho.CreatePaymentRequest{Value: trilho.Cents(1250), VerifySender: trilho.Some(false)})
	_, _ = client.Payments.List(context.Background(), trilho.ListPaymentsQuery{ExternalRef: trilho.Some(""), Status: []string{"PAID", "EXPIRED"}, ValueMin: trilho.Some(trilho.Cents(50))})
	want := []string{`{}`, `{"value":0.00}`, `{"value":12.50,"type":"PIX","verify_sender":false}`, ""}
	for index, body := range api.bodies {
		if body != want[index] {
			t.Errorf("request %d has the body %s, not %s", index, body, want[index])
		}
	}
	if api.paths[3] != "/api/v1/payments?external_ref=&status=PAID%2CEXPIRED&value_min=0.50" {
		t.Error(api.paths[3])
	}
}

func TestAPathNeverNamesSomethingElse(t *testing.T) {
	api := &api{status: 200, answer: `{"message":"Done."}`}
	client := newClient(t, api)
	for _, uuid := range []string{"", ".", ".."} {
		if err := client.Webhooks.Delete(context.Background(), uuid); err == nil {
			t.Errorf("%q is accepted", uuid)
		}
	}
	_ = client.Webhooks.Delete(context.Background(), "a/b?c")
	if len(api.paths) != 1 || api.paths[0] != "/api/v1/webhooks/a%2Fb%3Fc" {
		t.Error(api.paths)
	}
}

func TestAFailureIsComparedWithItsCode(t *testing.T) {
	api := &api{status: 422, answer: `{"message":"For people.","code":"validation_failed","errors":{"value":["is required"]},"data":{"uuid":"a"}}`}
	_, err := newClient(t, api).Payments.Get(context.Background(), "a")
	var failure *trilho.Error
	if !errors.Is(err, trilho.ErrValidationFailed) || errors.Is(err, trilho.ErrTimeout) || !errors.As(err, &failure) {
		t.Fatalf("%#v", err)
	}
	if failure.Error() != "trilho: 422 validation_failed: For people.; value is required" || string(failure.Data) != `{"uuid":"a"}` {
		t.Error(failure, string(failure.Data))
	}
}

func TestTheContextEndsACall(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	reason := errors.New("the user has left")
	api := &api{status: 503, answer: `{"message":"","code":"overloaded"}`}
	client := newClient(t, api, trilho.WithOnResponse(func(trilho.ResponseInfo) { cancel(reason) }))
	_, err := client.Payments.Get(ctx, "a")
	if !errors.Is(err, trilho.ErrAborted) || !errors.Is(err, reason) || len(api.paths) != 1 {
		t.Error(err, api.paths)
	}
}

func TestAPanicOfTheObserverChangesNothing(t *testing.T) {
	api := &api{status: 200, answer: `{"data":{"uuid":"a"}}`}
	client := newClient(t, api, trilho.WithOnResponse(func(trilho.ResponseInfo) { panic("a fault of the caller") }))
	if charge, err := client.Payments.Get(context.Background(), "a"); err != nil || charge.UUID != "a" {
		t.Error(charge, err)
	}
}

func TestAnIteratorEndsWithItsError(t *testing.T) {
	api := &api{status: 404, answer: `{"message":"","code":"not_found"}`}
	count := 0
	for event, err := range newClient(t, api).Events.Iterate(context.Background(), trilho.ListEventsQuery{}) {
		count++
		if event != nil || !errors.Is(err, trilho.ErrNotFound) {
			t.Error(event, err)
		}
	}
	if count != 1 || api.paths[0] != "/api/v1/events?cursor=&per_page=100" {
		t.Error(count, api.paths)
	}
}

func TestTheTokenIsInNoText(t *testing.T) {
	client := newClient(t, &api{status: 401, answer: `{"message":"","code":"unauthenticated"}`})
	_, err := client.Payments.Get(context.Background(), "a")
	for _, format := range []string{"%v", "%+v", "%#v"} {
		for _, value := range []any{client, *client, err} {
			if text := fmt.Sprintf(format, value); strings.Contains(text, token) {
				t.Errorf(format, text)
			}
		}
	}
}

func TestAClientIsNotMadeOf(t *testing.T) {
	address := "https://pix.example.com"
	for _, wrong := range [][2]string{
		{"", address}, {"two words", address}, {"line\n", address}, {"não", address},
		{token, ""}, {token, "pix.example.com"}, {token, "ftp://x"}, {token, "https://a:b@x"}, {token, "https://x/?a=1"},
	} {
		_, err := trilho.New(wrong[0], wrong[1])
		if err == nil || wrong[0] != "" && strings.Contains(err.Error(), wrong[0]) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	for _, wrong := range []trilho.RetryPolicy{{}, {MaxAttempts: 1}, {MaxAttempts: 1, Deadline: 1, BaseDelay: -1}} {
		if _, err := trilho.New(token, address, trilho.WithRetries(wrong)); err == nil {
			t.Errorf("%+v is accepted", wrong)
		}
	}
	t.Setenv("TRILHO_TOKEN", token)
	t.Setenv("TRILHO_BASE_URL", address+"/api/v1/")
	if client, err := trilho.NewFromEnvironment(); err != nil || client.String() != "trilho.Client("+address+")" {
		t.Error(client, err)
	}
}

func TestAnEventIsTypedByItsType(t *testing.T) {
	var event trilho.Event
	body := `{"id":"e","type":"PAYMENT","timestamp":"2026-11-21T12:00:00.000000Z","data":{"uuid":"a","value":150.75,"sequence":2}}`
	if err := json.Unmarshal([]byte(body), &event); err != nil {
		t.Fatal(err)
	}
	payment, isPayment := event.Data.(*trilho.PaymentEventData)
	if !isPayment || payment.UUID != "a" || payment.Value != trilho.Cents(15075) || payment.Sequence != 2 {
		t.Errorf("%+v", event.Data)
	}
	if !event.Timestamp.Equal(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)) {
		t.Error(event.Timestamp)
	}
	if err := json.Unmarshal([]byte(strings.Replace(body, "PAYMENT", "NEWER", 1)), &event); err != nil {
		t.Fatal(err)
	}
	if _, isRaw := event.Data.(json.RawMessage); !isRaw {
		t.Errorf("%T", event.Data)
	}
	for _, wrong := range []string{`[]`, `{}`, `null`, `{"id":"e","type":"PAYMENT","timestamp":"2026-11-21T12:00:00Z","data":[]}`} {
		if err := json.Unmarshal([]byte(wrong), &event); err == nil {
			t.Errorf("%s is an event", wrong)
		}
	}
}
