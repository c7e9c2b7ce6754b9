package trilho

import (
	"encoding/json"
	"errors"
	"time"
)

// Event is what a webhook brings, and what Events lists. It may come again, with the same ID.
type Event struct {
	ID        string
	Type      string
	Timestamp time.Time
	// Data is the resource as its GET showed it then: a pointer to a PaymentEventData, TransferEventData,
	// RefundEventData and so on, by Type; a json.RawMessage where this version does not know the type.
	Data any
}

// UnmarshalJSON reads an event; its data by its type.
func (e *Event) UnmarshalJSON(text []byte) error {
	var read struct {
		ID        string          `json:"id"`
		Type      string          `json:"type"`
		Timestamp time.Time       `json:"timestamp"`
		Data      json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	if read.ID == "" || read.Type == "" || read.Data == nil {
		return errors.New("an event needs an id, a type and data")
	}
	*e = Event{ID: read.ID, Type: read.Type, Timestamp: read.Timestamp, Data: read.Data}
	data := newEventData(read.Type)
	if data == nil {
		return nil
	}
	e.Data = data
	return json.Unmarshal(read.Data, data)
}

// MarshalJSON writes an event as the API does.
func (e Event) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"id": e.ID, "type": e.Type, "timestamp": e.Timestamp, "data": e.Data})
}
