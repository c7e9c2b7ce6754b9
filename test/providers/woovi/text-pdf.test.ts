import { expect, test } from '@jest/globals'
import { renderTextPdf } from '../../../src/providers/woovi/text-pdf.ts'

/** Parses the format as a reader does: every object at its offset in the table, and the shown texts. */
function read(pdf: Buffer) {
  const file = pdf.toString('latin1')
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(file)![1])
  const offsets = [...file.slice(start).matchAll(/^(\d{10}) 00000 n $/gm)].map(([, offset]) => Number(offset))
  offsets.forEach((offset, index) => {
    expect(file.slice(offset)).toMatch(new RegExp(`^${index + 1} 0 obj\n`))
  })
  for (const [, length, stream] of file.matchAll(/\/Length (\d+) >>\nstream\n([\s\S]*?)\nendstream/g))
    expect(stream).toHaveLength(Number(length))
  const shown = [...file.matchAll(/^\((.*)\) '$/gm)].map(([, line]) => line!)
  return { file, shown, pages: Number(/\/Count (\d+)/.exec(file)![1]) }
}

test.each([
  ['an accent', 'Não é devido', ['Não é devido']],
  ['characters that could end the text', 'a (b) \\ c', ['a \\(b\\) \\\\ c']],
  ['characters outside the encoding', '→ €? 😀', ['? ?? ?']],
  ['lines', 'one\r\ntwo\n\nthree', ['one', 'two', '', 'three']],
  ['nothing', '', ['']],
])('%s is written', (_name, text, lines) => {
  const { file, shown, pages } = read(renderTextPdf(text))
  expect(file.startsWith('%PDF-1.4\n')).toBe(true)
  expect(shown).toEqual(lines)
  expect(pages).toBe(1)
})

test('long lines are broken at spaces, and long texts continue on further pages', () => {
  const { shown } = read(renderTextPdf(`${'word '.repeat(30)}${'x'.repeat(100)}`))
  expect(shown.every(line => line.length <= 90)).toBe(true)
  expect(shown.join(' ').replace(/x ?x/g, 'xx')).toContain('word word')
  expect(read(renderTextPdf('line\n'.repeat(120))).pages).toBe(3)
})
