import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { marked, type Token } from 'marked'
import { DECISIONS, DOCUMENTS, RUNBOOKS } from '../../../src/api/docs/documents.ts'
import { GUIDE_PAGES } from '../../../src/api/docs/guide-pages.ts'

export const ROOT = join(import.meta.dirname, '../../..')

/** A document as the tests read it. */
export type TestedDocument = { file: string; text: string; tokens: Token[] }

export const documents: TestedDocument[] = [
  ...DOCUMENTS,
  ...DECISIONS,
  ...RUNBOOKS,
  ...Object.values(GUIDE_PAGES).flat(),
].map(({ file }) => {
  const text = readFileSync(join(ROOT, file), 'utf8')
  return { file, text, tokens: marked.lexer(text).filter(token => token.type !== 'space') }
})

/** A ```sh block of a document. */
export type ShellBlock = {
  file: string
  /** Its number within the document, from 1. */
  number: number
  script: string
  /** The test that covers it, where it cannot be run here: `<!-- not run: test/a.test.ts -->` before it. */
  coveringTest: string | null
  /**
   * Its output as the document shows it: in a ```text block after it, or in `<!-- shows: … -->` where a reader needs
   * none. null where the document shows none.
   */
  expectedOutput: string | null
  /** A JSON answer, in a ```json block after it, that shows some of the fields of the output. null where there is none. */
  expectedJson: string | null
}

export function blocksOf({ file, tokens }: TestedDocument): ShellBlock[] {
  const blocks: ShellBlock[] = []
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'code' || token.lang !== 'sh') continue
    blocks.push({
      file,
      number: blocks.length + 1,
      script: token.text,
      coveringTest: commentOf(tokens[index - 1], 'not run')?.split(' ')[0] ?? null,
      expectedOutput: codeOf(tokens[index + 1], 'text') ?? commentOf(tokens[index + 1], 'shows'),
      expectedJson: codeOf(tokens[index + 1], 'json'),
    })
  }
  return blocks
}

/** Complete programs of a document, by the name in the comment before them: `<!-- program: receiver.go -->`. */
export function programsOf({ tokens }: TestedDocument): Map<string, string> {
  const found = tokens.map((token, index) => [commentOf(tokens[index - 1], 'program'), token] as const)
  return new Map(
    found.flatMap(([name, token]) => (name && token.type === 'code' ? [[name, token.text as string]] : [])),
  )
}

function codeOf(token: Token | undefined, language: string): string | null {
  return token?.type === 'code' && token.lang === language ? token.text : null
}

function commentOf(token: Token | undefined, kind: string): string | null {
  if (token?.type !== 'html') return null
  return new RegExp(`^<!-- ${kind}: ([\\s\\S]*?) -->`).exec(token.text)?.[1] ?? null
}

/** Whether an output equals the documented one, with an ellipsis for any text. */
export function matchesOutput(output: string, shown: string): boolean {
  const parts = shown.split('…').map(part => part.replaceAll(/\s+/g, ' ').trim())
  let rest = output.replaceAll(/\s+/g, ' ')
  for (const part of parts) {
    const at = rest.indexOf(part)
    if (at < 0) return false
    rest = rest.slice(at + part.length)
  }
  return true
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

/**
 * Compares a JSON answer with the documented one, which may leave out fields: every field that it shows has its value,
 * except that any UUID fits a UUID, any timestamp a timestamp, and any text an ellipsis. Lists have at least its items.
 */
export function findJsonDifferences(actual: unknown, shown: unknown, path = '$'): string[] {
  if (typeof shown === 'string' && typeof actual === 'string') {
    const fits = [UUID, TIMESTAMP].find(pattern => pattern.test(shown))
    return (
      fits
        ? fits.test(actual)
        : matchesOutput(actual, shown) && (shown.includes('…') || actual === shown)
    )
      ? []
      : [`${path} is ${JSON.stringify(actual)}, not ${JSON.stringify(shown)}`]
  }
  if (Array.isArray(shown) && Array.isArray(actual))
    return shown.length === 0 && actual.length > 0
      ? [`${path} is not empty`]
      : shown.flatMap((item, index) => findJsonDifferences(actual[index], item, `${path}[${index}]`))
  if (isRecord(shown) && isRecord(actual))
    return Object.entries(shown).flatMap(([name, value]) =>
      findJsonDifferences(actual[name], value, `${path}.${name}`),
    )
  return actual === shown ? [] : [`${path} is ${JSON.stringify(actual)}, not ${JSON.stringify(shown)}`]
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
