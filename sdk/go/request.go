package trilho

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
)

// File is a file of a form; its media type follows from the ending of its name.
type File struct {
	Name    string
	Content []byte
}

// call is one call of an operation.
type call struct {
	operation, method, path string
	// accept is the media type of a success.
	accept string
	// pathValues are those of the placeholders of the path, in their order.
	pathValues []string
	// query and request are structs that JSON names the fields of.
	query, request any
	// files make the request a form.
	files   []File
	isForm  bool
	isKeyed bool
}

// prepared is a call as every attempt sends it.
type prepared struct {
	operation, method, path, accept string
	// target is the path with its query.
	target      string
	body        []byte
	contentType string
	// key is the Idempotency-Key; empty where the operation takes none.
	key       string
	requestID string
}

// hasEffect reports whether the operation may change something.
func (p prepared) hasEffect() bool { return p.method != "GET" }

// isRepeatable reports whether the API answers a repeat with the result of the first request.
func (p prepared) isRepeatable() bool {
	return p.key != "" || p.method == "GET" || p.method == "PUT" || p.method == "DELETE"
}

// prepare encodes everything once, with one key, so that every attempt sends the same request.
func (c call) prepare(options callOptions) (prepared, error) {
	path, err := fillPath(c.path, c.pathValues)
	if err != nil {
		return prepared{}, err
	}
	query, err := formatQuery(c.query)
	if err != nil {
		return prepared{}, err
	}
	of := prepared{operation: c.operation, method: c.method, path: path, accept: c.accept, target: path + query}
	if of.body, of.contentType, err = c.encodeBody(); err != nil {
		return prepared{}, err
	}
	if c.isKeyed {
		of.key = newKey()
		if options.idempotencyKey != nil {
			of.key = *options.idempotencyKey
		}
		if of.key == "" || len(of.key) > 255 || !isPrintable(of.key) {
			return prepared{}, errors.New("trilho: the idempotency key must be 1 to 255 printable ASCII characters")
		}
	}
	if !isPrintable(options.requestID) {
		return prepared{}, errors.New("trilho: the request id must be printable ASCII characters")
	}
	of.requestID = options.requestID
	return of, nil
}

// fillPath fills the placeholders of a path. An empty value, "." or ".." would be the path of another resource.
func fillPath(template string, values []string) (string, error) {
	var path strings.Builder
	for _, value := range values {
		before, placeholder, _ := strings.Cut(template, "{")
		name, after, _ := strings.Cut(placeholder, "}")
		if value == "" || value == "." || value == ".." {
			return "", fmt.Errorf("trilho: %s must be the id of a resource", name)
		}
		path.WriteString(before + url.PathEscape(value))
		template = after
	}
	return path.String() + template, nil
}

// formatQuery formats the filters that are set; several values of one are separated by commas.
func formatQuery(query any) (string, error) {
	if query == nil {
		return "", nil
	}
	fields, err := textsOf(query)
	if err != nil {
		return "", err
	}
	values := url.Values{}
	for _, field := range fields {
		values.Set(field.name, field.text)
	}
	if len(values) == 0 {
		return "", nil
	}
	return "?" + values.Encode(), nil
}

type field struct{ name, text string }

// textsOf returns the fields of a struct that are set as texts, in the order of their names.
func textsOf(of any) ([]field, error) {
	encoded, err := json.Marshal(of)
	if err != nil {
		return nil, err
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(encoded, &values); err != nil {
		return nil, err
	}
	var fields []field
	for name, value := range values {
		text, err := textOf(value)
		if err != nil {
			return nil, err
		}
		fields = append(fields, field{name, text})
	}
	slices.SortFunc(fields, func(a, b field) int { return strings.Compare(a.name, b.name) })
	return fields, nil
}

func textOf(value json.RawMessage) (string, error) {
	switch value[0] {
	case '"':
		var text string
		err := json.Unmarshal(value, &text)
		return text, err
	case '[':
		var items []json.RawMessage
		if err := json.Unmarshal(value, &items); err != nil {
			return "", err
		}
		texts := make([]string, len(items))
		for index, item := range items {
			text, err := textOf(item)
			if err != nil {
				return "", err
			}
			texts[index] = text
		}
		return strings.Join(texts, ","), nil
	}
	return string(value), nil
}

func (c call) encodeBody() (body []byte, contentType string, err error) {
	if c.request == nil {
		return nil, "", nil
	}
	if !c.isForm {
		body, err = json.Marshal(c.request)
		return body, "application/json", err
	}
	fields, err := textsOf(c.request)
	if err != nil {
		return nil, "", err
	}
	var form bytes.Buffer
	writer := multipart.NewWriter(&form)
	for _, field := range fields {
		// A buffer takes everything.
		_ = writer.WriteField(field.name, field.text)
	}
	for index, file := range c.files {
		part, _ := writer.CreatePart(headersOf(index, file))
		_, _ = part.Write(file.Content)
	}
	_ = writer.Close()
	return form.Bytes(), writer.FormDataContentType(), nil
}

func headersOf(index int, file File) textproto.MIMEHeader {
	name := strings.NewReplacer("\\", "\\\\", `"`, "\\\"", "\r", "", "\n", "").Replace(file.Name)
	return textproto.MIMEHeader{
		"Content-Disposition": {fmt.Sprintf(`form-data; name="attachments[%d][file]"; filename="%s"`, index, name)},
		"Content-Type":        {mediaTypeOf(file.Name)},
	}
}

// mediaTypeOf names the types of files that the API accepts; it looks at the content itself.
func mediaTypeOf(name string) string {
	ending := strings.ToLower(name[strings.LastIndex(name, ".")+1:])
	types := map[string]string{
		"pdf":  "application/pdf",
		"png":  "image/png",
		"jpg":  "image/jpeg",
		"jpeg": "image/jpeg",
		"webp": "image/webp",
	}
	if found, isKnown := types[ending]; isKnown {
		return found
	}
	return "application/octet-stream"
}

// newKey makes a random UUID.
func newKey() string {
	var bits [16]byte
	// It never returns an error.
	_, _ = rand.Read(bits[:])
	bits[6], bits[8] = bits[6]&0x0f|0x40, bits[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", bits[:4], bits[4:6], bits[6:8], bits[8:10], bits[10:])
}

// isPrintable reports whether a text is printable ASCII, blanks included.
func isPrintable(text string) bool {
	return !strings.ContainsFunc(text, func(character rune) bool { return character < ' ' || character > '~' })
}
