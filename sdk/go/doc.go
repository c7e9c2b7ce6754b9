// Package trilho is the Go client of Trilho, a PIX payments engine: typed from its OpenAPI document, with repeats that
// move money once, exact amounts, verified webhooks and iterators over lists.
package trilho

// Version is that of the API.
const Version = "0.1.0"
