package trilho

import "encoding/json"

// Opt is a value that may be absent, or null in a result. The zero Opt is absent; Some makes one that is there.
type Opt[T any] struct {
	value T
	isSet bool
}

// Some returns a value that is there, also where it is zero, false or empty.
func Some[T any](value T) Opt[T] { return Opt[T]{value, true} }

// Get returns the value, and whether it is there.
func (o Opt[T]) Get() (T, bool) { return o.value, o.isSet }

// Or returns the value, or a fallback where it is absent.
func (o Opt[T]) Or(fallback T) T {
	if o.isSet {
		return o.value
	}
	return fallback
}

// IsZero reports whether the value is absent.
func (o Opt[T]) IsZero() bool { return !o.isSet }

// MarshalJSON writes the value, null where it is absent.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if !o.isSet {
		return []byte("null"), nil
	}
	return json.Marshal(o.value)
}

// UnmarshalJSON reads the value; null is absent.
func (o *Opt[T]) UnmarshalJSON(text []byte) error {
	*o = Opt[T]{}
	if string(text) == "null" {
		return nil
	}
	err := json.Unmarshal(text, &o.value)
	o.isSet = err == nil
	return err
}
