import { expect, test } from '@jest/globals'
import { renderTextPdf } from '../../../src/providers/woovi/disputes.ts'

/** Height of a line of Helvetica in 10 points. */
const LINE_HEIGHT = 11.56

/** Parses the format as a reader does: every object at its offset in the table, and the lines of every page. */
function read(pdf: Buffer) {
  const file = pdf.toString('latin1')
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(file)![1])
  const offsets = [...file.slice(start).matchAll(/^(\d{10}) 00000 n $/gm)].map(([, offset]) => Number(offset))
  offsets.forEach((offset, index) => {
    expect(file.slice(offset)).toMatch(new RegExp(`^${index + 1} 0 obj\n`))
  })
  for (const [, length, stream] of file.matchAll(/\/Length (\d+)\n>>\nstream\n([\s\S]*?)\nendstream/g))
    expect(stream).toHaveLength(Number(length))
  return {
    file,
    shown: file.split('endstream').flatMap(readLines),
    pages: Number(/\/Count (\d+)/.exec(file)![1]),
  }
}

/** Reads the lines of a page, from the place and the text of each: `[<6162> 10 <63> 0] TJ`. */
function readLines(content: string): string[] {
  const lines: string[] = []
  let lastY = Number.NaN
  for (const [, y, parts] of content.matchAll(/ ([\d.]+) Tm\n\/F1 10 Tf\n\[(.*)\] TJ/g)) {
    const blankLines = Math.round((lastY - Number(y)) / LINE_HEIGHT) - 1
    lines.push(...Array(blankLines > 0 ? blankLines : 0).fill(''))
    const hex = [...parts!.matchAll(/<(\w+)>/g)].map(([, digits]) => digits).join('')
    lines.push(new TextDecoder('windows-1252').decode(Buffer.from(hex, 'hex')).trimEnd())
    lastY = Number(y)
  }
  return lines
}

test.each([
  ['an accent', 'Não é devido', ['Não é devido']],
  ['characters that could end the text', 'a (b) \\ c', ['a (b) \\ c']],
  ['every character of Windows-1252', '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ ¡ÿ', ['€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ ¡ÿ']],
  ['lines', 'one\r\ntwo\n\nthree', ['one', 'two', '', 'three']],
  ['nothing', '', []],
])('%s is written', async (_name, text, lines) => {
  const { file, shown, pages } = read(await renderTextPdf(text))
  expect(file.startsWith('%PDF-1.4\n')).toBe(true)
  expect(shown).toEqual(lines)
  expect(pages).toBe(1)
})

test('long lines are broken at spaces, and long texts continue on further pages', async () => {
  const { shown } = read(await renderTextPdf(`${'word '.repeat(30)}${'x'.repeat(100)}`))
  expect(shown.every(line => line.length <= 95)).toBe(true)
  expect(shown.join(' ').replace(/x ?x/g, 'xx')).toContain('word word')
  expect(read(await renderTextPdf('line\n'.repeat(150))).pages).toBe(3)
})
