package trilho

import "iter"

// perPage is the largest page of the API.
const perPage = 100

// Page is one page of a list. Of a page that was read by cursor, Meta has PerPage and NextCursor only.
type Page[T any] struct {
	Data []T      `json:"data"`
	Meta PageMeta `json:"meta"`
}

// iterate yields the items of all pages, from the cursor of the first one. An error ends it.
func iterate[T any](cursor string, read func(cursor string) (*Page[T], error)) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for next, isNext := cursor, true; isNext; {
			page, err := read(next)
			if err != nil {
				yield(nil, err)
				return
			}
			for index := range page.Data {
				if !yield(&page.Data[index], nil) {
					return
				}
			}
			next, isNext = page.Meta.NextCursor.Get()
		}
	}
}
