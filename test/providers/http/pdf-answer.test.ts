import { expect, test } from '@jest/globals'
import { pdfSchema } from '../../../src/providers/adapter/pdf-answer.ts'

test.each([
  ['application/pdf', '%PDF-1.4\n%%EOF\n', true],
  ['Application/PDF; charset=binary', '%PDF-1.7\n%%EOF', true],
  // Another type, another beginning, no end, an end too early, and nothing.
  ['text/html', '%PDF-1.4\n%%EOF\n', false],
  [undefined, '%PDF-1.4\n%%EOF\n', false],
  ['application/pdf', '<html>%PDF-1.4\n%%EOF\n', false],
  ['application/pdf', '%PDF-1.4\n1 0 obj', false],
  ['application/pdf', `%PDF-1.4\n%%EOF\n${' '.repeat(2_000)}`, false],
  ['application/pdf', '', false],
])('an answer of type %s with the text %j is a PDF: %s', (type, text, isPdf) => {
  const bytes = Buffer.from(text)
  const answer = {
    kind: 'answer',
    status: 200,
    headers: { 'content-type': type },
    json: undefined,
    text,
    bytes,
  }
  expect(pdfSchema.safeParse(answer).data ?? null).toEqual(isPdf ? bytes : null)
})
