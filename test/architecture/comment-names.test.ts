import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { ERROR_CATALOGUE } from '../../src/domain/errors/error-catalogue.ts'
import { ROOT, SOURCE_FILES } from './support/source-imports.ts'
import { readSourceTexts } from './support/source-text.ts'

/**
 * A name in backticks in a comment exists. A single lower-case word, which may be a parameter, a field or a value, occurs in
 * its file, in one that the file imports or the comment cites, or as a value of the domain; any other name is declared somewhere in `src`, or
 * occurs in a string: a column, a code, a setting.
 */

/** Names of others: of providers' published descriptions, libraries and Temporal's API. */
const FOREIGN_NAMES = new Set([
  // sdk-node-apis-efi and https://dev.efipay.com.br: schemas, and the names of refusals.
  ...['MedSubmitDefenseBodySchema', 'PixSendDetailResponseSchema', 'UpdateAccountConfigBodySchema', 'nome'],
  ...['CreateReportBodySchema', 'PixResendWebhookBodySchema'],
  // The OpenAPI description of Woovi.
  ...['woovi.yml', 'PixQrCodePayload', 'PixQrCode'],
  ...['WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR', 'multipleOf', '__proto__', 'fetch', 'pg', 'src'],
])

type CommentedFile = {
  file: string
  comments: { line: number; text: string }[]
  words: Set<string>
  imported: string[]
}

const files = await Promise.all(SOURCE_FILES.map(readCommentedFile))
const byName = new Map(files.map(one => [one.file, one]))
const values = new Set<string>([...Object.keys(ERROR_CATALOGUE), ...(await readDomainValues())])
const declared = await readDeclaredNames()

test('a name in backticks in a comment exists', () => {
  expect(files.length).toBeGreaterThan(500)
  expect(files.flatMap(unknownNamesIn)).toEqual([])
})

describe('a name that does not exist is found', () => {
  test.each([
    ['a parameter that was renamed', 'Validates an input. `whole` is its path.', ['whole']],
    ['a renamed function', 'See `checkTheWholeInput()`.', ['checkTheWholeInput']],
    ['a name that is only bound elsewhere', 'Only for one that `checksDocument`.', ['checksDocument']],
    ['a part of a path', 'The caller writes `input.theWhole`.', ['input.theWhole']],
    ['none: a parameter', 'Reads `input`.', []],
    ['none: a function elsewhere', 'The caller holds `lockRow`.', []],
    ['none: a value of the domain', 'It ends `unreachable`, with the money in `pending`.', []],
  ])('%s', (_, text, names) => {
    const comments = [{ line: 1, text }]
    const found = unknownNamesIn({ file: 'x.ts', comments, words: new Set(['input']), imported: [] })
    expect(found).toEqual(names.map(name => `x.ts:1: \`${name}\``))
  })
})

function unknownNamesIn({ file, comments, words, imported }: CommentedFile): string[] {
  return comments.flatMap(({ line, text }) => {
    const near = [...imported, ...(text.match(/\b(src|packages)\/[\w/.-]+\.ts\b/g) ?? [])]
    return [...text.matchAll(/`([A-Za-z_$][\w$.]+)(?:\(\))?`/g)]
      .map(([, name]) => name!)
      .filter(name => !FOREIGN_NAMES.has(name) && !exists(name, near))
      .map(name => `${file}:${line}: \`${name}\``)
  })

  function exists(name: string, near: string[]): boolean {
    const isNear = (part: string) =>
      words.has(part) || near.some(other => byName.get(other)?.words.has(part) === true)
    if (/^[a-z]+$/.test(name)) return isNear(name) || values.has(name)
    const parts = name.split('.').filter(part => !/^\d*$/.test(part))
    return parts.every(part => isNear(part) || declared.has(part))
  }
}

async function readCommentedFile(file: string): Promise<CommentedFile> {
  const source = await readFile(join(ROOT, file), 'utf8')
  const texts = readSourceTexts(source)
  return {
    file,
    comments: texts.filter(({ kind }) => kind === 'comment'),
    words: new Set(removeComments(source).match(/[A-Za-z_$][\w$]*/g)),
    imported: [...source.matchAll(/(?:from|import\()\s*'(\.[^']+\.ts)'/g)].map(([, path]) =>
      join(dirname(file), path!),
    ),
  }
}

function removeComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/ .*$/gm, ' ')
}

/** Reads the string literals of the domain: states, buckets, outcomes, kinds. */
async function readDomainValues(): Promise<string[]> {
  const domain = SOURCE_FILES.filter(file => file.startsWith('src/domain/'))
  const sources = await Promise.all(domain.map(file => readFile(join(ROOT, file), 'utf8')))
  return sources
    .flatMap(source => readSourceTexts(source).filter(({ kind }) => kind === 'string'))
    .map(({ text }) => text.slice(1, -1))
}

/** Reads what `src` declares: functions, types, constants, methods, properties; and the words of its strings. */
async function readDeclaredNames(): Promise<Set<string>> {
  const names = new Set<string>()
  for (const file of SOURCE_FILES) {
    const source = await readFile(join(ROOT, file), 'utf8')
    const texts = readSourceTexts(source)
    for (const { kind, text } of texts)
      if (kind === 'string') for (const word of text.match(/[A-Za-z_$][\w$]*/g) ?? []) names.add(word)
    const code = removeComments(source)
    for (const [, name] of code.matchAll(/\b(?:function\*?|const|let|class|type|interface)\s+([\w$]+)/g))
      names.add(name!)
    for (const [, name] of code.matchAll(/\b([\w$]+)(?:\??:\s|\()/g)) names.add(name!)
    for (const [, inner] of code.matchAll(/import (?:type )?\{([^}]*)\}/g))
      for (const name of inner!.match(/[\w$]+/g) ?? []) names.add(name)
  }
  return names
}
