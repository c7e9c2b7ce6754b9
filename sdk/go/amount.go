package trilho

import (
	"errors"
	"strconv"
	"strings"
)

// Amount is an exact sum of money in reais, kept in integer centavos. It is written and read as the API writes it, a
// decimal number, without arithmetic on floats. Percentages of the API have the same two decimals. The zero value is no
// amount: a request that has it is refused before it is sent, because 0 reais is an open amount of a charge.
type Amount struct {
	cents int64
	isSet bool
}

// Cents returns the amount of a number of centavos: Cents(15075) is 150.75.
func Cents(cents int64) Amount { return Amount{cents, true} }

// ParseAmount reads reais as a decimal text: "150.75", "150.7" and "150". It refuses a third decimal other than 0,
// exponents, blanks and commas.
func ParseAmount(text string) (Amount, error) {
	digits, isNegative := strings.CutPrefix(text, "-")
	whole, fraction, hasFraction := strings.Cut(digits, ".")
	if hasFraction {
		if fraction == "" {
			return Amount{}, errors.New("trilho: the amount has no digits after its point")
		}
		if fraction = strings.TrimRight(fraction, "0"); len(fraction) > 2 {
			return Amount{}, errors.New("trilho: the amount has more than two decimals")
		}
	}
	all := whole + fraction + strings.Repeat("0", 2-len(fraction))
	if whole == "" || strings.Trim(all, "0123456789") != "" {
		return Amount{}, errors.New("trilho: the amount is not a decimal number")
	}
	cents, err := strconv.ParseInt(all, 10, 64)
	if err != nil {
		return Amount{}, errors.New("trilho: the amount is too large")
	}
	if isNegative {
		cents = -cents
	}
	return Cents(cents), nil
}

// Cents returns the amount in centavos.
func (a Amount) Cents() int64 { return a.cents }

// String returns reais with two decimals: "150.75".
func (a Amount) String() string {
	sign, digits := "", strconv.FormatInt(a.cents, 10)
	if a.cents < 0 {
		sign, digits = "-", digits[1:]
	}
	if len(digits) < 3 {
		digits = strings.Repeat("0", 3-len(digits)) + digits
	}
	return sign + digits[:len(digits)-2] + "." + digits[len(digits)-2:]
}

// MarshalJSON writes the amount as a number of reais; the zero value is an error.
func (a Amount) MarshalJSON() ([]byte, error) {
	if !a.isSet {
		return nil, errors.New("trilho: the amount is missing: use Cents or ParseAmount")
	}
	return []byte(a.String()), nil
}

// UnmarshalJSON reads a number of reais, or a text with one.
func (a *Amount) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	amount, err := ParseAmount(strings.Trim(string(text), `"`))
	if err == nil {
		*a = amount
	}
	return err
}
