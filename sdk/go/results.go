package trilho

import (
	"context"
	"encoding/json"
	"errors"
)

type envelope[T any] struct {
	Data T `json:"data"`
}

// readOne sends a call whose result is in {"data": …}.
func readOne[T any](ctx context.Context, t *transport, of call, options []CallOption) (*T, error) {
	body, err := readComplete(ctx, t, of, options, func(body envelope[*T]) bool { return body.Data != nil })
	if err != nil {
		return nil, err
	}
	return body.Data, nil
}

// readList sends a call whose result is a list without pages, in {"data": […]}.
func readList[T any](ctx context.Context, t *transport, of call, options []CallOption) ([]T, error) {
	body, err := readComplete(ctx, t, of, options, func(body envelope[[]T]) bool { return body.Data != nil })
	if err != nil {
		return nil, err
	}
	return body.Data, nil
}

// readPage sends a call whose result is a page of a list.
func readPage[T any](ctx context.Context, t *transport, of call, options []CallOption) (*Page[T], error) {
	return readComplete(ctx, t, of, options, func(page Page[T]) bool { return page.Data != nil })
}

// readWhole sends a call whose result is the whole body.
func readWhole[T any](ctx context.Context, t *transport, of call, options []CallOption) (*T, error) {
	return readComplete(ctx, t, of, options, func(T) bool { return true })
}

// readNothing sends a call that is only confirmed.
func readNothing(ctx context.Context, t *transport, of call, options []CallOption) error {
	_, err := readWhole[struct{}](ctx, t, of, options)
	return err
}

// readContent sends a call whose result is a file.
func readContent(ctx context.Context, t *transport, of call, options []CallOption) ([]byte, error) {
	var content []byte
	err := t.send(ctx, of, options, func(body []byte) error {
		content = body
		return nil
	})
	return content, err
}

func readComplete[T any](
	ctx context.Context, t *transport, of call, options []CallOption, isComplete func(body T) bool,
) (*T, error) {
	var result *T
	err := t.send(ctx, of, options, func(text []byte) error {
		var body T
		if err := json.Unmarshal(text, &body); err != nil {
			return err
		}
		if !isComplete(body) {
			return errors.New("the body has no data")
		}
		result = &body
		return nil
	})
	return result, err
}
