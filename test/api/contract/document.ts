import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The contract document, parsed by its own headings and tables: nothing else is tested by it. */

const DOCUMENT_TEXT = readFileSync(join(import.meta.dirname, 'api-document.txt'), 'utf8')

export type TableRow = Record<string, string>

/** Answers the text under a heading of any depth, up to the next heading of the same or a higher one. */
export function readSection(title: string): string {
  const lines = DOCUMENT_TEXT.split('\n')
  const start = lines.findIndex(line => /^#+ /.test(line) && line.replace(/^#+ /, '').startsWith(title))
  if (start < 0) throw new Error(`the contract has no section ${title}`)
  const depth = /^#+/.exec(lines[start]!)![0].length
  const rest = lines.slice(start + 1)
  const end = rest.findIndex(line => (/^(#+) /.exec(line)?.[1]?.length ?? 99) <= depth)
  return rest.slice(0, end < 0 ? undefined : end).join('\n')
}

/** Answers the rows of the first table of a section, by column name. */
export function readTable(title: string): TableRow[] {
  const lines = readSection(title)
    .split('\n')
    .filter(line => line.startsWith('|'))
    .map(splitCells)
  const [names = [], , ...rows] = lines
  if (rows.length === 0 || rows.some(row => row.length !== names.length))
    throw new Error(`the contract has no table under ${title}, or a row that does not fit`)
  return rows.map(row => Object.fromEntries(names.map((name, index) => [name, row[index]!])))
}

/** Splits a row at its bars, except those inside backticks. */
function splitCells(line: string): string[] {
  return line
    .slice(1, line.lastIndexOf('|'))
    .split('|')
    .map(cell => cell.trim())
}

/** Answers the sentence of a section that begins with a text. */
export function readSentence(title: string, beginning: string): string {
  const text = readSection(title).trimStart()
  const start = text.indexOf(beginning)
  if (start < 0) throw new Error(`the contract does not say “${beginning}” under ${title}`)
  return text.slice(start + beginning.length).split(/\. |\.\n|\n/)[0]!
}

/** Answers every operation that the contract names in a heading. */
export function readOperations(): { method: string; path: string }[] {
  const headings = DOCUMENT_TEXT.split('\n').filter(line => /^#### (GET|POST|PUT|DELETE) /.test(line))
  return headings.flatMap(line =>
    [...line.matchAll(/(GET|POST|PUT|DELETE) (\/\S+)/g)].map(([, method, path]) => ({
      method: method!,
      path: path!,
    })),
  )
}

/** Answers the texts between backticks. */
function quotedWords(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => word!)
}

/** Fields are written in small letters, values of enumerations in capitals. */
export const fieldsOf = (text: string) => quotedWords(text).filter(word => /^[a-z][a-z_]*$/.test(word))
export const valuesOf = (text: string) => quotedWords(text).filter(word => /^[A-Z][A-Z_]*$/.test(word))
