import { dirname, join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { ERROR_CATALOGUE } from '../../src/domain/errors/error-catalogue.ts'
import { SOURCES } from './support/source-imports.ts'

/**
 * A name in backticks in a comment exists. A single lower-case word, which may be a parameter, a field or a value, occurs in
 * its file, in one that the file imports or the comment cites, or as a value of the domain; any other name occurs in the code.
 */

/** Names of others: of providers' published descriptions, libraries and Temporal's API. */
const FOREIGN_NAMES = new Set([
  // sdk-node-apis-efi and https://dev.efipay.com.br: schemas, and the names of refusals.
  ...['MedSubmitDefenseBodySchema', 'PixSendDetailResponseSchema', 'UpdateAccountConfigBodySchema', 'nome'],
  ...['CreateReportBodySchema', 'PixResendWebhookBodySchema', 'PixSendBodySchema'],
  // The OpenAPI description of Woovi.
  ...['woovi.yml', 'PixQrCodePayload', 'PixQrCode', 'PaymentCreatePayload', 'SubscriptionPayload'],
  ...['WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR', 'multipleOf', '__proto__', 'fetch', 'pg', 'src'],
])

type CommentedFile = { file: string; comments: string[]; words: Set<string>; imported: string[] }

const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/ .*$/gm

const files = [...SOURCES].map(([file, source]) => parseCommentedFile(file, source))
const wordsOf = new Map(files.map(({ file, words }) => [file, words]))
const allWords = new Set(files.flatMap(({ words }) => [...words]))
const domainValues = new Set([...Object.keys(ERROR_CATALOGUE), ...listDomainValues()])

test('a name in backticks in a comment exists', () => {
  expect(files.length).toBeGreaterThan(500)
  expect(files.flatMap(unknownNamesIn)).toEqual([])
})

describe('a name that does not exist is found', () => {
  test.each([
    ['a parameter that was renamed', 'Validates an input. `whole` is its path.', ['whole']],
    ['a renamed function', 'See `checkTheWholeInput()`.', ['checkTheWholeInput']],
    ['a part of a path', 'The caller writes `input.theWhole`.', ['input.theWhole']],
    ['none: a parameter', 'Reads `input`.', []],
    ['none: a function elsewhere', 'The caller holds `lockRow`.', []],
    ['none: a value of the domain', 'It ends `unreachable`, with the money in `pending`.', []],
  ])('%s', (_, text, names) => {
    const found = unknownNamesIn({ file: 'x.ts', comments: [text], words: new Set(['input']), imported: [] })
    expect(found).toEqual(names.map(name => `x.ts: \`${name}\``))
  })
})

function unknownNamesIn({ file, comments, words, imported }: CommentedFile): string[] {
  return comments.flatMap(comment => {
    const cited = comment.match(/\b(src|packages)\/[\w/.-]+\.ts\b/g) ?? []
    const near = [words, ...[...imported, ...cited].map(other => wordsOf.get(other) ?? new Set<string>())]
    return [...comment.matchAll(/`([A-Za-z_$][\w$.]+)(?:\(\))?`/g)]
      .map(([, name]) => name!)
      .filter(name => !FOREIGN_NAMES.has(name) && !exists(name, near))
      .map(name => `${file}: \`${name}\``)
  })
}

function exists(name: string, near: Set<string>[]): boolean {
  if (/^[a-z]+$/.test(name)) return near.some(words => words.has(name)) || domainValues.has(name)
  return name.split('.').every(part => /^\d*$/.test(part) || allWords.has(part))
}

function parseCommentedFile(file: string, source: string): CommentedFile {
  return {
    file,
    comments: source.match(COMMENT) ?? [],
    words: new Set(source.replaceAll(COMMENT, ' ').match(/[A-Za-z_$][\w$]*/g)),
    imported: [...source.matchAll(/(?:from|import\()\s*'(\.[^']+\.ts)'/g)].map(([, path]) =>
      join(dirname(file), path!),
    ),
  }
}

/** Lists the string literals of the domain: states, buckets, outcomes, kinds. */
function listDomainValues(): string[] {
  const domain = [...SOURCES].filter(([file]) => file.startsWith('src/domain/'))
  return domain.flatMap(([, source]) => [...source.matchAll(/'(\w+)'/g)].map(([, value]) => value!))
}
