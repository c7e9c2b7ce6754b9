package trilho

import (
	"net/http"
	"testing"
	"time"
)

func TestDelaysDoubleUpToTheirLimit(t *testing.T) {
	policy := RetryPolicy{BaseDelay: time.Second, MaxDelay: 4 * time.Second}
	for failed, most := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 3: 4 * time.Second, 60: 4 * time.Second} {
		delay := policy.delayAfter(failed, 3*time.Second) - 3*time.Second
		if delay < most/2 || delay > most {
			t.Errorf("%s after %d attempts, at most %s", delay, failed, most)
		}
	}
}

func TestRetryAfterIsSecondsOrADate(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"7":   7 * time.Second,
		" 0 ": 0,
		now.Add(90 * time.Second).Format(http.TimeFormat): 90 * time.Second,
		now.Add(-time.Hour).Format(http.TimeFormat):       0,
	} {
		if after := parseRetryAfter(text, now); after == nil || *after != want {
			t.Errorf("%q is %v", text, after)
		}
	}
	for _, text := range []string{"", "soon", "-1", "٧"} {
		if after := parseRetryAfter(text, now); after != nil {
			t.Errorf("%q is %s", text, after)
		}
	}
}
