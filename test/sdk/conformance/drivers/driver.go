// Command driver carries out orders with the SDK for Go: a line of JSON for each, answered by one with its outcome.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"strings"
	"time"

	"trilho"
)

type order struct {
	Client *struct {
		Token     string
		BaseURL   string
		TimeoutMs int
		Retries   struct{ MaxAttempts, BaseDelayMs, MaxDelayMs, DeadlineMs int }
	}
	Call *struct {
		Resource, Method string
		Path             []string
		Body, Query      json.RawMessage
		Files            []struct{ Name, Text string }
		IdempotencyKey   *string
		IsIterated       bool
	}
	Verify *struct {
		Body       string
		Headers    map[string]string
		Secrets    []string
		ToleranceS *float64
	}
}

// driver keeps what one order has reported.
type driver struct {
	responses []any
	texts     []string
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		d := driver{responses: []any{}, texts: []string{}}
		outcome := d.answer(lines.Bytes())
		outcome["responses"], outcome["texts"] = d.responses, d.texts
		if err := json.NewEncoder(os.Stdout).Encode(outcome); err != nil {
			panic(err)
		}
	}
}

func (d *driver) answer(line []byte) map[string]any {
	var of order
	if err := json.Unmarshal(line, &of); err != nil {
		panic(err)
	}
	result, err := d.execute(of)
	var failure *trilho.Error
	var forged *trilho.WebhookVerificationError
	switch {
	case err == nil:
		return map[string]any{"result": result}
	case errors.As(err, &forged):
		return map[string]any{"forged": forged.Error()}
	case errors.As(err, &failure):
		d.texts = append(d.texts, fmt.Sprint(err), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err))
		return map[string]any{"error": describeError(failure)}
	}
	return map[string]any{"refused": err.Error()}
}

func (d *driver) execute(of order) (any, error) {
	if of.Verify != nil {
		headers := http.Header{}
		for name, value := range of.Verify.Headers {
			headers[name] = []string{value}
		}
		verifier := trilho.WebhookVerifier{Secrets: of.Verify.Secrets}
		if of.Verify.ToleranceS != nil {
			verifier.Tolerance = time.Duration(*of.Verify.ToleranceS * float64(time.Second))
		}
		return verifier.Verify([]byte(of.Verify.Body), headers)
	}
	ms := func(count int) time.Duration { return time.Duration(count) * time.Millisecond }
	retries := of.Client.Retries
	client, err := trilho.New(of.Client.Token, of.Client.BaseURL,
		trilho.WithTimeout(ms(of.Client.TimeoutMs)),
		trilho.WithRetries(trilho.RetryPolicy{
			MaxAttempts: retries.MaxAttempts,
			BaseDelay:   ms(retries.BaseDelayMs),
			MaxDelay:    ms(retries.MaxDelayMs),
			Deadline:    ms(retries.DeadlineMs),
		}),
		trilho.WithOnResponse(func(info trilho.ResponseInfo) { d.responses = append(d.responses, describeResponse(info)) }),
	)
	if err != nil {
		return nil, err
	}
	d.texts = append(d.texts, fmt.Sprint(client), fmt.Sprintf("%+v", *client), fmt.Sprintf("%#v", client))
	return call(client, of)
}

// call finds the method by its name, and fills its parameters by their types.
func call(client *trilho.Client, of order) (any, error) {
	title := func(name string) string { return strings.ToUpper(name[:1]) + name[1:] }
	name := title(of.Call.Method)
	if of.Call.IsIterated {
		name = strings.Replace(name, "List", "Iterate", 1)
	}
	method := reflect.ValueOf(client).Elem().FieldByName(title(of.Call.Resource)).MethodByName(name)
	values := []reflect.Value{reflect.ValueOf(context.Background())}
	path := of.Call.Path
	for index := 1; index < method.Type().NumIn()-1; index++ {
		parameter := reflect.New(method.Type().In(index))
		if parameter.Elem().Kind() == reflect.String {
			parameter.Elem().SetString(path[0])
			path = path[1:]
		} else if err := fill(parameter, of); err != nil {
			return nil, err
		}
		values = append(values, parameter.Elem())
	}
	if of.Call.IdempotencyKey != nil {
		values = append(values, reflect.ValueOf(trilho.IdempotencyKey(*of.Call.IdempotencyKey)))
	}
	results := method.Call(values)
	if of.Call.IsIterated {
		return collect(results[0])
	}
	err, _ := results[len(results)-1].Interface().(error)
	if len(results) == 1 {
		return nil, err
	}
	result := results[0].Interface()
	if content, isContent := result.([]byte); isContent {
		result = string(content)
	}
	return result, err
}

func fill(parameter reflect.Value, of order) error {
	source := of.Call.Body
	if strings.HasSuffix(parameter.Type().String(), "Query") {
		source = of.Call.Query
	}
	if source != nil {
		if err := json.Unmarshal(source, parameter.Interface()); err != nil {
			return err
		}
	}
	for _, file := range of.Call.Files {
		attachments := parameter.Elem().FieldByName("Attachments")
		attachments.Set(reflect.Append(attachments, reflect.ValueOf(trilho.File{Name: file.Name, Content: []byte(file.Text)})))
	}
	return nil
}

func collect(sequence reflect.Value) (any, error) {
	items := []any{}
	for item, failure := range sequence.Seq2() {
		if err, isError := failure.Interface().(error); isError {
			return nil, err
		}
		items = append(items, item.Interface())
	}
	return items, nil
}

func describeError(failure *trilho.Error) map[string]any {
	return map[string]any{
		"code":             failure.Code,
		"status":           orNull(failure.Status),
		"requestId":        orNull(failure.RequestID),
		"errors":           failure.Errors,
		"data":             failure.Data,
		"retryAfterS":      orNull(failure.RetryAfter.Seconds()),
		"isReplayed":       failure.IsReplayed,
		"idempotencyKey":   orNull(failure.IdempotencyKey),
		"isOutcomeUnknown": failure.IsOutcomeUnknown,
	}
}

func describeResponse(info trilho.ResponseInfo) map[string]any {
	of := map[string]any{
		"operation":      info.Operation,
		"attempt":        info.Attempt,
		"status":         info.Status,
		"requestId":      orNull(info.RequestID),
		"idempotencyKey": orNull(info.IdempotencyKey),
		"isReplayed":     info.IsReplayed,
		"retryAfterS":    nil,
		"rateLimit":      nil,
	}
	if info.RetryAfter != nil {
		of["retryAfterS"] = info.RetryAfter.Seconds()
	}
	if limit := info.RateLimit; limit != nil {
		of["rateLimit"] = map[string]any{
			"quota":     limit.Quota,
			"windowS":   limit.Window.Seconds(),
			"remaining": limit.Remaining,
			"resetS":    limit.Reset.Seconds(),
		}
	}
	return of
}

// orNull returns nil in place of what is absent.
func orNull[T comparable](value T) any {
	var zero T
	if value == zero {
		return nil
	}
	return value
}
